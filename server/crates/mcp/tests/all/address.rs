//! A server at an address.

use crate::support::{call, names, ready, soon, start, start_with, state, until};
use axum::Json;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use mcp::Target;
use serde_json::{Value, json};
use think::ToolSource;
use tokio::net::TcpListener;
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
