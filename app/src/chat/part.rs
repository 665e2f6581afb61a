//! Parts of a message, each kind in its own way.

pub mod agent;
pub mod approval;
mod attachment;
pub mod memory;
mod model_text;
mod person_text;
pub mod reasoning;
mod tool;

use super::transcript::{Head, Speaker};
use attachment::Attachment;
use leptos::prelude::*;
use model_text::ModelText;
use person_text::PersonText;
use protocol::{Part, PartState};
use reasoning::Reasoning;
use tool::ToolCard;

/// One part. Its kind never changes while it is on the screen; what it holds does.
#[component]
pub fn PartView(
    /// The row it belongs to.
    head: Signal<Head>,
    /// What it holds.
    part: ArcRwSignal<Part>,
) -> impl IntoView {
    let is_held = Signal::derive(move || head.with(|head| head.waits_for.is_some()));
    part_view(head.with_untracked(|head| head.speaker), part, is_held)
}

/// A part of what somebody says; its calls of tools may be waiting for somebody.
pub fn part_view(speaker: Speaker, part: ArcRwSignal<Part>, is_held: Signal<bool>) -> AnyView {
    let signal: Signal<Part> = part.clone().into();
    match part.get_untracked() {
        Part::Text(_) if speaker != Speaker::Model => view! { <PersonText part=signal/> }.into_any(),
        Part::Text(_) => view! { <ModelText part=signal/> }.into_any(),
        Part::Reasoning(_) => view! { <Reasoning part=signal/> }.into_any(),
        Part::Tool(_) => view! { <ToolCard part=signal is_held/> }.into_any(),
        Part::File(_) | Part::SourceUrl(_) | Part::SourceDocument(_) => {
            view! { <Attachment part=signal/> }.into_any()
        }
        Part::StepStart | Part::Data(_) | Part::Unknown(_) => ().into_any(),
    }
}

/// The text of a text or reasoning part, and whether more may come.
fn growing(part: &Part) -> (&str, bool) {
    match part {
        Part::Text(text) | Part::Reasoning(text) => (&text.text, text.state == Some(PartState::Streaming)),
        Part::File(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Tool(_)
        | Part::Unknown(_) => ("", false),
    }
}
