//! One model in the list.

use super::offered::Offer;
use crate::ui::icon::{Icon, Shape};
use crate::ui::picker::Pick;
use leptos::prelude::*;

/// The option at a place, below the name of its provider where it is the first of it; `chosen` is the model
/// that answers now.
pub fn option_view(pick: Pick, place: usize, offer: &Offer, chosen: &str) -> AnyView {
    let is_chosen = offer.name.as_deref() == Some(chosen);
    let heading =
        offer.heading.clone().map(|text| view! { <p class="option-heading" role="presentation">{text}</p> });
    let tick =
        is_chosen.then(|| view! { <Icon shape=Shape::Tick/><span class="sr-only">"answers now"</span> });
    let shown = view! {
        <span class="palette-name" dir="auto">{offer.label.clone()}</span>
        {tick}
    };
    (heading, pick.option(place, shown.into_any())).into_any()
}
