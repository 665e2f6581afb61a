//! What happens to a new message that comes while another turn runs or waits. Pure.

use protocol::Trigger;
use std::time::Duration;

/// How long [`Overlap::Debounce`] waits where nobody says.
pub const DEBOUNCE_DEFAULT: Duration = Duration::from_millis(750);

/// What to do with a new message that overlaps with another turn. The turn that runs is never touched, and other
/// versions, continuations and programs always wait in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overlap {
    /// Each message gets a turn, in order.
    #[default]
    Queue,
    /// All are stored; only the newest that waits gets a turn.
    Latest,
    /// All are stored; one turn answers all that waited. Since a turn sees every message before it, this is what
    /// [`Overlap::Latest`] does too.
    Merge,
    /// It is not taken.
    Drop,
    /// As [`Overlap::Latest`], once so long has passed without another one.
    Debounce(Duration),
}

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It waits for its turn.
    Wait,
    /// New messages that wait give up their turns to it, and it starts no sooner than so long from now.
    Replace(Duration),
    /// Nothing of it is stored.
    Refuse,
}

impl Overlap {
    /// Judges a request that finds so many turns running or waiting.
    pub(crate) fn judge(self, trigger: Option<Trigger>, others: usize) -> Verdict {
        if others == 0 || !is_submit(trigger) {
            return Verdict::Wait;
        }
        match self {
            Self::Queue => Verdict::Wait,
            Self::Latest | Self::Merge => Verdict::Replace(Duration::ZERO),
            Self::Drop => Verdict::Refuse,
            Self::Debounce(pause) => Verdict::Replace(pause),
        }
    }
}

/// Whether a request brings a new message.
pub(crate) fn is_submit(trigger: Option<Trigger>) -> bool {
    match trigger {
        None | Some(Trigger::SubmitMessage) => true,
        Some(Trigger::RegenerateMessage) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_messages_that_overlap_are_judged() {
        let pause = Duration::from_millis(5);
        let rows = [
            (Overlap::Queue, Verdict::Wait),
            (Overlap::Latest, Verdict::Replace(Duration::ZERO)),
            (Overlap::Merge, Verdict::Replace(Duration::ZERO)),
            (Overlap::Drop, Verdict::Refuse),
            (Overlap::Debounce(pause), Verdict::Replace(pause)),
        ];
        for (overlap, expected) in rows {
            assert_eq!(overlap.judge(None, 1), expected, "{overlap:?}");
            assert_eq!(overlap.judge(Some(Trigger::SubmitMessage), 3), expected, "{overlap:?}");
            assert_eq!(overlap.judge(None, 0), Verdict::Wait, "{overlap:?}");
            assert_eq!(overlap.judge(Some(Trigger::RegenerateMessage), 1), Verdict::Wait, "{overlap:?}");
        }
    }
}
