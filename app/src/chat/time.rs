//! A time of day in the reader's zone, and in UTC for machines.

use crate::client::Client;
use crate::format;
use crate::ui::when::live;
use leptos::prelude::*;

/// A time of day. The server shows it by the offset that the browser told last time, the browser by its own.
#[component]
pub fn TimeOfDay(
    /// Milliseconds since 1970, UTC.
    moment: u64,
) -> impl IntoView {
    let offset = Client::expect().utc_offset_minutes();
    view! { <time datetime=format::iso(moment)>{live(move || format::clock(moment, offset.get()))}</time> }
}
