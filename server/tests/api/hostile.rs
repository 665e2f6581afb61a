//! What attackers send: frames that are none, heads without end, tricks with addresses and hosts, sockets by the hundred
//! and cut in the middle. Each is answered or closed with the right code; nobody else notices, nothing panics, and nothing
//! is left open.

use crate::support::{Bough, Provider, Tab, chat, text_of, user, within};
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::Message;

const SOCKETS: usize = 250;

/// Sends bytes and reads to the end; the first line of the answer, if there is one.
async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let exchange = async {
        // A server that refuses early closes while this is still sent.
        let _refused = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _reset = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    };
    within("an answer or the end", exchange).await
}

fn head(line: &str, headers: &str) -> Vec<u8> {
    format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n").into_bytes()
}

/// A request, and the status of its answer.
fn heads() -> Vec<(&'static str, Vec<u8>, u16)> {
    let host = "Host: localhost\r\n";
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    let long = format!("{host}X-Long: {}\r\n", "a".repeat(1_000_000));
    let body = |length: &str| format!("{host}Content-Type: application/json\r\nContent-Length: {length}\r\n");
    vec![
        ("a plain one", head("GET /healthz", host), 200),
        ("no host", head("GET /healthz", ""), 403),
        ("two hosts", head("GET /healthz", "Host: localhost\r\nHost: evil.example\r\n"), 403),
        (
            "two hosts, the other way round",
            head("GET /healthz", "Host: evil.example\r\nHost: localhost\r\n"),
            403,
        ),
        ("another host", head("GET /healthz", "Host: evil.example\r\n"), 403),
        ("another host in the address", head("GET http://evil.example/healthz", host), 403),
        (
            "two origins",
            head("GET /healthz", &format!("{host}Origin: http://localhost\r\nOrigin: http://evil\r\n")),
            403,
        ),
        ("many headers", head("GET /healthz", &format!("{host}{many}")), 431),
        ("a long header", head("GET /healthz", &long), 431),
        ("a long address", head(&format!("GET /{}", "a".repeat(100_000)), host), 414),
        ("no version", b"GET /\r\n\r\n".to_vec(), 400),
        ("no HTTP", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400),
        ("a length that is none", head("POST /api/v1/agents/assistant/default/sessions", &body("many")), 400),
        ("up and out", head("GET /pkg/../../../../etc/passwd", host), 404),
        ("up and out, encoded", head("GET /pkg/%2e%2e/%2e%2e/%2e%2e/etc/passwd", host), 404),
        ("a NUL", head("GET /pkg/%00", host), 404),
        ("an instance that is a path", head("GET /agents/assistant/..%2f..%2fx/get-messages", host), 404),
        ("an instance with a NUL", head("GET /api/v1/agents/assistant/a%00b/sessions", host), 404),
        ("bytes that are no text", head("GET /api/v1/agents/assistant/%ff/sessions", host), 400),
        ("a verb nobody knows", head("BREW /healthz", host), 405),
    ]
}

