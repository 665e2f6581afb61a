//! The models that can be chosen, behind a field to search in; below them how they choose their words.

mod deeds;
pub mod offered;
mod option;
mod sampling;
mod sampling_form;

use super::{BUTTON_ID, MODELS_ID};
use crate::browser;
use crate::client::Client;
use crate::ui::picker::{Pick, Picker};
use deeds::Choosing;
use leptos::prelude::*;
use option::option_view;
use protocol::SessionId;
use sampling_form::SamplingForm;

/// The list for one session, or for one that is yet to be made.
#[component]
pub fn Models(session: Option<SessionId>, model: Signal<String>) -> impl IntoView {
    let choosing = Choosing::new(Client::expect(), session.clone());
    let pick = Pick {
        name: "model",
        label: "Search models",
        place: choosing.place,
        count: Memo::new(move |_| choosing.offers.read().len()).into(),
        type_text: Callback::new(move |text| choosing.type_text(text)),
        take: Callback::new(move |place| choosing.choose(place)),
    };
    let options = move || {
        let (chosen, offers) = (model.get(), choosing.offers.read());
        let rows = offers.iter().enumerate();
        rows.map(|(place, offer)| option_view(pick, place, offer, &chosen)).collect::<Vec<_>>().into_any()
    };
    let ready = |()| browser::place_above(MODELS_ID, BUTTON_ID);
    view! {
        <Picker pick options=ViewFn::from(options) note=Memo::new(move |_| choosing.note()) ready/>
        {session.map(|session| view! { <SamplingForm session/> })}
    }
}
