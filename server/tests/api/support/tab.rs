//! A browser tab: a socket that sends frames and reads them one by one, each with a limit on the wait.

use super::within;
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// A frame as the tab sees it.
pub(crate) type Frame = Value;

pub(crate) struct Tab {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    probes: u32,
}

impl Tab {
    /// Opens the socket at a path; headers are added to the request's.
    pub(crate) async fn open(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, (u16, Value)> {
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            let _old = request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match within("the socket to open", connect_async(request)).await {
            Ok((socket, _)) => Ok(Self { socket, probes: 0 }),
            Err(Error::Http(response)) => {
                let status = response.status().as_u16();
                let body = response.body().as_deref().unwrap_or_default();
                Err((status, serde_json::from_slice(body).unwrap_or(Value::Null)))
            }
            Err(error) => panic!("the socket did not open: {error}"),
        }
    }

    pub(crate) async fn send(&mut self, frame: Value) {
        self.send_message(Message::text(frame.to_string())).await;
    }

    pub(crate) async fn send_message(&mut self, message: Message) {
        within("the socket to take a message", self.socket.send(message)).await.unwrap();
    }

    /// Sends what the other side will not take to its end.
    pub(crate) async fn send_in_vain(&mut self, message: Message) {
        let _refused = within("the socket to take or refuse a message", self.socket.send(message)).await;
    }

    /// Sends bytes past the library's framing.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        within("the socket to take bytes", self.socket.get_mut().write_all(bytes)).await.unwrap();
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> Frame {
        loop {
            match within("a frame", self.socket.next()).await {
                Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).unwrap(),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                other => panic!("expected a frame, got {other:?}"),
            }
        }
    }

    /// Frames up to and with the first that fits.
    pub(crate) async fn until(&mut self, fits: impl Fn(&Frame) -> bool) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            let is_last = fits(&frame);
            frames.push(frame);
            if is_last {
                return frames;
            }
        }
    }

    /// Frames up to and with the end of a turn as this project's own frame tells it.
    pub(crate) async fn until_turn_ends(&mut self, id: &str) -> Vec<Frame> {
        self.until(|frame| kind(frame) == "bough_turn" && frame["id"] == id).await
    }

    /// Frames until a request's answer says this.
    pub(crate) async fn until_text(&mut self, id: &str, text: &str) -> Vec<Frame> {
        let mut frames = Vec::new();
        while text_of(&frames, id) != text {
            frames.push(self.next().await);
        }
        frames
    }

    /// Frames up to and with `done` of a request.
    pub(crate) async fn until_done(&mut self, id: &str) -> Vec<Frame> {
        self.until(|frame| frame["id"] == id && frame["done"] == true).await
    }

    /// Everything that comes before the answer to a question asked now.
    pub(crate) async fn drain(&mut self) -> Vec<Frame> {
        self.probes += 1;
        let probe = format!("probe-{}", self.probes);
        self.send(json!({"type": "cf_agent_stream_resume_request", "probeId": probe})).await;
        let mut frames = self.until(|frame| frame["probeId"] == *probe).await;
        let _answer = frames.pop();
        frames
    }

    /// The code and reason of the close, whatever comes before it. Reads to the end, as browsers do, so that the
    /// server gets its answer.
    pub(crate) async fn close_code(&mut self) -> Option<(u16, String)> {
        let mut close = None;
        while let Some(Ok(message)) = within("the socket to close", self.socket.next()).await {
            if let Message::Close(Some(frame)) = message {
                close = Some((frame.code.into(), frame.reason.to_string()));
            }
        }
        close
    }
}

/// A frame's type.
pub(crate) fn kind(frame: &Frame) -> &str {
    frame["type"].as_str().unwrap_or_default()
}

/// A message of a person.
pub(crate) fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "role": "user", "parts": [{"type": "text", "text": text}]})
}

/// A request for a turn.
pub(crate) fn chat(id: &str, messages: &[Value]) -> Value {
    let body = json!({"messages": messages}).to_string();
    json!({"type": "cf_agent_use_chat_request", "id": id, "init": {"method": "POST", "body": body}})
}

/// The text that the chunks of a request add up to.
pub(crate) fn text_of(frames: &[Frame], id: &str) -> String {
    let bodies =
        frames.iter().filter(|frame| frame["id"] == id && frame["done"] == false && frame["error"] != true);
    let chunks = bodies.filter_map(|frame| serde_json::from_str::<Value>(frame["body"].as_str()?).ok());
    chunks
        .filter(|chunk| chunk["type"] == "text-delta")
        .filter_map(|it| it["delta"].as_str().map(str::to_owned))
        .collect()
}
