//! What was said, as content blocks.

use crate::dialect::anthropic::METADATA;
use crate::dialect::files::{Data, named, told};
use model::{AssistantContent, ToolOutput, ToolResultContent, UserContent};
use protocol::ToolCallId;
use serde_json::{Value, json};

/// The kinds of pictures that the API takes.
const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const PDF: &str = "application/pdf";

/// A person's message.
pub(super) fn user(content: &[UserContent]) -> Vec<Value> {
    let blocks = content.iter().filter_map(|piece| match piece {
        UserContent::Text(said) => text(said),
        UserContent::File { media_type, url, filename } => {
            Some(file(media_type, url, filename.as_deref().unwrap_or("file")))
        }
    });
    blocks.collect()
}

/// Whether a message belongs to the turn that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Current,
    Earlier,
}

/// The model's message. Reasoning goes back within its turn, if a call came of it: the API demands it there, ignores it elsewhere, and refuses that of another model.
pub(super) fn assistant(content: &[AssistantContent], turn: Turn) -> Vec<Value> {
    let has_calls = content.iter().any(|piece| matches!(piece, AssistantContent::ToolCall { .. }));
    let blocks = content.iter().filter_map(|piece| match piece {
        AssistantContent::Text(said) => text(said),
        AssistantContent::Reasoning { text, provider_metadata } => {
            let metadata = provider_metadata.as_ref().filter(|_| turn == Turn::Current && has_calls)?;
            thinking(text, metadata.get(METADATA)?)
        }
        AssistantContent::ToolCall { id, name, input } => {
            Some(json!({ "type": "tool_use", "id": call_id(id), "name": name, "input": input }))
        }
    });
    blocks.collect()
}

/// The result of a call.
pub(super) fn tool_result(result: &ToolResultContent) -> Value {
    let mut block = json!({
        "type": "tool_result",
        "tool_use_id": call_id(&result.id),
        "content": result.output.to_text(),
    });
    let is_error = match &result.output {
        ToolOutput::Value(_) => false,
        ToolOutput::Error(_) | ToolOutput::Denied(_) => true,
    };
    if let (true, Some(block)) = (is_error, block.as_object_mut()) {
        let _none = block.insert("is_error".to_owned(), json!(true));
    }
    block
}

/// None for blanks, which the API refuses.
fn text(said: &str) -> Option<Value> {
    (!said.trim().is_empty()).then(|| json!({ "type": "text", "text": said }))
}

fn thinking(text: &str, metadata: &Value) -> Option<Value> {
    if let Some(data) = metadata.get("redactedData") {
        return Some(json!({ "type": "redacted_thinking", "data": data }));
    }
    let signature = metadata.get("signature")?;
    Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
}

fn file(media_type: &str, url: &str, name: &str) -> Value {
    let kind = match media_type {
        PDF => "document",
        _ if PICTURES.contains(&media_type) => "image",
        _ => {
            let said = told(media_type, url, name).unwrap_or_else(|| named(media_type, url, name));
            return json!({ "type": "text", "text": said });
        }
    };
    let source = match Data::read(url) {
        Some(data) => json!({ "type": "base64", "media_type": media_type, "data": data.base64() }),
        None => json!({ "type": "url", "url": url }),
    };
    json!({ "type": kind, "source": source })
}

/// Ids that other providers made may hold letters that this API refuses.
fn call_id(id: &ToolCallId) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    id.to_string().chars().map(plain).collect()
}
