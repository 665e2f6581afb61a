//! From the chunks of a chat completion to model events. Pure: it knows events, not sockets.
//!
//! | on the wire | event |
//! |---|---|
//! | `content`, `refusal` | text |
//! | `reasoning_content`, `reasoning` | reasoning |
//! | `tool_calls` | tool input, see [`calls`] |
//! | `annotations` (`url_citation`), `images` | source, file |
//! | `usage`, on any chunk | usage, the last one, at the end |
//! | `finish_reason`, then `[DONE]` or the end of the stream | finish |
//! | the end of the stream without both | nothing: the answer was cut off |
//! | `error` | error |

mod blocks;
mod calls;
mod extras;
mod json;
mod wire;

use super::call_ids::CallIds;
use super::error::WireFailure;
use crate::http::Target;
use crate::sse::SseEvent;
use blocks::{Blocks, Kind};
use calls::Calls;
pub(super) use json::is_whole;
use model::{ErrorClass, FinishReason, ModelError, ModelEvent};
use protocol::Usage;
use serde_json::Value;
use wire::{Chunk, Delta};

/// What the last line of a complete stream says.
const DONE: &str = "[DONE]";

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Decoder {
    target: Target,
    blocks: Blocks,
    calls: Calls,
    sources: usize,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    has_refused: bool,
    progress: Progress,
    documents: json::Reader,
}

/// How far the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Open,
    /// `[DONE]` was read.
    Done,
}

impl Decoder {
    pub(super) fn new(target: Target, ids: CallIds) -> Self {
        Self {
            target,
            blocks: Blocks::default(),
            calls: Calls::new(ids),
            sources: 0,
            usage: None,
            finish: None,
            has_refused: false,
            progress: Progress::Open,
            documents: json::Reader::default(),
        }
    }

    /// Whether the provider has said that nothing more comes.
    pub(super) fn is_done(&self) -> bool {
        self.progress == Progress::Done
    }

    /// Whether the answer is complete, although usage or `[DONE]` may follow.
    pub(super) fn is_complete(&self) -> bool {
        self.finish.is_some() || self.is_done()
    }

    /// Reads one event and appends what it means.
    pub(super) fn read(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        for text in json::documents(&event.data) {
            if self.is_done() {
                return Ok(());
            }
            if text == DONE {
                self.progress = Progress::Done;
                continue;
            }
            self.read_document(&event.name, &text, out)?;
        }
        Ok(())
    }

    /// Ends the answer: with a finish where it is complete, without one where it was cut off.
    pub(super) fn end(mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let has_calls = !self.calls.is_empty();
        if self.is_complete() {
            self.blocks.close(out);
            self.calls.finish(out).map_err(|fault| breach(&self.target, &fault))?;
        }
        out.extend(self.usage.map(ModelEvent::Usage));
        if !self.is_complete() {
            return Ok(());
        }
        let reason = self.finish.unwrap_or(FinishReason::Stop);
        let reason = match reason {
            FinishReason::Stop if self.has_refused => FinishReason::ContentFilter,
            // Some providers say `stop` although they want tools to run, or the other way about.
            FinishReason::Stop if has_calls => FinishReason::ToolCalls,
            FinishReason::ToolCalls if !has_calls => FinishReason::Stop,
            FinishReason::Stop
            | FinishReason::Length
            | FinishReason::ToolCalls
            | FinishReason::ContentFilter
            | FinishReason::Other(_) => reason,
        };
        out.push(ModelEvent::Finish { reason });
        Ok(())
    }

    fn read_document(&mut self, name: &str, text: &str, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if name == "error" {
            return Err(WireFailure::from_body(text).into_error(&self.target));
        }
        let chunk: Chunk = self.documents.read(text).map_err(|error| {
            breach(&self.target, &format!("something that is no chat completion ({error})"))
        })?;
        let is_error_object = chunk.object.as_ref().and_then(Value::as_str) == Some("error");
        if is_error_object || chunk.error.as_ref().is_some_and(|error| !error.is_null()) {
            return Err(WireFailure::from_body(text).into_error(&self.target));
        }
        if let Some(usage) = chunk.usage.as_ref().and_then(wire::usage) {
            self.usage = Some(usage);
        }
        for choice in chunk.choices.into_iter().flatten().filter(|choice| choice.index.unwrap_or(0) == 0) {
            if let Some(delta) = choice.delta.or(choice.message) {
                self.add(delta, out)?;
            }
            if let Some(word) = choice.finish_reason.filter(|word| !word.is_empty()) {
                self.finish = Some(finish_reason(&self.target, word)?);
            }
        }
        Ok(())
    }

    fn add(&mut self, mut delta: Delta, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(text) = delta.take_reasoning() {
            self.blocks.add(Kind::Reasoning, text, out);
        }
        if let Some(text) = delta.take_content() {
            self.blocks.add(Kind::Text, text, out);
        }
        if let Some(text) = delta.refusal.filter(|text| !text.is_empty()) {
            self.has_refused = true;
            self.blocks.add(Kind::Text, text, out);
        }
        for annotation in delta.annotations.into_iter().flatten() {
            out.extend(extras::source(&annotation, self.sources));
            self.sources += 1;
        }
        out.extend(delta.images.iter().flatten().filter_map(extras::image));
        let calls = delta.tool_calls.unwrap_or_default();
        if !calls.is_empty() {
            self.blocks.close(out);
        }
        self.calls.add(calls, out).map_err(|fault| breach(&self.target, &fault))
    }
}

fn finish_reason(target: &Target, word: String) -> Result<FinishReason, ModelError> {
    Ok(match word.as_str() {
        "stop" | "end_turn" | "eos" | "stop_sequence" | "STOP" => FinishReason::Stop,
        "length" | "max_tokens" | "max_output_tokens" | "MAX_TOKENS" => FinishReason::Length,
        "tool_calls" | "tool_use" | "function_call" => FinishReason::ToolCalls,
        "content_filter" | "refusal" | "safety" | "SAFETY" | "RECITATION" => FinishReason::ContentFilter,
        "error" => {
            let text = format!("{} broke off the answer because of an error of its own.", target.label());
            return Err(ModelError::new(ErrorClass::Unavailable, text));
        }
        _ => FinishReason::Other(word),
    })
}

/// The error for an answer that breaks the dialect.
fn breach(target: &Target, what: &str) -> ModelError {
    ModelError::new(ErrorClass::Protocol, format!("{} sent {what}.", target.label()))
}

#[cfg(test)]
mod tests;
