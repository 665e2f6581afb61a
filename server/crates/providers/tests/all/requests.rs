//! What providers get to see of us, and what nobody else does.

use crate::fixture::{Fixture, KEY, Reply, ask, hello, hello_events, options, registry};
use model::{ErrorClass, ModelError, ModelMessage, ModelRequest, Purpose};
use providers::ProviderConfig;
use serde_json::json;

fn request(purpose: Purpose) -> ModelRequest {
    let messages = vec![ModelMessage::user("hi")];
    ModelRequest { purpose, messages, ..ModelRequest::default() }
}

#[tokio::test]
async fn a_request_has_its_key_its_purpose_and_its_body() {
    let fixture = Fixture::start([hello(), hello(), hello()]).await;
    for purpose in [Purpose::Chat, Purpose::Title, Purpose::Summary] {
        assert_eq!(ask(&fixture.model(), request(purpose)).await, hello_events());
    }
    let names = ["authorization", "content-type", "accept", "x-bough-purpose"];
    let seen = fixture.seen().into_iter().map(|seen| {
        let text = |name| seen.headers.get(name).map(|value| value.to_str().expect("text").to_owned());
        (seen.path, names.map(text), seen.body)
    });
    let body = json!({ "model": "m-1", "messages": [{ "role": "user", "content": "hi" }],
        "stream": true, "stream_options": { "include_usage": true } });
    let expected = [None, Some("title"), Some("summary")].map(|purpose| {
        let bearer = format!("Bearer {KEY}");
        let headers = [Some(&*bearer), Some("application/json"), Some("text/event-stream"), purpose];
        ("/v1/chat/completions".to_owned(), headers.map(|value| value.map(str::to_owned)), body.clone())
    });
    assert_eq!(seen.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn what_an_agent_adds_to_a_request_is_sent() {
    let fixture = Fixture::start([hello(), hello()]).await;
    let mut added = request(Purpose::Chat);
    let _none = added.headers.insert("x-trace".into(), "7".into());
    let _none = added.options.insert("reasoning_effort".into(), json!("low"));
    assert_eq!(ask(&fixture.model(), added.clone()).await, hello_events());
    let seen = fixture.seen();
    assert_eq!(seen[0].headers.get("x-trace").map(|value| value.as_bytes()), Some(&b"7"[..]));
    assert_eq!(seen[0].body["reasoning_effort"], json!("low"));

    let _none = added.headers.insert("authorization".into(), "Bearer mine".into());
    let text = "The header \"authorization\" cannot be sent: it belongs to the connection or to the key.";
    assert_eq!(ask(&fixture.model(), added).await, [Err(ModelError::new(ErrorClass::BadRequest, text))]);
    assert_eq!(fixture.seen().len(), 1);
}

#[tokio::test]
async fn a_provider_without_a_key_is_asked_without_one() {
    let fixture = Fixture::start([hello()]).await;
    let config = ProviderConfig { api_key: None, ..fixture.config() };
    let model = registry(config, &options()).model("acme/m-1").expect("acme is configured");
    assert_eq!(ask(&model, request(Purpose::Chat)).await, hello_events());
    assert!(fixture.seen().iter().all(|seen| !seen.headers.contains_key("authorization")));
}

#[tokio::test]
async fn no_redirect_takes_the_key_to_another_host() {
    let other = Fixture::start([hello()]).await;
    let redirect = Reply::page(307, "text/plain", "").header("location", &format!("{}/x", other.base_url));
    let fixture = Fixture::start([redirect]).await;
    let text = format!(
        "acme redirects to {}. Redirects are not followed, so that the key goes nowhere else: set the base URL to \
         the final address.",
        other.base_url.trim_end_matches("/v1")
    );
    let expected = [Err(ModelError::new(ErrorClass::BadRequest, text))];
    assert_eq!(ask(&fixture.model(), request(Purpose::Chat)).await, expected);
    assert_eq!(other.seen().len(), 0);
}

#[tokio::test]
async fn an_error_that_never_ends_is_read_only_so_far() {
    let endless = Reply::page(400, "text/plain", &"x".repeat(200_000)).hold();
    let fixture = Fixture::start([endless]).await;
    let expected = [Err(ModelError::new(ErrorClass::BadRequest, "acme rejected the request (400)."))];
    assert_eq!(ask(&fixture.model(), request(Purpose::Chat)).await, expected);
}

#[tokio::test]
async fn a_key_is_shown_nowhere() {
    let echo = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}.") } });
    let fixture = Fixture::start([Reply::json(401, &echo)]).await;
    let registry = registry(fixture.config(), &options());
    let model = registry.model("acme/m-1").expect("acme is configured");
    let text = "acme refused the key or the account (401): Incorrect API key provided: ••••.";
    assert_eq!(ask(&model, request(Purpose::Chat)).await, [Err(ModelError::new(ErrorClass::Auth, text))]);
    let shown = format!("{registry:?} {:?}", fixture.config());
    assert!(shown.contains("acme") && !shown.contains(KEY), "{shown}");
}
