//! From stored messages to what a model reads. Pure: the same messages always give the same prompt, byte for byte.
//!
//! | in the session | for the model |
//! |---|---|
//! | user: text, file | user content; blank texts are left out |
//! | system message in the history | user text: the one system prompt stands in [`ModelRequest::system`] and is frozen |
//! | overlay (summary of a range) | user text under a heading, joined with a neighbouring user message, so that roles keep alternating and a list never starts with half a turn |
//! | assistant | split at each `step-start`; each block is one assistant message and, where it called tools, one tool message |
//! | any other role, data, source, unknown part, assistant file | left out |
//!
//! A call never stands without its result, nor a result without its call:
//!
//! | state of the call | result |
//! |---|---|
//! | `input-streaming` | call and result left out |
//! | `input-available`, `approval-requested` | error: it was interrupted |
//! | `approval-responded` | the approval as an answer, a refusal as a denial |
//! | `output-available` | the output |
//! | `output-error` | the error |
//! | `output-denied` | the denial, with the person's reason |
//!
//! [`ModelRequest::system`]: crate::ModelRequest::system

use crate::request::{AssistantContent, ModelMessage, ToolOutput, ToolResultContent, UserContent};
use protocol::{Message, Part, Role, TextPart, ToolCallId, ToolPart, ToolState, normalise_input};
use serde_json::Value;
use std::collections::HashSet;

/// What the model reads as the result of a call that nobody finished.
pub const INTERRUPTED: &str = "The call was interrupted before it gave a result.";
/// What the model reads as the result of a call that was approved and has not run.
pub const APPROVED: &str = "The user approved this call. It has not run yet.";
/// Stands above the text of an overlay.
pub const SUMMARY_HEADING: &str = "[Summary of the earlier conversation]";
/// The unsaved user message after an assistant message at the end, for providers that refuse such a list.
pub const NUDGE: &str = "continue";
/// The unsaved user message before an assistant message at the start.
pub const OPENING: &str = "(The conversation continues.)";
/// How many messages at the end keep all their tool calls.
const UNPRUNED_TAIL: usize = 2;

/// Converts a path through a session, oldest first.
pub fn to_model_messages(messages: &[Message]) -> Vec<ModelMessage> {
    trace_model_messages(messages).into_iter().map(|(_, message)| message).collect()
}

/// [`to_model_messages`], each with the position of the message it was made from; of several that were joined, the
/// first.
pub fn trace_model_messages(messages: &[Message]) -> Vec<(usize, ModelMessage)> {
    let mut converted = Conversion::default();
    for (position, message) in messages.iter().enumerate() {
        converted.position = position;
        if message.id.is_overlay() {
            converted.push_summary(message);
            continue;
        }
        match message.role {
            Role::User => converted.push_user(user_content(message)),
            Role::System => converted.push_user(texts(message)),
            Role::Assistant => converted.push_assistant(message),
            Role::Other(_) => {}
        }
    }
    converted.list
}

/// Removes the tool calls, with their results, that the last two messages do not mention; messages with nothing
/// left to say go too. Meant for the start of a turn: the calls of the turn itself come later and stay.
pub fn prune_tool_calls(messages: Vec<ModelMessage>) -> Vec<ModelMessage> {
    let tagged = messages.into_iter().map(|message| ((), message)).collect();
    prune_tagged(tagged).into_iter().map(|((), message)| message).collect()
}

/// [`prune_tool_calls`] for messages that carry something along.
pub fn prune_tagged<T>(messages: Vec<(T, ModelMessage)>) -> Vec<(T, ModelMessage)> {
    let tail_start = messages.len().saturating_sub(UNPRUNED_TAIL);
    let kept: HashSet<ToolCallId> =
        messages.iter().skip(tail_start).flat_map(|(_, it)| it.tool_call_ids()).cloned().collect();
    let prune = |(position, (tag, message))| {
        let left = if position < tail_start { without_calls(message, &kept) } else { Some(message) };
        left.map(|message| (tag, message))
    };
    messages.into_iter().enumerate().filter_map(prune).collect()
}

/// Appends [`NUDGE`] where the last message is the assistant's. It is for the call only and never stored.
pub fn nudge_after_assistant(messages: &mut Vec<ModelMessage>) {
    if matches!(messages.last(), Some(ModelMessage::Assistant(_))) {
        messages.push(ModelMessage::user(NUDGE));
    }
}

/// Puts [`OPENING`] before a list that starts with the assistant. It is for the call only and never stored.
pub fn open_with_user(messages: &mut Vec<ModelMessage>) {
    if matches!(messages.first(), Some(ModelMessage::Assistant(_))) {
        messages.insert(0, ModelMessage::user(OPENING));
    }
}

impl ModelMessage {
    /// The calls that this message makes or answers.
    pub fn tool_call_ids(&self) -> impl Iterator<Item = &ToolCallId> {
        let (calls, results) = match self {
            Self::User(_) => (None, None),
            Self::Assistant(content) => (Some(content), None),
            Self::Tool(results) => (None, Some(results)),
        };
        let called = calls.into_iter().flatten().filter_map(AssistantContent::tool_call_id);
        called.chain(results.into_iter().flatten().map(|result| &result.id))
    }
}

impl AssistantContent {
    /// The call's id, if this is a call.
    pub fn tool_call_id(&self) -> Option<&ToolCallId> {
        if let Self::ToolCall { id, .. } = self { Some(id) } else { None }
    }
}

/// The list under construction.
#[derive(Default)]
struct Conversion {
    list: Vec<(usize, ModelMessage)>,
    /// Of the message that is being converted.
    position: usize,
    /// Whether the last message is a user message that ends in a summary; the next user message joins it.
    ends_in_summary: bool,
}

