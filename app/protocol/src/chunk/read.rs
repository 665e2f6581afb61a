//! From an object to a chunk.

use super::{Chunk, DataChunk, TRANSIENT};
use crate::fields::{Fields, Misfit};
use crate::part::DataPart;
use serde_json::Value;

/// The chunk; none for what nobody knows.
pub(super) fn chunk(value: Value) -> Option<Chunk> {
    let (kind, mut fields) = Fields::typed(value)?;
    if let Some(name) = kind.strip_prefix("data-") {
        return data(name, fields);
    }
    let known = if kind.starts_with("tool-") { tool(&kind, &mut fields) } else { other(&kind, &mut fields) };
    known.ok().flatten()
}

fn other(kind: &str, fields: &mut Fields) -> Result<Option<Chunk>, Misfit> {
    Ok(Some(match kind {
        "text-delta" => Chunk::TextDelta {
            id: fields.text("id")?,
            delta: fields.text("delta")?,
            provider_metadata: metadata(fields),
        },
        "text-start" => Chunk::TextStart { id: fields.text("id")?, provider_metadata: metadata(fields) },
        "text-end" => Chunk::TextEnd { id: fields.text("id")?, provider_metadata: metadata(fields) },
        "reasoning-delta" => Chunk::ReasoningDelta {
            id: fields.text("id")?,
            delta: fields.text("delta")?,
            provider_metadata: metadata(fields),
        },
        "reasoning-start" => {
            Chunk::ReasoningStart { id: fields.text("id")?, provider_metadata: metadata(fields) }
        }
        "reasoning-end" => {
            Chunk::ReasoningEnd { id: fields.text("id")?, provider_metadata: metadata(fields) }
        }
        "start" => Chunk::Start {
            message_id: fields.maybe_text("messageId")?,
            message_metadata: fields.maybe_object("messageMetadata"),
        },
        "start-step" | "step-start" => Chunk::StartStep,
        "finish-step" => Chunk::FinishStep,
        "finish" => Chunk::Finish {
            finish_reason: fields.maybe_text("finishReason")?,
            message_metadata: fields.maybe_object("messageMetadata"),
        },
        "message-metadata" => Chunk::MessageMetadata {
            message_metadata: fields.maybe_object("messageMetadata").ok_or(Misfit("messageMetadata"))?,
        },
        "abort" => Chunk::Abort { reason: fields.maybe_text("reason")? },
        "error" => Chunk::Error { error_text: fields.text("errorText")? },
        "source-url" => Chunk::SourceUrl {
            source_id: fields.text("sourceId")?,
            url: fields.text("url")?,
            title: fields.maybe_text("title")?,
            provider_metadata: metadata(fields),
        },
        "source-document" => Chunk::SourceDocument {
            source_id: fields.text("sourceId")?,
            media_type: fields.text("mediaType")?,
            title: fields.text("title")?,
            filename: fields.maybe_text("filename")?,
            provider_metadata: metadata(fields),
        },
        "file" => Chunk::File {
            url: fields.text("url")?,
            media_type: fields.text("mediaType")?,
            provider_metadata: metadata(fields),
        },
        _ => return Ok(None),
    }))
}

fn tool(kind: &str, fields: &mut Fields) -> Result<Option<Chunk>, Misfit> {
    let tool_call_id = fields.text("toolCallId")?;
    Ok(Some(match kind {
        "tool-input-start" => Chunk::ToolInputStart {
            tool_call_id,
            tool_name: fields.text("toolName")?,
            provider_executed: fields.maybe_flag("providerExecuted")?,
            provider_metadata: metadata(fields),
            dynamic: fields.maybe_flag("dynamic")?,
            title: fields.maybe_text("title")?,
        },
        "tool-input-delta" => {
            Chunk::ToolInputDelta { tool_call_id, input_text_delta: fields.text("inputTextDelta")? }
        }
        "tool-input-available" => Chunk::ToolInputAvailable {
            tool_call_id,
            tool_name: fields.text("toolName")?,
            input: fields.present("input").ok_or(Misfit("input"))?,
            provider_executed: fields.maybe_flag("providerExecuted")?,
            provider_metadata: metadata(fields),
            dynamic: fields.maybe_flag("dynamic")?,
            title: fields.maybe_text("title")?,
        },
        "tool-input-error" => Chunk::ToolInputError {
            tool_call_id,
            tool_name: fields.text("toolName")?,
            input: fields.present("input").unwrap_or_default(),
            error_text: fields.text("errorText")?,
            dynamic: fields.maybe_flag("dynamic")?,
        },
        "tool-approval-request" => Chunk::ToolApprovalRequest {
            tool_call_id,
            approval_id: fields.text("approvalId")?,
            approval_descriptor: fields.maybe_value("approvalDescriptor"),
        },
        "tool-output-available" => Chunk::ToolOutputAvailable {
            tool_call_id,
            output: fields.present("output").ok_or(Misfit("output"))?,
            preliminary: fields.maybe_flag("preliminary")?,
            provider_executed: fields.maybe_flag("providerExecuted")?,
        },
        "tool-output-error" => Chunk::ToolOutputError { tool_call_id, error_text: fields.text("errorText")? },
        "tool-output-denied" => Chunk::ToolOutputDenied { tool_call_id },
        _ => return Ok(None),
    }))
}

fn metadata(fields: &mut Fields) -> Option<Value> {
    fields.maybe_value("providerMetadata")
}

fn data(name: &str, mut fields: Fields) -> Option<Chunk> {
    let is_transient = fields.present(TRANSIENT).is_some_and(|flag| flag == Value::Bool(true));
    Some(Chunk::Data(DataChunk { part: DataPart::from_fields(name, fields)?, is_transient }))
}
