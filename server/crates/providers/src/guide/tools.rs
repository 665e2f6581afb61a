//! Rules that use a tool where it is offered, and say what is missing where it is not.

use super::speech::Speech;
use model::arithmetic::{Expression, number};
use protocol::ToolSpec;
use serde_json::{Value, json};

/// The tools of the request, and the number of the call that one of them may get.
pub(super) struct Offer<'a> {
    pub(super) tools: &'a [ToolSpec],
    pub(super) call_number: u64,
}

impl Offer<'_> {
    fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// Writes to a memory block.
pub(super) fn remember(fact: &str, offer: &Offer<'_>) -> Speech {
    if fact.is_empty() {
        return Speech::new()
            .say("What shall I remember? Say, for example, `remember that I like short answers`.");
    }
    let Some(tool) = offer.get("set_context") else {
        return Speech::new().say(
            "I cannot remember anything here: this agent has no writable memory block, so no tool to write one is \
             offered. Add a block in the Memory tab or under `[agents.NAME.blocks]`.",
        );
    };
    let label = label(tool, "memory");
    let input = json!({ "label": label, "content": format!("- {fact}\n"), "action": "append" });
    Speech::new().say("I write it down.").call(offer.call_number, "set_context", input)
}

/// Searches conversations, or a searchable block.
pub(super) fn search(query: &str, offer: &Offer<'_>) -> Speech {
    if query.is_empty() {
        return Speech::new().say("What shall I look for? Say, for example, `search tea`.");
    }
    if offer.get("session_search").is_some() {
        return Speech::new().say("I look.").call(
            offer.call_number,
            "session_search",
            json!({ "query": query }),
        );
    }
    let Some(tool) = offer.get("search_context") else {
        return Speech::new().say(
            "I cannot search here: no search tool is offered to this agent. The palette (Ctrl or Cmd + K) searches \
             all conversations without a model.",
        );
    };
    let input = json!({ "label": label(tool, "history"), "query": query });
    Speech::new().say("I look.").call(offer.call_number, "search_context", input)
}

/// Calls the tool that needs a person's consent.
pub(super) fn danger(target: &str, offer: &Offer<'_>) -> Speech {
    if offer.get("danger").is_none() {
        return Speech::new().say(
            "An approval needs a tool that asks for one. Add `tools = [\"demo\"]` to the agent: its tool `danger` \
             asks first and does nothing.",
        );
    }
    let target = if target.is_empty() { "nothing at all" } else { target };
    Speech::new()
        .say("I would like to call a tool that needs your consent. It does nothing, whatever you say.")
        .call(offer.call_number, "danger", json!({ "target": target }))
}

/// Says the result, or lets a tool find it where there is one.
pub(super) fn calculate(sum: &str, expression: &Expression, offer: &Offer<'_>) -> Speech {
    if let (Some((a, b)), Some(_)) = (expression.as_addition(), offer.get("add")) {
        let input = json!({ "a": number(a), "b": number(b) });
        return Speech::new().say("I let the tool `add` do it.").call(offer.call_number, "add", input);
    }
    if offer.get("calculate").is_some() {
        let input = json!({ "expression": sum.trim() });
        return Speech::new().say("I let the tool `calculate` do it.").call(
            offer.call_number,
            "calculate",
            input,
        );
    }
    match expression.value() {
        Some(value) => Speech::new().say(&format!("{} = **{}**", sum.trim(), number(value))),
        None => Speech::new().say("That has no result: it divides by zero or grows beyond all bounds."),
    }
}

/// The block to write to or to search: the wished one if the tool knows it, else the first that it knows.
fn label(tool: &ToolSpec, wished: &str) -> String {
    let schema = tool.schema();
    let known = schema.pointer("/properties/label/enum").and_then(Value::as_array);
    let known: Vec<&str> = known.into_iter().flatten().filter_map(Value::as_str).collect();
    let fitting = known.iter().find(|label| label.eq_ignore_ascii_case(wished)).or(known.first());
    fitting.map_or_else(|| wished.to_owned(), |label| (*label).to_owned())
}
