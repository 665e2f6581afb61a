//! Streams as providers really send them.

use crate::fixture::{
    Fixture, Reply, ask, delta, finished, hello, hello_events, once, registry, said, text_events,
};
use model::{ErrorClass, FinishReason, ModelError, ModelEvent, ModelRequest};
use protocol::Usage;
use protocol::limits::PROVIDER_EVENT_MAX_BYTES;
use serde_json::{Value, json};

type Item = Result<ModelEvent, ModelError>;

async fn events_of(reply: Reply) -> Vec<Item> {
    let fixture = Fixture::start([reply]).await;
    let model = registry(fixture.config(), &once()).model("acme/m-1").expect("acme is configured");
    let items = ask(&model, ModelRequest::default()).await;
    fixture.wait_for_rest().await;
    items
}

/// The text of an answer that must end well, and its usage.
async fn text_of(reply: Reply) -> (String, Option<Usage>) {
    let items = events_of(reply).await;
    assert_eq!(items.last(), Some(&Ok(ModelEvent::Finish { reason: FinishReason::Stop })), "{items:?}");
    let (mut text, mut usage) = (String::new(), None);
    for item in items {
        match item {
            Ok(ModelEvent::TextDelta { delta, .. }) => text.push_str(&delta),
            Ok(ModelEvent::Usage(told)) => usage = Some(told),
            _ => {}
        }
    }
    (text, usage)
}

// G01
#[tokio::test]
async fn comments_say_nothing() {
    let comments = ": OPENROUTER PROCESSING\n\n:\n\ndata: : x\n\n";
    let reply = Reply::stream()
        .raw(comments)
        .event(&said("Hel"))
        .raw(comments)
        .event(&said("lo"))
        .raw(comments)
        .event(&finished("stop"))
        .raw(comments)
        .done();
    assert_eq!(text_of(reply).await, ("Hello".to_owned(), None));
}

// G03
#[tokio::test]
async fn letters_arrive_whole_although_every_byte_travels_alone() {
    let text = "🌳 木 é 👩‍🌾";
    let stream = format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", said(text), finished("stop"));
    assert_eq!(events_of(Reply::stream().byte_by_byte(stream.as_bytes())).await, text_events(text));
}

// G05
#[tokio::test]
async fn framing_and_usage_may_be_unusual() {
    let mut last = said("lo");
    last["usage"] = json!({ "prompt_tokens": 3, "completion_tokens": 2 });
    let two_lines = last.to_string().replacen(',', ",\r\ndata:", 1);
    let stream =
        format!("data:{}\r\n\r\ndata: {two_lines}\r\n\r\ndata:{}\r\n\r\n", said("Hel"), finished("stop"));
    let usage = Usage { input_tokens: 3, output_tokens: 2, ..Usage::default() };
    assert_eq!(text_of(Reply::stream().raw(stream)).await, ("Hello".to_owned(), Some(usage)));
}

