//! What the page asks of the browser, in one place. Only effects and event handlers call it, and those never run on
//! the server; nothing here is part of a view.

use crate::backend::told;
use crate::boot::prefs::Prefs;
use crate::boot::{BOOT_META, Boot, OFFSET_COOKIE, PANEL_COOKIE, PREFS_COOKIE, THEME_COOKIE, Theme};
use crate::chat::composer_state::KeyPress;
use leptos::ev::KeyboardEvent;
use leptos::prelude::{document, request_animation_frame, window};
use send_wrapper::SendWrapper;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Date, Math, Reflect};
use web_sys::{HtmlDocument, HtmlElement, HtmlTextAreaElement};

/// Room between what floats and the edge of the window, in pixels.
const EDGE_PX: f64 = 12.0;

/// An end of what can be scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollEnd {
    /// Its beginning.
    First,
    /// Its end.
    Last,
}

/// A year: how long a choice is remembered.
const COOKIE_SECONDS: u32 = 365 * 24 * 60 * 60;

/// Frames of the screen within which something that is on its way is there.
const SOON_FRAMES: u32 = 120;

/// A row that takes more than this part of the view is tall.
const TALL_ROW: f64 = 0.5;

/// Milliseconds since 1970, UTC, by the browser's clock.
pub fn now_ms() -> u64 {
    Date::now() as u64
}

/// A number from 0 to 1.
pub fn random() -> f64 {
    Math::random()
}

/// The reader's offset from UTC, in minutes east.
pub fn utc_offset_minutes() -> i32 {
    -(Date::new_0().get_timezone_offset() as i32)
}

/// A fresh id that nobody else makes. (`randomUUID` exists on secure pages only; this works on all.)
pub fn new_id(prefix: &str) -> String {
    let mut bytes = [0_u8; 16];
    let filled =
        window().crypto().and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).map(|_| ()));
    if filled.is_err() {
        for byte in &mut bytes {
            *byte = (Math::random() * 256.0) as u8;
        }
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}{hex}")
}

/// The facts that the server wrote into the document's head.
pub fn boot() -> Option<Boot> {
    let meta = document().query_selector(&format!("meta[name={BOOT_META}]")).ok()??;
    told::read(&meta.get_attribute("content")?)
}

/// Whether nobody looks at the tab.
pub fn is_hidden() -> bool {
    document().hidden()
}

/// Listens to an element for as long as the caller's place in the page stands.
pub fn listen_to(element: &web_sys::Element, event: &'static str, act: impl FnMut(web_sys::Event) + 'static) {
    let act: Closure<dyn FnMut(web_sys::Event)> = Closure::new(act);
    let _listening = element.add_event_listener_with_callback(event, act.as_ref().unchecked_ref());
    let kept = SendWrapper::new((element.clone(), act));
    leptos::prelude::on_cleanup(move || {
        let (element, act) = &*kept;
        let _gone = element.remove_event_listener_with_callback(event, act.as_ref().unchecked_ref());
    });
}

/// Whether the main pointer is a finger, and the keyboard therefore on the screen.
pub fn is_touch() -> bool {
    matches_media("(pointer: coarse)")
}

/// Whether the browser knows that there is no network at all.
pub fn is_offline() -> bool {
    !window().navigator().on_line()
}

/// Whether shortcuts are spelt with the signs of Apple's keyboards.
pub fn is_apple() -> bool {
    let platform = window().navigator().platform().unwrap_or_default();
    ["Mac", "iPhone", "iPad"].iter().any(|known| platform.starts_with(known))
}

/// The address of a socket of the server that the page came from.
pub fn socket_url(path_and_query: &str) -> String {
    let location = window().location();
    let scheme = if location.protocol().is_ok_and(|protocol| protocol == "https:") { "wss" } else { "ws" };
    format!("{scheme}://{}{path_and_query}", location.host().unwrap_or_default())
}

