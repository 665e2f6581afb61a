//! What a message cost, in words. What nobody reported is unknown, not zero, and an estimate says that it is one. Pure.

use crate::format;
use protocol::{TurnInfo, Usage};

/// Characters that are taken for one token where nobody counted.
const CHARACTERS_PER_TOKEN: usize = 4;

/// A line for each thing that is known, and for what should be and is not.
pub fn usage_lines(turn: Option<&TurnInfo>, text: &str) -> Vec<String> {
    let estimate = || {
        let tokens = text.chars().count().div_ceil(CHARACTERS_PER_TOKEN);
        format!("about {} (estimated)", format::tokens(tokens as u64))
    };
    let Some(turn) = turn else { return vec![estimate()] };
    let mut lines = vec![turn.model.clone()];
    match &turn.usage {
        Some(usage) => lines.extend(reported(usage)),
        None => {
            lines.push("Read: not reported".to_owned());
            lines.push(format!("Written: {}", estimate()));
        }
    }
    if let Some(end) = turn.finished_at {
        lines.push(format!("Took {}", format::duration(end.saturating_sub(turn.started_at))));
    }
    lines
}

fn reported(usage: &Usage) -> [String; 2] {
    let some = |tokens: Option<u64>, what: &str| {
        tokens.map(|tokens| format!(", {} {what}", format::count(tokens))).unwrap_or_default()
    };
    let read = format::tokens(usage.input_tokens);
    let written = format::tokens(usage.output_tokens);
    [
        format!("Read: {read}{}", some(usage.cached_tokens, "from the cache")),
        format!("Written: {written}{}", some(usage.reasoning_tokens, "for reasoning")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::TurnStatus;

    #[test]
    fn unknown_is_not_zero_and_an_estimate_says_so() {
        let turn = |usage| TurnInfo {
            status: TurnStatus::Complete,
            model: "ollama/qwen3:8b".to_owned(),
            started_at: 0,
            finished_at: Some(3_140),
            error: None,
            usage,
        };
        let usage = Usage {
            input_tokens: 12_440,
            output_tokens: 0,
            cached_tokens: Some(900),
            reasoning_tokens: None,
        };
        let check = |turn: Option<TurnInfo>, expected: &[&str]| {
            assert_eq!(usage_lines(turn.as_ref(), "five words stand here now"), expected);
        };
        check(
            Some(turn(Some(usage))),
            &["ollama/qwen3:8b", "Read: 12.4k tokens, 900 from the cache", "Written: 0 tokens", "Took 3.1 s"],
        );
        check(
            Some(turn(None)),
            &["ollama/qwen3:8b", "Read: not reported", "Written: about 7 tokens (estimated)", "Took 3.1 s"],
        );
        check(None, &["about 7 tokens (estimated)"]);
    }
}
