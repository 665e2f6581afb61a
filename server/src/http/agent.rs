//! What an agent is, for people who want to see it: no secrets, nothing that can be changed here.

use super::Agent;
use crate::error::AppError;
use protocol::{ScheduleInfo, SessionId, SubmissionStatus, ToolSpec, limits};
use serde::Serialize;
use serde_json::Value;
use think::turn::Overlap;
use utoipa::ToSchema;

/// An agent instance.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentInfo {
    /// The agent.
    name: String,
    /// The instance.
    instance: String,
    /// The model of sessions that chose none.
    model: String,
    /// Most model calls of one turn.
    max_steps: u32,
    /// What happens to a message that arrives while a turn runs.
    concurrency: &'static str,
    /// What the model may call besides the tools of context blocks and browsers.
    tools: Vec<AgentTool>,
    /// The labels of the default session's context blocks.
    blocks: Vec<String>,
    /// Tool servers outside.
    mcp_servers: Vec<ToolServer>,
    /// How many submissions wait or run.
    submissions: usize,
    /// What the agent does by itself.
    schedules: Vec<ScheduleInfo>,
}

/// A tool.
#[derive(Debug, Serialize, ToSchema)]
struct AgentTool {
    name: String,
    description: Option<String>,
    /// `agent` for its own, `mcp` for those of a tool server.
    source: &'static str,
}

/// A tool server.
#[derive(Debug, Serialize, ToSchema)]
struct ToolServer {
    name: String,
    /// `connecting`, `ready` or `failed`.
    state: String,
    /// Why it is not connected.
    error: Option<String>,
    /// How many tools it has.
    tools: usize,
}

/// What the agent is
#[utoipa::path(get, path = "/agent", responses((status = 200, body = AgentInfo)))]
pub(crate) async fn read(Agent(engine): Agent) -> Result<axum::Json<AgentInfo>, AppError> {
    let spec = engine.spec();
    let blocks = engine.blocks(&SessionId::default()).await?.unwrap_or_default();
    let mut submissions = 0;
    for status in [SubmissionStatus::Pending, SubmissionStatus::Running] {
        submissions += engine.submissions(Some(status), limits::SUBMISSION_PAGE_MAX).await?.len();
    }
    let servers = spec.tool_source.as_ref().and_then(|source| source.describe());
    let (own, further) = engine.offered_tools();
    let tools = own.into_iter().map(|spec| tool(spec, "agent"));
    let further = further.into_iter().map(|spec| {
        let source = if is_served(servers.as_ref(), &spec.name) { "mcp" } else { "agent" };
        tool(spec, source)
    });
    Ok(axum::Json(AgentInfo {
        name: engine.agent().to_owned(),
        instance: engine.instance().to_owned(),
        model: spec.usual_model(),
        max_steps: spec.max_steps,
        concurrency: word(spec.turns.overlap),
        tools: tools.chain(further).collect(),
        blocks: blocks.into_iter().map(|block| block.label).collect(),
        mcp_servers: servers.as_ref().map(tool_servers).unwrap_or_default(),
        submissions,
        schedules: engine.schedules().await?,
    }))
}

fn tool(spec: ToolSpec, source: &'static str) -> AgentTool {
    AgentTool { name: spec.name, description: spec.description, source }
}

/// Whether a tool comes from a tool server.
fn is_served(described: Option<&Value>, tool: &str) -> bool {
    let tools = described.and_then(|described| described.get("tools")?.as_array());
    tools.into_iter().flatten().any(|served| served.get("name").and_then(Value::as_str) == Some(tool))
}

fn tool_servers(described: &Value) -> Vec<ToolServer> {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let tools: Vec<Option<&str>> = described
        .get("tools")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|tool| tool.get("serverId").and_then(Value::as_str))
        .collect();
    let servers = described.get("servers").and_then(Value::as_object).into_iter().flatten();
    let server = servers.map(|(id, server)| ToolServer {
        name: text(server, "name").unwrap_or_else(|| id.clone()),
        state: text(server, "state").unwrap_or_default(),
        error: text(server, "error"),
        tools: tools.iter().filter(|owner| **owner == Some(id.as_str())).count(),
    });
    server.collect()
}

fn word(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Queue => "queue",
        Overlap::Latest => "latest",
        Overlap::Merge => "merge",
        Overlap::Drop => "drop",
        Overlap::Debounce(_) => "debounce",
    }
}
