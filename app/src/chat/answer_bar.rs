//! The line above the message box: which model answers, and how full its context is.

pub mod gauge;
pub mod models;

use crate::browser;
use crate::client::Client;
use crate::late::{Late, Part};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, live};
use leptos::prelude::*;
use protocol::SessionId;

/// Id of the list of models, a native popover.
pub const MODELS_ID: &str = "models";
/// Id of the button that opens it.
pub const BUTTON_ID: &str = "model-button";

/// The line. The server shows the model's name; what opens, and the gauge, come later.
#[component]
pub fn AnswerBar(
    /// The session; none where it is yet to be made.
    session: Option<SessionId>,
    /// `provider/model` that answers here.
    #[prop(into)]
    model: Signal<String>,
) -> impl IntoView {
    let (client, is_open) = (Client::expect(), RwSignal::new(false));
    let (about, gauge) = (session.clone(), session);
    let list =
        move || is_open.get().then(|| view! { <Late part=Part::Models(about.clone(), model)/> }.into_any());
    let on_toggle = move |_| {
        let is_open_now = browser::is_open_popover(MODELS_ID);
        is_open.set(is_open_now);
        if !is_open_now {
            client.keep_model();
        }
    };
    view! {
        <div class="answer-bar">
            <When is=Memo::new(move |_| !model.with(String::is_empty))>
                <button
                    type="button"
                    id=BUTTON_ID
                    class="model-button"
                    popovertarget=MODELS_ID
                    aria-haspopup="dialog"
                    aria-label=live(move || format!("Model: {}", client.whole_model_name(model.get())))
                    title=live(move || client.whole_model_name(model.get()))
                >
                    <span>{live(move || client.model_name(&model.get()))}</span>
                    <Icon shape=Shape::Chevron/>
                </button>
            </When>
            {gauge.map(|session| view! { <Late part=Part::Gauge(session)/> }.into_any())}
            <div id=MODELS_ID class="sheet" popover="auto" role="dialog" aria-label="Model" on:toggle=on_toggle>
                {live(list)}
            </div>
        </div>
    }
}
