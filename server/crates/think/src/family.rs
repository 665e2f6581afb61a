//! The agents of one instance: its own, and those that it may call. They share the file, the sockets and the sessions;
//! which of them answers in a session stands in the session's row.

use crate::agent::{AgentSpec, SessionSetup};
use crate::error::ThinkError;
use crate::shared::Shared;
use futures::future::{BoxFuture, join_all};
use protocol::SessionId;
use std::sync::{Arc, Weak};

/// Before the path of the agent that a session belongs to.
const SOURCE: &str = "agent:";

/// Where an agent stands among those of its instance.
#[derive(Default)]
pub(crate) struct Family {
    root: Weak<Shared>,
    /// The names of the agents from the instance's own (not named) to this one.
    path: Vec<String>,
    /// Those that it may call.
    children: Vec<Child>,
}

/// An agent that may be called.
pub(crate) struct Child {
    pub(crate) description: String,
    pub(crate) shared: Arc<Shared>,
}

/// An agent and those below it, with their sessions configured, each exactly once.
pub(crate) struct Configured {
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) sessions: SessionSetup,
    below: Vec<(String, Configured)>,
}

impl Configured {
    pub(crate) fn of(spec: Arc<AgentSpec>) -> BoxFuture<'static, Self> {
        Box::pin(async move {
            let sessions = spec.agent.configure_session(spec.sessions.clone()).await;
            let below = spec
                .agents
                .iter()
                .map(|sub| async { (sub.description.clone(), Self::of(Arc::clone(&sub.spec)).await) });
            let below = join_all(below).await;
            Self { spec, sessions, below }
        })
    }
}

impl Family {
    /// The agents below one, made by `make` from each agent and its place.
    pub(crate) fn grow(
        root: &Weak<Shared>,
        path: Vec<String>,
        configured: &mut Configured,
        make: &dyn Fn(Configured, Family) -> Shared,
    ) -> Self {
        let below = std::mem::take(&mut configured.below).into_iter().map(|(description, mut child)| {
            let mut path = path.clone();
            path.push(child.spec.name.clone());
            let family = Self::grow(root, path, &mut child, make);
            Child { description, shared: Arc::new(make(child, family)) }
        });
        let children = below.collect();
        Self { root: Weak::clone(root), path, children }
    }

    pub(crate) fn children(&self) -> &[Child] {
        &self.children
    }

    /// What the row of a session of this agent says of it.
    pub(crate) fn source(&self) -> String {
        format!("{SOURCE}{}", self.path.join("/"))
    }
}

/// Whether a session was made for an agent that another one called.
pub(crate) fn is_called(source: Option<&str>) -> bool {
    source.is_some_and(|source| source.starts_with(SOURCE))
}

impl Shared {
    /// The agent that answers in a session: the instance's own, or one that it called. One that is not configured any
    /// more leaves its sessions to the instance's own.
    pub(crate) async fn answering(self: &Arc<Self>, id: &SessionId) -> Result<Arc<Self>, ThinkError> {
        let root = self.family.root.upgrade().unwrap_or_else(|| Arc::clone(self));
        let source = self.sessions.get(id).await?.and_then(|info| info.source);
        let Some(path) = source.as_deref().and_then(|source| source.strip_prefix(SOURCE)) else {
            return Ok(root);
        };
        let mut agent = Arc::clone(&root);
        for name in path.split('/') {
            let child = agent.family.children.iter().find(|child| child.shared.spec.name == name);
            let Some(child) = child.map(|child| Arc::clone(&child.shared)) else { return Ok(root) };
            agent = child;
        }
        Ok(agent)
    }
}
