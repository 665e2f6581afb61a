//! The agents' connections to tool servers: one for each agent and server, whatever number of instances there is.

use crate::config::{AgentConfig, Config, McpConfig};
use mcp::{McpServers, ServerConfig, Surroundings, Target};
use std::collections::BTreeMap;
use std::sync::Arc;
use think::ToolSource;

/// By agent; only agents that have some.
pub(crate) struct ToolServers(BTreeMap<String, Arc<McpServers>>);

impl ToolServers {
    /// Begins to connect; nothing waits for it.
    pub(crate) fn start(config: &Config) -> Self {
        let surroundings = Surroundings::new(config.tool_environment.clone());
        let with_servers = config.agents.iter().filter(|agent| !agent.mcp_servers.is_empty());
        let start = |agent: &AgentConfig| {
            let servers = agent.mcp_servers.iter().filter_map(server).collect();
            (agent.name.clone(), Arc::new(McpServers::start(servers, &surroundings)))
        };
        Self(with_servers.map(start).collect())
    }

    /// What the engine takes of it for an agent.
    pub(crate) fn source(&self, agent: &AgentConfig) -> Option<Arc<dyn ToolSource>> {
        self.0.get(&agent.name).map(|servers| Arc::clone(servers) as Arc<dyn ToolSource>)
    }

    /// Ends every connection and every process.
    pub(crate) async fn stop(&self) {
        for servers in self.0.values() {
            servers.stop().await;
        }
    }
}

/// The configuration has checked that there is one of both.
fn server(config: &McpConfig) -> Option<ServerConfig> {
    let command = config.command.clone().map(Target::Command);
    let target = command.or_else(|| config.url.clone().map(Target::Url))?;
    let headers =
        config.secrets.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
    Some(ServerConfig { name: config.name.clone(), target, headers, approve: config.approve.clone() })
}
