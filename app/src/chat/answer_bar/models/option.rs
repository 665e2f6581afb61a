//! One model in the list.

use super::offered::Offer;
use crate::ui::icon::{Icon, Shape};
use leptos::prelude::*;

/// Id of an option's element.
pub fn id_of(place: usize) -> String {
    format!("model-{place}")
}

/// The option at a place; `here` is the place that Enter takes, `chosen` the model that answers now.
pub fn option_view(offer: &Offer, place: usize, here: usize, chosen: &str) -> AnyView {
    let is_chosen = offer.name.as_deref() == Some(chosen);
    let heading =
        offer.heading.clone().map(|text| view! { <p class="option-heading" role="presentation">{text}</p> });
    let tick =
        is_chosen.then(|| view! { <Icon shape=Shape::Tick/><span class="sr-only">"answers now"</span> });
    view! {
        {heading}
        <div
            id=id_of(place)
            class="palette-option"
            class:is-here=place == here
            role="option"
            aria-selected=(place == here).to_string()
            data-place=place.to_string()
        >
            <span class="palette-name" dir="auto">{offer.label.clone()}</span>
            {tick}
        </div>
    }
    .into_any()
}
