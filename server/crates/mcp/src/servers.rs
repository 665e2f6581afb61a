//! The tool servers of one agent, as the engine's source of tools.

use crate::connection::{Connection, State};
use protocol::limits::MCP_RETRY_MS;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use think::{Tool, ToolSource};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// One tool server.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its tools' names begin with this and `_`.
    pub name: String,
    /// How it is reached.
    pub target: Target,
    /// Sent with every request to an address; the values are shown to nobody else.
    pub headers: Vec<(String, String)>,
    /// Its tools, by its own names for them, that a person must approve.
    pub approve: Vec<String>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program and its arguments: it is started here and speaks over its pipes.
    Command(Vec<String>),
    /// An address that answers over HTTP.
    Url(String),
}

impl ServerConfig {
    /// A text in which secrets of this server may occur, without them.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        let shown = self.target.without_secrets(text);
        let values = self.headers.iter().map(|(_, value)| value).filter(|value| !value.is_empty());
        values.fold(shown, |text, value| text.replace(value.as_str(), "••••"))
    }
}

impl Target {
    /// Without what may be secret: a program's arguments, an address's password and query.
    fn shown(&self) -> String {
        match self {
            Self::Command(words) => format!("stdio:{}", words.first().map_or("", String::as_str)),
            Self::Url(url) => reqwest::Url::parse(url).map_or_else(|_| String::new(), |url| plain(&url)),
        }
    }

    /// A text in which an address may occur, with [`Target::shown`] in its place.
    fn without_secrets(&self, text: &str) -> String {
        let Self::Url(url) = self else { return text.to_owned() };
        let Ok(parsed) = reqwest::Url::parse(url) else { return text.replace(url, "the address") };
        let shown = plain(&parsed);
        let query = parsed.query().map(|query| format!("?{query}")).unwrap_or_default();
        // Errors of requests show an address without its password and with its query.
        text.replace(url, &shown).replace(parsed.as_str(), &shown).replace(&format!("{shown}{query}"), &shown)
    }
}

fn plain(url: &reqwest::Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// What servers get of the world around.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// All the variables that a started process sees.
    pub environment: Vec<(String, String)>,
    /// First and longest wait before a server is tried again.
    pub retry: (Duration, Duration),
}

impl Surroundings {
    /// With these variables and the usual waits.
    pub fn new(environment: Vec<(String, String)>) -> Self {
        let (first, longest) = MCP_RETRY_MS;
        Self { environment, retry: (Duration::from_millis(first), Duration::from_millis(longest)) }
    }
}

/// Connections to tool servers. Dropping it ends them without waiting.
pub struct McpServers {
    connections: Vec<Arc<Connection>>,
    stopping: CancellationToken,
    tasks: TaskTracker,
    changes: watch::Sender<u64>,
}

impl McpServers {
    /// Begins to connect, and returns. Must be called within a runtime.
    pub fn start(configs: Vec<ServerConfig>, surroundings: &Surroundings) -> Self {
        let (stopping, tasks, changes) =
            (CancellationToken::new(), TaskTracker::new(), watch::Sender::new(0));
        let connect = |config| {
            let connection = Arc::new(Connection::new(config, changes.clone()));
            let (kept, surroundings, stopping) =
                (Arc::clone(&connection), surroundings.clone(), stopping.clone());
            let _task = tasks.spawn(async move { kept.keep(&surroundings, &stopping).await });
            connection
        };
        let connections = configs.into_iter().map(connect).collect();
        Self { connections, stopping, tasks, changes }
    }

    /// Counts what became different: a connection, its loss, a list of tools.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Ends every connection and every process.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for McpServers {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

impl ToolSource for McpServers {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.connections.iter().flat_map(|connection| connection.state().tools).collect()
    }

    fn news(&self) -> Option<watch::Receiver<u64>> {
        Some(self.changes())
    }

    fn describe(&self) -> Option<Value> {
        let (mut servers, mut tools) = (Map::new(), Vec::new());
        for connection in &self.connections {
            let name = &connection.config.name;
            let state = connection.state();
            tools.extend(state.tools.iter().map(|tool| {
                let spec = tool.spec();
                json!({
                    "serverId": name,
                    "name": spec.name,
                    "description": spec.description,
                    "inputSchema": spec.parameters,
                })
            }));
            servers.insert(name.clone(), server(connection, &state));
        }
        Some(json!({ "servers": servers, "tools": tools, "prompts": [], "resources": [] }))
    }
}

fn server(connection: &Connection, state: &State) -> Value {
    json!({
        "name": connection.config.name,
        "server_url": connection.config.target.shown(),
        "auth_url": null,
        "state": state.phase.word(),
        "error": state.error,
        "instructions": null,
        "capabilities": null,
    })
}
