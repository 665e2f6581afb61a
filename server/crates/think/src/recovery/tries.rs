//! How often an interrupted turn is taken up again. Pure.
//!
//! What counts are ends of the server while the turn worked, not time: a server that is switched off for a night has
//! not failed at anything.

use protocol::limits::{RECOVERY_ATTEMPTS_MAX, RECOVERY_FRUITLESS_MAX};

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
}

impl Tries {
    /// One more.
    pub(super) fn after(self, progress: Progress) -> Self {
        let fruitless = match progress {
            Progress::Made => 0,
            Progress::None => self.fruitless.saturating_add(1),
        };
        Self { all: self.all.saturating_add(1), fruitless }
    }

    /// Why it is not tried again; none if it may be.
    pub(super) fn exhausted(self) -> Option<String> {
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
    fn the_reason_has_the_number() {
        let reason = Tries { all: 11, fruitless: 0 }.exhausted();
        assert_eq!(
            reason.as_deref(),
            Some("The server ended 11 times while it worked on this answer, so it is not tried again.")
        );
    }
}
