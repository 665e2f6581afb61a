//! Rows: what a person says, with which tools, and what the guide answers.

use super::*;
use futures::StreamExt;
use model::contract::check_grammar;
use model::{ErrorClass, FinishReason, ModelError, ModelEvent, ToolOutput, ToolResultContent};
use protocol::ToolSpec;
use serde_json::{Value, json};

type Item = Result<ModelEvent, ModelError>;

fn tool(name: &str, labels: &[&str]) -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": { "label": { "enum": labels } } });
    ToolSpec { name: name.to_owned(), description: None, parameters: Some(parameters) }
}

async fn play(request: ModelRequest) -> Vec<Item> {
    let items: Vec<Item> = Guide::new(Duration::ZERO, Entropy::fixed(5)).call(request).collect().await;
    assert_eq!(check_grammar(&items), Ok(()));
    items
}

/// Everything said as text, and how it ended.
async fn text_of(request: ModelRequest) -> (String, Option<Item>) {
    let items = play(request).await;
    let deltas = items.iter().filter_map(|item| match item {
        Ok(ModelEvent::TextDelta { delta, .. }) => Some(delta.as_str()),
        _ => None,
    });
    (deltas.collect(), items.last().cloned())
}

fn chat(text: &str) -> ModelRequest {
    ModelRequest { messages: vec![ModelMessage::user(text)], ..ModelRequest::default() }
}

fn stop() -> Option<Item> {
    Some(Ok(ModelEvent::Finish { reason: FinishReason::Stop }))
}

#[tokio::test]
async fn words_choose_an_answer() {
    let rows = [
        ("help", "I am the **built-in guide**: a small set"),
        ("  Hello!", "I am the **built-in guide**: a small set"),
        ("Markdown, please", "# A sample of markdown\n"),
        (
            "helpful people are rare",
            "You wrote:\n\n> helpful people are rare\n\nI am the **built-in guide**, a small",
        ),
        ("", "I am the **built-in guide**, a small set of rules and not a language model"),
        ("2 * (3 + 4)", "2 * (3 + 4) = **14**"),
        ("What is 12 + 30?", "12 + 30 = **42**"),
        ("please add 2 and 3", "2 + 3 = **5**"),
        ("Can you show me a table?", "# A sample of markdown\n"),
        ("error handling in Rust is a topic", "You wrote:\n\n> error handling in Rust is a topic\n"),
        ("calculate 0.1 + 0.2", "0.1 + 0.2 = **0.3**"),
        ("1/0", "That has no result"),
        ("count to 5", "1 2 3 4 5"),
        ("count to 10001", "I count to 10000 at most."),
        ("remember that I like tea", "I cannot remember anything here"),
        ("remember", "What shall I remember?"),
        ("search tea", "I cannot search here"),
        ("approval", "An approval needs a tool"),
    ];
    for (text, beginning) in rows {
        let (answer, end) = text_of(chat(text)).await;
        assert_eq!(answer.get(..beginning.len()), Some(beginning), "{text}");
        assert_eq!(end, stop(), "{text}");
    }
}

#[tokio::test]
async fn counting_says_every_number_once_and_slow_means_a_hundred() {
    let numbers = |last: u32| (1..=last).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(text_of(chat("count to 200")).await, (numbers(200), stop()));
    assert_eq!(text_of(chat("slow")).await, (numbers(100), stop()));
}

#[tokio::test]
async fn an_error_comes_after_some_text() {
    let (text, end) = text_of(chat("show an error")).await;
    assert_eq!(text, "I will say half a sentence and then");
    assert!(matches!(end, Some(Err(ModelError { class: ErrorClass::Unavailable, .. }))), "{end:?}");
}

#[tokio::test]
async fn reasoning_comes_as_reasoning() {
    let items = play(chat("reasoning")).await;
    let first = Ok(ModelEvent::ReasoningStart { id: "reasoning-0".into(), provider_metadata: None });
    assert_eq!((items.first(), items.last().cloned()), (Some(&first), stop()));
}

