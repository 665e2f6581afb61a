//! The agents of `bough.toml`: one table `[agents.NAME]` each.
//!
//! Every key that an agent may have is read and checked here.

use super::mcp::{KEYS as MCP_KEYS, McpConfig};
use super::models::{is_model_name, not_a_model};
use super::sources::{FileSource, check_keys, invalid, table};
use super::{ConfigError, Environment, is_name, name_rule, suggest};
use protocol::limits;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use think::{DEFAULT_SYSTEM_PROMPT, Schedule, ScheduleError};
use toml::{Table, Value};

/// The agent that exists when none is configured.
pub const DEFAULT_AGENT: &str = "assistant";
/// Most model calls a turn may be configured to make.
const STEPS_MAX: u32 = 1_000;
/// The tool sets that are built in.
const TOOL_SETS: [&str; 3] = ["calculate", "clock", "demo"];

const KEYS: [&str; 14] = [
    "schedules",
    "model",
    "system_prompt",
    "max_steps",
    "concurrency",
    "debounce_ms",
    "recovery",
    "stall_timeout_ms",
    "compact_after",
    "blocks",
    "skills",
    "tools",
    "mcp_servers",
    "agents",
];
const BLOCK_KEYS: [&str; 4] = ["description", "initial", "readonly", "max_tokens"];
const SCHEDULE_KEYS: [&str; 4] = ["schedule", "prompt", "timezone", "session"];

/// One agent: what its instances have in common.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct AgentConfig {
    /// As it stands in addresses.
    #[serde(skip)]
    pub name: String,
    /// `provider/model`; absent means the server's default.
    pub model: Option<String>,
    /// What the model is told first.
    pub system_prompt: String,
    /// Most model calls of one turn.
    pub max_steps: u32,
    /// What happens to messages that arrive while a turn runs.
    #[serde(flatten)]
    pub overlap: OverlapConfig,
    /// What happens when a turn does not end by itself.
    #[serde(flatten)]
    pub mishaps: MishapConfig,
    /// Tokens above which the conversation is compacted.
    pub compact_after: Option<u64>,
    /// What it knows beside the conversation.
    #[serde(flatten)]
    pub memory: MemoryConfig,
    /// Names of built-in tools: `calculate`, `clock`, and `demo`, which stands for `add` and `danger`, for trying things.
    /// Absent means none, but for the guide's tour while no other model is known.
    pub tools: Option<Vec<String>>,
    /// Tool servers: their tools join the agent's own while they are connected.
    pub mcp_servers: Vec<McpConfig>,
    /// Other agents that it may call as tools, each in a session of its own below.
    pub agents: Vec<String>,
    /// What it does by itself, by id.
    pub schedules: BTreeMap<String, ScheduleConfig>,
}

/// What an agent knows beside the conversation; it becomes its system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct MemoryConfig {
    /// Blocks of the system prompt, by label; all sessions share them. None at all means a memory for the agent
    /// `assistant` and nothing for others.
    pub blocks: Option<BTreeMap<String, BlockConfig>>,
    /// Folders with skills in the layout of Agent Skills, each one a block with the folder's name. Relative to the
    /// configuration file.
    pub skills: Vec<PathBuf>,
}

/// Messages that arrive while a turn runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OverlapConfig {
    /// What happens to a message that arrives while a turn runs; absent means `queue`.
    pub concurrency: Option<Concurrency>,
    /// How long `debounce` waits for another message, in milliseconds.
    pub debounce_ms: Option<u64>,
}

/// Turns that do not end by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct MishapConfig {
    /// Whether the next start takes up turns that the end of the server interrupted: one that had said nothing runs
    /// again, one whose tools had just answered goes on. Absent means it does. What was said is kept either way.
    pub recovery: Option<bool>,
    /// How long a model may say nothing before its call is given up, in milliseconds; 0 means for ever. Absent means
    /// ten minutes (`STALL_TIMEOUT_MS`).
    pub stall_timeout_ms: Option<u64>,
}

/// One task that an agent does by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct ScheduleConfig {
    /// When, for example `every weekday at 08:00 in Europe/Oslo`.
    pub schedule: String,
    /// What is said to the model then.
    pub prompt: String,
    /// The zone, where `schedule` names none.
    pub timezone: Option<String>,
    /// The session; absent means the default one.
    pub session: Option<String>,
}

impl ScheduleConfig {
    /// When it is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(&self) -> Result<Schedule, ScheduleError> {
        Schedule::parse(&self.schedule, self.timezone.as_deref())
    }
}

/// What happens to a message that arrives while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Concurrency {
    /// It waits for its turn.
    Queue,
    /// It is stored; only the newest one gets a turn.
    Latest,
    /// It is stored; one turn answers all that waited.
    Merge,
    /// It is refused.
    Drop,
    /// Like `latest`, after a pause without another one.
    Debounce,
}

/// One block of the system prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct BlockConfig {
    /// What it is for, as the model reads it.
    pub description: Option<String>,
    /// Its text at the start.
    pub initial: Option<String>,
    /// Whether only people may change it.
    pub readonly: bool,
    /// How long it may get.
    pub max_tokens: Option<u64>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            name: DEFAULT_AGENT.to_owned(),
            model: None,
            system_prompt: DEFAULT_SYSTEM_PROMPT.to_owned(),
            max_steps: limits::STEPS_DEFAULT,
            overlap: OverlapConfig::default(),
            mishaps: MishapConfig::default(),
            compact_after: None,
            memory: MemoryConfig::default(),
            tools: None,
            mcp_servers: Vec::new(),
            schedules: BTreeMap::new(),
            agents: Vec::new(),
        }
    }
}

