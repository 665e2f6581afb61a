//! What a browser may say, and what it is told when it may not.

use protocol::{ChatBody, ClientFrame, ErrorCode, RequestInit, limits};
use serde_json::{Value, json};

fn code(text: &str) -> Result<ClientFrame, ErrorCode> {
    ClientFrame::parse(text).map_err(|error| error.code)
}

#[test]
fn a_chat_request_is_read() {
    // TK-001, first half
    let text = r#"{"type":"cf_agent_use_chat_request","id":"r1","init":{"method":"POST","body":"{}"}}"#;
    let init = RequestInit { method: "POST".to_owned(), body: Some("{}".to_owned()) };
    assert_eq!(code(text), Ok(ClientFrame::ChatRequest { id: "r1".into(), init }));
}

#[test]
fn what_no_client_may_say_is_a_typed_error() {
    // TK-001, second half; there the four give nothing, here each gives a name
    let rows = [
        ("not json", ErrorCode::BadFrame),
        ("", ErrorCode::BadFrame),
        ("{}", ErrorCode::BadFrame),
        ("[]", ErrorCode::BadFrame),
        ("null", ErrorCode::BadFrame),
        (r#"{"type":7}"#, ErrorCode::BadFrame),
        (r#"{"type":"rpc","id":"\ud800"}"#, ErrorCode::BadFrame),
        (r#"{"type":"nope"}"#, ErrorCode::UnknownFrame),
        (r#"{"type":"cf_agent_use_chat_response","id":"r"}"#, ErrorCode::UnknownFrame),
        (r#"{"type":"bough_turn","id":"r","status":"complete"}"#, ErrorCode::UnknownFrame),
        (r#"{"type":"cf_agent_use_chat_request","id":"r"}"#, ErrorCode::BadRequest),
        (r#"{"type":"cf_agent_chat_request_cancel","id":7}"#, ErrorCode::BadRequest),
        (r#"{"type":"cf_agent_tool_approval","toolCallId":"c"}"#, ErrorCode::BadRequest),
        (r#"{"type":"cf_agent_tool_result","toolCallId":"c","state":"asleep"}"#, ErrorCode::BadRequest),
        (r#"{"type":"rpc","id":"1","method":"m","args":5}"#, ErrorCode::BadRequest),
    ];
    for (text, expected) in rows {
        assert_eq!(code(text), Err(expected), "{text}");
    }
}

#[test]
fn unknown_fields_of_a_frame_are_ignored() {
    let text = r#"{"type":"cf_agent_chat_request_cancel","id":"r1","later":{"x":1}}"#;
    assert_eq!(code(text), Ok(ClientFrame::Cancel { id: "r1".into() }));
    assert_eq!(code(r#"{"type":"cf_agent_chat_clear","x":1}"#), Ok(ClientFrame::Clear {}));
    let messages = json!(["anything"]);
    let text = json!({ "type": "cf_agent_chat_messages", "messages": messages }).to_string();
    assert_eq!(code(&text), Ok(ClientFrame::Messages { messages }));
}

#[test]
fn an_oversize_frame_names_the_limit() {
    let text = format!(r#"{{"type":"cf_agent_chat_clear","x":"{}"}}"#, "a".repeat(limits::FRAME_MAX_BYTES));
    let error = ClientFrame::parse(&text).expect_err("too large");
    assert_eq!(error.code, ErrorCode::TooLarge);
    assert!(error.message.contains("FRAME_MAX_BYTES"), "{error}");
    let line = "x".repeat(5 * 1024 * 1024);
    let text = json!({ "type": "rpc", "id": "1", "method": line }).to_string();
    assert!(code(&text).is_ok(), "a line of 5 MB is a frame like any other");
}

fn body(body: &Value) -> Result<ChatBody, (ErrorCode, String)> {
    let init = RequestInit { method: "POST".to_owned(), body: Some(body.to_string()) };
    ChatBody::parse(&init).map_err(|error| (error.code, error.message))
}

#[test]
fn a_chat_body_keeps_what_it_does_not_know() {
    let read = body(&json!({
        "messages": [{ "id": "u1", "role": "user", "parts": [{ "type": "text", "text": "hi" }] }],
        "trigger": "regenerate-message", "clientTools": [], "sessionId": "s1", "parentId": "m0", "tone": "dry",
    }));
    let read = read.expect("a body");
    let custom = json!({ "tone": "dry" });
    assert_eq!(json!(read.custom), custom);
    assert_eq!(read.client_tools, Some(Vec::new()));
    assert_eq!((read.session_id, read.parent_id), (Some("s1".into()), Some("m0".into())));
    assert_eq!(body(&json!({ "messages": [] })), Ok(ChatBody::default()));
}

#[test]
fn a_chat_body_that_is_wrong_says_where() {
    // TK-003, the reader's part
    let rows = [
        (RequestInit { method: "GET".to_owned(), body: Some("{}".to_owned()) }, "POST"),
        (RequestInit { method: "POST".to_owned(), body: None }, "needs a body"),
        (RequestInit { method: "POST".to_owned(), body: Some(String::new()) }, "chat body"),
        (RequestInit { method: "POST".to_owned(), body: Some("{}".to_owned()) }, "messages"),
        (RequestInit { method: "POST".to_owned(), body: Some(r#"{"messages":"x"}"#.to_owned()) }, "sequence"),
    ];
    for (init, words) in rows {
        let error = ChatBody::parse(&init).expect_err("wrong");
        assert_eq!(error.code, ErrorCode::BadRequest, "{init:?}");
        assert!(error.message.contains(words), "{init:?}: {error}");
    }
}

#[test]
fn a_chat_body_over_a_limit_names_it() {
    let message = |id: &str, parts: usize| json!({ "id": id, "role": "user", "parts": vec![json!({ "type": "x" }); parts] });
    let long_id = "i".repeat(limits::ID_MAX_BYTES + 1);
    let rows = [
        (
            vec![message("u", 0); limits::REQUEST_MAX_MESSAGES + 1],
            ErrorCode::TooLarge,
            "REQUEST_MAX_MESSAGES",
        ),
        (vec![message("u", limits::MESSAGE_MAX_PARTS + 1)], ErrorCode::TooLarge, "MESSAGE_MAX_PARTS"),
        (vec![message("", 0)], ErrorCode::BadRequest, "ID_MAX_BYTES"),
        (vec![message(&long_id, 0)], ErrorCode::BadRequest, "ID_MAX_BYTES"),
    ];
    for (messages, expected, words) in rows {
        let (code, text) = body(&json!({ "messages": messages })).expect_err("over the limit");
        assert_eq!(code, expected, "{words}");
        assert!(text.contains(words), "{text}");
    }
    assert!(body(&json!({ "messages": [message("u", limits::MESSAGE_MAX_PARTS)] })).is_ok(), "at the limit");
}
