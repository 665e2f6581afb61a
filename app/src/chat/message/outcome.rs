//! What became of a message: how far one of a person has come, how an answer ended.

use crate::chat::ending::{Arrived, EndingNote, words};
use crate::chat::signals::PartSlot;
use crate::chat::transcript::{Delivery, Head};
use crate::ui::when::live;
use leptos::prelude::*;

/// How far a message of a person has come, or how an answer ended.
#[component]
pub fn Outcome(head: Signal<Head>, parts: ArcRwSignal<Vec<PartSlot>>) -> impl IntoView {
    let delivery = move || match head.with(|head| head.delivery.clone()) {
        Delivery::Settled | Delivery::InVain => None,
        Delivery::Unsent => Some(("delivery", "Waits for the connection".to_owned())),
        Delivery::Waiting => Some(("delivery", "Waits for the answer before it".to_owned())),
        Delivery::Refused(reason) => Some(("delivery is-failure", format!("Not sent. {reason}"))),
    };
    let ending = move || {
        let arrived = if parts.with(Vec::is_empty) { Arrived::Nothing } else { Arrived::Something };
        head.with(|head| head.ending.as_ref().and_then(|ending| words(ending, arrived)))
    };
    view! {
        {live(move || delivery().map(|(class, text)| view! { <p class=class dir="auto">{text}</p> }.into_any()))}
        {live(move || ending().map(|(gravity, text)| view! { <EndingNote gravity text/> }.into_any()))}
    }
}