impl Conversion {
    fn push(&mut self, message: ModelMessage) {
        self.list.push((self.position, message));
    }

    fn push_user(&mut self, content: Vec<UserContent>) {
        if content.is_empty() {
            return;
        }
        match self.list.last_mut() {
            Some((_, ModelMessage::User(last))) if self.ends_in_summary => last.extend(content),
            Some(_) | None => self.push(ModelMessage::User(content)),
        }
        self.ends_in_summary = false;
    }

    fn push_summary(&mut self, message: &Message) {
        let text = message.plain_text();
        if is_blank(&text) {
            return;
        }
        let content = UserContent::Text(format!("{SUMMARY_HEADING}\n\n{text}"));
        match self.list.last_mut() {
            Some((_, ModelMessage::User(last))) => last.push(content),
            Some(_) | None => self.push(ModelMessage::User(vec![content])),
        }
        self.ends_in_summary = true;
    }

    fn push_assistant(&mut self, message: &Message) {
        for block in message.parts.split(|part| matches!(part, Part::StepStart)) {
            let content: Vec<_> = block.iter().filter_map(assistant_content).collect();
            let results: Vec<_> = block.iter().filter_map(Part::as_tool).filter_map(tool_result).collect();
            if content.is_empty() {
                continue;
            }
            self.push(ModelMessage::Assistant(content));
            self.ends_in_summary = false;
            if !results.is_empty() {
                self.push(ModelMessage::Tool(results));
            }
        }
    }
}

fn user_content(message: &Message) -> Vec<UserContent> {
    let content = |part: &Part| match part {
        Part::Text(text) => said(&text.text),
        Part::File(file) => Some(UserContent::File {
            media_type: file.media_type.clone(),
            url: file.url.clone(),
            filename: file.filename.clone(),
        }),
        Part::Reasoning(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Tool(_)
        | Part::Unknown(_) => None,
    };
    message.parts.iter().filter_map(content).collect()
}

fn texts(message: &Message) -> Vec<UserContent> {
    message.parts.iter().filter_map(Part::as_text).filter_map(said).collect()
}

fn said(text: &str) -> Option<UserContent> {
    (!is_blank(text)).then(|| UserContent::Text(text.to_owned()))
}

fn assistant_content(part: &Part) -> Option<AssistantContent> {
    match part {
        Part::Text(text) => (!is_blank(&text.text)).then(|| AssistantContent::Text(text.text.clone())),
        Part::Reasoning(text) => reasoning(text),
        Part::Tool(tool) => tool_call(tool),
        Part::File(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_)
        | Part::Unknown(_) => None,
    }
}

fn reasoning(part: &TextPart) -> Option<AssistantContent> {
    let is_empty = is_blank(&part.text) && part.provider_metadata.is_none();
    (!is_empty).then(|| AssistantContent::Reasoning {
        text: part.text.clone(),
        provider_metadata: part.provider_metadata.clone(),
    })
}

fn tool_call(tool: &ToolPart) -> Option<AssistantContent> {
    let _output = outcome(tool)?;
    Some(AssistantContent::ToolCall {
        id: tool.call.tool_call_id.clone(),
        name: tool.name.clone(),
        input: normalise_input(tool.call.input.clone().unwrap_or(Value::Null)),
    })
}

fn tool_result(tool: &ToolPart) -> Option<ToolResultContent> {
    let output = outcome(tool)?;
    Some(ToolResultContent { id: tool.call.tool_call_id.clone(), name: tool.name.clone(), output })
}

/// How the call went, in every state but the first; with none there, neither call nor result is told.
fn outcome(tool: &ToolPart) -> Option<ToolOutput> {
    let call = &tool.call;
    let approval = call.approval.as_ref();
    let denied = || ToolOutput::Denied(approval.and_then(|approval| approval.reason.clone()));
    Some(match call.state {
        ToolState::InputStreaming => return None,
        ToolState::InputAvailable | ToolState::ApprovalRequested => ToolOutput::Error(INTERRUPTED.to_owned()),
        ToolState::ApprovalResponded if approval.is_some_and(|it| it.approved == Some(false)) => denied(),
        ToolState::ApprovalResponded => ToolOutput::Value(Value::String(APPROVED.to_owned())),
        ToolState::OutputAvailable => ToolOutput::Value(call.output.clone().unwrap_or(Value::Null)),
        ToolState::OutputError => {
            ToolOutput::Error(call.error_text.clone().unwrap_or_else(|| "The tool failed.".to_owned()))
        }
        ToolState::OutputDenied => denied(),
    })
}

/// The message without calls outside `kept`; none where nothing is left that a model could use.
fn without_calls(message: ModelMessage, kept: &HashSet<ToolCallId>) -> Option<ModelMessage> {
    match message {
        ModelMessage::User(_) => Some(message),
        ModelMessage::Assistant(mut content) => {
            let before = content.len();
            content.retain(|piece| piece.tool_call_id().is_none_or(|id| kept.contains(id)));
            // Reasoning that led to a call says nothing without it.
            let is_reasoning = |piece: &AssistantContent| matches!(piece, AssistantContent::Reasoning { .. });
            let is_idle = content.len() < before && content.iter().all(is_reasoning);
            (!is_idle).then_some(ModelMessage::Assistant(content))
        }
        ModelMessage::Tool(mut results) => {
            results.retain(|result| kept.contains(&result.id));
            (!results.is_empty()).then_some(ModelMessage::Tool(results))
        }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

#[cfg(test)]
mod tests;
