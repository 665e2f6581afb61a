//! How full a block is, with the numbers that the prompt's own header shows. Pure.

use protocol::{BlockScope, ContextBlock};

/// From here on, in percent, a block counts as nearly full.
const NEARLY_FULL_PERCENT: u64 = 85;

/// How full a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meter {
    /// In percent, where it has an end.
    pub percent: Option<u64>,
    /// In words.
    pub text: String,
    /// Whether there is little room left.
    pub is_nearly_full: bool,
}

impl Meter {
    /// Of a block.
    pub fn of(block: &ContextBlock) -> Self {
        let tokens = block.tokens;
        match block.max_tokens {
            Some(max) if max > 0 => {
                let percent = (tokens.saturating_mul(200) / max).div_ceil(2);
                let is_nearly_full = percent >= NEARLY_FULL_PERCENT;
                let text = format!("{percent}% · {tokens} / {max} tokens");
                Self { percent: Some(percent.min(100)), text, is_nearly_full }
            }
            _ => Self { percent: None, text: crate::format::tokens(tokens), is_nearly_full: false },
        }
    }
}

/// Whose a block is, and who may write it.
pub fn tags(block: &ContextBlock) -> Vec<&'static str> {
    let scope = match block.scope {
        BlockScope::Agent => "all chats",
        BlockScope::Session => "this chat",
        BlockScope::Outside => "set by the server",
    };
    let writers = if block.is_writable { "you and the model write" } else { "read only" };
    vec![scope, writers]
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A block with this size.
    pub fn block(tokens: u64, max: Option<u64>) -> ContextBlock {
        let fields = serde_json::json!({
            "label": "memory", "content": "text", "tokens": tokens, "max_tokens": max, "kind": "text",
            "is_writable": true, "scope": "agent", "version": 3, "origin": "configured",
        });
        serde_json::from_value(fields).expect("a block")
    }

    #[track_caller]
    fn check(tokens: u64, max: Option<u64>, percent: Option<u64>, text: &str) {
        let is_nearly_full = text.ends_with('!');
        let expected = Meter { percent, text: text.trim_end_matches('!').to_owned(), is_nearly_full };
        assert_eq!(Meter::of(&block(tokens, max)), expected);
    }

    #[test]
    fn a_meter_says_percent_and_tokens_and_warns_before_the_end() {
        check(462, Some(1_100), Some(42), "42% · 462 / 1100 tokens");
        check(0, Some(1_100), Some(0), "0% · 0 / 1100 tokens");
        check(935, Some(1_100), Some(85), "85% · 935 / 1100 tokens!");
        check(1_200, Some(1_100), Some(100), "109% · 1200 / 1100 tokens!");
        check(12, None, None, "12 tokens");
        check(12, Some(0), None, "12 tokens");
    }

    #[test]
    fn tags_say_whose_it_is_and_who_writes() {
        let mut shown = block(1, None);
        assert_eq!(tags(&shown), ["all chats", "you and the model write"]);
        (shown.is_writable, shown.scope) = (false, BlockScope::Session);
        assert_eq!(tags(&shown), ["this chat", "read only"]);
    }
}
