//! The page's port on top of the engine, used while a page is rendered here.

use crate::error::unknown_session;
use crate::http::messages::WINDOW_DEFAULT;
use crate::http::sessions::PAGE_DEFAULT;
use crate::instances::Instances;
use app::Backend;
use async_trait::async_trait;
use protocol::{MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};
use session::{SessionFilter, Shelf};
use std::sync::Arc;
use think::Engine;

/// What a page of one agent instance may ask.
pub struct EngineBackend {
    instances: Arc<Instances>,
    agent: String,
    instance: String,
}

impl EngineBackend {
    /// The port of an instance, which is opened when something is first asked.
    pub fn new(instances: Arc<Instances>, agent: impl Into<String>, instance: impl Into<String>) -> Self {
        Self { instances, agent: agent.into(), instance: instance.into() }
    }

    async fn engine(&self) -> Result<Engine, WireError> {
        let opened = self.instances.engine(&self.agent, &self.instance).await;
        opened.map_err(|error| WireError::from(&error))
    }
}

#[async_trait]
impl Backend for EngineBackend {
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError> {
        let engine = self.engine().await?;
        let open = SessionFilter { shelf: Shelf::Current, ..SessionFilter::default() };
        engine.list_sessions_where(&open, cursor.as_deref(), PAGE_DEFAULT).await.map_err(wire)
    }

    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError> {
        let engine = self.engine().await?;
        engine.transcript(session, None, WINDOW_DEFAULT).await.map_err(wire)
    }

    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError> {
        let found =
            self.engine().await?.transcript(session, Some(before), WINDOW_DEFAULT).await.map_err(wire)?;
        found.ok_or_else(|| unknown_session(session))
    }

    async fn session(&self, session: &SessionId) -> Result<Option<SessionInfo>, WireError> {
        self.engine().await?.get_session(session).await.map_err(wire)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
fn wire(error: think::ThinkError) -> WireError {
    WireError::from(&error)
}
