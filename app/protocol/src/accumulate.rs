//! The fold: chunk after chunk becomes a message. Server and page use this one function, so what is stored is what
//! was shown. It never fails and never panics; what it cannot place it reports.

use crate::chunk::Chunk;
use crate::ids::{MessageId, ToolCallId};
use crate::message::{Message, Metadata, Role};
use crate::part::{DataPart, Extra, FilePart, Part, PartState, SourceDocumentPart, SourceUrlPart, TextPart};
use crate::tool_part::{ToolMove, ToolState};
use serde_json::Value;
use std::collections::HashMap;

mod partial;
mod text;
mod tool;

/// What one chunk changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Applied {
    /// The part at this index is new.
    Added(usize),
    /// The part at this index changed.
    Changed(usize),
    /// Id or metadata changed.
    Head,
    /// A result for a call that an earlier message owns; the owner of that message must apply it.
    CrossMessage(CrossMessage),
    /// The stream says that the turn failed; nothing is stored.
    Error(String),
    /// The stream says that the turn was stopped.
    Aborted,
    /// Nothing to do: a border, a transient note, a repetition, a move that is not legal any more.
    Nothing,
    /// Nobody here knows this chunk.
    Unhandled,
}

/// A tool result that belongs to an earlier message.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossMessage {
    /// The call.
    pub tool_call_id: ToolCallId,
    /// Result, or the text of the failure.
    pub outcome: Result<Value, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Block {
    Text,
    Reasoning,
}

/// The state of the fold.
#[derive(Debug, Clone, Default)]
pub struct Accumulator {
    /// The id of the message, once known.
    pub message_id: Option<MessageId>,
    /// What has arrived, in order.
    pub parts: Vec<Part>,
    /// Merged metadata.
    pub metadata: Option<Metadata>,
    /// A continuation keeps the id it was seeded with.
    is_continuation: bool,
    /// Open blocks by kind and id: interleaved blocks never mix.
    open: HashMap<(Block, String), usize>,
    /// The arguments' text of calls that are still being written.
    inputs: HashMap<ToolCallId, String>,
}

impl Accumulator {
    /// An empty fold. A `start` chunk may still name the message.
    pub fn new(message_id: Option<MessageId>) -> Self {
        Self { message_id, ..Self::default() }
    }

    /// Goes on with a stored message: its parts stay, its id stays.
    pub fn continuing(message: &Message) -> Self {
        Self {
            message_id: Some(message.id.clone()),
            parts: message.parts.clone(),
            metadata: message.metadata.clone(),
            is_continuation: true,
            ..Self::default()
        }
    }

