//! What the server tells of its agent, in the order a person reads it. Pure.

use crate::format::counted;
use serde_json::Value;

/// Facts under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The heading.
    pub heading: &'static str,
    /// The facts.
    pub facts: Vec<Fact>,
    /// What is said where there are none.
    pub note: &'static str,
}

/// One fact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub name: String,
    /// A short mark beside the name.
    pub mark: Option<String>,
    /// What there is to say.
    pub text: String,
}

/// The agent's facts.
pub fn parts(agent: &Value) -> Vec<Part> {
    let plain = [
        ("name", "Agent"),
        ("instance", "Instance"),
        ("model", "Model"),
        ("maxSteps", "Model calls of one answer, at most"),
        ("concurrency", "Messages that arrive during an answer"),
    ];
    let plain = plain.into_iter().filter_map(|(key, name)| {
        Some(Fact { name: name.to_owned(), mark: None, text: text_of(agent.get(key)?) })
    });
    vec![
        Part { heading: "Definition", facts: plain.collect(), note: "The server tells nothing of it." },
        list(agent, "tools", ("Tools", "It has no tools."), |tool| Fact {
            name: field(tool, "name"),
            mark: Some(field(tool, "source")).filter(|source| !source.is_empty()),
            text: field(tool, "description"),
        }),
        list(agent, "blocks", ("Memory blocks", "It has no blocks."), |label| Fact {
            name: text_of(label),
            ..Fact::default()
        }),
        list(agent, "mcpServers", ("Tool servers (MCP)", "None is configured."), |server| Fact {
            name: field(server, "name"),
            mark: Some(field(server, "state")),
            text: match field(server, "error") {
                error if error.is_empty() => tools_of(server),
                error => error,
            },
        }),
    ]
}

fn list(agent: &Value, key: &str, words: (&'static str, &'static str), fact: fn(&Value) -> Fact) -> Part {
    let rows = agent.get(key).and_then(Value::as_array).into_iter().flatten();
    Part { heading: words.0, facts: rows.map(fact).collect(), note: words.1 }
}

fn field(value: &Value, key: &str) -> String {
    value.get(key).map(text_of).unwrap_or_default()
}

fn tools_of(server: &Value) -> String {
    counted(server.get("tools").and_then(Value::as_u64).unwrap_or_default(), "tool")
}

fn text_of(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None if value.is_null() => String::new(),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(agent: &Value) -> Vec<String> {
        let tell = |part: Part| {
            let facts = part
                .facts
                .into_iter()
                .map(|fact| format!("{}[{}] {}", fact.name, fact.mark.unwrap_or_default(), fact.text));
            format!("{}: {}", part.heading, facts.collect::<Vec<_>>().join("; "))
        };
        parts(agent).into_iter().map(tell).collect()
    }

    #[test]
    fn facts_stand_under_their_headings() {
        let agent = json!({
            "name": "assistant", "model": "openai/big", "maxSteps": 10,
            "tools": [{ "name": "add", "description": "Adds.", "source": "agent" }, { "name": "bare" }],
            "blocks": ["memory", "soul"],
            "mcpServers": [
                { "name": "files", "state": "ready", "tools": 1, "error": null },
                { "name": "mail", "state": "ready", "tools": 3, "error": null },
                { "name": "web", "state": "failed", "tools": 0, "error": "connection refused" },
            ],
        });
        assert_eq!(
            told(&agent),
            [
                "Definition: Agent[] assistant; Model[] openai/big; Model calls of one answer, at most[] 10",
                "Tools: add[agent] Adds.; bare[] ",
                "Memory blocks: memory[] ; soul[] ",
                "Tool servers (MCP): files[ready] 1 tool; mail[ready] 3 tools; web[failed] connection refused",
            ]
        );
        assert_eq!(
            told(&Value::Null),
            ["Definition: ", "Tools: ", "Memory blocks: ", "Tool servers (MCP): "]
        );
    }
}
