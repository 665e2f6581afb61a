//! What another agent was asked and what it answered, inside its card.

pub mod foot;

use super::model_text::ModelText;
use crate::chat::ending::{EndingNote, Gravity};
use crate::chat::sub_agent::{SubAgent, Work};
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::Part;

/// The task and the answer. Part of what comes late; the card is folded before somebody opens it.
#[component]
pub fn AgentBody(
    /// The call.
    part: Signal<Part>,
) -> impl IntoView {
    let agent = Memo::new(move |_| part.with(|part| part.as_tool().and_then(SubAgent::of)));
    let task = move || agent.with(|agent| agent.as_ref().map(|agent| agent.task.clone()).unwrap_or_default());
    view! {
        <div class="agent-body">
            <h3>"Task"</h3>
            <p dir="auto">{live(task)}</p>
            {live(move || Some(answer(agent.get()?.state)))}
        </div>
    }
}

fn answer(work: Work) -> AnyView {
    match work {
        Work::Running(_) => ().into_any(),
        Work::Done(text) => {
            let part = Signal::stored(Part::text(text));
            view! { <h3>"Answer"</h3><ModelText part/> }.into_any()
        }
        Work::Failed(why) => view! { <EndingNote gravity=Gravity::Failure text=why/> }.into_any(),
    }
}
