//! The port over HTTP, as the browser uses it.

use super::{Backend, told};
use crate::boot::Boot;
use crate::routes;
use async_trait::async_trait;
use gloo_net::http::{Request, RequestBuilder, Response};
use protocol::{ErrorCode, MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};
use send_wrapper::SendWrapper;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Messages that one page of a transcript holds.
pub const TRANSCRIPT_WINDOW: usize = 60;

/// Asks the server that the page came from.
#[derive(Debug, Clone)]
pub struct HttpBackend {
    api: String,
}

/// The body of an error answer (`application/problem+json`).
#[derive(Deserialize)]
struct Problem {
    code: ErrorCode,
    #[serde(default)]
    detail: String,
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
        fetch(Request::get(&format!("{}{query}", self.sessions_path())), None).await
    }

    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError> {
        match fetch(Request::get(&self.messages_path(session)), None).await {
            Ok(transcript) => Ok(Some(transcript)),
            Err(error) if error.code == ErrorCode::UnknownSession => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError> {
        let path = format!("{}&before={}", self.messages_path(session), routes::encode(before.as_str()));
        fetch(Request::get(&path), None).await
    }

    async fn create_session(&self, name: Option<String>) -> Result<SessionInfo, WireError> {
        let body = name.map_or(json!({}), |name| json!({ "name": name }));
        fetch(Request::post(&self.sessions_path()), Some(body)).await
    }

    async fn rename(&self, session: &SessionId, name: String) -> Result<SessionInfo, WireError> {
        fetch(Request::patch(&self.session_path(session)), Some(json!({ "name": name }))).await
    }

    async fn delete(&self, session: &SessionId) -> Result<(), WireError> {
        let request = Request::delete(&self.session_path(session));
        SendWrapper::new(async move { send(request, None).await.map(|_answer| ()) }).await
    }

    async fn restore(&self, session: &SessionId) -> Result<SessionInfo, WireError> {
        fetch(Request::post(&format!("{}/restore", self.session_path(session))), Some(json!({}))).await
    }
}

/// Sends a request and reads the JSON of its answer. The browser's futures stay on their one thread, which the
/// wrapper checks.
fn fetch<T: DeserializeOwned>(
    request: RequestBuilder,
    body: Option<Value>,
) -> impl Future<Output = Result<T, WireError>> + Send {
    SendWrapper::new(async move {
        let answer = send(request, body).await?;
        let text = answer.text().await.unwrap_or_default();
        told::read(&text).ok_or_else(|| unreadable(answer.status()))
    })
}

async fn send(request: RequestBuilder, body: Option<Value>) -> Result<Response, WireError> {
    let request = request.header("Accept", "application/json");
    let request = match body {
        Some(body) => request.json(&body),
        None => request.build(),
    };
    let request =
        request.map_err(|_| WireError::new(ErrorCode::Internal, "The request could not be made."))?;
    let answer = request.send().await.map_err(|_| unreachable_server())?;
    if answer.ok() {
        return Ok(answer);
    }
    match told::read::<Problem>(&answer.text().await.unwrap_or_default()) {
        Some(problem) => Err(WireError::new(problem.code, problem.detail)),
        None => Err(unreadable(answer.status())),
    }
}

fn unreachable_server() -> WireError {
    WireError { code: ErrorCode::Busy, message: "The server cannot be reached.".to_owned(), retry: true }
}

fn unreadable(status: u16) -> WireError {
    WireError::new(
        ErrorCode::Internal,
        format!("The server answered in a way this page does not understand ({status})."),
    )
}
