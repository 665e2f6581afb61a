//! What an agent of the configuration is to the engine: its model, its tools, its memory, its habits.

use crate::config::{AgentConfig, Concurrency, Config, ScheduleConfig};
use crate::guide_tools::GuideTools;
use crate::models::Models;
use crate::tool_servers::ToolServers;
use db::Clock;
use providers::GUIDE;
use std::sync::Arc;
use std::time::Duration;
use think::tools::{Calculate, ClockTool, typed};
use think::turn::{DEBOUNCE_DEFAULT, Overlap};
use think::{
    AgentSpec, Recovery, ScheduledTask, ScheduledWork, SearchAccess, SessionSetup, Silence, SubAgent, Titles,
    ToolSource, TurnOptions,
};

/// What specifications of agents are made of.
pub(super) struct Workshop<'a> {
    pub(super) config: &'a Config,
    pub(super) models: &'a Arc<Models>,
    pub(super) tool_servers: &'a ToolServers,
    pub(super) clock: &'a Arc<dyn Clock>,
}

impl Workshop<'_> {
    pub(super) fn spec(&self, agent: &AgentConfig) -> AgentSpec {
        let models = self.models;
        let model = agent.model.clone().unwrap_or_else(|| models.default_alias().to_owned());
        AgentSpec {
            system_prompt: agent.system_prompt.clone(),
            max_steps: agent.max_steps,
            sessions: sessions(agent),
            turns: turns(agent, self.titles()),
            tools: agent.tools.iter().flatten().flat_map(|set| tool_set(set, self.clock)).collect(),
            tool_source: self.tool_source(agent),
            schedules: agent.schedules.iter().filter_map(scheduled).collect(),
            agents: agent.agents.iter().filter_map(|name| self.called(name)).collect(),
            ..AgentSpec::new(&*agent.name, model, Arc::clone(models) as Arc<dyn think::ModelSource>)
        }
    }

    fn titles(&self) -> Titles {
        if self.config.models.auto_title { Titles::FromModel } else { Titles::FromQuestion }
    }

    fn tool_source(&self, agent: &AgentConfig) -> Option<Arc<dyn ToolSource>> {
        let servers = self.tool_servers.source(agent);
        if agent.tools.is_some() || agent.model.as_deref().is_some_and(|model| model != GUIDE) {
            return servers;
        }
        Some(Arc::new(GuideTools { models: Arc::clone(self.models), servers }))
    }

    /// The configuration has checked that there is one, and that nobody calls itself.
    fn called(&self, name: &str) -> Option<SubAgent> {
        let agent = self.config.agents.iter().find(|agent| agent.name == name)?;
        let about = agent.system_prompt.lines().next().unwrap_or_default();
        let description = format!(
            "Gives a task to the agent {name}, which works on it alone and reports the result. Its instructions begin: {about}"
        );
        Some(SubAgent { description, spec: Arc::new(self.spec(agent)) })
    }
}

/// What an agent's sessions remember. Its blocks were checked when the configuration was read.
fn sessions(agent: &AgentConfig) -> SessionSetup {
    SessionSetup {
        context: agent.context().unwrap_or_default(),
        compact_after: agent.compact_after,
        search: SearchAccess::Offered,
        ..SessionSetup::default()
    }
}

fn turns(agent: &AgentConfig, titles: Titles) -> TurnOptions {
    let overlap = match agent.overlap.concurrency {
        None | Some(Concurrency::Queue) => Overlap::Queue,
        Some(Concurrency::Latest) => Overlap::Latest,
        Some(Concurrency::Merge) => Overlap::Merge,
        Some(Concurrency::Drop) => Overlap::Drop,
        Some(Concurrency::Debounce) => {
            Overlap::Debounce(agent.overlap.debounce_ms.map_or(DEBOUNCE_DEFAULT, Duration::from_millis))
        }
    };
    let recovery = if agent.mishaps.recovery == Some(false) { Recovery::Mark } else { Recovery::RunAgain };
    let silence = agent.mishaps.stall_timeout_ms.map(Silence::of_ms).unwrap_or_default();
    TurnOptions { overlap, recovery, silence, titles }
}

/// One task of the configuration, which has checked that it can be read.
fn scheduled((id, config): (&String, &ScheduleConfig)) -> Option<(String, ScheduledTask)> {
    let session = app::routes::session_of(config.session.as_deref().unwrap_or_default());
    let work = ScheduledWork::Prompt(config.prompt.clone());
    Some((id.clone(), ScheduledTask { schedule: config.read().ok()?, session, work }))
}

/// The tools that a name of the configuration stands for; it knows no other names.
fn tool_set(name: &str, clock: &Arc<dyn Clock>) -> Vec<Arc<dyn think::Tool>> {
    match name {
        "calculate" => vec![typed(Calculate)],
        "clock" => vec![typed(ClockTool(Arc::clone(clock)))],
        "demo" => think::tools::demo_tools(),
        _ => Vec::new(),
    }
}
