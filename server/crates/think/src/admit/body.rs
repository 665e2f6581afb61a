//! What a chat request says. A whole conversation is long, and the public client uploads it with each question, so its
//! messages are read in the short way of stored ones. Anything unusual is read as any other body, with the same result.

use protocol::{ChatBody, RequestInit, WireError};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// A shorter body is read as quickly in the usual way.
const LONG_BODY_BYTES: usize = 16 * 1_024;

/// [`ChatBody::parse`], quicker for long lists.
///
/// # Errors
/// As there.
pub(crate) fn read(init: &RequestInit) -> Result<ChatBody, WireError> {
    let long = init.body.as_deref().filter(|text| init.method == "POST" && text.len() >= LONG_BODY_BYTES);
    match long.and_then(quick) {
        Some(body) => body.check().map(|()| body),
        None => ChatBody::parse(init),
    }
}

/// None where it must be read the long way.
fn quick(text: &str) -> Option<ChatBody> {
    let Pieces { messages, rest } = serde_json::from_str(text).ok()?;
    let read = |raw: &RawValue| session::read_message(raw.get().as_bytes()).ok();
    let messages = messages.into_iter().map(read).collect::<Option<Vec<_>>>()?;
    let body: ChatBody = serde_json::from_value(Value::Object(rest)).ok()?;
    Some(ChatBody { messages, ..body })
}

/// A body whose messages are not read yet.
struct Pieces<'a> {
    messages: Vec<&'a RawValue>,
    /// Everything else, with an empty list in their place.
    rest: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Pieces<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Pieces<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chat body that names nothing twice")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pieces<'de>, A::Error> {
        let (mut messages, mut rest) = (Vec::new(), Map::new());
        while let Some(name) = map.next_key::<String>()? {
            let value = if name == "messages" {
                messages = map.next_value()?;
                Value::Array(Vec::new())
            } else {
                map.next_value()?
            };
            if rest.insert(name, value).is_some() {
                return Err(A::Error::custom("a name stands there twice"));
            }
        }
        Ok(Pieces { messages, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn asked(method: &str, body: String) -> RequestInit {
        RequestInit { method: method.to_owned(), body: Some(body) }
    }

    /// Bodies with a message that makes them long, which must be read as any other.
    fn check(method: &str, fields: &str) {
        let long = json!({"id": "long", "role": "user", "parts": [{"type": "text", "text": "x".repeat(LONG_BODY_BYTES)}]});
        let init = asked(method, fields.replace("LONG", &long.to_string()));
        assert_eq!(read(&init), ChatBody::parse(&init), "{fields}");
    }

    #[test]
    fn a_long_body_is_read_as_any_other() {
        let call = r#"{"id":"a","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-t","toolCallId":"c",
            "state":"output-available","input":{},"output":[1]}],"metadata":{"bough":{"status":"complete"}},"x":1}"#;
        check("POST", r#"{"messages":[LONG]}"#);
        check(
            "POST",
            r#"{"trigger":"submit-message","messages":[LONG],"parentId":null,"sessionId":"s","mine":[1,{}]}"#,
        );
        check(
            "POST",
            &format!(r#"{{"messages":[{call},LONG],"clientTools":[{{"name":"t"}}],"custom":{{"a":1.5}}}}"#),
        );
        // And refused with the same words.
        check("GET", r#"{"messages":[LONG]}"#);
        for wrong in [
            r#"{"messages":[LONG],"messages":[]}"#,
            r#"{"messages":[LONG],"trigger":"nope"}"#,
            r#"{"messages":[LONG],"a":1,"a":2}"#,
            r#"{"messages":[LONG,7]}"#,
            r#"{"messages":[LONG,{"id":"","role":"user","parts":[]}]}"#,
            r#"{"messages":[LONG,{"role":"user","parts":[]}]}"#,
            r#"{"messages":LONG}"#,
            r#"{"other":[LONG]}"#,
            r#"[LONG]"#,
            r#"{"messages":[LONG"#,
        ] {
            check("POST", wrong);
        }
    }

    proptest! {
        #[test]
        fn any_text_and_any_order_is_read_the_same(text in ".{0,40}", key in "[a-zA-Z]{1,12}", at in 0_usize..3) {
            let message = json!({"id": "m", "role": "user", "parts": [{"type": "text", "text": text}]});
            let mut fields = [
                format!(r#""messages":[{message},LONG]"#),
                format!("{}:{}", json!(key), json!({ "inner": text })),
            ];
            fields.rotate_left(at % 2);
            check("POST", &format!("{{{}}}", fields.join(",")));
        }
    }
}
