//! Where the context takes part in a turn: a prompt that was too long is tried once more, and what a model unloads is
//! taken out of the answer it is writing.

use super::Machine;
use super::patience::Patience;
use crate::turn::{Effect, Place, State};
use model::{ErrorClass, ModelError};
use protocol::{Message, Part, ToolCallId};
use session::{loaded_skills, reclaim_skill};

/// Whether the prompt of the running turn was made shorter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It was not.
    #[default]
    First,
    /// It was, because the provider refused it as too long: once in a turn.
    Shortened,
}

/// What of the running turn was tried again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tries {
    pub(super) prompt: Attempt,
    /// Calls that were made again since the model had said nothing for too long.
    pub(super) stalls: u32,
    /// Counts while a turn that is taken up again gets no further; none for any other.
    pub(super) patience: Option<Patience>,
}

const STILL_TOO_LONG: &str = "The conversation is too long for this model, even after it was made shorter. Go on in a new session, or choose a \
     model with a larger window. The provider said: ";

impl Machine {
    /// Whether a refused call is worth a second one: the prompt was too long, nothing was shown, and it is the first
    /// time.
    pub(super) fn may_shorten(&self, error: &ModelError) -> bool {
        let is_new = self.tries.prompt == Attempt::First && self.is_silent();
        error.class == ErrorClass::ContextOverflow && is_new
    }

    pub(super) fn shorten(&mut self) {
        self.tries.prompt = Attempt::Shortened;
        self.state = State::Preparing;
        let so_far = self.message().map(Box::new);
        self.effects.push(Effect::PrepareShorter { so_far });
    }

    /// What to say of a failure.
    pub(super) fn told(&self, error: ModelError) -> String {
        let is_hopeless =
            error.class == ErrorClass::ContextOverflow && self.tries.prompt == Attempt::Shortened;
        if is_hopeless { format!("{STILL_TOO_LONG}{}", error.message) } else { error.message }
    }

    /// Whether the model has not said anything yet in the step that has begun.
    pub(super) fn is_silent(&self) -> bool {
        matches!(self.fold.parts.last(), Some(Part::StepStart))
    }

    /// Whether a tool belongs to the context blocks.
    pub fn runs_in_context(&self, tool: &str) -> bool {
        self.plan.place_of(tool) == Some(Place::Context)
    }

    /// After a call of the context's own: what it unloaded leaves the answer too.
    pub(super) fn reclaim(&mut self, id: &ToolCallId) {
        let is_contexts = |name: &str| self.runs_in_context(name);
        if !self.fold.parts.iter().any(|part| is_call(part, id, is_contexts)) {
            return;
        }
        let Some(mut message) = self.message() else { return };
        let held: Vec<_> = loads(&message).into_iter().collect();
        let kept = loaded_skills([&message]);
        let mut is_changed = false;
        for skill in held.iter().filter(|skill| !kept.contains(skill)) {
            is_changed |= reclaim_skill(&mut message, skill);
        }
        if is_changed {
            self.fold.parts = message.parts;
        }
    }
}

fn is_call(part: &Part, id: &ToolCallId, is_contexts: impl Fn(&str) -> bool) -> bool {
    part.as_tool().is_some_and(|tool| tool.call.tool_call_id == *id && is_contexts(&tool.name))
}

/// Every skill that a call of the message has loaded, whatever became of it later.
fn loads(message: &Message) -> std::collections::BTreeSet<session::SkillRef> {
    let mut all = std::collections::BTreeSet::new();
    for part in &message.parts {
        let alone = Message { parts: vec![part.clone()], ..message.clone() };
        all.extend(loaded_skills([&alone]));
    }
    all
}
