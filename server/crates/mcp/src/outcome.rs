//! What a call gave, as the model and the page get it: text as a text, JSON as JSON, anything mixed as a list.

use protocol::limits::MCP_RESULT_MAX_BYTES;
use rmcp::ServiceError;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Longest text of a failure that is told to the model.
const ERROR_MAX_BYTES: usize = 8 * 1024;

/// The output of a call, or the text of its failure.
pub(crate) fn outcome(result: CallToolResult) -> Result<Value, String> {
    if result.is_error == Some(true) {
        let said: Vec<&str> = result.content.iter().filter_map(text).collect();
        let said = said.join("\n");
        let reason = if said.is_empty() { "the tool failed and did not say why" } else { &*said };
        return Err(bounded(reason));
    }
    let output = value(result)?;
    let bytes = output.to_string().len();
    if bytes > MCP_RESULT_MAX_BYTES {
        return Err(format!(
            "the result has {bytes} bytes, at most {MCP_RESULT_MAX_BYTES} are taken (MCP_RESULT_MAX_BYTES); ask for less"
        ));
    }
    Ok(output)
}

/// Why a call did not come to an end, in words for the model.
pub(crate) fn failure(server: &str, error: ServiceError) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others differ in their text only")]
    match error {
        ServiceError::McpError(error) => bounded(&error.message),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
            format!("the tool server {server} is gone; it is being called again, try later")
        }
        other => bounded(&format!("{server}: {other}")),
    }
}

fn value(result: CallToolResult) -> Result<Value, String> {
    let is_text_only = result.content.iter().all(|block| text(block).is_some());
    match (result.structured_content, result.content.as_slice()) {
        // A server that gives JSON repeats it as a text for clients that know no JSON.
        (Some(json), _) if is_text_only => Ok(json),
        (None, []) => Ok(Value::String(String::new())),
        (None, [ContentBlock::Text(only)]) => Ok(Value::String(only.text.clone())),
        (json, blocks) => {
            let blocks = serde_json::to_value(blocks).map_err(|error| error.to_string())?;
            Ok(match json {
                Some(json) => json!({ "content": blocks, "structuredContent": json }),
                None => json!({ "content": blocks }),
            })
        }
    }
}

fn text(block: &ContentBlock) -> Option<&str> {
    if let ContentBlock::Text(content) = block { Some(&content.text) } else { None }
}

/// A text cut where it is too long.
pub(crate) fn bounded(text: &str) -> String {
    if text.len() <= ERROR_MAX_BYTES {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(ERROR_MAX_BYTES);
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_text_json_or_a_list_and_never_large() {
        let large = "a".repeat(MCP_RESULT_MAX_BYTES);
        let cases = [
            (json!({ "content": [{ "type": "text", "text": "hi" }] }), Ok(json!("hi"))),
            (json!({ "content": [] , "isError": false}), Ok(json!(""))),
            (
                json!({ "content": [{ "type": "text", "text": "{}" }], "structuredContent": { "n": 1 } }),
                Ok(json!({ "n": 1 })),
            ),
            (
                json!({ "content": [
                    { "type": "text", "text": "see" },
                    { "type": "image", "data": "QUJD", "mimeType": "image/png" },
                ] }),
                Ok(json!({ "content": [
                    { "type": "text", "text": "see" },
                    { "type": "image", "data": "QUJD", "mimeType": "image/png" },
                ] })),
            ),
            (
                json!({ "content": [{ "type": "text", "text": "no such file" }], "isError": true }),
                Err("no such file".to_owned()),
            ),
            (
                json!({ "content": [], "isError": true }),
                Err("the tool failed and did not say why".to_owned()),
            ),
            (
                json!({ "content": [{ "type": "text", "text": large }] }),
                Err("the result has 262146 bytes, at most 262144 are taken (MCP_RESULT_MAX_BYTES); ask for less"
                    .to_owned()),
            ),
        ];
        for (wire, expected) in cases {
            let result: CallToolResult = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(outcome(result), expected, "{wire}");
        }
    }

    #[test]
    fn a_long_failure_is_cut_between_letters() {
        let text = bounded(&"ä".repeat(ERROR_MAX_BYTES));
        assert_eq!((text.chars().count(), text.ends_with("ä…")), (ERROR_MAX_BYTES / 2 + 1, true));
    }
}
