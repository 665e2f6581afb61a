//! Rows: chunks as providers send them, events as they are understood.

use super::*;
use crate::entropy::Entropy;
use model::ModelRequest;
use model::contract::check_grammar;
use protocol::limits::{TOOL_CALLS_PER_STEP_MAX, TOOL_INPUT_MAX_BYTES};
use serde_json::json;

type Item = Result<ModelEvent, ModelError>;

/// What a stream of these documents means, up to its end.
fn decode(documents: &[Value]) -> Vec<Item> {
    let target = Target::new("acme", "http://127.0.0.1:1", None).expect("an address");
    let ids = CallIds::new(&ModelRequest::default(), &Entropy::fixed(0xf));
    let mut decoder = Decoder::new(target, ids);
    let mut out = Vec::new();
    let mut failure = None;
    for document in documents {
        let data = document.as_str().map_or_else(|| document.to_string(), str::to_owned);
        let event = SseEvent { name: String::new(), data };
        if let Err(error) = decoder.read(&event, &mut out) {
            failure = Some(error);
            break;
        }
    }
    if failure.is_none() {
        failure = decoder.end(&mut out).err();
    }
    let items: Vec<Item> = out.into_iter().map(Ok).chain(failure.map(Err)).collect();
    assert_eq!(check_grammar(&items), Ok(()));
    items
}

fn delta(delta: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta }] })
}

fn calls(calls: &Value) -> Value {
    delta(&json!({ "tool_calls": calls }))
}

