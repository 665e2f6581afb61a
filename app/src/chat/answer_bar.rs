//! The line above the message box: which model answers, and how full its context is.

pub mod gauge;
pub mod models;

use crate::browser;
use crate::format;
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
    let is_open = RwSignal::new(false);
    let (about, gauge) = (session.clone(), session);
    let list =
        move || is_open.get().then(|| view! { <Late part=Part::Models(about.clone(), model)/> }.into_any());
    view! {
        <div class="answer-bar">
            <When is=Memo::new(move |_| !model.with(String::is_empty))>
                <button
                    type="button"
                    id=BUTTON_ID
                    class="model-button"
                    popovertarget=MODELS_ID
                    aria-haspopup="dialog"
                    aria-label=live(move || format!("Model: {}", model.get()))
                    title=live(move || model.get())
                >
                    <span>{live(move || format::model(&model.get()).to_owned())}</span>
                    <Icon shape=Shape::Chevron/>
                </button>
            </When>
            {gauge.map(|session| view! { <Late part=Part::Gauge(session)/> }.into_any())}
            <div id=MODELS_ID class="sheet" popover="auto" role="dialog" aria-label="Model" on:toggle=move |_| is_open.set(browser::is_open_popover(MODELS_ID))>
                {live(list)}
            </div>
        </div>
    }
}
