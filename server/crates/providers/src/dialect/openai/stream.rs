//! From the chunks of a chat completion to model events. Pure: it knows events, not sockets.
//!
//! | on the wire | event |
//! |---|---|
//! | `content`, `refusal` | text, but for reasoning in tags, see [`think_tags`] |
//! | `reasoning_content`, `reasoning` | reasoning |
//! | `tool_calls` | tool input, see [`calls`] |
//! | `annotations` (`url_citation`), `images` | source, file |
//! | `usage`, on any chunk | usage, the last one, at the end |
//! | `finish_reason`, then `[DONE]` or the end of the stream | finish |
//! | the end of the stream without both | nothing: the answer was cut off |
//! | `error` | error |

mod calls;
mod extras;
mod think_tags;
mod wire;

use super::ThinkTags;
use crate::dialect::answer::Decode;
use crate::dialect::blocks::{Blocks, Kind};
use crate::dialect::call_ids::CallIds;
use crate::dialect::error::{WireFailure, breach};
use crate::dialect::json::{self, DONE};
use crate::http::Target;
use crate::sse::SseEvent;
use calls::Calls;
use model::{ErrorClass, FinishReason, ModelError, ModelEvent};
use protocol::Usage;
use serde_json::Value;
use think_tags::Splitter;
use wire::{Chunk, Delta};

/// Reads one answer.
#[derive(Debug)]
pub(in crate::dialect) struct Decoder {
    target: Target,
    tags: Splitter,
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
    pub(in crate::dialect) fn new(target: Target, ids: CallIds) -> Self {
        Self {
            target,
            tags: Splitter::default(),
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

    /// What tags in the text are.
    pub(super) fn with_tags(self, tags: ThinkTags) -> Self {
        match tags {
            ThinkTags::Reasoning => self,
            ThinkTags::Text => Self { tags: Splitter::off(), ..self },
        }
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

    /// Something other than text came: what was held back is what it looks like.
    fn end_tags(&mut self, out: &mut Vec<ModelEvent>) {
        if let Some((kind, text)) = self.tags.finish() {
            self.blocks.add(kind, text, out);
        }
    }

    fn add(&mut self, mut delta: Delta, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(text) = delta.take_reasoning() {
            self.end_tags(out);
            self.blocks.add(Kind::Reasoning, text, out);
        }
        if let Some(text) = delta.take_content() {
            for (kind, text) in self.tags.split(text) {
                self.blocks.add(kind, text, out);
            }
        }
        if let Some(text) = delta.refusal.filter(|text| !text.is_empty()) {
            self.has_refused = true;
            self.end_tags(out);
            self.blocks.add(Kind::Text, text, out);
        }
        for annotation in delta.annotations.into_iter().flatten() {
            out.extend(extras::source(&annotation, self.sources));
            self.sources += 1;
        }
        out.extend(delta.images.iter().flatten().filter_map(extras::image));
        let calls = delta.tool_calls.unwrap_or_default();
        if !calls.is_empty() {
            self.end_tags(out);
            self.blocks.close(out);
        }
        self.calls.add(calls, out).map_err(|fault| breach(&self.target, &fault))
    }
}

impl Decode for Decoder {
    fn is_done(&self) -> bool {
        self.progress == Progress::Done
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some() || self.is_done()
    }

    fn read(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
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

    fn end(mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        self.end_tags(out);
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

#[cfg(test)]
mod tests;