/// Says that the page is alive; tests and styles wait for it.
pub fn mark_hydrated() {
    if let Some(body) = document().body() {
        let _set = body.set_attribute("data-hydrated", "");
    }
}

/// Shows a theme and remembers it.
pub fn set_theme(theme: Theme, base: &str) {
    if let Some(root) = document().document_element() {
        let _set = root.set_attribute("data-theme", theme.as_str());
    }
    set_cookie(THEME_COOKIE, theme.as_str(), base);
}

/// Shows the page as the reader wants it, and remembers that.
pub fn set_prefs(prefs: Prefs, base: &str) {
    if let Some(root) = document().document_element() {
        for (name, value) in prefs.attributes() {
            let _set = root.set_attribute(name, &value);
        }
    }
    set_cookie(PREFS_COOKIE, &prefs.to_cookie(), base);
}

/// Remembers where the reader's day begins, for the server's next first page.
pub fn remember_offset(minutes: i32, base: &str) {
    set_cookie(OFFSET_COOKIE, &minutes.to_string(), base);
}

/// Remembers how the panel stands, for the server's next first page.
pub fn remember_panel(layout: &str, base: &str) {
    set_cookie(PANEL_COOKIE, layout, base);
}

/// A text this browser keeps.
pub fn load(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Keeps a text in this browser; an empty one is forgotten. A full or forbidden store keeps nothing, silently: it
/// holds drafts only.
pub fn store(key: &str, text: &str) {
    let Ok(Some(storage)) = window().local_storage() else { return };
    let _kept = if text.is_empty() { storage.remove_item(key) } else { storage.set_item(key, text) };
}

/// Puts a text on the clipboard. Whether it worked, as far as the browser tells at once.
pub fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    // Missing on pages that are not secure, whatever the bindings say.
    let clipboard = Reflect::get(&navigator, &JsValue::from_str("clipboard"));
    if clipboard.is_ok_and(|clipboard| !clipboard.is_undefined()) {
        let _promise = navigator.clipboard().write_text(text);
        return true;
    }
    copy_by_selection(text).unwrap_or(false)
}

/// A key press as data.
pub fn key_press<'a>(press: &KeyboardEvent, key: &'a str) -> KeyPress<'a> {
    KeyPress {
        key,
        key_code: press.key_code(),
        shift: press.shift_key(),
        command: press.ctrl_key() || press.meta_key(),
        alt: press.alt_key(),
        is_composing: press.is_composing(),
    }
}

/// Closes a popover, if it is open.
pub fn hide_popover(id: &str) {
    if let Some(element) = element(id)
        && element.matches(":popover-open").unwrap_or(false)
    {
        let _hidden = element.hide_popover();
    }
}

/// The number in an attribute of what was clicked, or of something around it.
pub fn number_at(event: &web_sys::Event, attribute: &str) -> Option<usize> {
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    let holder = target.closest(&format!("[{attribute}]")).ok()??;
    holder.get_attribute(attribute)?.parse().ok()
}

/// Opens a popover, or closes it.
pub fn toggle_popover(id: &str) {
    if let Some(element) = element(id) {
        let _toggled = element.toggle_popover();
    }
}

/// Puts a popover above all that lies over the page.
pub fn raise_popover(id: &str) {
    hide_popover(id);
    if let Some(element) = element(id) {
        let _shown = element.show_popover();
    }
}

/// Whether this popover is open.
pub fn is_open_popover(id: &str) -> bool {
    element(id).is_some_and(|element| element.matches(":popover-open").unwrap_or(false))
}

/// Id of the drawer that lies over the page, if one does.
pub fn open_drawer() -> Option<String> {
    document().query_selector(".drawer:popover-open").ok()?.map(|drawer| drawer.id())
}

/// Whether there is no room for a third region.
pub fn is_narrow() -> bool {
    matches_media("(max-width: 1100px)")
}

