//! The port over HTTP, as the browser uses it.

use super::{Backend, told};
use crate::api;
use crate::boot::Boot;
use crate::routes;
use async_trait::async_trait;
use gloo_net::http::Method;
use protocol::limits::{MESSAGE_PAGE_DEFAULT, SESSION_PAGE_MAX};
use protocol::{ErrorCode, MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};
use send_wrapper::SendWrapper;
use serde::de::DeserializeOwned;

/// Messages that a chat opens with: some views full, and no more, as each of them is made before anything is seen.
pub const FIRST_WINDOW: usize = 24;

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

    fn session_path(&self, session: &SessionId) -> String {
        format!("{}/sessions/{}", self.api, routes::segment(session))
    }

    fn messages_path(&self, session: &SessionId, limit: usize) -> String {
        format!("{}/messages?limit={limit}", self.session_path(session))
    }
}

#[async_trait]
impl Backend for HttpBackend {
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError> {
        let cursor =
            cursor.map(|cursor| format!("&limit={SESSION_PAGE_MAX}&cursor={}", routes::encode(&cursor)));
        let url = format!("{}/sessions?shelf=open{}", self.api, cursor.unwrap_or_default());
        fetch(url).await
    }

    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError> {
        absent_is_none(fetch(self.messages_path(session, FIRST_WINDOW)).await)
    }

    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError> {
        let path = self.messages_path(session, MESSAGE_PAGE_DEFAULT);
        let path = format!("{path}&before={}", routes::encode(before.as_str()));
        fetch(path).await
    }

    async fn session(&self, session: &SessionId) -> Result<Option<SessionInfo>, WireError> {
        absent_is_none(fetch(self.session_path(session)).await)
    }
}

fn absent_is_none<T>(found: Result<T, WireError>) -> Result<Option<T>, WireError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.code == ErrorCode::UnknownSession => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sends a request and reads the JSON of its answer. The browser's futures stay on their one thread, which the
/// wrapper checks.
fn fetch<T: DeserializeOwned>(url: String) -> impl Future<Output = Result<T, WireError>> + Send {
    SendWrapper::new(async move {
        let text = api::text(Method::GET, url, None).await.map_err(|refusal| refusal.error)?;
        told::read(&text).ok_or_else(|| api::unreadable(200))
    })
}
