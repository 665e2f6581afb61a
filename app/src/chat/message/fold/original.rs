//! One message that a summary stands for, to be read only.

use crate::chat::part::part_view;
use crate::chat::transcript::Speaker;
use crate::ui::list::{List, item, items};
use leptos::prelude::*;
use protocol::{Message, Part};

/// One message.
pub fn original(message: Message) -> AnyView {
    let speaker = Speaker::of(&message.role);
    let name = speaker.name();
    let parts: Vec<(usize, Part)> = message.parts.into_iter().enumerate().collect();
    // What a summary stands for is past.
    let is_held = Signal::derive(|| false);
    let row = move |(place, part): (usize, Part)| {
        item(place, move || part_view(speaker, ArcRwSignal::new(part), is_held))
    };
    let each = items(move || parts.clone().into_iter().map(row).collect());
    view! {
        <section class="original">
            <h3>{name}</h3>
            <List each/>
        </section>
    }
    .into_any()
}