/// How much of the window lies right of a place.
pub fn width_from(left: f64) -> f64 {
    let width = window().inner_width().ok().and_then(|width| width.as_f64());
    width.unwrap_or_default() - left
}

/// Keeps a pointer's moves with the element it was pressed on.
pub fn capture_pointer(press: &web_sys::PointerEvent) {
    let target = press.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(target) = target {
        let _captured = target.set_pointer_capture(press.pointer_id());
    }
}

/// Whether there is no room for a second region.
pub fn is_phone() -> bool {
    matches_media("(max-width: 720px)")
}

/// Puts a popover above what it belongs to, its edge at that one's edge, as far as the window allows.
pub fn place_above(popover: &str, below: &str) {
    let (Some(popover), Some(below)) = (element(popover), element(below)) else { return };
    let (place, width) = (below.get_bounding_client_rect(), popover.get_bounding_client_rect().width());
    let is_right = place.left() + width + EDGE_PX > width_from(0.0);
    let left = if is_right { place.right() - width } else { place.left() };
    let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    let style = format!(
        "--sheet-left:{}px;--sheet-bottom:{}px",
        left.max(EDGE_PX),
        height - place.top() + EDGE_PX / 2.0
    );
    let _placed = popover.set_attribute("style", &style);
}

/// Scrolls an element to its beginning or its end.
pub fn scroll_to(selector: &str, end: ScrollEnd) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let top = match end {
            ScrollEnd::First => 0,
            ScrollEnd::Last => element.scroll_height(),
        };
        element.set_scroll_top(top);
    }
}

/// The text of the last element that fits.
pub fn last_text(selector: &str) -> Option<String> {
    let found = document().query_selector_all(selector).ok()?;
    found.item(found.length().checked_sub(1)?)?.text_content()
}

/// Whether something lies over the page that Escape will close.
pub fn is_popover_open() -> bool {
    document().query_selector(":popover-open:not([popover=manual])").ok().flatten().is_some()
}

/// Copies the code below the bar in which a button that copies was clicked, and lets the button say so.
pub fn copy_beside(event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let Some(button) = target.and_then(|target| target.closest("[aria-label='Copy code']").ok()?) else {
        return;
    };
    let code = button.closest(".code-block").ok().flatten();
    let code = code.and_then(|block| block.query_selector("code").ok()?);
    let text = code.and_then(|code| code.text_content()).unwrap_or_default();
    let label = button.last_element_child().filter(|_| copy(&text));
    label.into_iter().for_each(|label| label.set_text_content(Some("Copied")));
}

/// The button in which something was clicked.
pub fn button_of(event: &web_sys::Event) -> Option<HtmlElement> {
    let target: web_sys::Element = event.target()?.dyn_into().ok()?;
    target.closest("button").ok()??.dyn_into().ok()
}

/// Whether something was clicked inside what a selector names.
pub fn is_in(event: &web_sys::Event, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.and_then(|target| target.closest(selector).ok().flatten()).is_some()
}

/// Whether something was clicked inside a link.
pub fn is_in_link(event: &web_sys::Event) -> bool {
    is_in(event, "a")
}

/// Whether a key was pressed where keys have a meaning of their own.
pub fn is_in_field(event: &web_sys::Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| matches!(target.tag_name().as_str(), "TEXTAREA" | "INPUT" | "PRE"))
}

