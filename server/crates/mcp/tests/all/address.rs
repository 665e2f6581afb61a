//! A server at an address.

use crate::support::{call, names, ready, soon, start, start_with, state, until};
use axum::Json;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::StreamExt;
use mcp::Target;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use think::ToolSource;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Serves until it is dropped.
async fn serve() -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/mcp", post(answer));
    let mut server = JoinSet::new();
    let _task = server.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (format!("http://user:word@{address}/mcp?key=secret"), server)
}

async fn answer(headers: HeaderMap, Json(message): Json<Value>) -> Response {
    let Some(id) = message.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "http", "version": "1" },
        }),
        Some("tools/list") => {
            let tool = |name| json!({ "name": name, "inputSchema": { "type": "object" } });
            json!({ "tools": [tool("add"), tool("garbage"), tool("broken"), tool("who")] })
        }
        Some("tools/call") => match message["params"]["name"].as_str() {
            Some("garbage") => return ([(CONTENT_TYPE, "application/json")], "{what").into_response(),
            Some("broken") => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            Some("who") => {
                let token = headers.get("authorization").and_then(|token| token.to_str().ok());
                let text =
                    json!({ "type": "text", "text": format!("no entry for {}", token.unwrap_or("nobody")) });
                json!({ "content": [text], "isError": true })
            }
            _ => json!({ "content": [], "structuredContent": message["params"]["arguments"] }),
        },
        _ => Value::Null,
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

#[tokio::test]
async fn tools_are_called_and_what_breaks_is_a_failed_call() {
    let (url, server) = serve().await;
    let servers = start(Target::Url(url));
    ready(&servers).await;
    assert_eq!(names(&servers), ["test_add", "test_garbage", "test_broken", "test_who"]);
    assert_eq!(call(&servers, "test_add").await, Ok(json!({ "a": 1 })));
    for broken in ["test_garbage", "test_broken"] {
        let failed = call(&servers, broken).await.unwrap_err();
        assert!(!failed.contains("secret") && !failed.contains("word"), "{failed}");
        ready(&servers).await;
        assert_eq!(call(&servers, "test_add").await, Ok(json!({ "a": 1 })), "after {broken}");
    }
    let shown = servers.describe().unwrap()["servers"]["test"]["server_url"].clone();
    let shown = shown.as_str().unwrap();
    assert!(shown.starts_with("http://127.0.0.1:") && shown.ends_with("/mcp"), "{shown}");
    drop(server);
    soon("the end", servers.stop()).await;
}

/// A server that can become another one, and says so to who listens.
#[derive(Default)]
struct Growing {
    is_grown: AtomicBool,
    news: Notify,
}

async fn answer_growing(State(growing): State<Arc<Growing>>, Json(message): Json<Value>) -> Response {
    let Some(id) = message.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let tool = |name| json!({ "name": name, "inputSchema": { "type": "object" } });
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "http", "version": "1" },
        }),
        Some("tools/list") if growing.is_grown.load(Ordering::Relaxed) => {
            json!({ "tools": [tool("grow"), { "name": "bare" }, tool("grown")] })
        }
        Some("tools/list") => json!({ "tools": [tool("grow")] }),
        _ => {
            growing.is_grown.store(true, Ordering::Relaxed);
            growing.news.notify_one();
            json!({ "content": [] })
        }
    };
    let answer = Json(json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    ([("mcp-session-id", "one")], answer).into_response()
}

/// What the server says unasked.
async fn news(State(growing): State<Arc<Growing>>) -> Response {
    let event = async move {
        growing.news.notified().await;
        let news = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        Ok::<_, std::io::Error>(format!("data: {news}\n\n"))
    };
    let events = futures::stream::once(event).chain(futures::stream::pending());
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

#[tokio::test]
async fn a_list_that_changes_behind_an_address_is_read_again_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let ended = || async { StatusCode::OK };
    let routes = post(answer_growing).get(news).delete(ended);
    let router = Router::new().route("/mcp", routes).with_state(Arc::<Growing>::default());
    let mut server = JoinSet::new();
    let _task = server.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let servers = start(Target::Url(url));
    ready(&servers).await;
    assert_eq!(names(&servers), ["test_grow"]);
    assert_eq!(call(&servers, "test_grow").await, Ok(json!("")));
    until(&servers, "the new list", |servers| names(servers) == ["test_grow", "test_grown"]).await;
    let told = servers.describe().unwrap()["servers"]["test"].clone();
    let why = "1 of its tools left out: bare: missing field `inputSchema`";
    assert_eq!((&told["state"], &told["error"]), (&json!("ready"), &json!(why)));
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn nobody_there_is_a_failure_that_keeps_the_address_to_itself() {
    let (url, server) = serve().await;
    drop(server);
    let servers = start(Target::Url(url));
    until(&servers, "the failure", |servers| state(servers) == json!("failed")).await;
    let told = servers.describe().unwrap().to_string();
    assert!(!told.contains("secret") && !told.contains("word"), "{told}");
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn headers_go_to_the_server_and_nowhere_else() {
    let (url, server) = serve().await;
    let url = url.replace("user:word@", "");
    let headers = vec![("Authorization".to_owned(), "Bearer hidden".to_owned())];
    let servers = start_with(Target::Url(url), headers);
    ready(&servers).await;
    assert_eq!(call(&servers, "test_who").await, Err("no entry for Bearer hidden".to_owned()));
    assert!(!servers.describe().unwrap().to_string().contains("hidden"));
    drop(server);
    soon("the end", servers.stop()).await;
}
