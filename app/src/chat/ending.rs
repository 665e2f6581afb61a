//! How a turn ended, in words: what happened, what is kept, and one way on.

use super::transcript::Ending;
use crate::ui::icon::{Icon, Shape};
use leptos::prelude::*;
use protocol::TurnStatus;

/// How grave an ending is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// As somebody wanted.
    Calm,
    /// Something is missing.
    Warning,
    /// Something broke.
    Failure,
}

/// Whether anything of an answer had arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrived {
    /// Not a word.
    Nothing,
    /// Some of it.
    Something,
}

/// The words for an ending; none for one that needs no words.
pub fn words(ending: &Ending, arrived: Arrived) -> Option<(Gravity, String)> {
    let says_so = ending.error.as_ref().is_some_and(|error| error.contains("kept"));
    let kept = if arrived == Arrived::Something && !says_so { " What arrived is kept." } else { "" };
    let told = |default: &str| sentence(ending.error.as_deref().unwrap_or(default));
    Some(match ending.status {
        TurnStatus::Complete | TurnStatus::Running => return None,
        TurnStatus::Stopped => (Gravity::Calm, "Stopped by you.".to_owned()),
        TurnStatus::CutOff => (Gravity::Warning, format!("{}{kept}", told("The answer was cut off."))),
        TurnStatus::StepLimit => {
            (Gravity::Warning, format!("{}{kept}", told("Stopped at the limit of model calls.")))
        }
        TurnStatus::Interrupted => {
            (Gravity::Warning, format!("{}{kept}", told("The server stopped in the middle of this answer.")))
        }
        TurnStatus::Refused => (Gravity::Failure, told("The provider refused to answer this.")),
        TurnStatus::Failed => {
            (Gravity::Failure, format!("{}{kept}", told("Something broke while this was answered.")))
        }
    })
}

/// What a reader who does not see the page hears when a turn ends.
pub fn announcement(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Complete | TurnStatus::Running => "Answer complete",
        TurnStatus::Stopped => "Answer stopped",
        TurnStatus::CutOff => "Answer cut off",
        TurnStatus::Refused => "Answer refused",
        TurnStatus::Failed => "Answer failed",
        TurnStatus::StepLimit => "Answer stopped at the limit of model calls",
        TurnStatus::Interrupted => "Answer interrupted",
    }
}

/// The text with a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// How a turn ended.
#[component]
pub fn EndingNote(
    /// How grave it is.
    gravity: Gravity,
    /// What is said.
    text: String,
) -> impl IntoView {
    let (class, shape) = match gravity {
        Gravity::Calm => ("ending", Shape::Stop),
        Gravity::Warning => ("ending is-warning", Shape::Warning),
        Gravity::Failure => ("ending is-failure", Shape::Warning),
    };
    view! {
        <p class=class>
            <Icon shape/>
            <span dir="auto">{text}</span>
        </p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_but_the_good_one_has_words() {
        let check = |status, error: Option<&str>, arrived, expected: Option<(Gravity, &str)>| {
            let ending = Ending { status, error: error.map(str::to_owned) };
            assert_eq!(words(&ending, arrived), expected.map(|(gravity, text)| (gravity, text.to_owned())));
        };
        check(TurnStatus::Complete, None, Arrived::Something, None);
        check(TurnStatus::Stopped, None, Arrived::Something, Some((Gravity::Calm, "Stopped by you.")));
        check(
            TurnStatus::CutOff,
            Some("The provider closed the connection"),
            Arrived::Something,
            Some((Gravity::Warning, "The provider closed the connection. What arrived is kept.")),
        );
        check(
            TurnStatus::Failed,
            Some("Broken; it is kept."),
            Arrived::Something,
            Some((Gravity::Failure, "Broken; it is kept.")),
        );
        check(
            TurnStatus::Failed,
            Some("no such model"),
            Arrived::Nothing,
            Some((Gravity::Failure, "no such model.")),
        );
        check(
            TurnStatus::Refused,
            None,
            Arrived::Nothing,
            Some((Gravity::Failure, "The provider refused to answer this.")),
        );
        check(
            TurnStatus::Interrupted,
            None,
            Arrived::Something,
            Some((
                Gravity::Warning,
                "The server stopped in the middle of this answer. What arrived is kept.",
            )),
        );
    }
}
