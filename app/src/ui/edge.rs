//! The edge of a region, by which it is made wider or narrower: a pointer drags it, arrows move it.

use super::when::{key, live};
use crate::browser;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

/// One press of an arrow key, in pixels.
const STEP: u16 = 20;

/// On which side of its region an edge lies; the region's other side is that of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The region stands at the right of the window.
    Left,
    /// The region stands at the left of the window.
    Right,
}

/// The edge of a region. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Edge {
    /// What it is the width of.
    pub label: &'static str,
    /// Id of the region.
    pub region: &'static str,
    /// On which side.
    pub side: Side,
    /// How wide the region is, in pixels.
    pub width: Signal<u16>,
    /// The least and the greatest width.
    pub range: (u16, u16),
    /// Makes it as wide as this, or as near as may be.
    pub resize: Callback<f64>,
}

impl Edge {
    /// The width where the pointer is.
    fn at(self, left: f64) -> f64 {
        match self.side {
            Side::Left => browser::width_from(left),
            Side::Right => left,
        }
    }
}

/// The edge.
#[component]
pub fn EdgeHandle(edge: Edge) -> impl IntoView {
    let is_dragged = StoredValue::new(false);
    let on_key = move |press: KeyboardEvent| {
        let width = width_after(&press.key(), edge.side, edge.width.get_untracked(), edge.range);
        if let Some(width) = width {
            press.prevent_default();
            edge.resize.run(f64::from(width));
        }
    };
    let on_down = move |press: PointerEvent| {
        press.prevent_default();
        browser::capture_pointer(&press);
        is_dragged.set_value(true);
    };
    let on_move = move |moved: PointerEvent| {
        if is_dragged.get_value() {
            edge.resize.run(edge.at(f64::from(moved.client_x())));
        }
    };
    view! {
        <div
            class="edge"
            class:is-left=edge.side == Side::Left
            role="separator"
            aria-orientation="vertical"
            aria-label=edge.label
            aria-controls=edge.region
            aria-valuenow=live(move || edge.width.get().to_string())
            aria-valuemin=edge.range.0.to_string()
            aria-valuemax=edge.range.1.to_string()
            tabindex="0"
            on:keydown=key(on_key)
            on:pointerdown=on_down
            on:pointermove=on_move
            on:pointerup=move |_| is_dragged.set_value(false)
            on:pointercancel=move |_| is_dragged.set_value(false)
        ></div>
    }
}

/// The width after a key: an arrow moves the edge its way, as far as the range goes.
fn width_after(key: &str, side: Side, width: u16, (least, most): (u16, u16)) -> Option<u16> {
    let width = match (key, side) {
        ("ArrowLeft", Side::Left) | ("ArrowRight", Side::Right) => width.saturating_add(STEP),
        ("ArrowRight", Side::Left) | ("ArrowLeft", Side::Right) => width.saturating_sub(STEP),
        ("Home", _) => least,
        ("End", _) => most,
        (_, Side::Left | Side::Right) => return None,
    };
    Some(width.clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_moves_by_keys_and_stops_at_its_ends() {
        let check = |key: &str, left: Option<u16>, right: Option<u16>| {
            let after = |side| width_after(key, side, 310, (300, 320));
            assert_eq!((after(Side::Left), after(Side::Right)), (left, right), "{key}");
        };
        check("ArrowLeft", Some(320), Some(300));
        check("ArrowRight", Some(300), Some(320));
        check("Home", Some(300), Some(300));
        check("End", Some(320), Some(320));
        check("a", None, None);
        assert_eq!(width_after("ArrowRight", Side::Right, 250, (200, 440)), Some(270));
    }
}
