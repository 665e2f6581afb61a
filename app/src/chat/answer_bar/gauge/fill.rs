//! How full the context of a session is. Pure.

use crate::format;
use protocol::PromptReport;

/// How full the context is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fill {
    /// Estimated tokens of the next call.
    pub tokens: u64,
    /// Where older messages are summarised.
    pub threshold: Option<u64>,
    /// How much the model takes.
    pub window: Option<u64>,
}

impl Fill {
    /// As the next call's prompt says it.
    pub fn of(report: &PromptReport) -> Self {
        Self { tokens: report.total_tokens, threshold: report.compact_after, window: report.context_window }
    }

    /// The room there is, as far as it is known: nothing grows beyond the smaller of the two.
    pub fn room(self) -> Option<u64> {
        match (self.threshold, self.window) {
            (Some(threshold), Some(window)) => Some(threshold.min(window)),
            (one, other) => one.or(other),
        }
        .filter(|room| *room > 0)
    }

    /// The part of the room that is taken, in percent; none where the room is not known.
    pub fn percent(self) -> Option<u64> {
        self.room().map(|room| (self.tokens.saturating_mul(100) / room).min(100))
    }

    /// In a few signs, as `12.4k of 32.0k` or `412 tokens`.
    pub fn label(self) -> String {
        let tokens = format::tokens(self.tokens);
        match self.room() {
            Some(room) => format!("{} of {}", number_of(&tokens), number_of(&format::tokens(room))),
            None => tokens,
        }
    }

    /// In a sentence.
    pub fn sentence(self) -> String {
        let tokens = format::tokens(self.tokens);
        match (self.threshold, self.window) {
            (Some(threshold), _) => format!(
                "The next call sends about {tokens}. Above {} older messages are summarised.",
                format::tokens(threshold)
            ),
            (None, Some(window)) => {
                format!("The next call sends about {tokens}. The model takes {}.", format::tokens(window))
            }
            (None, None) => {
                format!("The next call sends about {tokens}. How much the model takes is not known.")
            }
        }
    }

    /// The name of its look.
    pub fn class(self) -> &'static str {
        match self.percent() {
            Some(90..) => "context-ring is-full",
            Some(70..90) => "context-ring is-near",
            Some(_) => "context-ring",
            None => "context-ring is-unknown",
        }
    }
}

fn number_of(tokens: &str) -> &str {
    tokens.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(threshold: Option<u64>, window: Option<u64>, percent: Option<u64>, label: &str, class: &str) {
        let fill = Fill { tokens: 12_400, threshold, window };
        assert_eq!((fill.percent(), fill.label().as_str(), fill.class()), (percent, label, class));
    }

    #[test]
    fn the_smaller_room_counts_and_unknown_is_not_nothing() {
        check(Some(32_000), None, Some(38), "12.4k of 32.0k", "context-ring");
        check(Some(32_000), Some(16_000), Some(77), "12.4k of 16.0k", "context-ring is-near");
        check(None, Some(13_000), Some(95), "12.4k of 13.0k", "context-ring is-full");
        check(Some(9_000), None, Some(100), "12.4k of 9000", "context-ring is-full");
        check(None, None, None, "12.4k tokens", "context-ring is-unknown");
        check(Some(0), None, None, "12.4k tokens", "context-ring is-unknown");
    }
}
