//! Joins neighbouring deltas of one block when many wait at once: fewer rows, fewer frames, the same text.

use protocol::Chunk;

/// Below this many waiting chunks nothing is joined, so that an ordinary stream keeps its rhythm.
const MERGE_MIN: usize = 32;

/// Joins neighbouring deltas of the same block; the fold of the result is the fold of the input.
pub(crate) fn merge_deltas(chunks: Vec<Chunk>) -> Vec<Chunk> {
    if chunks.len() < MERGE_MIN {
        return chunks;
    }
    let mut merged: Vec<Chunk> = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        let joined = merged.last_mut().is_some_and(|last| join(last, &chunk));
        if !joined {
            merged.push(chunk);
        }
    }
    merged
}

fn join(last: &mut Chunk, next: &Chunk) -> bool {
    match (last, next) {
        (
            Chunk::TextDelta { id, delta, provider_metadata: None },
            Chunk::TextDelta { id: next_id, delta: more, provider_metadata: None },
        )
        | (
            Chunk::ReasoningDelta { id, delta, provider_metadata: None },
            Chunk::ReasoningDelta { id: next_id, delta: more, provider_metadata: None },
        ) if id == next_id => {
            delta.push_str(more);
            true
        }
        (
            Chunk::ToolInputDelta { tool_call_id, input_text_delta },
            Chunk::ToolInputDelta { tool_call_id: next_id, input_text_delta: more },
        ) if tool_call_id == next_id => {
            input_text_delta.push_str(more);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Accumulator;

    fn delta(id: &str, text: &str) -> Chunk {
        Chunk::TextDelta { id: id.into(), delta: text.into(), provider_metadata: None }
    }

    #[test]
    fn a_flood_is_joined_and_folds_to_the_same_message() {
        let mut flood: Vec<Chunk> = (0..40).map(|i| delta("a", &format!("{i} "))).collect();
        flood.extend((0..40).map(|i| delta(if i % 2 == 0 { "a" } else { "b" }, "x")));
        let fold = |chunks: &[Chunk]| {
            let mut fold = Accumulator::new(Some("m".into()));
            chunks.iter().for_each(|chunk| drop(fold.apply(chunk)));
            fold.message()
        };
        let merged = merge_deltas(flood.clone());
        assert_eq!(merged.len(), 40);
        assert_eq!(fold(&merged), fold(&flood));
    }

    #[test]
    fn a_trickle_keeps_its_pieces() {
        let trickle: Vec<Chunk> = (0..MERGE_MIN - 1).map(|i| delta("a", &i.to_string())).collect();
        assert_eq!(merge_deltas(trickle.clone()), trickle);
    }
}
