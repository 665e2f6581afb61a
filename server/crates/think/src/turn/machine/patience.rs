//! How long a turn that the end of a server interrupted may work, once it is taken up again, without getting any
//! further. The time it spent before is brought along, so that restarts do not begin it anew. Pure.
//!
//! Only work counts: the clock stands still while no server runs, and it stops with the first thing that is shown.

use super::Machine;
use crate::recovery::out_of_time;
use crate::turn::Effect;
use protocol::{Chunk, TurnStatus, limits};

/// Time without progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patience {
    spent_ms: u64,
    /// When it was looked at last; none before the turn begins.
    since: Option<u64>,
}

impl Patience {
    fn due(&self) -> Option<u64> {
        let left = limits::RECOVERY_FRUITLESS_MS.saturating_sub(self.spent_ms);
        self.since.map(|since| since + left.min(limits::RECOVERY_NOTED_MS))
    }

    /// Looks at the clock. More than should pass between two looks is a machine that slept, or a clock that was set.
    fn pass(&mut self, now_ms: u64) -> u64 {
        let since = self.since.replace(now_ms).unwrap_or(now_ms);
        self.spent_ms += now_ms.saturating_sub(since).min(limits::RECOVERY_NOTED_MS);
        self.spent_ms
    }
}

impl Machine {
    /// A turn that is taken up again, after so much work without getting any further.
    pub fn taken_up(mut self, fruitless_ms: u64) -> Self {
        self.tries.patience = Some(Patience { spent_ms: fruitless_ms, since: None });
        self
    }

    /// When [`Input::TimePassed`](crate::turn::Input::TimePassed) is wanted next; none while no clock runs.
    pub fn due(&self) -> Option<u64> {
        self.tries.patience.as_ref().and_then(Patience::due)
    }

    pub(super) fn start_clock(&mut self, now_ms: u64) {
        if let Some(patience) = &mut self.tries.patience {
            let _none = patience.pass(now_ms);
        }
    }

    pub(super) fn on_time(&mut self, now_ms: u64) {
        if self.note_fruitless(now_ms) >= Some(limits::RECOVERY_FRUITLESS_MS) {
            self.fail(TurnStatus::Failed, out_of_time(), now_ms);
        }
    }

    /// Has the time written down, if the clock runs.
    pub(super) fn note_fruitless(&mut self, now_ms: u64) -> Option<u64> {
        let patience = self.tries.patience.as_mut().filter(|patience| patience.since.is_some())?;
        let spent_ms = patience.pass(now_ms);
        self.effects.push(Effect::NoteFruitless(spent_ms));
        Some(spent_ms)
    }

    /// The turn shows something: from here on it is like any other.
    pub(super) fn stop_clock(&mut self, chunk: &Chunk) {
        let is_frame = matches!(
            chunk,
            Chunk::Start { .. } | Chunk::StartStep | Chunk::FinishStep | Chunk::MessageMetadata { .. }
        );
        if !is_frame {
            self.tries.patience = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Recovery;
    use crate::turn::{Answer, Input, Plan};
    use model::ModelEvent;

    const LIMIT: u64 = limits::RECOVERY_FRUITLESS_MS;
    const NOTED: u64 = limits::RECOVERY_NOTED_MS;
    const BEGUN: u64 = 1_000;

    fn machine() -> Machine {
        let answer = Answer::New("m1".into());
        Machine::new(Plan { answer, model: "test/model".into(), max_steps: 3, tools: Vec::new() })
    }

    /// A turn that waits for its model, after so much fruitless work.
    fn waiting(fruitless_ms: u64) -> Machine {
        let mut machine = machine().taken_up(fruitless_ms);
        assert_eq!(machine.due(), None, "before its slot it only waits");
        let _effects = machine.handle(Input::Begin, BEGUN);
        let _effects = machine.handle(Input::Prepared(Box::default()), BEGUN);
        machine
    }

    fn spent(effect: &Effect) -> Option<u64> {
        if let Effect::NoteFruitless(spent) = effect { Some(*spent) } else { None }
    }

    /// Lets the time pass, always to the moment that the machine waits for; what was noted, and how it ended.
    fn run_out(machine: &mut Machine) -> (Vec<u64>, Option<(TurnStatus, Option<String>)>) {
        let mut noted = Vec::new();
        while let Some(due) = machine.due() {
            let effects = machine.handle(Input::TimePassed, due);
            noted.extend(effects.iter().filter_map(spent));
            if let Some(Effect::Finish(ending)) = effects.into_iter().last() {
                return (noted, Some((ending.status, ending.error)));
            }
        }
        (noted, None)
    }

    fn text(delta: &str) -> Input {
        Input::Model(ModelEvent::TextDelta { id: "0".into(), delta: delta.into() })
    }

    #[test]
    fn the_time_is_noted_and_ends_the_turn() {
        for before in [0, 4 * NOTED, LIMIT - 3, LIMIT - NOTED - 1] {
            let (noted, end) = run_out(&mut waiting(before));
            let full = (before + NOTED..LIMIT).step_by(usize::try_from(NOTED).unwrap());
            assert_eq!(noted, full.chain([LIMIT]).collect::<Vec<_>>(), "after {before} ms");
            assert_eq!(end, Some((TurnStatus::Failed, Some(out_of_time()))));
        }
    }

    #[test]
    fn whatever_is_shown_stops_the_clock_and_what_is_empty_does_not() {
        let mut machine = waiting(0);
        let _effects = machine.handle(text("So"), BEGUN + LIMIT - 1);
        assert_eq!((machine.due(), run_out(&mut machine)), (None, (Vec::new(), None)));
        let late = machine.handle(Input::TimePassed, BEGUN + LIMIT);
        assert_eq!(late, []);
        // A second call after silence has shown nothing either.
        let mut machine = waiting(0);
        let due = machine.due();
        let _effects = machine.handle(Input::ModelStalled, BEGUN + 5);
        let _effects = machine.handle(Input::Prepared(Box::default()), BEGUN + 6);
        assert_eq!(machine.due(), due);
    }

    #[test]
    fn a_turn_that_was_never_interrupted_has_no_clock() {
        let mut machine = machine();
        let _effects = machine.handle(Input::Begin, BEGUN);
        assert_eq!((machine.due(), machine.handle(Input::TimePassed, u64::MAX)), (None, Vec::new()));
    }

    #[test]
    fn a_machine_that_slept_and_a_clock_that_is_set_spend_little() {
        let mut machine = waiting(0);
        for (now, spent) in [(BEGUN + 100 * LIMIT, NOTED), (BEGUN, NOTED), (BEGUN + 7, NOTED + 7)] {
            let effects = machine.handle(Input::TimePassed, now);
            assert_eq!(effects, [Effect::NoteFruitless(spent)], "at {now}");
        }
    }

    #[test]
    fn a_stop_in_good_order_takes_the_time_along() {
        let mut machine = waiting(NOTED);
        let effects = machine.handle(Input::ShutDown(Recovery::RunAgain), BEGUN + 70);
        assert_eq!(effects, [Effect::StopWork, Effect::NoteFruitless(NOTED + 70), Effect::Leave]);
    }
}
