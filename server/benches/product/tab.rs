//! A browser tab that looks at frames as text, so that reading them costs little.

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// An open socket to one session.
pub(crate) struct Tab {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Tab {
    /// Opens the socket of a session and waits for the greeting.
    pub(crate) async fn open(address: SocketAddr, session: &str) -> Self {
        let mut tab = Self::unread(address, session).await;
        let _greeting = tab.until(|frame| frame.contains("cf_agent_chat_messages")).await;
        tab
    }

    /// Opens the socket without reading.
    pub(crate) async fn unread(address: SocketAddr, session: &str) -> Self {
        let url = format!("ws://{address}/agents/assistant/default?session={session}&window=50");
        // The buffer is filled with zeros before each read; a large one would cost these tabs more than the server.
        let config = WebSocketConfig::default().read_buffer_size(4 * 1024);
        let (socket, _response) = connect_async_with_config(url, Some(config), true).await.unwrap();
        Self { socket }
    }

    pub(crate) async fn send(&mut self, frame: &Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// Asks a question: a list that holds only the new message.
    pub(crate) async fn ask(&mut self, id: &str, text: &str) {
        self.ask_after(id, text, &[]).await;
    }

    /// Asks with the messages before it uploaded too.
    pub(crate) async fn ask_after(&mut self, id: &str, text: &str, before: &[Value]) {
        let user =
            json!({ "id": format!("u-{id}"), "role": "user", "parts": [{ "type": "text", "text": text }] });
        let mut messages = before.to_vec();
        messages.push(user);
        let body = json!({ "messages": messages, "trigger": "submit-message" }).to_string();
        let init = json!({ "method": "POST", "body": body });
        self.send(&json!({ "type": "cf_agent_use_chat_request", "id": id, "init": init })).await;
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> String {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return text.as_str().to_owned(),
                Some(Ok(_)) => {}
                other => panic!("the socket ended: {other:?}"),
            }
        }
    }

    /// The first frame that fits.
    pub(crate) async fn until(&mut self, fits: impl Fn(&str) -> bool) -> String {
        loop {
            let frame = self.next().await;
            if fits(&frame) {
                return frame;
            }
        }
    }

    /// Reads to the end of a turn; whether it failed.
    pub(crate) async fn done(&mut self, id: &str) -> Outcome {
        let name = format!("\"id\":\"{id}\"");
        let mut outcome = Outcome::Complete;
        loop {
            let frame = self.next().await;
            if !frame.contains("cf_agent_use_chat_response") || !frame.contains(&name) {
                continue;
            }
            if frame.contains("\"error\":true") {
                outcome = Outcome::Failed;
            }
            if frame.contains("\"done\":true") {
                return outcome;
            }
        }
    }
}

/// How a turn went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Complete,
    Failed,
}
