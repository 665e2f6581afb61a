//! Socket messages to frames and back. Nothing that a client sends is a reason to close its socket here: what is no
//! frame becomes an answer that says so.

use axum::extract::ws::{Message, Utf8Bytes};
use bytes::Bytes;
use protocol::{ChatResponse, ClientFrame, ErrorCode, RequestId, ServerFrame, WireError};
use serde_json::Value;

/// What a message of a client means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Heard {
    /// It says something.
    Frame(ClientFrame),
    /// It is no frame; these go back.
    Refused(Vec<ServerFrame>),
    /// It only shows that the client is there.
    Alive,
    /// It ends the connection.
    Goodbye,
}

/// Reads a message.
pub(super) fn decode(message: Message) -> Heard {
    match message {
        Message::Text(text) => match ClientFrame::parse(&text) {
            Ok(frame) => Heard::Frame(frame),
            Err(error) => Heard::Refused(refuse_text(&text, error)),
        },
        Message::Binary(_) => {
            let error = WireError::new(ErrorCode::BadFrame, "frames are JSON text; this one was binary");
            Heard::Refused(vec![ServerFrame::Error { id: None, error }])
        }
        Message::Ping(_) | Message::Pong(_) => Heard::Alive,
        Message::Close(_) => Heard::Goodbye,
    }
}

/// A frame as a message.
pub(super) fn encode(frame: &ServerFrame) -> Message {
    Message::Text(frame.to_text().into())
}

/// A frame that was made text once for many sockets; none if it is not text, which would be a defect of ours.
pub(super) fn shared(text: Bytes) -> Option<Message> {
    Utf8Bytes::try_from(text).ok().map(Message::Text)
}

/// What a refused frame was about.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum About {
    /// A turn, which everybody waits for.
    Turn(RequestId),
    /// Something else, which may have a name.
    Other(Option<RequestId>),
}

/// What a frame is about.
pub(super) fn about(frame: &ClientFrame) -> About {
    match frame {
        ClientFrame::ChatRequest { id, .. } => About::Turn(id.clone()),
        ClientFrame::Cancel { id } | ClientFrame::ResumeAck { id, .. } => About::Other(Some(id.clone())),
        ClientFrame::Rpc { id, .. } => About::Other(Some(RequestId::new(id.as_str()))),
        ClientFrame::Clear {}
        | ClientFrame::ToolResult(_)
        | ClientFrame::ToolApproval(_)
        | ClientFrame::ResumeRequest { .. }
        | ClientFrame::Messages { .. } => About::Other(None),
    }
}

/// What goes back for a frame that cannot be done. A turn is also ended in the way every client understands, so
/// that none waits for it.
pub(super) fn refuse(about: About, error: WireError) -> Vec<ServerFrame> {
    let id = match about {
        About::Turn(id) => id,
        About::Other(id) => return vec![ServerFrame::Error { id, error }],
    };
    let body = error.message.clone();
    let end = ChatResponse { id: id.to_string(), body, done: true, error: true, ..ChatResponse::default() };
    vec![ServerFrame::Error { id: Some(id), error }, ServerFrame::ChatResponse(end)]
}

fn refuse_text(text: &str, error: WireError) -> Vec<ServerFrame> {
    let is_readable = error.code != ErrorCode::TooLarge && error.code != ErrorCode::BadFrame;
    let frame: Option<Value> = is_readable.then(|| serde_json::from_str(text).ok()).flatten();
    let field = |name: &str| frame.as_ref().and_then(|frame| frame.get(name)?.as_str());
    let about = match field("id").map(RequestId::new) {
        Some(id) if field("type") == Some("cf_agent_use_chat_request") => About::Turn(id),
        id => About::Other(id),
    };
    refuse(about, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::limits::FRAME_MAX_BYTES;

    fn codes(message: Message) -> Vec<(Option<String>, String)> {
        let Heard::Refused(frames) = decode(message) else { panic!("must be refused") };
        let describe = |frame: &ServerFrame| {
            if let ServerFrame::Error { id, error } = frame {
                return (id.as_ref().map(ToString::to_string), format!("{:?}", error.code));
            }
            let ServerFrame::ChatResponse(end) = frame else { panic!("{frame:?}") };
            (Some(end.id.clone()), format!("done {} error {}", end.done, end.error))
        };
        frames.iter().map(describe).collect()
    }

    #[test]
    fn what_is_no_frame_is_answered() {
        let check = |text: &str, expected: &[(Option<&str>, &str)]| {
            let expected: Vec<_> =
                expected.iter().map(|(id, code)| (id.map(str::to_owned), (*code).to_owned())).collect();
            assert_eq!(codes(Message::Text(text.into())), expected, "{text:.80}");
        };
        check("not json", &[(None, "BadFrame")]);
        check("{}", &[(None, "BadFrame")]);
        check("[1]", &[(None, "BadFrame")]);
        check(r#"{"type":"nope","id":"r1"}"#, &[(Some("r1"), "UnknownFrame")]);
        check(r#"{"type":"cf_agent_use_chat_response","id":"r1"}"#, &[(Some("r1"), "UnknownFrame")]);
        check(r#"{"type":"cf_agent_chat_request_cancel","id":7}"#, &[(None, "BadRequest")]);
        check(
            r#"{"type":"cf_agent_use_chat_request","id":"r1"}"#,
            &[(Some("r1"), "BadRequest"), (Some("r1"), "done true error true")],
        );
        check(&"x".repeat(FRAME_MAX_BYTES + 1), &[(None, "TooLarge")]);
    }

    #[test]
    fn binary_messages_are_answered() {
        assert_eq!(codes(Message::Binary(Bytes::from_static(b"{}"))), [(None, "BadFrame".to_owned())]);
    }

    #[test]
    fn frames_are_read() {
        let text = r#"{"type":"cf_agent_chat_request_cancel","id":"r1"}"#;
        let frame = ClientFrame::Cancel { id: "r1".into() };
        assert_eq!(about(&frame), About::Other(Some("r1".into())));
        assert_eq!(decode(Message::Text(text.into())), Heard::Frame(frame));
        assert_eq!(decode(Message::Ping(Bytes::new())), Heard::Alive);
        assert_eq!(decode(Message::Close(None)), Heard::Goodbye);
    }
}
