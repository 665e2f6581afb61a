//! The shape an answer must have, where a server takes none: the model is told in words. Whoever asked checks the answer
//! in any case.

use super::quirks::{Quirk, Quirks};
use model::{ModelRequest, OutputSchema};
use serde_json::Value;

const TOLD: &str = "Answer with one JSON document that fits this JSON schema. Write nothing before or after it, and no \
                    code fence.";

/// The shape to send along; none if there is none, or if the server does not take it.
pub(super) fn sent<'a>(request: &'a ModelRequest, quirks: &Quirks) -> Option<&'a OutputSchema> {
    request.output.as_ref().filter(|_| !quirks.has(Quirk::NoOutputSchema))
}

/// The instructions, with the shape in words where it is not `sent`.
pub(super) fn instructions(request: &ModelRequest, sent: Option<&OutputSchema>) -> Option<String> {
    let told = request.output.as_ref().filter(|_| sent.is_none());
    let told = told.map(|output| format!("{TOLD}\n\n{}", output.schema));
    let parts: Vec<String> = request.system.clone().into_iter().chain(told).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Whether a schema is one of those that OpenAI can keep to the letter: every object names all its fields as required
/// and allows no others.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let is_object = fields.get("type").and_then(Value::as_str) == Some("object");
            let properties = fields.get("properties").and_then(Value::as_object);
            let required = fields.get("required").and_then(Value::as_array);
            let is_required =
                |key: &String| required.is_some_and(|all| all.iter().any(|name| name.as_str() == Some(key)));
            let is_closed = fields.get("additionalProperties") == Some(&Value::Bool(false))
                && properties.is_none_or(|properties| properties.keys().all(is_required));
            (!is_object || is_closed) && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strict_schemas_leave_nothing_open() {
        let closed = |inner: Value| {
            json!({ "type": "object", "properties": { "a": inner }, "required": ["a"],
            "additionalProperties": false })
        };
        let open = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
        let rows = [
            (closed(json!({ "type": "string" })), true),
            (closed(closed(json!({}))), true),
            (json!({ "type": "array", "items": closed(json!({})) }), true),
            (json!({ "type": "object", "additionalProperties": false }), true),
            (json!({ "type": "object" }), false),
            (open.clone(), false),
            (closed(open), false),
        ];
        for (schema, expected) in rows {
            assert_eq!(is_strict(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_shape_that_is_not_sent_is_told() {
        let output = Some(OutputSchema { name: "x".into(), schema: json!({ "type": "object" }) });
        let request = |system: Option<&str>| ModelRequest {
            system: system.map(str::to_owned),
            output: output.clone(),
            ..ModelRequest::default()
        };
        let told = format!("{TOLD}\n\n{{\"type\":\"object\"}}");
        let without = Quirks::default().with(Quirk::NoOutputSchema);
        let of = |request: &ModelRequest, quirks: &Quirks| instructions(request, sent(request, quirks));
        assert_eq!(of(&request(None), &Quirks::default()), None);
        assert_eq!(of(&request(None), &without), Some(told.clone()));
        assert_eq!(of(&request(Some("Be kind.")), &without), Some(format!("Be kind.\n\n{told}")));
        assert_eq!(of(&ModelRequest::default(), &without), None);
    }
}
