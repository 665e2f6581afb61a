//! What a person says to a tool that asks, read from fields. Pure.

use serde_json::Value;

/// The arguments that were typed: none where they are as the model wanted them. A text says what is wrong with them.
pub fn arguments_of(typed: &str, old: Option<&Value>) -> Result<Option<Value>, String> {
    match serde_json::from_str::<Value>(typed) {
        Ok(Value::Object(fields)) => {
            let input = Value::Object(fields);
            Ok((Some(&input) != old).then_some(input))
        }
        Ok(_) => Err("The arguments must be one object, as in {\"name\": \"value\"}.".to_owned()),
        Err(error) => Err(format!("These arguments are not JSON: {error}.")),
    }
}

/// A reason, if one was given.
pub fn reason_of(typed: &str) -> Option<String> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_an_object_and_unchanged_ones_are_left_out() {
        let old = json!({"target": "barn"});
        assert_eq!(arguments_of(r#"{ "target": "barn" }"#, Some(&old)), Ok(None));
        assert_eq!(arguments_of(r#"{"target": "shed"}"#, Some(&old)), Ok(Some(json!({"target": "shed"}))));
        assert!(arguments_of("[1]", Some(&old)).is_err_and(|text| text.contains("one object")));
        assert!(arguments_of("{", Some(&old)).is_err_and(|text| text.contains("not JSON")));
    }

    #[test]
    fn blanks_are_no_reason() {
        assert_eq!((reason_of("  "), reason_of(" too dangerous ")), (None, Some("too dangerous".to_owned())));
    }
}
