//! The answer as a document: what the agent asked for, and whether the model has given it.

use crate::tools::unfit;
use model::OutputSchema;
use protocol::Part;
use serde_json::Value;

/// The document that an answer is to be, and is.
#[derive(Debug, Default)]
pub(super) struct Output {
    schema: Option<Value>,
    document: Option<Value>,
}

impl Output {
    pub(super) fn wanted(schema: Option<&OutputSchema>) -> Self {
        Self { schema: schema.map(|output| output.schema.clone()), document: None }
    }

    /// Reads the text of the last step, if it is to be a document.
    ///
    /// # Errors
    /// Why it is not the one that was asked for.
    pub(super) fn read(&mut self, parts: &[Part]) -> Result<(), String> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let text = last_text(parts);
        let document: Value = serde_json::from_str(bare(&text)).map_err(|error| {
            format!("The model's answer is not the JSON document that was asked for: {error}.")
        })?;
        if let Some(problems) = unfit(schema, &document) {
            return Err(format!(
                "The model's answer does not have the shape that was asked for: {problems}."
            ));
        }
        self.document = Some(document);
        Ok(())
    }

    pub(super) fn take(&mut self) -> Option<Value> {
        self.document.take()
    }
}

fn last_text(parts: &[Part]) -> String {
    let step = parts.iter().rposition(|part| matches!(part, Part::StepStart)).unwrap_or_default();
    parts.iter().skip(step).filter_map(Part::as_text).collect()
}

/// Without the code fence that some models put around a document whatever they are told, on lines of its own or not.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let Some(fenced) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    match fenced.split_once('\n') {
        Some((_language, inner)) => inner,
        None => without_language(fenced),
    }
}

/// A word before the document; the words of JSON are documents themselves.
fn without_language(text: &str) -> &str {
    let inner = text.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    if matches!(inner.trim_start().chars().next(), Some('{' | '[' | '"')) { inner } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(texts: &[&str], schema: Option<Value>) -> (Result<(), String>, Option<Value>) {
        let part = |text: &&str| match *text {
            "step" => json!({ "type": "step-start" }),
            text => json!({ "type": "text", "text": text }),
        };
        let parts: Vec<Part> = texts.iter().map(|text| serde_json::from_value(part(text)).unwrap()).collect();
        let schema = schema.map(|schema| OutputSchema { name: "x".into(), schema });
        let mut output = Output::wanted(schema.as_ref());
        (output.read(&parts), output.take())
    }

    #[test]
    fn the_text_of_the_last_step_is_the_document() {
        let schema = || Some(json!({ "type": "object", "required": ["n"] }));
        let n = || (Ok(()), Some(json!({ "n": 1 })));
        assert_eq!(read(&["anything"], None), (Ok(()), None));
        assert_eq!(read(&["step", r#"{"n":1}"#], schema()), n());
        assert_eq!(read(&["step", "I look.", "step", r#" {"n""#, ":1}\n"], schema()), n());
        assert_eq!(read(&["```json\n{\"n\":1}\n```"], schema()), n());
        for fenced in [r#"```{"n":1}```"#, r#"```json {"n":1} ```"#, r#"```JSON5{"n":1}```"#] {
            assert_eq!(read(&[fenced], schema()), n(), "{fenced}");
        }
        for (text, document) in [("```true```", json!(true)), ("``` 17 ```", json!(17))] {
            assert_eq!(read(&[text], Some(json!({}))), (Ok(()), Some(document)), "{text}");
        }
        let rows = [
            (r#"{"m":1}"#, "does not have the shape that was asked for: n is missing."),
            ("[1]", "does not have the shape that was asked for: the whole must be object, not array."),
            ("Sure!", "is not the JSON document that was asked for: expected value at line 1 column 1."),
            (
                "",
                "is not the JSON document that was asked for: EOF while parsing a value at line 1 column 0.",
            ),
        ];
        for (text, why) in rows {
            assert_eq!(read(&["step", text], schema()), (Err(format!("The model's answer {why}")), None));
        }
    }
}
