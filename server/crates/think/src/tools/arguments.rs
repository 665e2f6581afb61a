//! The arguments of a call as models write them: JSON, or what can only mean one JSON object. Pure.
//!
//! Nothing is guessed: a text that was cut off in the midst of a value is refused, since a tool that runs with half of
//! its arguments does something that nobody asked for.

use serde_json::{Map, Value};
use std::iter::Peekable;
use std::str::Chars;

/// Arguments as an object; no text at all means no arguments.
///
/// # Errors
/// A sentence for the model.
pub(crate) fn read_arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let error = match serde_json::from_str(text) {
        Ok(value) => return object(value),
        Err(error) => error,
    };
    let repaired = repair(text).and_then(|repaired| serde_json::from_str(&repaired).ok());
    repaired.map_or_else(|| Err(format!("The arguments are not valid JSON: {error}")), object)
}

fn object(value: Value) -> Result<Value, String> {
    const OTHER: &str = "The arguments must be a JSON object.";
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Ok(Value::Object(Map::new())),
        // Some models write the object as a text that holds it.
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(inner)) => Ok(Value::Object(inner)),
            Ok(_) | Err(_) => Err(OTHER.to_owned()),
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(OTHER.to_owned()),
    }
}

/// The text without what models put around and into JSON; none where it can mean several things.
fn repair(text: &str) -> Option<String> {
    let text = without_fence(text.trim());
    // Some servers begin every call with an empty object.
    let text =
        text.strip_prefix("{}").map(str::trim_start).filter(|rest| rest.starts_with('{')).unwrap_or(text);
    Repair { rest: text.chars().peekable(), fixed: String::with_capacity(text.len()), open: Vec::new() }.run()
}

/// The text inside of a fence of a code block.
fn without_fence(text: &str) -> &str {
    let inside = text.strip_prefix("```").and_then(|text| text.trim_end().strip_suffix("```"));
    inside.and_then(|text| text.split_once('\n')).map_or(text, |(_language, text)| text.trim())
}

struct Repair<'a> {
    rest: Peekable<Chars<'a>>,
    fixed: String,
    /// The ends that are owed, outermost first.
    open: Vec<char>,
}

impl Repair<'_> {
    fn run(mut self) -> Option<String> {
        while let Some(letter) = self.rest.next() {
            match letter {
                '"' => self.text()?,
                '{' => self.begin(letter, '}'),
                '[' => self.begin(letter, ']'),
                '}' | ']' => self.end(letter)?,
                'T' | 'F' | 'N' => self.word(letter)?,
                other => self.fixed.push(other),
            }
        }
        self.close()
    }

    fn begin(&mut self, letter: char, end: char) {
        self.fixed.push(letter);
        self.open.push(end);
    }

    /// A bracket, without the comma before it.
    fn end(&mut self, letter: char) -> Option<()> {
        (self.open.pop()? == letter).then_some(())?;
        let kept = self.fixed.trim_end();
        let kept = kept.strip_suffix(',').unwrap_or(kept).len();
        self.fixed.truncate(kept);
        self.fixed.push(letter);
        Some(())
    }

    /// A text, in which line ends and the like are written out. One without an end was cut off.
    fn text(&mut self) -> Option<()> {
        self.fixed.push('"');
        loop {
            match self.rest.next()? {
                '"' => break,
                '\\' => {
                    self.fixed.push('\\');
                    self.fixed.push(self.rest.next()?);
                }
                control if control.is_ascii_control() => {
                    self.fixed.push_str(&format!("\\u{:04x}", u32::from(control)));
                }
                other => self.fixed.push(other),
            }
        }
        self.fixed.push('"');
        Some(())
    }

    /// `True`, `False` and `None`, as they are spelt elsewhere.
    fn word(&mut self, first: char) -> Option<()> {
        let mut word = String::from(first);
        while let Some(letter) = self.rest.next_if(char::is_ascii_alphabetic) {
            word.push(letter);
        }
        self.fixed.push_str(match word.as_str() {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => return None,
        });
        Some(())
    }

    /// Ends what is open, if the last value is surely whole; a number at the end may lack digits.
    fn close(mut self) -> Option<String> {
        let is_whole = matches!(self.fixed.trim_end().chars().last()?, '"' | '}' | ']' | '{' | '[');
        if !self.open.is_empty() && !is_whole {
            return None;
        }
        while let Some(end) = self.open.pop() {
            self.fixed.push(end);
        }
        Some(self.fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_can_only_mean_one_object_is_read() {
        let rows = [
            ("", json!({})),
            (" \n", json!({})),
            ("null", json!({})),
            (r#"{"a":1}"#, json!({ "a": 1 })),
            (r#""{\"a\":1}""#, json!({ "a": 1 })),
            ("```json\n{\"a\":1}\n```", json!({ "a": 1 })),
            (r#"{}{"a":1}"#, json!({ "a": 1 })),
            (r#"{"a":[1,2,],}"#, json!({ "a": [1, 2] })),
            (r#"{"a":True,"b":None,"c":False}"#, json!({ "a": true, "b": null, "c": false })),
            ("{\"a\":\"one\ntwo\"}", json!({ "a": "one\ntwo" })),
            (r#"{"a":{"b":"x, }"}"#, json!({ "a": { "b": "x, }" } })),
            (r#"{"a":"\"True,}"}"#, json!({ "a": "\"True,}" })),
        ];
        for (text, expected) in rows {
            assert_eq!(read_arguments(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_was_cut_off_or_can_mean_several_things_is_refused() {
        let broken = [
            r#"{"a":"b"#,
            r#"{"a":1"#,
            r#"{"a":"#,
            r#"{"a":"b","#,
            r#"{"a":]"#,
            "{'a':1}",
            "{\"a\":Tru",
            "add 1",
        ];
        for text in broken {
            let error = read_arguments(text).expect_err(text);
            assert!(error.starts_with("The arguments are not valid JSON: "), "{text}: {error}");
        }
        for text in ["[1]", "7", r#""seven""#, "true"] {
            assert_eq!(
                read_arguments(text),
                Err("The arguments must be a JSON object.".to_owned()),
                "{text}"
            );
        }
    }
}
