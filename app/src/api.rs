//! The JSON API as the browser asks it: one request that gives text, so that the code for it stands in the page once.

use crate::backend::told;
use crate::client::Client;
use gloo_net::Error;
use gloo_net::http::{Method, Request, RequestBuilder, Response};
use protocol::{ErrorCode, SessionId, WireError};
use send_wrapper::SendWrapper;
use serde::Deserialize;
use serde_json::Value;
use std::pin::Pin;
use wasm_bindgen::JsValue;

/// An answer to come, of one type for all requests.
pub type Answer = Pin<Box<dyn Future<Output = Result<String, Refusal>> + Send>>;

/// Why a request was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status; 0 where the server was not reached.
    pub status: u16,
    /// What is wrong, for people too.
    pub error: WireError,
}

/// The body of an error answer (`application/problem+json`).
#[derive(Deserialize)]
struct Problem {
    code: ErrorCode,
    #[serde(default)]
    title: String,
    #[serde(default)]
    detail: String,
}

/// One request: what is done to which resource. Paths are those below the agent instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    method: Method,
    path: String,
    body: Option<Value>,
}

impl Ask {
    /// Reads.
    pub fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None }
    }

    /// Makes or does.
    pub fn post(path: String, body: Value) -> Self {
        Self { method: Method::POST, path, body: Some(body) }
    }

    /// Writes.
    pub fn put(path: String, body: Value) -> Self {
        Self { method: Method::PUT, path, body: Some(body) }
    }

    /// Changes a part.
    pub fn patch(path: String, body: Value) -> Self {
        Self { method: Method::PATCH, path, body: Some(body) }
    }

    /// Removes.
    pub fn delete(path: String) -> Self {
        Self { method: Method::DELETE, path, body: None }
    }

    /// Sends it. In the browser only.
    pub fn send(self, client: Client) -> Answer {
        let url = format!("{}{}", client.api(), self.path);
        Box::pin(SendWrapper::new(text(self.method, url, self.body)))
    }
}

/// The query that names a session.
pub fn of_session(session: &SessionId) -> String {
    match session.as_str() {
        "" => String::new(),
        id => format!("?session={}", crate::routes::encode(id)),
    }
}

/// Sends a file to a resource below the agent instance. In the browser only.
pub fn upload(client: Client, path: &str, file: JsValue) -> Answer {
    let url = format!("{}{path}", client.api());
    Box::pin(SendWrapper::new(async move {
        let request =
            RequestBuilder::new(&url).method(Method::POST).header("Content-Type", "application/json");
        answer_of(request.body(file)).await
    }))
}

/// Sends a request and reads its answer as text.
pub async fn text(method: Method, url: String, body: Option<Value>) -> Result<String, Refusal> {
    let request = RequestBuilder::new(&url).method(method).header("Accept", "application/json");
    let request = match body {
        Some(body) => request.json(&body),
        None => request.build(),
    };
    answer_of(request).await
}

async fn answer_of(request: Result<Request, Error>) -> Result<String, Refusal> {
    let answer = match request {
        Ok(request) => request.send().await.map_err(|_| unreachable_server())?,
        Err(_) => return Err(unreachable_server()),
    };
    let text = answer.text().await.map_err(|_| unreachable_server())?;
    if answer.ok() { Ok(text) } else { Err(refusal(&answer, &text)) }
}

/// What an answer says that this page cannot read.
pub fn unreadable(status: u16) -> WireError {
    WireError::new(
        ErrorCode::Internal,
        format!("The server answered in a way this page does not understand ({status})."),
    )
}

fn refusal(answer: &Response, text: &str) -> Refusal {
    let status = answer.status();
    let error = match told::read::<Problem>(text) {
        Some(problem) if problem.detail.is_empty() => WireError::new(problem.code, problem.title),
        Some(problem) => WireError::new(problem.code, problem.detail),
        None => unreadable(status),
    };
    Refusal { status, error }
}

fn unreachable_server() -> Refusal {
    let message = "The server cannot be reached.".to_owned();
    Refusal { status: 0, error: WireError { code: ErrorCode::Busy, message, retry: true } }
}
