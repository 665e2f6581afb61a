//! Where the keyboard on the screen lies over the page, as it does on Apple's phones, the page ends above it.

use crate::browser;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Element;
use web_sys::js_sys::Reflect;

/// Less than this, in pixels, is no keyboard.
const KEYBOARD_MIN: f64 = 80.0;

/// Keeps the page above the keyboard for as long as the caller's place in the page stands.
pub fn watch() {
    let Ok(view) = Reflect::get(&window(), &JsValue::from_str("visualViewport")) else { return };
    if view.is_undefined() || view.is_null() {
        return;
    }
    for event in ["resize", "scroll"] {
        let seen = view.clone();
        // All that is needed of an element here is that it can be listened to.
        browser::listen_to(view.unchecked_ref::<Element>(), event, move |_| fit(&seen));
    }
}

fn fit(view: &JsValue) {
    let Some(body) = document().body() else { return };
    let told = |name: &str| Reflect::get(view, &JsValue::from_str(name)).ok().and_then(|it| it.as_f64());
    let (Some(height), Some(top), Some(scale)) = (told("height"), told("offsetTop"), told("scale")) else {
        return;
    };
    let whole = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    // Whoever looks closer by two fingers sees a part of the page, and no keyboard.
    let is_covered = scale <= 1.01 && whole - height > KEYBOARD_MIN;
    for (name, pixels) in [("--view-height", height), ("--view-top", top)] {
        let style = body.style();
        let _set = match is_covered {
            true => style.set_property(name, &format!("{pixels}px")),
            false => style.remove_property(name).map(drop),
        };
    }
}