impl AgentConfig {
    fn check(&self, place: &str) -> Result<(), ConfigError> {
        let wrong = |key: &str, problem: String| Err(invalid(format!("{place}.{key}"), problem));
        if let Some(model) = self.model.as_deref().filter(|model| !is_model_name(model)) {
            return wrong("model", not_a_model(model));
        }
        if !(1..=STEPS_MAX).contains(&self.max_steps) {
            return wrong("max_steps", format!("{} is not a number from 1 to {STEPS_MAX}", self.max_steps));
        }
        if let Some(tools) = self.tools.iter().flatten().find(|tools| !TOOL_SETS.contains(&tools.as_str())) {
            let suggestion = suggest::nearest(tools, TOOL_SETS).map(str::to_owned);
            return Err(ConfigError::Unknown {
                place: format!("{place}.tools"),
                name: tools.clone(),
                suggestion,
            });
        }
        if let Err((key, problem)) = self.context() {
            return wrong(key, problem);
        }
        for (id, task) in &self.schedules {
            if !is_name(id) {
                return wrong("schedules", format!("{id:?} is not a name of {}", name_rule()));
            }
            if let Err(problem) = task.read() {
                return wrong(&format!("schedules.{id}"), problem.to_string());
            }
        }
        let mut names = BTreeSet::new();
        for server in &self.mcp_servers {
            if let Some(problem) = server.problem() {
                return wrong("mcp_servers", format!("{:?} {problem}", server.name));
            }
            if !names.insert(&server.name) {
                return wrong("mcp_servers", format!("{:?} is there twice", server.name));
            }
        }
        Ok(())
    }
}

/// The agents of the file, by name; the default one where the file has none.
pub(super) fn from_file(
    file: Option<&FileSource>,
    environment: &Environment,
) -> Result<Vec<AgentConfig>, ConfigError> {
    let Some((file, value)) = file.and_then(|file| Some((file, file.table.get("agents")?))) else {
        return Ok(vec![AgentConfig::default()]);
    };
    let agents = table(value, &file.place("agents"))?;
    let found: Result<Vec<_>, _> =
        agents.iter().map(|(name, value)| agent(file, name, value, environment)).collect();
    let found = found?;
    found.iter().try_for_each(|agent| check_called(file, agent, &found))?;
    Ok(found.into_iter().chain(agents.is_empty().then(AgentConfig::default)).collect())
}

fn agent(
    file: &FileSource,
    name: &str,
    value: &Value,
    environment: &Environment,
) -> Result<AgentConfig, ConfigError> {
    let place = format!("{}: agents.{name}", file.path.display());
    if !is_name(name) {
        return Err(invalid(place, format!("an agent's name has {}", name_rule())));
    }
    let fields = table(value, &place)?;
    check_keys(fields, KEYS, &place)?;
    check_parts(fields, &place)?;
    let read: Result<AgentConfig, _> = value.clone().try_into();
    let agent = read.map_err(|error| invalid(&place, error.to_string().trim().replace('\n', " ")))?;
    let mut agent = AgentConfig { name: name.to_owned(), ..agent };
    for server in &mut agent.mcp_servers {
        let problem = server.fill_in(environment).map_err(|problem| format!("{:?} {problem}", server.name));
        problem.map_err(|problem| invalid(format!("{place}.mcp_servers"), problem))?;
    }
    let base = file.path.parent();
    for folder in &mut agent.memory.skills {
        *folder = base.map(|base| base.join(&*folder)).unwrap_or_else(|| folder.clone());
    }
    agent.check(&place)?;
    Ok(agent)
}

/// Agents that are called exist, and none calls itself, over others neither.
fn check_called(file: &FileSource, agent: &AgentConfig, all: &[AgentConfig]) -> Result<(), ConfigError> {
    let place = format!("{}: agents.{}.agents", file.path.display(), agent.name);
    let mut open: Vec<&str> = agent.agents.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == agent.name {
            return Err(invalid(place, format!("{name:?} would call itself")));
        }
        let Some(called) = all.iter().find(|known| known.name == name) else {
            let names = all.iter().map(|known| known.name.as_str());
            let suggestion = suggest::nearest(name, names).map(str::to_owned);
            return Err(ConfigError::Unknown { place, name: name.to_owned(), suggestion });
        };
        if seen.insert(name) {
            open.extend(called.agents.iter().map(String::as_str));
        }
    }
    Ok(())
}

fn check_parts(fields: &Table, place: &str) -> Result<(), ConfigError> {
    for (label, block) in fields.get("blocks").and_then(Value::as_table).into_iter().flatten() {
        let place = format!("{place}.blocks.{label}");
        check_keys(table(block, &place)?, BLOCK_KEYS, &place)?;
    }
    for (id, task) in fields.get("schedules").and_then(Value::as_table).into_iter().flatten() {
        let place = format!("{place}.schedules.{id}");
        check_keys(table(task, &place)?, SCHEDULE_KEYS, &place)?;
    }
    for server in fields.get("mcp_servers").and_then(Value::as_array).into_iter().flatten() {
        let place = format!("{place}.mcp_servers");
        check_keys(table(server, &place)?, MCP_KEYS, &place)?;
    }
    Ok(())
}
