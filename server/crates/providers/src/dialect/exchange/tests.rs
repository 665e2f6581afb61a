//! Connections to providers are used again, although the end of an answer comes after its last word.

use super::*;
use crate::dialect::openai;
use crate::http::HttpSettings;
use futures::StreamExt;
use std::sync::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// More calls than it takes for a connection to come back.
const CALLS: usize = 50;
const ANSWER: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: [DONE]\n\n";

/// A provider that ends an answer only when it may.
#[derive(Default)]
struct Late {
    may_end: Notify,
    /// How many requests each connection brought.
    requests: Mutex<Vec<usize>>,
}

impl Late {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        while let Ok((stream, _address)) = listener.accept().await {
            let number = self.requests.lock().unwrap().len();
            self.requests.lock().unwrap().push(0);
            let _task = connections.spawn(Arc::clone(&self).answer(BufReader::new(stream), number));
        }
    }

    async fn answer(self: Arc<Self>, mut stream: BufReader<TcpStream>, number: usize) {
        while let Some(length) = head(&mut stream).await {
            stream.read_exact(&mut vec![0; length]).await.unwrap();
            self.requests.lock().unwrap()[number] += 1;
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            let piece = format!("{head}{:x}\r\n{ANSWER}\r\n", ANSWER.len());
            stream.write_all(piece.as_bytes()).await.unwrap();
            self.may_end.notified().await;
            // Nobody may be there any more.
            let _sent = stream.write_all(b"0\r\n\r\n").await;
        }
    }
}

/// Reads the head of a request; the length of its body, none where the connection has ended.
async fn head(stream: &mut BufReader<TcpStream>) -> Option<usize> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            return Some(length);
        }
    }
}

#[tokio::test]
async fn a_connection_is_used_again_although_its_answer_ends_late() {
    let (server, listener) = (Arc::new(Late::default()), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    let _task = tasks.spawn(Arc::clone(&server).serve(listener));
    let http = HttpClient::new(HttpSettings::default()).unwrap();
    let link = Link {
        target: Target::new("acme", &format!("http://{address}/v1"), None).unwrap(),
        http: http.clone(),
        retry: RetryPolicy::default(),
        entropy: Entropy::fixed(1),
        now: Now::new(|| 0),
    };
    let model = openai::provider(link, openai::ReasoningReplay::Never, openai::ThinkTags::Text).model("m");
    for _ in 0..CALLS {
        let events: Vec<_> = model.call(ModelRequest::default()).collect().await;
        assert!(matches!(events.last(), Some(Ok(model::ModelEvent::Finish { .. }))), "{events:?}");
        server.may_end.notify_one();
        http.settled().await;
        if server.requests.lock().unwrap().iter().any(|requests| *requests > 1) {
            return;
        }
    }
    panic!("every call made a connection of its own: {:?}", server.requests.lock().unwrap());
}
