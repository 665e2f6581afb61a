//! How a server is reached: a process that speaks over its pipes, or an address.

use crate::servers::{ServerConfig, Surroundings, Target};
use protocol::limits::{MCP_CONNECT_MS, MCP_MESSAGE_MAX_BYTES};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::Notify;

/// Hears what a server says unasked.
#[derive(Clone, Default)]
pub(crate) struct Listener {
    /// Told when the server's list of tools is another one.
    pub(crate) changed: Arc<Notify>,
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("bough", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

/// An open connection. Dropping it closes it and kills the process.
pub(crate) struct Link {
    pub(crate) service: RunningService<RoleClient, Listener>,
    pub(crate) process: Option<Child>,
}

/// Starts or calls the server and greets it.
pub(crate) async fn open(
    config: &ServerConfig,
    surroundings: &Surroundings,
    listener: Listener,
) -> Result<Link, String> {
    let limit = Duration::from_millis(MCP_CONNECT_MS);
    let opening = async {
        match &config.target {
            Target::Command(words) => start(words, surroundings, listener).await,
            Target::Url(url) => call(url, &config.headers, listener).await,
        }
    };
    match tokio::time::timeout(limit, opening).await {
        Ok(link) => link,
        Err(_elapsed) => Err(format!("no answer within {} s (MCP_CONNECT_MS)", limit.as_secs())),
    }
}

async fn start(words: &[String], surroundings: &Surroundings, listener: Listener) -> Result<Link, String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("the command is empty".to_owned());
    };
    let mut process = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(surroundings.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let (Some(output), Some(input)) = (process.stdout.take(), process.stdin.take()) else {
        return Err(format!("{program} has no pipes"));
    };
    let transport = AsyncRwTransport::new(output, input).with_max_line_length(MCP_MESSAGE_MAX_BYTES);
    let service = listener.serve(transport).await.map_err(|error| error.to_string())?;
    Ok(Link { service, process: Some(process) })
}

async fn call(url: &str, headers: &[(String, String)], listener: Listener) -> Result<Link, String> {
    let client = reqwest::Client::builder()
        .default_headers(header_map(headers)?)
        .connect_timeout(Duration::from_millis(MCP_CONNECT_MS))
        // A redirect could lead what the model says to another host.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| error.to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.max_json_response_size = MCP_MESSAGE_MAX_BYTES;
    config.max_sse_event_size = MCP_MESSAGE_MAX_BYTES;
    let transport = StreamableHttpClientTransport::with_client(client, config);
    let service = listener.serve(transport).await.map_err(|error| error.to_string())?;
    Ok(Link { service, process: None })
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let key = HeaderName::try_from(name).map_err(|_wrong| format!("{name:?} is no name of a header"))?;
        let mut value = HeaderValue::try_from(value).map_err(|_wrong| {
            format!("the value of the header {name} holds signs that no header can hold")
        })?;
        value.set_sensitive(true);
        let _earlier = map.insert(key, value);
    }
    Ok(map)
}