fn done(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// Id, name and arguments of each call, and how the stream ended.
fn tools(documents: &[Value]) -> (Vec<(String, String, String)>, Option<Item>) {
    let items = decode(documents);
    let calls = items.iter().filter_map(|item| match item {
        Ok(ModelEvent::ToolInputEnd { id, name, input }) => {
            Some((id.to_string(), name.clone(), input.clone()))
        }
        _ => None,
    });
    (calls.collect(), items.last().cloned())
}

#[track_caller]
fn check_tools(documents: &[Value], expected: &[(&str, &str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(id, name, input)| ((*id).into(), (*name).into(), (*input).into())).collect();
    let finish = Some(Ok(ModelEvent::Finish { reason: FinishReason::ToolCalls }));
    let mut documents = documents.to_vec();
    documents.push(done("tool_calls"));
    assert_eq!(tools(&documents), (expected, finish), "{documents:#?}");
}

fn text(id: &str, delta: &str) -> Item {
    Ok(ModelEvent::TextDelta { id: id.into(), delta: delta.into() })
}

fn finish(reason: FinishReason) -> Item {
    Ok(ModelEvent::Finish { reason })
}

fn breach_of(text: &str) -> Item {
    Err(ModelError::new(ErrorClass::Protocol, format!("acme sent {text}.")))
}

#[test]
fn kinds_of_text_are_blocks_of_their_own() {
    let documents = [
        delta(&json!({ "role": "assistant", "content": "" })),
        delta(&json!({ "reasoning_content": "h", "reasoning": "h" })),
        delta(&json!({ "reasoning": "m", "content": null })),
        delta(&json!({ "content": "a" })),
        delta(&json!({ "content": [{ "type": "text", "text": "b" }] })),
        done("stop"),
        json!("[DONE]"),
    ];
    let thought = |delta: &str| {
        Ok(ModelEvent::ReasoningDelta {
            id: "reasoning-0".into(),
            delta: delta.into(),
            provider_metadata: None,
        })
    };
    let expected = [
        Ok(ModelEvent::ReasoningStart { id: "reasoning-0".into(), provider_metadata: None }),
        thought("h"),
        thought("m"),
        Ok(ModelEvent::ReasoningEnd { id: "reasoning-0".into(), provider_metadata: None }),
        Ok(ModelEvent::TextStart { id: "text-1".into() }),
        text("text-1", "a"),
        text("text-1", "b"),
        Ok(ModelEvent::TextEnd { id: "text-1".into() }),
        finish(FinishReason::Stop),
    ];
    assert_eq!(decode(&documents), expected);
}

// A16
#[test]
fn only_a_sign_of_completion_finishes_an_answer() {
    let a = || delta(&json!({ "content": "a" }));
    let end_of = |documents: &[Value]| decode(documents).pop();
    let rows = [
        (vec![a()], Some(text("text-0", "a"))),
        (vec![a(), json!("[DONE]")], Some(finish(FinishReason::Stop))),
        (vec![a(), done("stop")], Some(finish(FinishReason::Stop))),
        (vec![a(), done("length"), json!("[DONE]")], Some(finish(FinishReason::Length))),
        (vec![a(), done("")], Some(text("text-0", "a"))),
        (vec![calls(&json!([{ "index": 0, "function": { "name": "t" } }]))], {
            Some(Ok(ModelEvent::ToolInputStart { id: "call_000000000000000f_0".into(), name: "t".into() }))
        }),
        (vec![a(), json!("[DONE]"), json!("what?")], Some(finish(FinishReason::Stop))),
        (vec![], None),
    ];
    for (documents, expected) in rows {
        assert_eq!(end_of(&documents), expected, "{documents:?}");
    }
}

#[test]
fn reasons_are_understood() {
    let rows = [
        ("end_turn", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("tool_calls", FinishReason::Stop),
        ("eclipse", FinishReason::Other("eclipse".into())),
    ];
    for (word, reason) in rows {
        assert_eq!(decode(&[done(word)]), [finish(reason)], "{word}");
    }
    let refusal = decode(&[delta(&json!({ "refusal": "No." })), done("stop")]);
    assert_eq!(refusal.last(), Some(&finish(FinishReason::ContentFilter)));
}

// G05
#[test]
fn usage_may_stand_on_any_chunk_and_the_last_one_counts() {
    let with_usage = |mut chunk: Value, input: u64| {
        chunk["usage"] = json!({ "prompt_tokens": input, "completion_tokens": 2,
            "prompt_tokens_details": { "cached_tokens": 1 }, "completion_tokens_details": null });
        chunk
    };
    let usage = Ok(ModelEvent::Usage(Usage {
        input_tokens: 9,
        output_tokens: 2,
        cached_tokens: Some(1),
        reasoning_tokens: None,
    }));
    let a = delta(&json!({ "content": "a" }));
    let rows = [
        vec![with_usage(a.clone(), 9), done("stop")],
        vec![with_usage(a.clone(), 3), with_usage(done("stop"), 9)],
        vec![a.clone(), done("stop"), with_usage(json!({ "choices": [] }), 9), json!("[DONE]")],
        vec![a.clone(), done("stop"), json!({ "choices": [], "usage": null }), with_usage(json!({}), 9)],
    ];
    let start = || Ok(ModelEvent::TextStart { id: "text-0".into() });
    for documents in rows {
        let end = Ok(ModelEvent::TextEnd { id: "text-0".into() });
        let expected = [start(), text("text-0", "a"), end, usage.clone(), finish(FinishReason::Stop)];
        assert_eq!(decode(&documents), expected, "{documents:?}");
    }
    let cut_off = decode(&[with_usage(a, 9)]);
    assert_eq!(cut_off, [start(), text("text-0", "a"), usage], "tokens of a cut off answer were spent, too");
}

#[test]
fn calls_with_index_and_id_are_told_apart_although_they_interleave() {
    let documents = [
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "" } }])),
        calls(&json!([{ "index": 1, "id": "b", "function": { "name": "u", "arguments": "{\"y\"" } }])),
        calls(&json!([{ "index": 0, "function": { "arguments": "{\"x\":1}" } }])),
        calls(&json!([{ "index": 1, "id": null, "function": { "name": null, "arguments": ":2}" } }])),
    ];
    check_tools(&documents, &[("a", "t", "{\"x\":1}"), ("b", "u", "{\"y\":2}")]);
}

// G06
#[test]
fn calls_without_index_are_told_apart() {
    let one = |id: Option<&str>, name: Option<&str>, arguments: &str| json!({ "id": id, "function": { "name": name, "arguments": arguments } });
    let (a, b) = ((Some("a"), Some("t")), (Some("b"), Some("t")));
    check_tools(&[calls(&json!([one(a.0, a.1, "{}")]))], &[("a", "t", "{}")]);
    check_tools(
        &[calls(&json!([one(a.0, a.1, "{\"x\":1}")])), calls(&json!([one(b.0, b.1, "{\"x\":2}")]))],
        &[("a", "t", "{\"x\":1}"), ("b", "t", "{\"x\":2}")],
    );
    check_tools(
        &[
            calls(&json!([one(a.0, a.1, "{\"x\":1}"), one(b.0, b.1, "")])),
            calls(&json!([one(b.0, None, "{}")])),
        ],
        &[("a", "t", "{\"x\":1}"), ("b", "t", "{}")],
    );
    check_tools(
        &[
            calls(&json!([one(a.0, a.1, "{\"x\"")])),
            calls(&json!([one(None, None, ":1}")])),
            calls(&json!([one(b.0, b.1, "{\"x\"")])),
            calls(&json!([one(Some("new each time"), None, ":2}")])),
        ],
        &[("a", "t", "{\"x\":1}"), ("b", "t", "{\"x\":2}")],
    );
}

