//! What the guide is going to say, and the saying of it: word by word, with small pauses.

use futures::Stream;
use model::{FinishReason, ModelError, ModelEvent};
use protocol::ToolCallId;
use serde_json::Value;
use std::time::Duration;

/// A few words are one piece.
const WORDS_PER_PIECE: usize = 3;
/// How much longer the pauses of slow speech are; its pieces are single words.
const SLOWNESS: u32 = 4;

/// One thing after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Speech(Vec<Passage>);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Passage {
    Say(String),
    SaySlowly(String),
    Think(String),
    Call { id: ToolCallId, name: String, input: Value },
    Fail(ModelError),
}

impl Speech {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn say(self, text: &str) -> Self {
        self.and(Passage::Say(text.to_owned()))
    }

    pub(super) fn say_slowly(self, text: String) -> Self {
        self.and(Passage::SaySlowly(text))
    }

    pub(super) fn think(self, text: &str) -> Self {
        self.and(Passage::Think(text.to_owned()))
    }

    /// Calls a tool; `number` is the call's own.
    pub(super) fn call(self, number: u64, name: &str, input: Value) -> Self {
        let id = ToolCallId::new(format!("guide_{number:016x}"));
        self.and(Passage::Call { id, name: name.to_owned(), input })
    }

    pub(super) fn fail(self, error: ModelError) -> Self {
        self.and(Passage::Fail(error))
    }

    fn and(mut self, passage: Passage) -> Self {
        self.0.push(passage);
        self
    }
}

/// How fast to speak.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pause: Duration,
}

impl Pace {
    pub(super) fn new(pause: Duration) -> Self {
        Self { pause }
    }

    fn slow(self) -> Self {
        Self { pause: self.pause * SLOWNESS }
    }

    async fn rest(self) {
        if !self.pause.is_zero() {
            tokio::time::sleep(self.pause).await;
        }
    }
}

/// The events of a speech. Dropping the stream ends it at once.
pub(super) fn play(speech: Speech, pace: Pace) -> impl Stream<Item = Result<ModelEvent, ModelError>> + Send {
    async_stream::try_stream! {
        let mut reason = FinishReason::Stop;
        for (position, passage) in speech.0.into_iter().enumerate() {
            let (pace, events) = match passage {
                Passage::Say(text) => (pace, text_events(position, &text, WORDS_PER_PIECE)),
                Passage::SaySlowly(text) => (pace.slow(), text_events(position, &text, 1)),
                Passage::Think(text) => (pace, thought_events(position, &text)),
                Passage::Call { id, name, input } => {
                    reason = FinishReason::ToolCalls;
                    (pace, call_events(id, name, &input))
                }
                Passage::Fail(error) => Err(error)?,
            };
            for event in events {
                yield event;
                pace.rest().await;
            }
        }
        yield ModelEvent::Finish { reason };
    }
}

fn text_events(position: usize, text: &str, words: usize) -> Vec<ModelEvent> {
    let id = format!("text-{position}");
    let mut events = vec![ModelEvent::TextStart { id: id.clone() }];
    events.extend(pieces(text, words).map(|delta| ModelEvent::TextDelta { id: id.clone(), delta }));
    events.push(ModelEvent::TextEnd { id });
    events
}

fn thought_events(position: usize, text: &str) -> Vec<ModelEvent> {
    let id = format!("reasoning-{position}");
    let provider_metadata = None;
    let mut events =
        vec![ModelEvent::ReasoningStart { id: id.clone(), provider_metadata: provider_metadata.clone() }];
    events.extend(pieces(text, WORDS_PER_PIECE).map(|delta| ModelEvent::ReasoningDelta {
        id: id.clone(),
        delta,
        provider_metadata: None,
    }));
    events.push(ModelEvent::ReasoningEnd { id, provider_metadata });
    events
}

fn call_events(id: ToolCallId, name: String, input: &Value) -> Vec<ModelEvent> {
    let input = input.to_string();
    vec![
        ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() },
        ModelEvent::ToolInputDelta { id: id.clone(), delta: input.clone() },
        ModelEvent::ToolInputEnd { id, name, input },
    ]
}

/// `text` in pieces of so many words, each with the blanks that follow it.
fn pieces(text: &str, words: usize) -> impl Iterator<Item = String> {
    let words_of_text: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let pieces: Vec<String> = words_of_text.chunks(words).map(<[&str]>::concat).collect();
    pieces.into_iter()
}
