//! Servers to connect to, and how to wait for what they do.

use mcp::{McpServers, ServerConfig, Surroundings, Target};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use think::{Tool, ToolSource};

/// A story that hangs is broken; no story waits for this.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("never happened: {what}"))
}

pub(crate) fn start(target: Target) -> McpServers {
    start_with(target, Vec::new())
}

pub(crate) fn start_with(target: Target, headers: Vec<(String, String)>) -> McpServers {
    let environment = vec![("HOME".to_owned(), "/home/x".to_owned())];
    let retry = (Duration::from_millis(1), Duration::from_millis(1));
    let config = ServerConfig { name: "test".to_owned(), target, headers, approve: vec!["die".to_owned()] };
    McpServers::start(vec![config], &Surroundings { environment, retry })
}

/// Waits until what is known of the servers is so.
pub(crate) async fn until(servers: &McpServers, what: &str, is_so: impl Fn(&McpServers) -> bool) {
    let mut changes = servers.changes();
    let wait = async {
        while !is_so(servers) {
            changes.changed().await.unwrap();
        }
    };
    soon(what, wait).await;
}

pub(crate) async fn ready(servers: &McpServers) {
    until(servers, "a connection", |servers| state(servers) == json!("ready")).await;
}

pub(crate) fn state(servers: &McpServers) -> Value {
    servers.describe().unwrap()["servers"]["test"]["state"].clone()
}

pub(crate) fn names(servers: &McpServers) -> Vec<String> {
    servers.tools().iter().map(|tool| tool.spec().name).collect()
}

pub(crate) fn tool(servers: &McpServers, name: &str) -> Arc<dyn Tool> {
    servers.tools().into_iter().find(|tool| tool.spec().name == name).unwrap()
}

pub(crate) async fn call(servers: &McpServers, name: &str) -> Result<Value, String> {
    soon(name, tool(servers, name).run(json!({ "a": 1 }))).await
}
