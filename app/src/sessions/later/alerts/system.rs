//! What the browser offers to call somebody who looks elsewhere. Each may be missing, as on pages without
//! https; then nothing happens.

use leptos::prelude::window;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Array, Function, Object, Reflect};

/// The lock that one tab holds at a time.
const LOCK: &str = "bough.alert";

/// The tones, in hertz, and how long each lasts, in seconds.
const TONES: [f64; 2] = [660.0, 880.0];
const TONE_SECONDS: f64 = 0.12;
const LOUDNESS: f64 = 0.05;

/// Whether notices may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// They may.
    Granted,
    /// The reader, or the browser, said no.
    Refused,
    /// This browser has none for this page.
    Missing,
}

/// Asks for permission to show notices; only in answer to a click.
pub fn ask_permission(then: impl FnOnce(Permission) + 'static) {
    let asked = maker("Notification").and_then(|notices| call(&notices, "requestPermission", &[]));
    let Some(asked) = asked else { return then(Permission::Missing) };
    let answered = Closure::once_into_js(move |answer: JsValue| {
        let is_granted = answer.as_string().as_deref() == Some("granted");
        then(if is_granted { Permission::Granted } else { Permission::Refused });
    });
    let _heard = call(&asked, "then", &[answered]);
}

/// Shows a notice; `act` when it is clicked.
pub fn notify(title: &str, body: &str, tag: &str, act: impl Fn() + 'static) {
    let Some(notices) = maker("Notification") else { return };
    let options = Object::new();
    set(&options, "body", body.into());
    set(&options, "tag", tag.into());
    let Some(notice) = make(&notices, &[title.into(), options.into()]) else { return };
    let shown = notice.clone();
    let clicked = Closure::<dyn FnMut()>::new(move || {
        let _focused = window().focus();
        act();
        let _closed = call(&shown, "close", &[]);
    });
    // A notice lives as long as the system shows it.
    set(&notice, "onclick", clicked.into_js_value());
}

/// Plays two short tones.
pub fn chime() {
    let Some(context) = maker("AudioContext").and_then(|maker| make(&maker, &[])) else { return };
    let now = number(&context, "currentTime");
    for (at, tone) in TONES.into_iter().enumerate() {
        let begin = now + at as f64 * TONE_SECONDS;
        let _played = play(&context, tone, begin);
    }
}

fn play(context: &JsValue, tone: f64, begin: f64) -> Option<()> {
    let (source, gain) = (call(context, "createOscillator", &[])?, call(context, "createGain", &[])?);
    set(&get(&gain, "gain")?, "value", LOUDNESS.into());
    set(&get(&source, "frequency")?, "value", tone.into());
    let _joined = call(&source, "connect", std::slice::from_ref(&gain))?;
    let _joined = call(&gain, "connect", &[get(context, "destination")?])?;
    let _begun = call(&source, "start", &[begin.into()]);
    let _ended = call(&source, "stop", &[(begin + TONE_SECONDS).into()]);
    Some(())
}

/// Does something while no other tab does it; where tabs cannot know of each other, at once.
pub fn alone(act: impl FnOnce() + 'static) {
    let locks = get(&window().navigator(), "locks").filter(|locks| locks.is_object());
    let act = Closure::once_into_js(act);
    let held = locks.and_then(|locks| call(&locks, "request", &[LOCK.into(), act.clone()]));
    if held.is_none() {
        let _done = act.dyn_into::<Function>().map(|act| act.call0(&JsValue::NULL));
    }
}

/// What makes objects of a kind, where this page has it.
fn maker(name: &str) -> Option<JsValue> {
    get(&window(), name).filter(JsValue::is_function)
}

fn make(maker: &JsValue, arguments: &[JsValue]) -> Option<JsValue> {
    Reflect::construct(maker.dyn_ref::<Function>()?, &arguments.iter().collect::<Array>()).ok()
}

fn get(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

fn number(object: &JsValue, name: &str) -> f64 {
    get(object, name).and_then(|value| value.as_f64()).unwrap_or_default()
}

fn set(object: &JsValue, name: &str, value: JsValue) {
    let _set = Reflect::set(object, &name.into(), &value);
}

fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let function = get(object, name)?.dyn_into::<Function>().ok()?;
    function.apply(object, &arguments.iter().collect::<Array>()).ok()
}
