//! The fold: chunk after chunk becomes a message. Server and page use this one function, so what is stored is what
//! was shown. It never fails and never panics; what it cannot place it reports.

use crate::chunk::Chunk;
use crate::ids::{MessageId, ToolCallId};
use crate::message::{Message, Metadata, Role};
use crate::part::{Extra, FilePart, Part, PartState, SourceDocumentPart, SourceUrlPart, TextPart};
use crate::tool_part::ToolState;
use serde_json::Value;
use std::collections::HashMap;

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
            Chunk::Start { message_id, message_metadata } => {
                self.begin(message_id.as_ref(), message_metadata.as_ref())
            }
            Chunk::Finish { message_metadata, .. } => self.merge_metadata(message_metadata.as_ref()),
            Chunk::MessageMetadata { message_metadata } => self.merge_metadata(Some(message_metadata)),
            Chunk::StartStep => self.push(Part::StepStart),
            Chunk::FinishStep => Applied::Nothing,
            Chunk::Abort { .. } => Applied::Aborted,
            Chunk::Error { error_text } => Applied::Error(error_text.clone()),
            Chunk::TextStart { .. }
            | Chunk::TextDelta { .. }
            | Chunk::TextEnd { .. }
            | Chunk::ReasoningStart { .. }
            | Chunk::ReasoningDelta { .. }
            | Chunk::ReasoningEnd { .. } => self.apply_text(chunk),
            Chunk::ToolInputStart { .. }
            | Chunk::ToolInputDelta { .. }
            | Chunk::ToolInputAvailable { .. }
            | Chunk::ToolInputError { .. }
            | Chunk::ToolApprovalRequest { .. }
            | Chunk::ToolOutputAvailable { .. }
            | Chunk::ToolOutputError { .. }
            | Chunk::ToolOutputDenied { .. } => self.apply_tool(chunk),
            Chunk::SourceUrl { .. } | Chunk::SourceDocument { .. } | Chunk::File { .. } => {
                self.apply_attachment(chunk)
            }
            Chunk::Data(data) if data.is_transient => Applied::Nothing,
            Chunk::Data(data) => self.apply_data(&data.part),
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

    fn apply_attachment(&mut self, chunk: &Chunk) -> Applied {
        let part = match chunk.clone() {
            Chunk::SourceUrl { source_id, url, title, provider_metadata } => {
                Part::SourceUrl(SourceUrlPart { source_id, url, title, provider_metadata, extra: Extra::new() })
            }
            Chunk::SourceDocument { source_id, media_type, title, filename, provider_metadata } => {
                let extra = Extra::new();
                Part::SourceDocument(SourceDocumentPart {
                    source_id,
                    media_type,
                    title,
                    filename,
                    provider_metadata,
                    extra,
                })
            }
            Chunk::File { url, media_type, provider_metadata } => {
                let (filename, extra) = (None, Extra::new());
                Part::File(FilePart { media_type, url, filename, provider_metadata, extra })
            }
            _ => return Applied::Unhandled,
        };
        self.push(part)
    }

    fn apply_data(&mut self, data: &crate::part::DataPart) -> Applied {
        let same = self.parts.iter_mut().enumerate().find_map(|(index, part)| match part {
            Part::Data(old) if old.name == data.name && old.id.is_some() && old.id == data.id => {
                Some((index, old))
            }
            _ => None,
        });
        match same {
            Some((index, old)) => {
                old.data = data.data.clone();
                Applied::Changed(index)
            }
            None => self.push(Part::Data(data.clone())),
        }
    }

    fn text_at(&mut self, index: usize) -> Option<&mut TextPart> {
        match self.parts.get_mut(index) {
            Some(Part::Text(text) | Part::Reasoning(text)) => Some(text),
            _ => None,
        }
    }

    fn tool_index(&self, id: &ToolCallId) -> Option<usize> {
        self.parts.iter().rposition(|part| part.as_tool().is_some_and(|tool| tool.call.tool_call_id == *id))
    }

    /// The arguments' text of a call that is still being written.
    pub fn partial_input(&self, id: &ToolCallId) -> Option<&str> {
        let index = self.tool_index(id)?;
        let tool = self.parts.get(index)?.as_tool()?;
        (tool.call.state == ToolState::InputStreaming).then(|| self.inputs.get(id)).flatten().map(String::as_str)
    }
}
