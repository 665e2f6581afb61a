//! Rows: what a provider answers, which class it has, what people read.

use super::*;
use crate::secret::Secret;
use model::ErrorClass::{
    Auth, BadRequest, ContextOverflow, RateLimited, Refused, Timeout, Unavailable, UnknownModel,
};

fn target() -> Target {
    Target::new("acme", "http://127.0.0.1:1/v1", Secret::new("sk-very-secret-key")).expect("an address")
}

#[track_caller]
fn check(status: Option<u16>, body: &str, class: ErrorClass, message: &str) {
    let failure = match status {
        Some(status) => WireFailure::from_answer(status, None, body),
        None => WireFailure::from_body(body),
    };
    assert_eq!(failure.into_error(&target()), ModelError::new(class, message), "{status:?} {body}");
}

#[test]
fn a_status_gives_the_class() {
    let rows = [
        (400, BadRequest, "acme rejected the request (400)."),
        (401, Auth, "acme refused the key or the account (401)."),
        (402, Auth, "acme refused the key or the account (402)."),
        (403, Auth, "acme refused the key or the account (403)."),
        (404, UnknownModel, "acme does not have this model, or its base URL is wrong (404)."),
        (408, Timeout, "acme did not answer in time (408)."),
        (413, ContextOverflow, "acme says that the conversation is too long for this model (413)."),
        (422, BadRequest, "acme rejected the request (422)."),
        (429, RateLimited, "acme asks for fewer requests (429)."),
        (500, Unavailable, "acme is overloaded or broken (500)."),
        (529, Unavailable, "acme is overloaded or broken (529)."),
    ];
    for (status, class, message) in rows {
        check(Some(status), "", class, message);
        check(Some(status), "<html>who knows</html>", class, message);
    }
}

#[test]
fn words_and_codes_give_the_class_where_the_status_does_not() {
    let rows = [
        (400, r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#, ContextOverflow),
        (
            400,
            r#"{"error":{"message":"the request exceeds the available context size","code":400}}"#,
            ContextOverflow,
        ),
        (400, r#"{"error":{"message":"prompt too long"}}"#, ContextOverflow),
        (500, r#"{"error":{"message":"maximum context length is 4096"}}"#, ContextOverflow),
        (400, r#"{"error":{"message":"m","code":"content_filter"}}"#, Refused),
        (403, r#"{"error":{"message":"requires moderation","metadata":{}}}"#, Refused),
        (400, r#"{"error":{"message":"acme/x is not a valid model ID"}}"#, UnknownModel),
        (429, r#"{"error":{"message":"m","type":"insufficient_quota"}}"#, Auth),
        (
            429,
            r#"{"error":{"message":"invalid_api_key is not why","code":"rate_limit_exceeded"}}"#,
            RateLimited,
        ),
    ];
    for (status, body, class) in rows {
        assert_eq!(WireFailure::from_answer(status, None, body).class(), class, "{body}");
    }
}

#[test]
fn errors_in_mid_stream_have_a_class_too() {
    let rows = [
        (r#"{"error":{"code":502,"message":"m"}}"#, Unavailable),
        (r#"{"error":{"code":429,"message":"m"}}"#, RateLimited),
        (r#"{"error":{"code":"rate_limit_exceeded","message":"m"}}"#, RateLimited),
        (r#"{"error":{"type":"invalid_request_error","message":"m"}}"#, BadRequest),
        (r#"{"error":{"type":"invalid_request_error","message":"prompt is too long"}}"#, ContextOverflow),
        (r#"{"object":"error","message":"m","code":400}"#, BadRequest),
        (r#"{"error":{"type":"overloaded_error","message":"m"}}"#, Unavailable),
        (r#"{"error":"out of memory"}"#, Unavailable),
    ];
    for (body, class) in rows {
        assert_eq!(WireFailure::from_body(body).class(), class, "{body}");
    }
}

#[test]
fn people_read_the_providers_words_in_every_shape_and_never_the_key() {
    let lead = "acme rejected the request (400)";
    let rows = [
        (r#"{"error":{"message":"bad field"}}"#, ": bad field"),
        (r#"{"error":"bad field"}"#, ": bad field"),
        (r#"{"message":"bad field"}"#, ": bad field"),
        (r#"{"detail":[{"loc":["body"]}]}"#, r#": [{"loc":["body"]}]"#),
        (r#"[{"error":{"message":"bad field","code":400}}]"#, ": bad field"),
        (r#"{"error":{"message":"the key sk-very-secret-key is odd"}}"#, ": the key •••• is odd"),
        (r#"{"error":{"message":null}}"#, "."),
        (r#"{"error":{"message":" "}}"#, "."),
        ("sk-very-secret-key", "."),
    ];
    for (body, rest) in rows {
        check(Some(400), body, BadRequest, &format!("{lead}{rest}"));
    }
    let long = format!(r#"{{"error":"{}"}}"#, "ж".repeat(5_000));
    check(Some(400), &long, BadRequest, &format!("{lead}: {}", "ж".repeat(WORDS_MAX_CHARS)));
}
