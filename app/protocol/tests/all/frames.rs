//! Server frames as a page reads them.

use protocol::{ErrorCode, ServerFrame, WireError};
use serde_json::json;

#[test]
fn a_page_ignores_what_it_does_not_know() {
    assert_eq!(ServerFrame::parse(r#"{"type":"cf_agent_later"}"#), None);
    assert_eq!(ServerFrame::parse("not json"), None);
    let frame = r#"{"type":"cf_agent_chat_clear","later":1}"#;
    assert_eq!(ServerFrame::parse(frame), Some(ServerFrame::Clear {}));
}

#[test]
fn the_end_of_a_turn_is_one_short_frame() {
    let text = ServerFrame::done(&"r1".into()).to_text();
    assert_eq!(text, r#"{"type":"cf_agent_use_chat_response","id":"r1","body":"","done":true}"#);
}

#[test]
fn an_error_says_whether_trying_again_may_help() {
    let rows = [
        (ErrorCode::Busy, true),
        (ErrorCode::Storage, true),
        (ErrorCode::ShuttingDown, true),
        (ErrorCode::BadFrame, false),
        (ErrorCode::Internal, false),
    ];
    for (code, retry) in rows {
        assert_eq!(WireError::new(code, "text").retry, retry, "{code:?}");
    }
    let error = WireError::new(ErrorCode::Busy, "64 turns wait already");
    let frame = ServerFrame::Error { id: None, error: error.clone() };
    let expected =
        json!({ "type": "bough_error", "code": "busy", "message": "64 turns wait already", "retry": true });
    assert_eq!(serde_json::to_value(&frame).expect("JSON"), expected);
    assert_eq!(ServerFrame::parse(&frame.to_text()), Some(frame));
    assert_eq!(error.to_string(), "64 turns wait already");
}
