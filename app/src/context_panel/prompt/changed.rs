//! What the agent's own code made of the last call, in words. Pure.

use crate::format::counted;
use protocol::{PromptChanges, Sampling};
use serde::Serialize;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What was changed.
    pub what: String,
    /// What it was changed to, where that is longer than a line.
    pub text: Option<String>,
}

/// The changes, in the order of what is sent.
pub fn changes(changed: &PromptChanges) -> Vec<Change> {
    let line = |what: String| Change { what, text: None };
    let long = |what: &str, text: String| Change { what: what.to_owned(), text: Some(text) };
    let tools = |tools: &Vec<String>| match tools.as_slice() {
        [] => "No tool was offered".to_owned(),
        tools => format!("Only these tools were offered: {}", tools.join(", ")),
    };
    [
        changed.model.as_ref().map(|model| line(format!("Model: {model}"))),
        changed.system.as_ref().map(|system| match system.as_str() {
            "" => line("The instructions were taken away".to_owned()),
            system => long("Other instructions", system.to_owned()),
        }),
        changed.messages.map(|count| line(messages(count))),
        some(&changed.added_tools).map(|names| line(format!("Tools added: {names}"))),
        changed.active_tools.as_ref().map(|names| line(tools(names))),
        changed.tool_choice.as_ref().map(|choice| line(tool_choice(choice))),
        changed.max_steps.map(|steps| line(format!("Model calls of one answer: {steps} at most"))),
        changed.sampling.map(|sampling| line(format!("Sampling: {}", numbers(sampling)))),
        changed.schema.as_ref().map(|schema| long("The answer must fit a schema", pretty(schema))),
        some(&changed.headers).map(|names| line(format!("Headers added: {names}"))),
        (!changed.fields.is_empty()).then(|| long("Further fields of the call", pretty(&changed.fields))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn messages(count: usize) -> String {
    format!("{} in the place of the history", counted(count as u64, "message"))
}

fn tool_choice(choice: &str) -> String {
    match choice {
        "auto" => "The model chooses its tools".to_owned(),
        "none" => "No tool may be called".to_owned(),
        "required" => "A tool must be called".to_owned(),
        tool => format!("The tool {tool} must be called"),
    }
}

fn numbers(sampling: Sampling) -> String {
    let told = [
        sampling.temperature.map(|it| format!("temperature {it}")),
        sampling.top_p.map(|it| format!("top-p {it}")),
        sampling.max_output_tokens.map(|it| format!("at most {it} tokens")),
        sampling.seed.map(|it| format!("seed {it}")),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() { "as the provider likes".to_owned() } else { told.join(", ") }
}

fn some(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| names.join(", "))
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(changed: serde_json::Value, expected: &[(&str, Option<&str>)]) {
        let changed: PromptChanges = serde_json::from_value(changed).expect("changes");
        let told = changes(&changed);
        let told: Vec<_> = told.iter().map(|it| (it.what.as_str(), it.text.as_deref())).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn every_change_is_told() {
        check(json!({}), &[]);
        check(json!({ "system": "" }), &[("The instructions were taken away", None)]);
        check(
            json!({ "active_tools": [], "messages": 1 }),
            &[("1 message in the place of the history", None), ("No tool was offered", None)],
        );
        check(json!({ "sampling": {} }), &[("Sampling: as the provider likes", None)]);
        for (choice, told) in [
            ("auto", "The model chooses its tools"),
            ("none", "No tool may be called"),
            ("required", "A tool must be called"),
            ("add", "The tool add must be called"),
        ] {
            check(json!({ "tool_choice": choice }), &[(told, None)]);
        }
        let all = json!({
            "model": "openai/big", "system": "Be brief.", "messages": 3, "added_tools": ["add", "sub"],
            "active_tools": ["add"], "max_steps": 2, "sampling": { "temperature": 0.5, "seed": 7 },
            "schema": { "type": "object" }, "headers": ["X-Team"], "fields": { "user": "me" },
        });
        check(
            all,
            &[
                ("Model: openai/big", None),
                ("Other instructions", Some("Be brief.")),
                ("3 messages in the place of the history", None),
                ("Tools added: add, sub", None),
                ("Only these tools were offered: add", None),
                ("Model calls of one answer: 2 at most", None),
                ("Sampling: temperature 0.5, seed 7", None),
                ("The answer must fit a schema", Some("{\n  \"type\": \"object\"\n}")),
                ("Headers added: X-Team", None),
                ("Further fields of the call", Some("{\n  \"user\": \"me\"\n}")),
            ],
        );
    }
}