#[tokio::test]
async fn tools_are_called_where_they_are_offered() {
    let rows = [
        (
            "remember that I like tea",
            tool("set_context", &["soul", "Memory"]),
            json!({"label": "Memory", "content": "- I like tea\n", "action": "append"}),
        ),
        (
            "remember x",
            tool("set_context", &["notes"]),
            json!({"label": "notes", "content": "- x\n", "action": "append"}),
        ),
        ("search for tea", tool("session_search", &[]), json!({"query": "tea"})),
        ("search tea", tool("search_context", &["docs"]), json!({"label": "docs", "query": "tea"})),
        ("approval", tool("danger", &[]), json!({"target": "nothing at all"})),
        ("12 + 30.5", tool("add", &[]), json!({"a": 12, "b": 30.5})),
        ("What is 2 * 3?", tool("calculate", &[]), json!({"expression": "2 * 3"})),
    ];
    for (text, offered, input) in rows {
        let name = offered.name.clone();
        let items = play(ModelRequest { tools: vec![offered], ..chat(text) }).await;
        let call =
            ModelEvent::ToolInputEnd { id: "guide_0000000000000005".into(), name, input: input.to_string() };
        let end = [Ok(call), Ok(ModelEvent::Finish { reason: FinishReason::ToolCalls })];
        assert_eq!(items.get(items.len() - 2..), Some(&end[..]), "{text}");
    }
}

#[tokio::test]
async fn results_are_told() {
    let denied = ToolOutput::Denied(Some("too risky".into()));
    let rows = [
        ("add", ToolOutput::Value(json!({"sum": 42})), "The sum is **42**, says the tool."),
        ("danger", denied, "You refused the call of `danger` (“too risky”), so it did not run."),
        (
            "set_context",
            ToolOutput::Error("block is full".into()),
            "The tool `set_context` failed: block is full",
        ),
        (
            "session_search",
            ToolOutput::Value(json!("[user] tea\n---")),
            "This is what I found:\n\n> [user] tea\n> ---",
        ),
        ("other", ToolOutput::Value(Value::Null), "The tool `other` answered:\n\n> null"),
    ];
    for (name, output, expected) in rows {
        let result = ToolResultContent { id: "c".into(), name: name.into(), output };
        let messages = vec![ModelMessage::user("x"), ModelMessage::Tool(vec![result])];
        let answer = text_of(ModelRequest { messages, ..ModelRequest::default() }).await;
        assert_eq!(answer, (expected.to_owned(), stop()));
    }
}

#[tokio::test]
async fn titles_are_short_and_never_empty() {
    let long = format!("{} end", "word ".repeat(30));
    let rows = [
        ("how do I bake bread?", "How do I bake bread?"),
        ("# **Plan**: `trip`\nmore", "Plan: trip"),
        ("\n\nélan.", "Élan"),
        (&long, "Word word word word word word word word word…"),
        (" ", "New chat"),
    ];
    for (text, title) in rows {
        let request = ModelRequest {
            purpose: Purpose::Title,
            messages: vec![
                ModelMessage::user(text),
                ModelMessage::Assistant(vec![]),
                ModelMessage::user("later"),
            ],
            ..ModelRequest::default()
        };
        assert_eq!(text_of(request).await, (title.to_owned(), stop()));
    }
}

#[tokio::test]
async fn summaries_pick_from_the_conversation_and_keep_earlier_points() {
    let prompt = "Write ~200 tokens with these sections:\n\n## Topic\nwhat it is about\n\n## Key Points\nfacts\n\n\
        Previous summary:\n\n## Topic\nBread\n\n## Key Points\n- Rye is dark.\n\n## Current State\nOpen.\n\n\
        Conversation:\n\n[user]\nHow long does it bake?\n---\n[assistant]\nAn hour.\n[Tool: timer]\n---\n[user]\nAnd\nwheat?";
    let request = ModelRequest {
        purpose: Purpose::Summary,
        messages: vec![ModelMessage::user(prompt)],
        ..ModelRequest::default()
    };
    let expected = "## Topic\nHow long does it bake?\n\n## Key Points\n- Rye is dark.\n\
        - The user said: How long does it bake?\n- The assistant said: An hour. [Tool: timer]\n\
        - The user said: And wheat?\n\n## Current State\nAn hour. [Tool: timer]\n\n## Open Items\n- And wheat?\n";
    assert_eq!(text_of(request).await, (expected.to_owned(), stop()));
}

#[tokio::test(start_paused = true)]
async fn speech_takes_its_time() {
    let begun = tokio::time::Instant::now();
    let items: Vec<Item> =
        Guide::new(Duration::from_millis(10), Entropy::fixed(5)).call(chat("count to 5")).collect().await;
    // A start, five numbers and an end, each followed by four pauses, since counting is slow.
    assert_eq!((items.len(), begun.elapsed().as_millis()), (8, 7 * 4 * 10));
}
