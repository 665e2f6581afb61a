//! Tools that a person agreed to once for all calls of this session; kept until the session goes.

use super::Actor;
use super::captured::key;
use crate::error::ThinkError;
use crate::tools::{Tool, consented};
use protocol::SessionId;
use std::sync::Arc;

/// The setting that holds the names of a session's tools that need no question any more.
pub(crate) fn consent_key(session: &SessionId) -> String {
    key("alwaysApproved", session)
}

impl Actor {
    /// The server's tools for a turn of this session. Where the list cannot be read, everybody is asked again.
    pub(super) async fn tools_with_consent(&self) -> Vec<Arc<dyn Tool>> {
        let names = self.shared.approved_tools(self.session.id()).await.unwrap_or_else(|error| {
            tracing::warn!(session.id = %self.session.id(), %error, "it is unknown which tools are agreed to");
            Vec::new()
        });
        consented(self.shared.toolbox(), &names)
    }

    pub(super) async fn consent_to(&self, tool: &str) -> Result<(), ThinkError> {
        let mut names = self.shared.approved_tools(self.session.id()).await?;
        if !names.iter().any(|name| name == tool) {
            names.push(tool.to_owned());
            self.shared.store.set(&consent_key(self.session.id()), Some(&names)).await?;
        }
        Ok(())
    }
}
