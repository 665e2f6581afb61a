//! What the guide says when its tools have answered.

use super::speech::Speech;
use model::{ToolOutput, ToolResultContent};
use serde_json::Value;

/// How much of a result it quotes.
const QUOTE_MAX_CHARS: usize = 2_000;

pub(super) fn answer(results: &[ToolResultContent]) -> Speech {
    let sentences: Vec<String> = results.iter().map(sentence).collect();
    Speech::new().say(&sentences.join("\n\n"))
}

fn sentence(result: &ToolResultContent) -> String {
    let name = &result.name;
    match &result.output {
        ToolOutput::Denied(None) => format!("You refused the call of `{name}`, so it did not run."),
        ToolOutput::Denied(Some(reason)) => {
            format!("You refused the call of `{name}` (“{reason}”), so it did not run.")
        }
        ToolOutput::Error(text) => format!("The tool `{name}` failed: {text}"),
        ToolOutput::Value(value) => success(name, value),
    }
}

fn success(name: &str, value: &Value) -> String {
    let text = match value.get("result").filter(|_| name == "set_context").unwrap_or(value) {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string()
        }
    };
    let short: String = text.chars().take(QUOTE_MAX_CHARS).collect();
    match name {
        "set_context" => format!(
            "Noted. The tool said: “{short}”. The Memory tab shows the block with its history; Undo takes it back."
        ),
        "session_search" | "search_context" => format!("This is what I found:\n\n{}", quote(&short)),
        "add" => {
            let sum = value.get("sum").map_or(short, Value::to_string);
            format!("The sum is **{sum}**, says the tool.")
        }
        "calculate" => {
            let result = value.get("result").map_or(short, Value::to_string);
            format!("The result is **{result}**, says the tool.")
        }
        "danger" => {
            format!("You agreed, and the tool answered `{short}`. Nothing was deleted: it only pretends.")
        }
        _ => format!("The tool `{name}` answered:\n\n{}", quote(&short)),
    }
}

fn quote(text: &str) -> String {
    text.lines().map(|line| format!("> {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
