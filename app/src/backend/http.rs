//! The port over HTTP, as the browser uses it.

use super::{Backend, told};
use crate::api;
use crate::boot::Boot;
use crate::routes;
use async_trait::async_trait;
use gloo_net::http::Method;
use protocol::{ErrorCode, MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Messages that one page of a transcript holds.
pub const TRANSCRIPT_WINDOW: usize = 60;

/// Asks the server that the page came from.
#[derive(Debug, Clone)]
pub struct HttpBackend {
    api: String,
}

impl HttpBackend {
    /// A backend for the instance that `boot` names.
    pub fn new(boot: &Boot) -> Self {
        Self { api: boot.api() }
    }

    fn sessions_path(&self) -> String {
        format!("{}/sessions", self.api)
    }

    fn session_path(&self, session: &SessionId) -> String {
        format!("{}/sessions/{}", self.api, routes::segment(session))
    }

    fn messages_path(&self, session: &SessionId) -> String {
        format!("{}/messages?limit={TRANSCRIPT_WINDOW}", self.session_path(session))
    }
}

#[async_trait]
impl Backend for HttpBackend {
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError> {
        let query = cursor.map(|cursor| format!("?cursor={}", routes::encode(&cursor))).unwrap_or_default();
        fetch(Method::GET, format!("{}{query}", self.sessions_path()), None).await
    }

    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError> {
        match fetch(Method::GET, self.messages_path(session), None).await {
            Ok(transcript) => Ok(Some(transcript)),
            Err(error) if error.code == ErrorCode::UnknownSession => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError> {
        let path = format!("{}&before={}", self.messages_path(session), routes::encode(before.as_str()));
        fetch(Method::GET, path, None).await
    }

    async fn create_session(&self, name: Option<String>) -> Result<SessionInfo, WireError> {
        let body = name.map_or(json!({}), |name| json!({ "name": name }));
        fetch(Method::POST, self.sessions_path(), Some(body)).await
    }

    async fn rename(&self, session: &SessionId, name: String) -> Result<SessionInfo, WireError> {
        fetch(Method::PATCH, self.session_path(session), Some(json!({ "name": name }))).await
    }

    async fn delete(&self, session: &SessionId) -> Result<(), WireError> {
        let url = self.session_path(session);
        let gone = SendWrapper::new(api::text(Method::DELETE, url, None)).await;
        gone.map(|_empty| ()).map_err(|refusal| refusal.error)
    }

    async fn restore(&self, session: &SessionId) -> Result<SessionInfo, WireError> {
        fetch(Method::POST, format!("{}/restore", self.session_path(session)), Some(json!({}))).await
    }
}

/// Sends a request and reads the JSON of its answer. The browser's futures stay on their one thread, which the
/// wrapper checks.
fn fetch<T: DeserializeOwned>(
    method: Method,
    url: String,
    body: Option<Value>,
) -> impl Future<Output = Result<T, WireError>> + Send {
    SendWrapper::new(async move {
        let text = api::text(method, url, body).await.map_err(|refusal| refusal.error)?;
        told::read(&text).ok_or_else(|| api::unreadable(200))
    })
}