/// Scrolls something into view, no further than needed.
pub fn reveal(id: &str) {
    if let Some(element) = element(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Whether an element has the focus.
pub fn is_focused(id: &str) -> bool {
    document().active_element().is_some_and(|here| here.id() == id)
}

/// Moves the focus.
pub fn focus(id: &str) {
    if let Some(element) = element(id) {
        let _focused = element.focus();
    }
}

/// Gives an element an attribute, or takes it away.
pub fn set_attribute(id: &str, name: &str, value: Option<&str>) {
    if let Some(element) = element(id) {
        let _set = match value {
            Some(value) => element.set_attribute(name, value),
            None => element.remove_attribute(name),
        };
    }
}

/// Moves the focus out of an element that goes out of sight, to the first thing that fits.
pub fn leave(id: &str, to: &str) {
    let here = document().active_element();
    if element(id).is_some_and(|element| element.contains(here.as_deref())) {
        let place = document().query_selector(to).ok().flatten();
        let place = place.and_then(|place| place.dyn_into::<HtmlElement>().ok());
        place.into_iter().for_each(|place| drop(place.focus()));
    }
}

/// Moves the focus into the row of a message that is on its way, to the first thing in it that fits.
pub fn focus_soon(message: &str, inside: &str) {
    focus_in(&row_id(message), inside);
}

/// Moves the focus into an element that is on its way, to the first thing in it that fits.
pub fn focus_in(id: &str, inside: &str) {
    focus_within(SOON_FRAMES, id.to_owned(), inside.to_owned());
}

fn focus_within(frames: u32, id: String, inside: String) {
    let found = element(&id).and_then(|element| element.query_selector(&inside).ok().flatten());
    match found.and_then(|found| found.dyn_into::<HtmlElement>().ok()) {
        Some(found) => drop(found.focus()),
        None if frames > 0 => request_animation_frame(move || focus_within(frames - 1, id, inside)),
        None => {}
    }
}

/// Something inside the row of a message.
pub fn find_in_row(message: &str, selector: &str) -> Option<HtmlElement> {
    element(&row_id(message))?.query_selector(selector).ok()??.dyn_into().ok()
}

/// Marks the row of a message, and no other one, and moves the focus there. Whether it is there.
pub fn mark_row(message: &str) -> bool {
    let Some(row) = element(&row_id(message)) else { return false };
    if let Ok(Some(old)) = document().query_selector("[data-marked]") {
        let _gone = old.remove_attribute("data-marked");
    }
    let _marked = row.set_attribute("data-marked", "");
    let _reachable = row.set_attribute("tabindex", "-1");
    let _focused = row.focus();
    true
}

/// Brings the row of a message to the middle of the view; one that is taller than most of it, to its top.
pub fn center_row(message: &str) {
    let Some(row) = element(&row_id(message)) else { return };
    let view = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    let is_tall = f64::from(row.offset_height()) > view * TALL_ROW;
    let place =
        if is_tall { web_sys::ScrollLogicalPosition::Start } else { web_sys::ScrollLogicalPosition::Center };
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(place);
    row.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Path and query of the page that is looked at.
pub fn address() -> String {
    let location = window().location();
    format!("{}{}", location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
}

/// Leaves this page for another one of the server.
pub fn go(address: &str) {
    // Where it is refused, the page stays.
    let _refused = window().location().assign(address);
}

/// A path of this server as a whole address.
pub fn whole_address(path: &str) -> String {
    format!("{}{path}", window().location().origin().unwrap_or_default())
}

/// Whether the `<details>` in which something was toggled is open now.
pub fn is_open(toggled: &web_sys::Event) -> bool {
    let target = toggled.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.has_attribute("open"))
}

/// Id of the element that shows a message.
pub fn row_id(message: &str) -> String {
    format!("m-{message}")
}

fn element(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

fn matches_media(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|media| media.matches())
}

fn set_cookie(name: &str, value: &str, base: &str) {
    let Ok(document) = document().dyn_into::<HtmlDocument>() else { return };
    let cookie = format!("{name}={value}; Path={base}/; Max-Age={COOKIE_SECONDS}; SameSite=Lax");
    let _set = document.set_cookie(&cookie);
}

fn copy_by_selection(text: &str) -> Option<bool> {
    let document = document().dyn_into::<HtmlDocument>().ok()?;
    let area: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    area.set_value(text);
    area.set_class_name("sr-only");
    let body = document.body()?;
    let _added = body.append_child(&area).ok()?;
    area.select();
    let copied = document.exec_command("copy").ok();
    area.remove();
    copied
}
