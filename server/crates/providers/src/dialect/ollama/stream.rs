//! From the lines of a chat to model events. Pure: it knows lines, not sockets.
//!
//! | on the wire | event |
//! |---|---|
//! | `message.content` | text |
//! | `message.thinking` | reasoning |
//! | `message.tool_calls`, always whole | tool input |
//! | `done` with its counts | usage, finish |
//! | `error` | error |

use crate::dialect::answer::Decode;
use crate::dialect::blocks::{Blocks, Kind};
use crate::dialect::call_ids::CallIds;
use crate::dialect::error::{WireFailure, breach};
use crate::dialect::json;
use crate::http::Target;
use crate::sse::SseEvent;
use model::{FinishReason, ModelError, ModelEvent};
use protocol::Usage;
use protocol::limits::TOOL_CALLS_PER_STEP_MAX;
use serde::Deserialize;
use serde_json::Value;

/// Reads one answer.
#[derive(Debug)]
pub(in crate::dialect) struct Decoder {
    target: Target,
    documents: json::Reader,
    blocks: Blocks,
    ids: CallIds,
    calls: usize,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    message: Option<Message>,
    error: Option<Value>,
    done: Option<Value>,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<Call>>,
}

#[derive(Debug, Deserialize)]
struct Call {
    id: Option<String>,
    function: Function,
}

#[derive(Debug, Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl Decoder {
    pub(in crate::dialect) fn new(target: Target, ids: CallIds) -> Self {
        let (documents, blocks) = (json::Reader::default(), Blocks::default());
        Self { target, documents, blocks, ids, calls: 0, usage: None, finish: None }
    }

    fn add(&mut self, message: Message, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if let Some(text) = message.thinking.filter(|text| !text.is_empty()) {
            self.blocks.add(Kind::Reasoning, text, out);
        }
        if let Some(text) = message.content.filter(|text| !text.is_empty()) {
            self.blocks.add(Kind::Text, text, out);
        }
        for call in message.tool_calls.into_iter().flatten() {
            self.calls += 1;
            if self.calls > TOOL_CALLS_PER_STEP_MAX {
                let fault = format!("more than {TOOL_CALLS_PER_STEP_MAX} tool calls in one answer");
                return Err(breach(&self.target, &fault));
            }
            self.blocks.close(out);
            self.call(call, out);
        }
        Ok(())
    }

    fn call(&mut self, call: Call, out: &mut Vec<ModelEvent>) {
        let id = self.ids.name(call.id.as_deref().filter(|id| !id.is_empty()));
        let Function { name, arguments } = call.function;
        let input = match arguments {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => arguments.to_string(),
        };
        out.push(ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() });
        out.push(ModelEvent::ToolInputDelta { id: id.clone(), delta: input.clone() });
        out.push(ModelEvent::ToolInputEnd { id, name, input });
    }
}

impl Decode for Decoder {
    /// The line with `done` is the last one.
    fn is_done(&self) -> bool {
        self.finish.is_some()
    }

    fn is_complete(&self) -> bool {
        self.finish.is_some()
    }

    fn read(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        for text in json::documents(&event.data) {
            let line: Line = self.documents.read(&text).map_err(|error| {
                breach(&self.target, &format!("something that is no line of a chat ({error})"))
            })?;
            if line.error.as_ref().is_some_and(|error| !error.is_null()) {
                return Err(WireFailure::from_body(&text).into_error(&self.target));
            }
            if let Some(message) = line.message {
                self.add(message, out)?;
            }
            if line.done == Some(Value::Bool(true)) {
                let reason = line.done_reason.unwrap_or_else(|| "stop".to_owned());
                self.finish = Some(self.reason(reason));
                self.usage = line.prompt_eval_count.or(line.eval_count).map(|_| Usage {
                    input_tokens: line.prompt_eval_count.unwrap_or(0),
                    output_tokens: line.eval_count.unwrap_or(0),
                    cached_tokens: None,
                    reasoning_tokens: None,
                });
            }
        }
        Ok(())
    }

    fn end(mut self, out: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.is_complete() {
            self.blocks.close(out);
        }
        out.extend(self.usage.map(ModelEvent::Usage));
        out.extend(self.finish.map(|reason| ModelEvent::Finish { reason }));
        Ok(())
    }
}

impl Decoder {
    /// It says `stop` where it wants tools to run, too.
    fn reason(&self, word: String) -> FinishReason {
        match word.as_str() {
            "stop" if self.calls > 0 => FinishReason::ToolCalls,
            "stop" => FinishReason::Stop,
            "length" => FinishReason::Length,
            _ => FinishReason::Other(word),
        }
    }
}
