//! The page's port on top of the engine, used while a page is rendered here.

use crate::error::unknown_session;
use crate::instances::Instances;
use app::Backend;
use app::backend::http::FIRST_WINDOW;
use async_trait::async_trait;
use protocol::limits::{MESSAGE_PAGE_DEFAULT, SESSION_PAGE_DEFAULT};
use protocol::{ErrorCode, MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};
use session::{SessionFilter, Shelf};
use std::sync::Arc;
use think::{Engine, ThinkError};
use tokio::runtime::Handle;

/// What a page of one agent instance may ask. Pages are made on threads of their own; what they ask runs in the
/// server's runtime, since an instance that is opened for a page stays when the page is done.
pub struct EngineBackend {
    instances: Arc<Instances>,
    agent: String,
    instance: String,
    runtime: Handle,
}

impl EngineBackend {
    /// The port of an instance, which is opened in `runtime` when something is first asked.
    pub fn new(
        instances: Arc<Instances>,
        agent: impl Into<String>,
        instance: impl Into<String>,
        runtime: Handle,
    ) -> Self {
        Self { instances, agent: agent.into(), instance: instance.into(), runtime }
    }

    async fn ask<T, Answer>(
        &self,
        what: impl FnOnce(Engine) -> Answer + Send + 'static,
    ) -> Result<T, WireError>
    where
        T: Send + 'static,
        Answer: Future<Output = Result<T, ThinkError>> + Send,
    {
        let instances = Arc::clone(&self.instances);
        let (agent, instance) = (self.agent.clone(), self.instance.clone());
        let asked = self.runtime.spawn(async move {
            let lease = instances.engine(&agent, &instance).await.map_err(|error| WireError::from(&error))?;
            what(Engine::clone(&lease)).await.map_err(|error| WireError::from(&error))
        });
        asked.await.unwrap_or_else(|error| Err(WireError::new(ErrorCode::Internal, error.to_string())))
    }
}

#[async_trait]
impl Backend for EngineBackend {
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError> {
        let open = SessionFilter { shelf: Shelf::Current, ..SessionFilter::default() };
        self.ask(move |engine| async move {
            engine.list_sessions_where(&open, cursor.as_deref(), SESSION_PAGE_DEFAULT).await
        })
        .await
    }

    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError> {
        let session = session.clone();
        self.ask(move |engine| async move { engine.transcript(&session, None, FIRST_WINDOW).await }).await
    }

    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError> {
        let (asked, before) = (session.clone(), before.clone());
        let found =
            self.ask(move |engine| async move {
                engine.transcript(&asked, Some(&before), MESSAGE_PAGE_DEFAULT).await
            })
            .await?;
        found.ok_or_else(|| unknown_session(session))
    }

    async fn session(&self, session: &SessionId) -> Result<Option<SessionInfo>, WireError> {
        let session = session.clone();
        self.ask(move |engine| async move { engine.get_session(&session).await }).await
    }
}