// G06, G08
#[tokio::test]
async fn calls_without_index_and_id_are_kept_apart() {
    let call = |city: &str| {
        let arguments = json!({ "city": city }).to_string();
        delta(&json!({ "tool_calls": [{ "function": { "name": "weather", "arguments": arguments } }] }))
    };
    let items = events_of(Reply::events([&call("Oslo"), &call("Rome"), &finished("stop")]).done()).await;
    let end = |id: &str, input: &str| {
        Ok(ModelEvent::ToolInputEnd { id: id.into(), name: "weather".into(), input: input.into() })
    };
    let expected = [
        end("call_0000000000000007_0", r#"{"city":"Oslo"}"#),
        end("call_0000000000000007_1", r#"{"city":"Rome"}"#),
        Ok(ModelEvent::Finish { reason: FinishReason::ToolCalls }),
    ];
    assert_eq!(items.get(items.len() - 3..), Some(&expected[..]));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let message = json!({ "role": "assistant", "content": "Hello" });
    let whole = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
    assert_eq!(events_of(Reply::json(200, &whole)).await, hello_events());
}

#[tokio::test]
async fn an_error_may_hide_behind_a_good_status() {
    let refused = json!({ "error": { "message": "prompt too long", "code": 400 } });
    let expected = "acme says that the conversation is too long for this model (400): prompt too long";
    let error = ModelError::new(ErrorClass::ContextOverflow, expected);
    assert_eq!(events_of(Reply::json(200, &refused)).await, [Err(error.clone())]);
    assert_eq!(events_of(Reply::events([&refused])).await, [Err(error.clone())]);
    let named =
        Reply::stream().raw("event: error\ndata: {\"message\": \"prompt too long\", \"code\": 400}\n\n");
    assert_eq!(events_of(named).await, [Err(error)]);
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let text = "acme answered with a web page. The base URL should end where the API begins, often with /v1.";
    let page = Reply::page(200, "text/html; charset=utf-8", "<html>Welcome</html>");
    assert_eq!(events_of(page).await, [Err(ModelError::new(ErrorClass::Protocol, text))]);
}

// Gateways put themselves in between: packed streams, heads that are far too long, pages in place of errors.
#[tokio::test]
async fn gateways_answer_in_their_own_ways() {
    // `data: …Hello… stop [DONE]`, as gzip packs it.
    let plain = format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", said("Hello"), finished("stop"));
    let packed = Reply::stream().header("content-encoding", "gzip").raw(stored_gzip(plain.as_bytes()));
    assert_eq!(events_of(packed).await, hello_events());

    let long = "x".repeat(20_000);
    let many = (0..12).fold(hello(), |reply, _| reply.header("x-trace", &long));
    assert_eq!(events_of(many).await, hello_events());
    let endless = (0..60).fold(hello(), |reply, _| reply.header("x-trace", &long));
    let told = events_of(endless).await;
    assert!(matches!(&told[..], [Err(error)] if error.class == ErrorClass::Connection), "{told:?}");

    let page = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
    for status in [500, 502, 503, 504, 520, 529] {
        let told = events_of(Reply::page(status, "text/html", page)).await;
        let [Err(error)] = &told[..] else { panic!("{told:?}") };
        assert_eq!(error.class, ErrorClass::Unavailable, "{status}: {error:?}");
        assert!(error.message.contains(&status.to_string()) && !error.message.contains('<'), "{error:?}");
    }
}

/// A gzip file that packs nothing: one stored block.
fn stored_gzip(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a short text");
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(bytes);
    file.extend((!sum).to_le_bytes());
    file.extend(u32::from(length).to_le_bytes());
    file
}

#[tokio::test]
async fn one_event_has_a_largest_size_and_what_came_before_it_stays() {
    let reply = Reply::events([&said("Hello")]).raw("data: ");
    let piece = "x".repeat(1024 * 1024);
    let reply =
        (0..=PROVIDER_EVENT_MAX_BYTES / piece.len()).fold(reply, |reply, _| reply.raw(piece.as_str()));
    let text = format!("acme sent more than {PROVIDER_EVENT_MAX_BYTES} bytes at once.");
    let mut expected = hello_events();
    expected.truncate(2);
    expected.push(Err(ModelError::new(ErrorClass::Protocol, text)));
    assert_eq!(events_of(reply.hold()).await, expected);
}

#[tokio::test]
async fn a_megabyte_of_arguments_in_small_pieces_is_read() {
    let piece = |arguments: &str| -> Value {
        delta(&json!({ "tool_calls": [{ "index": 0, "function": { "arguments": arguments } }] }))
    };
    let begin = delta(&json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "t" } }] }));
    let text = "y".repeat(1024);
    let (open, middle, close) = (piece("{\"x\":\""), piece(&text), piece("\"}"));
    let mut chunks = vec![&begin, &open];
    chunks.extend(std::iter::repeat_n(&middle, 1024));
    let end = finished("tool_calls");
    chunks.extend([&close, &end]);
    let items = events_of(Reply::events(chunks).done()).await;
    let input = format!("{{\"x\":\"{}\"}}", text.repeat(1024));
    let expected = ModelEvent::ToolInputEnd { id: "a".into(), name: "t".into(), input };
    assert!(items.contains(&Ok(expected)), "{} events", items.len());
}
