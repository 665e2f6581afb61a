//! How often an interrupted turn is taken up again. Pure.
//!
//! What counts are ends of the server while the turn worked, and the time that it worked to no end; not the time
//! between: a server that is switched off for a night has not failed at anything.

use protocol::limits::{RECOVERY_ATTEMPTS_MAX, RECOVERY_FRUITLESS_MAX, RECOVERY_FRUITLESS_MS};

/// Whether a turn got any further before the server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Something was said, or a tool gave its result.
    Made,
    /// Nothing that was not there before.
    None,
}

/// How often the end of a server interrupted a turn at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tries {
    /// In all.
    pub(crate) all: u32,
    /// In a row, without any progress.
    pub(crate) fruitless: u32,
    /// How long it has worked since it was taken up, in ms, all without any progress.
    pub(crate) fruitless_ms: u64,
}

/// That a turn was taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TakenUp {
    /// When.
    pub(crate) at: u64,
    /// What it had worked by then without any progress.
    pub(crate) fruitless_ms: u64,
}

impl Tries {
    /// One more.
    pub(super) fn after(self, progress: Progress) -> Self {
        let (fruitless, fruitless_ms) = match progress {
            Progress::Made => (0, 0),
            Progress::None => (self.fruitless.saturating_add(1), self.fruitless_ms),
        };
        Self { all: self.all.saturating_add(1), fruitless, fruitless_ms }
    }

    /// Why it is not tried again; none if it may be.
    pub(super) fn exhausted(self) -> Option<String> {
        if self.fruitless_ms >= RECOVERY_FRUITLESS_MS {
            return Some(out_of_time());
        }
        let times = if self.fruitless > RECOVERY_FRUITLESS_MAX {
            format!("{} times without getting any further", self.fruitless)
        } else if self.all > RECOVERY_ATTEMPTS_MAX {
            format!("{} times", self.all)
        } else {
            return None;
        };
        Some(format!("The server ended {times} while it worked on this answer, so it is not tried again."))
    }
}

/// Why a turn is given up that was taken up again and came no further.
pub(crate) fn out_of_time() -> String {
    let minutes = RECOVERY_FRUITLESS_MS / 60_000;
    format!(
        "The server ended while it worked on this answer, and {minutes} more minutes brought it no further."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use Progress::{Made, None as Nothing};

    /// How often a turn is begun whose runs are all interrupted, each with this progress.
    fn runs(progress: impl Fn(u32) -> Progress) -> u32 {
        let mut tries = Tries::default();
        for run in 1.. {
            tries = tries.after(progress(run));
            if tries.exhausted().is_some() {
                return run;
            }
        }
        0
    }

    #[test]
    fn a_turn_is_taken_up_only_so_often() {
        assert_eq!(runs(|_| Nothing), 1 + RECOVERY_FRUITLESS_MAX);
        assert_eq!(runs(|_| Made), 1 + RECOVERY_ATTEMPTS_MAX);
        assert_eq!(runs(|run| if run % 2 == 0 { Made } else { Nothing }), 1 + RECOVERY_ATTEMPTS_MAX);
    }

    #[test]
    fn time_without_progress_is_kept_and_progress_gives_it_back() {
        let worked = |fruitless_ms| Tries { all: 1, fruitless: 1, fruitless_ms };
        let rows = [
            (0, Nothing, 0, false),
            (RECOVERY_FRUITLESS_MS - 1, Nothing, RECOVERY_FRUITLESS_MS - 1, false),
            (RECOVERY_FRUITLESS_MS, Nothing, RECOVERY_FRUITLESS_MS, true),
            (RECOVERY_FRUITLESS_MS, Made, 0, false),
        ];
        for (before, progress, after, is_over) in rows {
            let tries = worked(before).after(progress);
            let reason = tries.exhausted();
            assert_eq!(
                (tries.fruitless_ms, reason),
                (after, is_over.then(out_of_time)),
                "{before} {progress:?}"
            );
        }
    }

    #[test]
    fn the_reason_has_the_number() {
        let reason = Tries { all: 11, ..Tries::default() }.exhausted();
        assert_eq!(
            reason.as_deref(),
            Some("The server ended 11 times while it worked on this answer, so it is not tried again.")
        );
    }
}
