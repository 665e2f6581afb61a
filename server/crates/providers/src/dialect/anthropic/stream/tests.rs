//! Events as the API sends them, and what odd ones mean.

use super::*;
use crate::entropy::Entropy;
use crate::sse::SseDecoder;
use model::contract::check_grammar;
use model::{ErrorClass, ModelRequest};
use proptest::prelude::*;
use protocol::limits::{PROVIDER_EVENT_MAX_BYTES, TOOL_CALLS_PER_STEP_MAX};
use serde_json::{Value, json};

type Item = Result<ModelEvent, ModelError>;

const RECORDED: &str = include_str!("../../../../tests/all/anthropic/tool_turn.sse");

fn decode(events: &[SseEvent]) -> Vec<Item> {
    let target = Target::new("acme", "http://127.0.0.1:1", None).expect("an address");
    let ids = CallIds::new(&ModelRequest::default(), &Entropy::fixed(0xf));
    let (mut decoder, mut out) = (Decoder::new(target, ids), Vec::new());
    let read = events.iter().try_for_each(|event| decoder.read(event, &mut out));
    let failure = read.and_then(|()| decoder.end(&mut out)).err();
    let items: Vec<Item> = out.into_iter().map(Ok).chain(failure.map(Err)).collect();
    assert_eq!(check_grammar(&items), Ok(()));
    items
}

fn documents(documents: &[Value]) -> Vec<Item> {
    let event = |document: &Value| SseEvent { name: String::new(), data: document.to_string() };
    decode(&documents.iter().map(event).collect::<Vec<_>>())
}

fn in_pieces(cuts: &[usize]) -> Vec<Item> {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % RECORDED.len()).chain([0, RECORDED.len()]).collect();
    cuts.sort_unstable();
    let (mut sse, mut events) = (SseDecoder::new(PROVIDER_EVENT_MAX_BYTES), Vec::new());
    for ends in cuts.windows(2) {
        sse.push(&RECORDED.as_bytes()[ends[0]..ends[1]], &mut events).expect("small events");
    }
    events.extend(sse.finish());
    decode(&events)
}

proptest! {
    // G03
    #[test]
    fn borders_of_pieces_do_not_matter(cuts in prop::collection::vec(0..100_000_usize, 0..60)) {
        let whole = in_pieces(&[]);
        prop_assert_eq!(whole.len(), 13);
        prop_assert_eq!(in_pieces(&cuts), whole);
    }
}

fn start(index: u64, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn end(reason: &str) -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason } })
}

#[test]
fn hidden_reasoning_is_kept_for_the_provider() {
    let items =
        documents(&[start(0, &json!({ "type": "redacted_thinking", "data": "ZA==" })), end("end_turn")]);
    let id = || "reasoning-0".to_owned();
    let kept = Some(json!({ "anthropic": { "redactedData": "ZA==" } }));
    let expected = [
        ModelEvent::ReasoningStart { id: id(), provider_metadata: kept },
        ModelEvent::ReasoningEnd { id: id(), provider_metadata: None },
        ModelEvent::Finish { reason: FinishReason::Stop },
    ];
    assert_eq!(items, expected.map(Ok));
}

#[test]
fn a_tool_that_takes_nothing_gets_an_object_and_server_tools_are_left_out() {
    let items = documents(&[
        start(0, &json!({ "type": "server_tool_use", "id": "srv", "name": "web_search", "input": {} })),
        delta(0, &json!({ "type": "input_json_delta", "partial_json": "{}" })),
        start(1, &json!({ "type": "tool_use", "id": "a", "name": "now", "input": {} })),
        end("tool_use"),
    ]);
    let id = || protocol::ToolCallId::from("a");
    let expected = [
        ModelEvent::ToolInputStart { id: id(), name: "now".to_owned() },
        ModelEvent::ToolInputDelta { id: id(), delta: "{}".to_owned() },
        ModelEvent::ToolInputEnd { id: id(), name: "now".to_owned(), input: "{}".to_owned() },
        ModelEvent::Finish { reason: FinishReason::ToolCalls },
    ];
    assert_eq!(items, expected.map(Ok));
}

#[test]
fn pages_are_sources() {
    let page = json!({ "type": "web_search_result_location", "url": "https://a.example/", "title": "A" });
    let items = documents(&[
        start(0, &json!({ "type": "text", "text": "" })),
        delta(0, &json!({ "type": "citations_delta", "citation": page })),
        delta(0, &json!({ "type": "citations_delta", "citation": { "type": "char_location" } })),
        end("end_turn"),
    ]);
    let source = ModelEvent::Source {
        id: "source-0".to_owned(),
        url: "https://a.example/".to_owned(),
        title: Some("A".to_owned()),
    };
    assert_eq!(items.get(1), Some(&Ok(source)));
    assert_eq!(items.len(), 4);
}

#[test]
fn reasons_have_our_words() {
    let rows = [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("tool_use", FinishReason::ToolCalls),
        ("refusal", FinishReason::ContentFilter),
        ("pause_turn", FinishReason::Other("pause_turn".to_owned())),
    ];
    for (word, reason) in rows {
        assert_eq!(documents(&[end(word)]), [Ok(ModelEvent::Finish { reason })], "{word}");
    }
}

#[test]
fn there_is_a_limit_to_calls() {
    let call = |index| start(index, &json!({ "type": "tool_use", "id": "", "name": "t" }));
    let calls: Vec<_> = (0..=TOOL_CALLS_PER_STEP_MAX as u64).map(call).collect();
    let text = format!("acme sent more than {TOOL_CALLS_PER_STEP_MAX} tool calls in one answer.");
    assert_eq!(documents(&calls).pop(), Some(Err(ModelError::new(ErrorClass::Protocol, text))));
}
