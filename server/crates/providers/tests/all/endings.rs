//! How calls end: complete, cut off, failed, tried again, cancelled.

use crate::fixture::{
    Fixture, Reply, ask, delta, finished, hello, hello_events, impatient, options, registry, said,
};
use futures::StreamExt;
use model::contract::CANCEL_LIMIT;
use model::{ErrorClass, ModelError, ModelEvent, ModelRequest};
use providers::{ProviderConfig, RegistryOptions, RetryPolicy};
use serde_json::json;
use std::time::Duration;

type Item = Result<ModelEvent, ModelError>;

fn unavailable() -> Reply {
    Reply::json(503, &json!({ "error": "busy" }))
}

fn failed(class: ErrorClass, text: &str) -> Vec<Item> {
    vec![Err(ModelError::new(class, text))]
}

/// The answer to one call, and how many requests it took.
async fn play(replies: Vec<Reply>, options: RegistryOptions) -> (Vec<Item>, usize) {
    let fixture = Fixture::start(replies).await;
    let model = registry(fixture.config(), &options).model("acme/m-1").expect("acme is configured");
    let items = ask(&model, ModelRequest::default()).await;
    fixture.wait_for_rest().await;
    (items, fixture.seen().len())
}

/// The beginning of [`hello_events`], up to its text.
fn cut_off() -> Vec<Item> {
    hello_events().into_iter().take(2).collect()
}

// A16
#[tokio::test]
async fn an_answer_without_a_sign_of_completion_has_no_finish() {
    let begun = || Reply::events([&said("Hello")]);
    assert_eq!(play(vec![begun()], options()).await, (cut_off(), 1));
    assert_eq!(play(vec![begun().cut()], options()).await, (cut_off(), 1));
    assert_eq!(play(vec![begun().raw("data: {\"choices\": [{\"del")], options()).await, (cut_off(), 1));
    assert_eq!(play(vec![begun().raw(b"data: \xf0\x9f".as_slice())], options()).await, (cut_off(), 1));
}

#[tokio::test]
async fn a_reason_is_enough_whatever_happens_to_the_connection_then() {
    // In one piece: between two of them an impatient caller might give up.
    let both = format!("data: {}\n\ndata: {}\n\n", said("Hello"), finished("stop"));
    let ended = || Reply::stream().raw(both.as_str());
    for reply in [ended(), ended().cut(), ended().hold(), ended().done().hold()] {
        assert_eq!(play(vec![reply], impatient()).await, (hello_events(), 1));
    }
    let without_blank_line = Reply::events([&said("Hello")]).raw(format!("data: {}", finished("stop")));
    assert_eq!(play(vec![without_blank_line], options()).await, (hello_events(), 1));
}

#[tokio::test]
async fn silence_in_the_middle_is_a_timeout_after_what_had_come() {
    let mut expected = cut_off();
    let text = "Nothing came from acme for 0.06 seconds.";
    expected.extend(failed(ErrorClass::Timeout, text));
    assert_eq!(play(vec![Reply::events([&said("Hello")]).hold()], impatient()).await, (expected, 1));
}

#[tokio::test]
async fn what_may_pass_is_tried_again_before_the_first_event() {
    let busy = failed(ErrorClass::Unavailable, "acme is overloaded or broken (503): busy");
    let never = RetryPolicy { retries: 0, ..options().retry };
    let rows = [
        (vec![unavailable(), unavailable(), hello()], options(), (hello_events(), 3)),
        (vec![unavailable(), unavailable(), unavailable(), hello()], options(), (busy.clone(), 3)),
        (vec![unavailable(), hello()], RegistryOptions { retry: never, ..options() }, (busy, 1)),
        (vec![Reply::stream(), hello()], options(), (hello_events(), 2)),
        (vec![Reply::stream().cut(), hello()], options(), (hello_events(), 2)),
        (
            vec![Reply::events([&delta(&json!({ "role": "assistant" }))]).cut(), hello()],
            options(),
            (hello_events(), 2),
        ),
        (
            vec![Reply::events([&json!({ "error": { "code": 502 } })]), hello()],
            options(),
            (hello_events(), 2),
        ),
    ];
    for (replies, options, expected) in rows {
        assert_eq!(play(replies, options).await, expected);
    }
}

#[tokio::test]
async fn nothing_is_tried_again_after_the_first_event_or_where_it_cannot_help() {
    let broken = json!({ "error": { "code": 502, "message": "gone" } });
    let mut half = cut_off();
    half.extend(failed(ErrorClass::Unavailable, "acme is overloaded or broken (502): gone"));
    assert_eq!(play(vec![Reply::events([&said("Hello"), &broken]), hello()], options()).await, (half, 1));
    let wrong = Reply::json(400, &json!({ "error": "no" }));
    let expected = failed(ErrorClass::BadRequest, "acme rejected the request (400): no");
    assert_eq!(play(vec![wrong, hello()], options()).await, (expected, 1));
}

#[tokio::test]
async fn a_provider_says_when_to_come_back() {
    let limited = |name, value| Reply::json(429, &json!({})).header(name, value);
    let later = |wait| {
        let text = "acme asks for fewer requests (429).";
        vec![Err(ModelError { retry_after: Some(wait), ..ModelError::new(ErrorClass::RateLimited, text) })]
    };
    assert_eq!(play(vec![limited("retry-after", "0"), hello()], options()).await, (hello_events(), 2));
    let seconds = later(Duration::from_secs(40));
    assert_eq!(play(vec![limited("retry-after", "40"), hello()], options()).await, (seconds, 1));
    let milliseconds = later(Duration::from_millis(30_500));
    assert_eq!(play(vec![limited("retry-after-ms", "30500"), hello()], options()).await, (milliseconds, 1));
}

// A13
#[tokio::test]
async fn a_dropped_call_closes_the_connection_in_whatever_state_it_is() {
    let fixture = Fixture::start([Reply::stream().hold(), Reply::events([&said("Hello")]).hold()]).await;
    let mut before = fixture.model().call(ModelRequest::default());
    let wait = tokio::time::timeout(Duration::from_millis(50), before.next()).await;
    assert!(wait.is_err(), "nothing was said yet");
    drop(before);
    tokio::time::timeout(CANCEL_LIMIT, fixture.wait_for_gone(1)).await.expect("the first is gone");

    let mut during = fixture.model().call(ModelRequest::default());
    assert_eq!(during.next().await, hello_events().into_iter().next());
    drop(during);
    tokio::time::timeout(CANCEL_LIMIT, fixture.wait_for_gone(2)).await.expect("the second is gone");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_by_its_origin() {
    for origin in ["http://127.0.0.1:1", "https://127.0.0.1:1"] {
        let config = ProviderConfig::custom("acme", &format!("{origin}/v1"), None);
        let model = registry(config, &options()).model("acme/m-1").expect("acme is configured");
        let items = ask(&model, ModelRequest::default()).await;
        let told = items
            .iter()
            .map(|item| item.as_ref().err().map(|error| (error.class, error.message.split(": ").next())));
        let expected = format!("acme cannot be reached at {origin}");
        assert_eq!(told.collect::<Vec<_>>(), [Some((ErrorClass::Connection, Some(expected.as_str())))]);
    }
}

#[tokio::test]
async fn a_call_that_nobody_polls_sends_nothing() {
    let fixture = Fixture::start([hello()]).await;
    let unused = fixture.model().call(ModelRequest::default());
    let used = ask(&fixture.model(), ModelRequest::default()).await;
    drop(unused);
    assert_eq!((used, fixture.seen().len()), (hello_events(), 1));
}
