//! What the engine counts for whoever installs a recorder of the `metrics` crate; without one, counting costs nothing.
//!
//! Labels are agents and states, never ids: the number of series stays bounded.

use crate::turn::Ending;
use metrics::{Gauge, counter, gauge};
use protocol::TurnStatus;

/// Turns that run now.
const RUNNING: &str = "bough_turns_running";
/// Turns that ended, by how.
const ENDED: &str = "bough_turns_total";
/// Tokens as models reported them, by direction.
const TOKENS: &str = "bough_tokens_total";

/// One running turn of the gauge; it counts for as long as it is kept.
pub(crate) struct RunningTurn(Gauge);

impl RunningTurn {
    /// Counts one more.
    pub(crate) fn of(agent: &str) -> Self {
        let gauge = gauge!(RUNNING, "agent" => agent.to_owned());
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for RunningTurn {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Counts a turn that ended, and what the model said it used.
pub(crate) fn ended(agent: &str, ending: &Ending) {
    counter!(ENDED, "agent" => agent.to_owned(), "status" => name(ending.status)).increment(1);
    let Some(usage) = ending.usage else { return };
    for (direction, tokens) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
        counter!(TOKENS, "agent" => agent.to_owned(), "direction" => direction).increment(tokens);
    }
}

fn name(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Running => "running",
        TurnStatus::Complete => "complete",
        TurnStatus::Stopped => "stopped",
        TurnStatus::CutOff => "cut_off",
        TurnStatus::Refused => "refused",
        TurnStatus::Failed => "failed",
        TurnStatus::StepLimit => "step_limit",
        TurnStatus::Interrupted => "interrupted",
    }
}