// G08
#[test]
fn calls_without_id_get_one_that_lasts() {
    let (first, second) = ("call_000000000000000f_0", "call_000000000000000f_1");
    let named = |name: &str, arguments: &str| json!({ "function": { "name": name, "arguments": arguments } });
    check_tools(
        &[
            calls(&json!([{ "index": 0, "id": "", "function": { "name": "t", "arguments": "{\"x\"" } }])),
            calls(&json!([{ "index": 0, "function": { "arguments": ":1}" } }])),
            calls(&json!([{ "index": 1, "function": { "name": "t", "arguments": "{}" } }])),
        ],
        &[(first, "t", "{\"x\":1}"), (second, "t", "{}")],
    );
    check_tools(
        &[calls(&json!([named("t", ""), named("t", "")]))],
        &[(first, "t", "{}"), (second, "t", "{}")],
    );
    check_tools(
        &[calls(&json!([named("t", "{\"x\":1}")])), calls(&json!([named("u", "{}")]))],
        &[(first, "t", "{\"x\":1}"), (second, "u", "{}")],
    );
}

#[test]
fn odd_calls_are_still_calls() {
    let same_index =
        |id: &str| json!([{ "index": 0, "id": id, "function": { "name": "t", "arguments": "{}" } }]);
    check_tools(&[calls(&same_index("a")), calls(&same_index("b"))], &[("a", "t", "{}"), ("b", "t", "{}")]);
    check_tools(
        &[calls(&same_index("a")), calls(&json!([{ "index": 7, "id": "a", "function": { "name": "u" } }]))],
        &[("a", "t", "{}"), ("call_000000000000000f_0", "u", "{}")],
    );
    check_tools(
        &[
            calls(&json!([{ "index": 0, "id": 5, "function": { "arguments": "{\"x\"" } }])),
            calls(&json!([{ "index": 0, "function": { "name": "t", "arguments": ":1}" } }])),
        ],
        &[("5", "t", "{\"x\":1}")],
    );
    check_tools(
        &[calls(&json!([{ "index": "0", "id": "a", "function": { "name": "t", "arguments": { "x": 1 } } }]))],
        &[("a", "t", "{\"x\":1}")],
    );
    check_tools(
        &[calls(&json!([{ "index": 0, "id": "x".repeat(300), "function": { "name": "t" } }])), done("stop")],
        &[("call_000000000000000f_0", "t", "{}")],
    );
}

#[test]
fn a_hostile_index_costs_nothing_and_too_many_calls_are_refused() {
    let numbered = |index: u64| {
        calls(&json!([{ "index": index, "id": index, "function": { "name": "t", "arguments": "{}" } }]))
    };
    check_tools(&[numbered(u64::MAX)], &[("18446744073709551615", "t", "{}")]);
    let many: Vec<_> =
        (0..=TOOL_CALLS_PER_STEP_MAX as u64).map(|index| numbered(index * 1_000_000_000)).collect();
    let limit = format!("more than {TOOL_CALLS_PER_STEP_MAX} tool calls in one answer");
    assert_eq!(decode(&many).pop(), Some(breach_of(&limit)));
}

#[test]
fn long_arguments_are_read_and_endless_ones_refused() {
    let begin =
        calls(&json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{\"x\":\"" } }]));
    let piece = calls(&json!([{ "index": 0, "function": { "arguments": "y".repeat(1_000) } }]));
    let end = calls(&json!([{ "index": 0, "function": { "arguments": "\"}" } }]));
    let mut documents = vec![begin];
    documents.extend(std::iter::repeat_n(piece, 1_000));
    documents.push(end);
    check_tools(&documents, &[("a", "t", &format!("{{\"x\":\"{}\"}}", "y".repeat(1_000_000)))]);

    let whole = "y".repeat(TOOL_INPUT_MAX_BYTES);
    documents.push(calls(&json!([{ "index": 0, "function": { "arguments": whole } }])));
    let limit = format!("arguments of a tool call beyond the limit of {TOOL_INPUT_MAX_BYTES} bytes");
    assert_eq!(decode(&documents).pop(), Some(breach_of(&limit)));
}

