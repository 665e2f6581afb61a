//! The bough: a rail beside the transcript with a node for each message and a twig where there are other versions.

use super::transcript::{Head, Progress, Speaker};
use crate::ui::when::live;
use leptos::prelude::*;
use protocol::{Awaited, TurnStatus};

/// How a node looks.
fn node_class(head: &Head) -> &'static str {
    if head.progress.is_some() {
        return "node is-live";
    }
    let ended_badly = head.ending.as_ref().is_some_and(|ending| match ending.status {
        TurnStatus::Failed | TurnStatus::Refused => true,
        TurnStatus::Running
        | TurnStatus::Complete
        | TurnStatus::Stopped
        | TurnStatus::CutOff
        | TurnStatus::StepLimit
        | TurnStatus::Interrupted => false,
    });
    match head.speaker {
        _ if ended_badly => "node is-failed",
        _ if head.waits_for == Some(Awaited::Approval) => "node is-asking",
        _ if head.versions.is_some() => "node is-fork",
        Speaker::Person => "node is-person",
        Speaker::Model | Speaker::Note => "node",
    }
}

/// A row's piece of the rail. It shows what the words beside it say, so screen readers skip it.
#[component]
pub fn Rail(
    /// The row it stands beside.
    #[prop(into)]
    head: Signal<Head>,
) -> impl IntoView {
    let is_writing =
        move || head.with(|head| matches!(head.progress, Some(Progress::Waiting | Progress::Writing)));
    let has_twig = Memo::new(move |_| head.with(|head| head.versions.is_some()));
    view! {
        <span class="rail" aria-hidden="true" class:is-growing=live(is_writing)>
            <span class=live(move || head.with(node_class))></span>
            {live(move || has_twig.get().then(twig))}
        </span>
    }
}

fn twig() -> AnyView {
    view! {
        <svg class="twig" viewBox="0 0 20 22" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round">
            <path d="M20 -6C20 8 8 4 6 16"></path>
            <circle cx="6" cy="19" r="3"></circle>
        </svg>
    }
    .into_any()
}
