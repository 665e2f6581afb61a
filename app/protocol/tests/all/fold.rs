//! The one helper of the fold's tests: chunks in, parts out, both as the wire spells them.

use protocol::{Accumulator, Applied, Chunk, Message};
use serde_json::{Value, json};

/// A chunk as a server sends it.
pub(crate) fn chunk(body: &Value) -> Chunk {
    Chunk::from_body(&body.to_string()).expect("a chunk is JSON")
}

/// Folds chunks onto `fold` and gives what each did.
pub(crate) fn feed(fold: &mut Accumulator, chunks: &Value) -> Vec<Applied> {
    chunks.as_array().expect("a list of chunks").iter().map(|body| fold.apply(&chunk(body))).collect()
}

/// Folds chunks onto nothing.
pub(crate) fn folded(chunks: &Value) -> Accumulator {
    let mut fold = Accumulator::new(Some("m1".into()));
    let _applied = feed(&mut fold, chunks);
    fold
}

/// Folds chunks onto nothing and compares the parts.
pub(crate) fn check(story: &str, chunks: Value, expected: Value) {
    assert_eq!(parts(&folded(&chunks)), expected, "{story}: {chunks:#}");
}

/// Folds chunks onto stored parts and compares the parts.
pub(crate) fn check_continuing(story: &str, stored: Value, chunks: Value, expected: Value) {
    let mut fold = Accumulator::continuing(&message(stored));
    let _applied = feed(&mut fold, &chunks);
    assert_eq!(parts(&fold), expected, "{story}: {chunks:#}");
}

pub(crate) fn message(parts: Value) -> Message {
    serde_json::from_value(json!({ "id": "m1", "role": "assistant", "parts": parts })).expect("a message")
}

/// The parts as the wire shows them.
pub(crate) fn parts(fold: &Accumulator) -> Value {
    serde_json::to_value(&fold.parts).expect("parts are JSON")
}
