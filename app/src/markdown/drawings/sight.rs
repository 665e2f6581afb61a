//! What comes near the view: one observer of the browser's for all that wait for it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Array, Map, Reflect};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// How far beyond the view is near.
const NEAR: &str = "600px";

type Act = Box<dyn FnOnce()>;

/// Looks out for elements. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct Sight(Rc<RefCell<Lookout>>);

/// An element that is waited for.
pub(super) struct Watch {
    element: Element,
    number: u32,
}

#[derive(Default)]
struct Lookout {
    last: u32,
    acts: HashMap<u32, Act>,
    eyes: Option<Eyes>,
}

/// The browser's half.
struct Eyes {
    observer: IntersectionObserver,
    /// The number of each element that is waited for.
    numbers: Map,
    _seen: Closure<dyn FnMut(Array)>,
}

impl Sight {
    /// Acts once, when the element is near the view; at once in a browser that cannot tell.
    pub(super) fn watch(&self, element: &Element, act: Act) -> Watch {
        let mut lookout = self.0.borrow_mut();
        lookout.last = lookout.last.wrapping_add(1);
        let number = lookout.last;
        if lookout.eyes.is_none() {
            lookout.eyes = Eyes::open(self);
        }
        if let Some(eyes) = &lookout.eyes {
            let _all = eyes.numbers.set(element, &JsValue::from(number));
            eyes.observer.observe(element);
            let _none = lookout.acts.insert(number, act);
        } else {
            drop(lookout);
            act();
        }
        Watch { element: element.clone(), number }
    }

    /// Waits no longer.
    pub(super) fn forget(&self, watch: &Watch) {
        let mut lookout = self.0.borrow_mut();
        if lookout.acts.remove(&watch.number).is_none() {
            return;
        }
        if let Some(eyes) = &lookout.eyes
            && eyes.number(&watch.element) == Some(watch.number)
        {
            eyes.look_away(&watch.element);
        }
    }

    fn seen(&self, entries: &Array) {
        let mut acts = Vec::new();
        let mut lookout = self.0.borrow_mut();
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            let Some(eyes) = lookout.eyes.as_ref().filter(|_| entry.is_intersecting()) else { continue };
            let element = entry.target();
            let number = eyes.number(&element);
            eyes.look_away(&element);
            acts.extend(number.and_then(|number| lookout.acts.remove(&number)));
        }
        drop(lookout);
        acts.into_iter().for_each(|act| act());
    }
}

impl Eyes {
    fn open(sight: &Sight) -> Option<Self> {
        let lookout = Rc::downgrade(&sight.0);
        let seen: Closure<dyn FnMut(Array)> = Closure::new(move |entries: Array| {
            if let Some(lookout) = lookout.upgrade() {
                Sight(lookout).seen(&entries);
            }
        });
        let init = IntersectionObserverInit::new();
        init.set_root_margin(NEAR);
        // The transcript scrolls in a box of its own, and the root's margin does not reach into that.
        let _set = Reflect::set(&init, &JsValue::from("scrollMargin"), &JsValue::from(NEAR));
        let observer = IntersectionObserver::new_with_options(seen.as_ref().unchecked_ref(), &init).ok()?;
        Some(Self { observer, numbers: Map::new(), _seen: seen })
    }

    fn number(&self, element: &Element) -> Option<u32> {
        self.numbers.get(element).as_f64().map(|number| number as u32)
    }

    fn look_away(&self, element: &Element) {
        self.observer.unobserve(element);
        let _was_there = self.numbers.delete(element);
    }
}
