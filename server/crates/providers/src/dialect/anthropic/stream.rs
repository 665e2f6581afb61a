//! From the events of a message to model events. Pure: it knows events, not sockets.
//!
//! | on the wire | event |
//! |---|---|
//! | `content_block_start`, `…_delta`, `…_stop` | text, reasoning, tool input, by the block's type |
//! | `signature_delta`, `redacted_thinking` | provider metadata of the reasoning |
//! | `citations_delta` with a page | source |
//! | `message_start` and `message_delta` with `usage` | usage, once, at the end |
//! | `message_delta` with `stop_reason`, then `message_stop` | finish |
//! | `error` | error |
//! | anything else | nothing: the API says that new kinds may come |

mod blocks;
mod wire;

use crate::dialect::answer::Decode;
use crate::dialect::call_ids::CallIds;
use crate::dialect::error::{WireFailure, breach};
use crate::dialect::json;
use crate::http::Target;
use crate::sse::SseEvent;
use blocks::Blocks;
use model::{FinishReason, ModelError, ModelEvent};
use wire::{Cost, Delta, Event};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Decoder {
    target: Target,
    documents: json::Reader,
    blocks: Blocks,
    sources: usize,
    cost: Cost,
    finish: Option<FinishReason>,
    progress: Progress,
}

/// How far the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Open,
    /// `message_stop` was read.
    Done,
}

impl Decoder {
    pub(super) fn new(target: Target, ids: CallIds) -> Self {
        Self {
            target,
            documents: json::Reader::default(),
            blocks: Blocks::new(ids),
            sources: 0,
            cost: Cost::default(),
            finish: None,
            progress: Progress::Open,
        }
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Delta::Citations { citation } = delta {
            let id = format!("source-{}", self.sources);
            self.sources += 1;
            out.extend(citation.url.map(|url| ModelEvent::Source { id, url, title: citation.title }));
            return Ok(());
        }
        self.blocks.add(index, delta, out).map_err(|fault| breach(&self.target, &fault))
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
            let event: Event = self.documents.read(&text).map_err(|error| {
                breach(&self.target, &format!("something that is no event of a message ({error})"))
            })?;
            match event {
                Event::MessageStart { message } => self.cost.add(message.usage),
                Event::ContentBlockStart { index, content_block } => {
                    let begun = self.blocks.begin(index, content_block, out);
                    begun.map_err(|fault| breach(&self.target, &fault))?;
                }
                Event::ContentBlockDelta { index, delta } => self.delta(index, delta, out)?,
                Event::ContentBlockStop { index } => self.blocks.end(index, out),
                Event::MessageDelta { delta, usage } => {
                    self.cost.add(usage);
                    self.finish = delta.stop_reason.map(finish_reason).or(self.finish.take());
                }
                Event::MessageStop => self.progress = Progress::Done,
                Event::Error => return Err(WireFailure::from_body(&text).into_error(&self.target)),
                Event::Unknown => {}
            }
        }
        Ok(())
    }

    fn end(mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let is_complete = self.is_complete();
        if is_complete {
            self.blocks.end_all(out);
        }
        out.extend(self.cost.usage().map(ModelEvent::Usage));
        if is_complete {
            out.push(ModelEvent::Finish { reason: self.finish.unwrap_or(FinishReason::Stop) });
        }
        Ok(())
    }
}

fn finish_reason(word: String) -> FinishReason {
    match word.as_str() {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "tool_use" => FinishReason::ToolCalls,
        "refusal" => FinishReason::ContentFilter,
        _ => FinishReason::Other(word),
    }
}

#[cfg(test)]
mod tests;