#[test]
fn what_is_no_completion_is_an_error_and_what_came_before_it_stays() {
    let a = || delta(&json!({ "content": "a" }));
    let error = |class, text: &str| Some(Err(ModelError::new(class, text)));
    let broken = json!({ "error": { "code": 502, "message": "upstream died" }, "choices": [] });
    let rows = [
        (
            vec![a(), broken],
            error(ErrorClass::Unavailable, "acme is overloaded or broken (502): upstream died"),
        ),
        (vec![a(), done("error")], {
            error(ErrorClass::Unavailable, "acme broke off the answer because of an error of its own.")
        }),
        (vec![a(), calls(&json!([{ "index": 0, "id": "a" }])), done("tool_calls")], {
            Some(breach_of("a tool call without a name"))
        }),
    ];
    for (documents, expected) in rows {
        let mut items = decode(&documents);
        assert_eq!(items.pop(), expected);
        assert_eq!(items.get(1), Some(&text("text-0", "a")));
    }
    let nonsense = decode(&[a(), json!("nonsense")]).pop();
    let is_breach = matches!(&nonsense, Some(Err(error)) if error.class == ErrorClass::Protocol);
    assert!(is_breach, "{nonsense:?}");
}

#[test]
fn only_the_first_choice_counts() {
    let two = json!({ "choices": [
        { "index": 1, "delta": { "content": "no" }, "finish_reason": "stop" },
        { "index": 0, "delta": { "content": "a" } }] });
    assert_eq!(decode(&[two]).pop(), Some(text("text-0", "a")));
}

#[test]
fn pages_and_pictures_come_along() {
    let url = "data:image/webp;base64,AA==";
    let documents = [
        delta(&json!({ "annotations": [
            { "type": "url_citation", "url_citation": { "url": "https://x", "title": "X" } }, { "type": "other" }] })),
        delta(&json!({ "images": [{ "type": "image_url", "image_url": { "url": url } }] })),
        done("stop"),
    ];
    let expected = [
        Ok(ModelEvent::Source { id: "source-0".into(), url: "https://x".into(), title: Some("X".into()) }),
        Ok(ModelEvent::File { url: url.into(), media_type: "image/webp".into() }),
        finish(FinishReason::Stop),
    ];
    assert_eq!(decode(&documents), expected);
}

fn said(text: &str) -> Value {
    delta(&json!({ "content": text }))
}

#[test]
fn reasoning_in_tags_is_reasoning_unless_tags_are_text() {
    let documents = [said("<thi"), said("nk>hm</think>\n"), said("Yes."), done("stop")];
    let shape = |items: Vec<Item>| {
        let deltas = items.into_iter().filter_map(|item| match item {
            Ok(ModelEvent::TextDelta { delta, .. }) => Some(("text", delta)),
            Ok(ModelEvent::ReasoningDelta { delta, .. }) => Some(("reasoning", delta)),
            _ => None,
        });
        deltas.collect::<Vec<_>>()
    };
    assert_eq!(shape(decode(&documents)), [("reasoning", "hm".to_owned()), ("text", "Yes.".to_owned())]);
    let target = Target::new("acme", "http://127.0.0.1:1", None).expect("an address");
    let ids = CallIds::new(&ModelRequest::default(), &Entropy::fixed(1));
    let (mut plain, mut out) = (Decoder::new(target, ids).with_tags(ThinkTags::Text), Vec::new());
    for document in documents {
        let event = SseEvent { name: String::new(), data: document.to_string() };
        plain.read(&event, &mut out).expect("a good stream");
    }
    let text = shape(out.into_iter().map(Ok).collect());
    let expected = ["<thi", "nk>hm</think>\n", "Yes."].map(|piece| ("text", piece.to_owned()));
    assert_eq!(text, expected);
}

#[test]
fn what_looked_like_a_tag_is_text_where_calls_or_the_end_follow() {
    let call = calls(&json!([{ "index": 0, "id": "a", "function": { "name": "t", "arguments": "{}" } }]));
    for after in [vec![call, done("tool_calls")], vec![done("stop")], vec![]] {
        let documents = [vec![said("<thi")], after].concat();
        let text = ModelEvent::TextDelta { id: "text-0".to_owned(), delta: "<thi".to_owned() };
        assert_eq!(decode(&documents).get(1), Some(&Ok(text)), "{documents:?}");
    }
}
