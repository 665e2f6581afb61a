//! Wrong input on a socket: an answer that says what is wrong, the socket stays, nobody else notices.

use crate::support::{Frame, Provider, Tab, TestApp, chat, text_of, user};
use protocol::limits::{FRAME_MAX_BYTES, SOCKET_MESSAGE_MAX_BYTES};
use serde_json::json;
use tokio_tungstenite::tungstenite::protocol::Message;

async fn refused(tab: &mut Tab, message: Message) -> Frame {
    tab.send_message(message).await;
    let frame = tab.next().await;
    assert_eq!(frame["type"], "bough_error");
    assert!(!frame["message"].as_str().unwrap().is_empty(), "{frame}");
    frame["code"].clone()
}

#[tokio::test]
async fn what_is_no_frame_is_answered_and_the_socket_stays() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    let rows = [
        (Message::text("not json"), "bad_frame"),
        (Message::text("{}"), "bad_frame"),
        (Message::text("\"\\ud800\""), "bad_frame"),
        (Message::text(r#"{"type":"nope"}"#), "unknown_frame"),
        (Message::text(r#"{"type":"cf_agent_use_chat_response","id":"r"}"#), "unknown_frame"),
        (Message::text(r#"{"type":"cf_agent_tool_result"}"#), "bad_request"),
        (Message::binary(b"{}".to_vec()), "bad_frame"),
        (Message::text("x".repeat(FRAME_MAX_BYTES + 1)), "too_large"),
    ];
    for (message, code) in rows {
        let told = format!("{:.60}", message.to_string());
        assert_eq!(refused(&mut tab, message).await, json!(code), "{told}");
    }
    provider.say(["still here"]);
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    assert_eq!(text_of(&tab.until_turn_ends("r1").await, "r1"), "still here");
}

#[tokio::test]
async fn a_message_over_the_sockets_own_limit_closes_only_that_socket() {
    let app = TestApp::start().await;
    let (mut big, mut other) = (app.greeted_tab().await, app.greeted_tab().await);
    big.send_in_vain(Message::text("x".repeat(SOCKET_MESSAGE_MAX_BYTES + 1))).await;
    assert_eq!(big.close_code().await.map(|(code, _)| code), Some(1009));
    assert_eq!(other.drain().await, Vec::<Frame>::new());
}

#[tokio::test]
async fn bytes_that_are_no_frame_close_only_that_socket() {
    let app = TestApp::start().await;
    let (mut rude, mut other) = (app.greeted_tab().await, app.greeted_tab().await);
    // RFC 6455, section 5.2: opcode 3 is reserved; masked, empty.
    rude.send_bytes(&[0x83, 0x80, 0, 0, 0, 0]).await;
    assert_eq!(rude.close_code().await.map(|(code, _)| code), Some(1002));
    assert_eq!(other.drain().await, Vec::<Frame>::new());
}

#[tokio::test]
async fn an_unknown_session_is_refused_before_the_socket_opens() {
    let app = TestApp::start().await;
    for (path, status, code) in [
        ("/agents/assistant/default?session=none", 404, "unknown_session"),
        ("/agents/nobody/default", 404, "unknown_agent"),
        ("/agents/assistant/no.dots", 404, "unknown_agent"),
        ("/agents/assistant/default?window=many", 400, "bad_request"),
    ] {
        let Err((got, problem)) = Tab::open(app.address, path, &[]).await else { panic!("{path} opened") };
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{path}");
    }
}

#[tokio::test]
async fn a_request_that_names_an_unknown_session_is_answered() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    let body = json!({"messages": [user("u1", "hi")], "sessionId": "none"}).to_string();
    let init = json!({"method": "POST", "body": body});
    tab.send(json!({"type": "cf_agent_use_chat_request", "id": "r1", "init": init})).await;
    let frames = tab.until_done("r1").await;
    assert_eq!(frames.last().unwrap()["error"], true, "{frames:?}");
}

#[tokio::test]
async fn strange_text_is_kept_as_it_is() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    let strange = "a\u{0}b \u{202e} 🌳 \u{fffd} <script>";
    provider.say([strange]);
    tab.send(chat("r1", &[user("u1", strange)])).await;
    assert_eq!(text_of(&tab.until_turn_ends("r1").await, "r1"), strange);
    let hist = app.hist().await;
    assert_eq!(
        [&hist[0]["parts"][0]["text"], &hist[1]["parts"].as_array().unwrap().last().unwrap()["text"]],
        [strange; 2]
    );
}
