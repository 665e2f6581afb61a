//! What a request says about its browser: the tools it offers and the fields of its body. Kept until the next request
//! says otherwise, over restarts too.

use super::Actor;
use crate::error::ThinkError;
use crate::tools::find;
use protocol::{ChatBody, SessionId, ToolSpec};
use serde_json::{Map, Value};

/// The setting that holds a session's browser tools. The default session's has no suffix.
pub(crate) fn tools_key(session: &SessionId) -> String {
    key("lastClientTools", session)
}

/// The setting that holds the custom fields of a session's last request.
pub(crate) fn body_key(session: &SessionId) -> String {
    key("lastBody", session)
}

pub(super) fn key(name: &str, session: &SessionId) -> String {
    if session.as_str().is_empty() { name.to_owned() } else { format!("{name}:{session}") }
}

impl Actor {
    pub(super) async fn load_captured(&mut self) {
        // Where it cannot be read it counts as unknown, and the next request writes it.
        self.body = self.shared.store.get(&body_key(self.session.id())).await.ok();
        match self.shared.store.get(&tools_key(self.session.id())).await {
            Ok(tools) => self.client_tools = tools.unwrap_or_default(),
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "the browser's tools are unknown")
            }
        }
    }

    /// A list replaces, an empty list forgets, none keeps. The body is always replaced.
    pub(super) async fn capture(&mut self, body: &ChatBody) -> Result<(), ThinkError> {
        if let Some(tools) = &body.client_tools {
            self.capture_tools(tools).await?;
        }
        let custom = Some(&body.custom).filter(|custom| !custom.is_empty());
        if self.body.as_ref().is_some_and(|known| known.as_ref() == custom) {
            return Ok(());
        }
        self.body = None;
        self.shared.store.set(&body_key(self.session.id()), custom).await?;
        self.body = Some(custom.cloned());
        Ok(())
    }

    /// The custom fields of the last request.
    pub(super) fn custom_fields(&self) -> Map<String, Value> {
        self.body.clone().flatten().unwrap_or_default()
    }

    pub(super) async fn capture_tools(&mut self, tools: &[ToolSpec]) -> Result<(), ThinkError> {
        let own = self.shared.toolbox();
        let tools = without_collisions(tools, |name| find(&own, name).is_some());
        let stored = Some(&tools).filter(|tools| !tools.is_empty());
        self.shared.store.set(&tools_key(self.session.id()), stored).await?;
        self.client_tools = tools;
        Ok(())
    }

    pub(super) async fn forget_captured(&mut self) -> Result<(), ThinkError> {
        self.client_tools.clear();
        self.body = None;
        self.shared.store.set::<()>(&tools_key(self.session.id()), None).await?;
        self.shared.store.set::<()>(&body_key(self.session.id()), None).await
    }
}

/// A browser's tool never replaces one of the server; of two with one name the later counts.
fn without_collisions(tools: &[ToolSpec], is_servers: impl Fn(&str) -> bool) -> Vec<ToolSpec> {
    let mut kept: Vec<ToolSpec> = Vec::new();
    for tool in tools {
        if is_servers(&tool.name) {
            tracing::warn!(tool.name = %tool.name, "a browser's tool has the name of one of the server and is left out");
            continue;
        }
        if let Some(same) = kept.iter_mut().find(|kept| kept.name == tool.name) {
            tracing::warn!(tool.name = %tool.name, "a browser offers two tools of one name; the later counts");
            *same = tool.clone();
        } else {
            kept.push(tool.clone());
        }
    }
    kept
}