    /// Rebuilds from stored bodies; bodies that are not JSON are skipped.
    pub fn replay<'a>(&mut self, bodies: impl IntoIterator<Item = &'a str>) {
        for chunk in bodies.into_iter().filter_map(Chunk::from_body) {
            let _applied = self.apply(&chunk);
        }
    }

    /// Applies one chunk.
    pub fn apply(&mut self, chunk: &Chunk) -> Applied {
        match chunk {
            Chunk::Start { message_id: id, message_metadata: metadata } => {
                self.begin(id.as_ref(), metadata.as_ref())
            }
            Chunk::Finish { message_metadata: metadata, .. } => self.merge_metadata(metadata.as_ref()),
            Chunk::MessageMetadata { message_metadata: metadata } => self.merge_metadata(Some(metadata)),
            Chunk::StartStep => self.push(Part::StepStart),
            Chunk::FinishStep => Applied::Nothing,
            Chunk::Abort { .. } => Applied::Aborted,
            Chunk::Error { error_text } => Applied::Error(error_text.clone()),
            Chunk::TextStart { id, provider_metadata: data } => self.open_block((Block::Text, id), data),
            Chunk::TextDelta { id, delta, provider_metadata: data } => {
                self.grow_block((Block::Text, id), delta, data)
            }
            Chunk::TextEnd { id, provider_metadata: data } => self.end_block((Block::Text, id), data),
            Chunk::ReasoningStart { id, provider_metadata: data } => {
                self.open_block((Block::Reasoning, id), data)
            }
            Chunk::ReasoningDelta { id, delta, provider_metadata: data } => {
                self.grow_block((Block::Reasoning, id), delta, data)
            }
            Chunk::ReasoningEnd { id, provider_metadata: data } => {
                self.end_block((Block::Reasoning, id), data)
            }
            Chunk::ToolInputStart { tool_call_id: id, .. } => self.start_input(chunk, id),
            Chunk::ToolInputDelta { tool_call_id: id, input_text_delta } => {
                self.grow_input(id, input_text_delta)
            }
            Chunk::ToolInputAvailable { tool_call_id: id, input, .. } => {
                self.complete_input(chunk, id, input)
            }
            Chunk::ToolInputError { tool_call_id: id, input, error_text, .. } => {
                self.fail_input(chunk, id, (input, error_text))
            }
            Chunk::ToolApprovalRequest { tool_call_id: id, approval_id, approval_descriptor } => {
                self.ask(id, approval_id, approval_descriptor.as_ref())
            }
            Chunk::ToolOutputAvailable { tool_call_id: id, output, preliminary, provider_executed } => {
                self.answer(id, output, (*preliminary, *provider_executed))
            }
            Chunk::ToolOutputError { tool_call_id: id, error_text } => self.fail(id, error_text),
            Chunk::ToolOutputDenied { tool_call_id: id } => self.step(id, ToolMove::Deny, |_| {}),
            Chunk::SourceUrl { .. } | Chunk::SourceDocument { .. } | Chunk::File { .. } => self.attach(chunk),
            Chunk::Data(data) if data.is_transient => Applied::Nothing,
            Chunk::Data(data) => self.put_data(&data.part),
            Chunk::Unknown(value) if value.get("type") == Some(&Value::from("error")) => {
                Applied::Error(value.to_string())
            }
            Chunk::Unknown(_) => Applied::Unhandled,
        }
    }

    /// Ends every text and reasoning block that is still open; call it when the turn is over, however it ended.
    pub fn close_blocks(&mut self) {
        self.open.clear();
        for part in &mut self.parts {
            if let Part::Text(text) | Part::Reasoning(text) = part
                && text.state == Some(PartState::Streaming)
            {
                text.state = Some(PartState::Done);
            }
        }
    }

    /// The message as it stands; none before an id is known.
    pub fn message(&self) -> Option<Message> {
        Some(Message {
            id: self.message_id.clone()?,
            role: Role::Assistant,
            parts: self.parts.clone(),
            metadata: self.metadata.clone(),
            extra: Extra::new(),
        })
    }

    /// Whether anything a reader would see has arrived.
    pub fn has_content(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::StepStart))
    }

    /// Puts the message into a list: over the one with its id; else, continuing, over the last assistant message
    /// (which keeps its id); else at the end.
    pub fn merge_into(&self, messages: &mut Vec<Message>) {
        let Some(mut message) = self.message() else { return };
        if let Some(same) = messages.iter_mut().find(|old| old.id == message.id) {
            *same = message;
            return;
        }
        let last = messages.iter_mut().rfind(|old| old.role == Role::Assistant);
        match last.filter(|_| self.is_continuation) {
            Some(last) => {
                message.id = last.id.clone();
                *last = message;
            }
            None => messages.push(message),
        }
    }

    fn begin(&mut self, id: Option<&MessageId>, metadata: Option<&Metadata>) -> Applied {
        if let Some(id) = id
            && !self.is_continuation
        {
            self.message_id = Some(id.clone());
        }
        let _merged = self.merge_metadata(metadata);
        Applied::Head
    }

    fn merge_metadata(&mut self, more: Option<&Metadata>) -> Applied {
        let Some(more) = more else { return Applied::Nothing };
        self.metadata.get_or_insert_default().extend(more.clone());
        Applied::Head
    }

    fn push(&mut self, part: Part) -> Applied {
        self.parts.push(part);
        Applied::Added(self.parts.len() - 1)
    }

    fn attach(&mut self, chunk: &Chunk) -> Applied {
        attachment(chunk).map_or(Applied::Unhandled, |part| self.push(part))
    }

    fn put_data(&mut self, data: &DataPart) -> Applied {
        let is_same = |part: &Part| matches!(part, Part::Data(old) if old.name == data.name && old.id.is_some() && old.id == data.id);
        let same = self.parts.iter().position(is_same);
        if let Some(index) = same
            && let Some(Part::Data(old)) = self.parts.get_mut(index)
        {
            old.data = data.data.clone();
            return Applied::Changed(index);
        }
        self.push(Part::Data(data.clone()))
    }

    fn text_at(&mut self, index: usize) -> Option<&mut TextPart> {
        let part = self.parts.get_mut(index)?;
        if let Part::Text(text) | Part::Reasoning(text) = part { Some(text) } else { None }
    }

    fn tool_index(&self, id: &ToolCallId) -> Option<usize> {
        self.parts.iter().rposition(|part| part.as_tool().is_some_and(|tool| tool.call.tool_call_id == *id))
    }

    /// The arguments' text of a call that is still being written.
    pub fn partial_input(&self, id: &ToolCallId) -> Option<&str> {
        let index = self.tool_index(id)?;
        let tool = self.parts.get(index)?.as_tool()?;
        (tool.call.state == ToolState::InputStreaming)
            .then(|| self.inputs.get(id))
            .flatten()
            .map(String::as_str)
    }

    /// The arguments of a call that is still being written, as far as they can be read already.
    pub fn partial_value(&self, id: &ToolCallId) -> Option<Value> {
        self.partial_input(id).and_then(partial::read)
    }
}

/// The part that a file or a source becomes.
fn attachment(chunk: &Chunk) -> Option<Part> {
    let (chunk, extra) = (chunk.clone(), Extra::new());
    if let Chunk::SourceUrl { source_id, url, title, provider_metadata } = chunk {
        return Some(Part::SourceUrl(SourceUrlPart { source_id, url, title, provider_metadata, extra }));
    }
    if let Chunk::SourceDocument { source_id, media_type, title, filename, provider_metadata } = chunk {
        let part = SourceDocumentPart { source_id, media_type, title, filename, provider_metadata, extra };
        return Some(Part::SourceDocument(part));
    }
    if let Chunk::File { url, media_type, provider_metadata } = chunk {
        return Some(Part::File(FilePart { media_type, url, filename: None, provider_metadata, extra }));
    }
    None
}
