//! Tools that come and go while the server runs: a turn takes those that are there when it is planned.

use super::Tool;
use crate::turn::{Place, PlannedTool};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;

/// Where an agent finds tools beyond its fixed ones. Neither method waits.
pub trait ToolSource: Send + Sync {
    /// What there is now, best first: of two with one name the first is taken, and an agent's own tools before all.
    fn tools(&self) -> Vec<Arc<dyn Tool>>;

    /// What a socket hears about its servers in `cf_agent_mcp_servers`; none where it has no servers.
    fn describe(&self) -> Option<Value>;

    /// Counts what becomes different in it; none where nothing ever does.
    fn news(&self) -> Option<watch::Receiver<u64>> {
        None
    }
}

/// The tools of one turn: an agent's own, then those of its source with names that are still free.
pub(crate) fn toolbox(own: &[Arc<dyn Tool>], source: Option<&dyn ToolSource>) -> Vec<Arc<dyn Tool>> {
    let mut tools = own.to_vec();
    for tool in source.map(ToolSource::tools).unwrap_or_default() {
        let name = tool.spec().name;
        if find(&tools, &name).is_none() {
            tools.push(tool);
        }
    }
    tools
}

/// The tool of that name.
pub(crate) fn find<'a>(tools: &'a [Arc<dyn Tool>], name: &str) -> Option<&'a Arc<dyn Tool>> {
    tools.iter().find(|tool| tool.spec().name == name)
}

/// What the machine and the model know of them.
pub(crate) fn planned(tools: &[Arc<dyn Tool>]) -> Vec<PlannedTool> {
    let planned = tools.iter().map(|tool| {
        let place = if tool.needs_approval() { Place::ServerAfterApproval } else { Place::Server };
        PlannedTool { spec: tool.spec(), place }
    });
    planned.collect()
}