/// A client's frame: its first byte, and a masked payload. The mask is zero.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        short @ 0..=125 => bytes.push(0x80 | u8::try_from(short).unwrap()),
        long => {
            bytes.push(0x80 | 126);
            bytes.extend(u16::try_from(long).unwrap().to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Bytes on an open socket, and the code it is closed with. See RFC 6455, sections 5 and 7.
fn frames() -> Vec<(&'static str, Vec<u8>, u16)> {
    vec![
        ("no mask", vec![0x81, 0x02, b'{', b'}'], 1002),
        ("a compressed frame, which nobody agreed to", frame(0xc1, b"{}"), 1002),
        ("a reserved kind", frame(0x83, b""), 1002),
        ("the rest of nothing", frame(0x80, b"{}"), 1002),
        ("a message within a message", [frame(0x01, b"{"), frame(0x81, b"{}")].concat(), 1002),
        ("a ping in pieces", frame(0x09, b""), 1002),
        ("a ping that is too long", frame(0x89, &[b'a'; 126]), 1002),
        ("a close of one byte", frame(0x88, &[3]), 1002),
        ("text that is none", frame(0x81, &[0xff, 0xfe]), 1007),
        ("half a character at the end", [frame(0x01, b"\"\xf0\x9f"), frame(0x80, b"\"")].concat(), 1007),
        (
            "a length of exabytes",
            vec![0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
            1009,
        ),
    ]
}

/// A text, and what it is answered with.
fn texts() -> Vec<(&'static str, String, &'static str)> {
    let request = |body: &str| json!({"type": "cf_agent_use_chat_request", "id": "r", "init": {"method": "POST", "body": body}});
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let part = |part: &str| format!(r#"{{"messages":[{{"id":"m","role":"user","parts":[{part}]}}]}}"#);
    let parts = vec![r#"{"type":"text","text":"x"}"#; 10_001].join(",");
    vec![
        ("nothing", String::new(), "bad_frame"),
        ("deep", deep(100_000), "bad_frame"),
        (
            "a number beyond all",
            r#"{"type":"rpc","id":"x","method":"m","args":[1e999]}"#.to_owned(),
            "bad_frame",
        ),
        ("a lone surrogate", r#"{"type":"rpc","id":"\ud800","method":"m"}"#.to_owned(), "bad_frame"),
        ("a list for a name", r#"{"type":["rpc"]}"#.to_owned(), "bad_frame"),
        ("a NUL in a name", json!({"type": "rpc\u{0}"}).to_string(), "unknown_frame"),
        ("a number for an id", r#"{"type":"rpc","id":7,"method":"m","args":[]}"#.to_owned(), "bad_request"),
        ("a body that is deep", request(&deep(100_000)).to_string(), "bad_request"),
        (
            "a body with a lone surrogate",
            request(&part(r#"{"type":"text","text":"\ud800"}"#)).to_string(),
            "bad_request",
        ),
        (
            "a part that is deep",
            request(&part(&format!(r#"{{"type":"text","text":"x","more":{}}}"#, deep(120)))).to_string(),
            "bad_request",
        ),
        ("too many parts", request(&part(&parts)).to_string(), "too_large"),
        (
            "an id without end",
            request(&format!(r#"{{"messages":[{{"id":"{}","role":"user","parts":[]}}]}}"#, "m".repeat(300)))
                .to_string(),
            "bad_request",
        ),
        ("messages that are none", request(r#"{"messages":[7]}"#).to_string(), "bad_request"),
    ]
}

async fn open(address: SocketAddr) -> Tab {
    let opened = Tab::open(address, "/agents/assistant/default", &[]).await;
    let mut tab = opened.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let _greeting = tab.until(|frame| frame["type"] == "cf_agent_chat_messages").await;
    tab
}

#[tokio::test]
async fn whatever_is_sent_is_answered_or_closed_and_leaves_nothing_behind() {
    let (provider, data) = (Provider::start().await, tempfile::tempdir().unwrap());
    let bough = Bough::start(data.path(), &provider).await;
    let mut other = open(bough.address).await;
    for (name, bytes, status) in heads() {
        let line = raw(bough.address, &bytes).await;
        assert_eq!(line.split(' ').nth(1), Some(status.to_string().as_str()), "{name}: {line:?}");
    }
    for (name, bytes, code) in frames() {
        let mut tab = open(bough.address).await;
        tab.send_bytes(&bytes).await;
        assert_eq!(tab.close_code().await.map(|(code, _)| code), Some(code), "{name}");
    }
    let mut tab = open(bough.address).await;
    for (name, text, code) in texts() {
        tab.send_message(Message::text(text)).await;
        let refusal = tab.until(|frame| frame["type"] == "bough_error").await.pop().unwrap();
        assert_eq!(refusal["code"], code, "{name}: {refusal}");
    }
    // In pieces, among pings.
    let text = r#"{"type":"nope","id":"in pieces"}"#.as_bytes();
    for byte in &text[..1] {
        tab.send_bytes(&frame(0x01, &[*byte])).await;
    }
    for byte in &text[1..] {
        tab.send_bytes(&[frame(0x89, b"are you there?"), frame(0x00, &[*byte])].concat()).await;
    }
    tab.send_bytes(&frame(0x80, b"")).await;
    let refusal = tab.until(|frame| frame["id"] == "in pieces").await.pop().unwrap();
    assert_eq!(refusal["code"], "unknown_frame");
    let pings: Vec<u8> = (0..5_000).flat_map(|_| frame(0x89, b"ping")).collect();
    tab.send_bytes(&pings).await;
    assert_eq!(tab.drain().await.len(), 0);

    // Cut in the middle of a frame, by the hundred.
    let mut cut = Vec::new();
    for _ in 0..SOCKETS {
        cut.push(open(bough.address).await);
    }
    for tab in &mut cut {
        tab.send_bytes(&[0x81, 0xfe, 0xff, 0xff, 0, 0, 0, 0, b'{']).await;
    }
    drop((cut, tab));
    provider.say(["still here"]);
    other.send(chat("r1", &[user("u1", "hi")])).await;
    assert_eq!(text_of(&other.until_turn_ends("r1").await, "r1"), "still here");
    let numbers = async || {
        let answer = reqwest::get(format!("http://{}/metrics", bough.address)).await.unwrap();
        answer.text().await.unwrap()
    };
    let let_go = async { while !numbers().await.contains("bough_sockets_open 1\n") {} };
    within("the server to let go of its sockets", let_go).await;
    drop(other);
    bough.signal("TERM").await;
    let (code, said) = bough.ended().await;
    assert_eq!(code, Some(0));
    assert!(!said.contains("panicked") && !said.contains("defect"), "{said}");
}
