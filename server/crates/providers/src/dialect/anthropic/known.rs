//! Numbers of Anthropic's models that its API does not tell but wants to be told, as a table.

/// Beginnings of names, and the longest answer that such models give. The first row that fits counts.
const LONGEST_ANSWERS: [(&str, u32); 7] = [
    ("claude-3-5-", 8_192),
    ("claude-3-7-", 64_000),
    ("claude-3-", 4_096),
    ("claude-2", 4_096),
    ("claude-opus-4-1", 32_000),
    ("claude-opus-4-0", 32_000),
    ("claude-opus-4-2", 32_000),
];
/// The longest answer of all others.
const LONGEST_ANSWER: u32 = 64_000;
/// How many tokens every Claude since version 2.1 reads.
const CONTEXT_WINDOW: u64 = 200_000;

/// How long an answer may be where nobody said: as long as the model can, since the API has no other way to say it.
pub(super) fn longest_answer(model: &str) -> u32 {
    let row = LONGEST_ANSWERS.iter().find(|(beginning, _)| model.starts_with(beginning));
    row.map_or(LONGEST_ANSWER, |(_, limit)| *limit)
}

/// How many tokens a model reads.
pub(crate) fn context_window(model: &str) -> Option<u64> {
    model.starts_with("claude-").then_some(CONTEXT_WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_the_beginnings_of_their_names() {
        let rows = [
            ("claude-3-haiku-20240307", 4_096, Some(200_000)),
            ("claude-3-5-haiku-latest", 8_192, Some(200_000)),
            ("claude-opus-4-20250514", 32_000, Some(200_000)),
            ("claude-opus-4-1-20250805", 32_000, Some(200_000)),
            ("claude-opus-4-5", 64_000, Some(200_000)),
            ("claude-sonnet-4-5", 64_000, Some(200_000)),
            ("something-else", 64_000, None),
        ];
        for (model, longest, window) in rows {
            assert_eq!((longest_answer(model), context_window(model)), (longest, window), "{model}");
        }
    }
}
