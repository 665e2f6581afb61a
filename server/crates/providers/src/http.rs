//! The one HTTP client of the house that talks to models, with every wait bounded and every failure classed.
//!
//! No redirect is followed: the answer to one would go, with the key, to a host that nobody configured. No message
//! carries an address beyond its origin, a body, or a key.

mod body;
mod rest;
mod retry;
mod target;

pub(crate) use body::{Body, too_large};
pub(crate) use rest::Rest;
pub use retry::RetryPolicy;
pub(crate) use retry::retrying;
pub(crate) use target::{KeyScheme, Target};

use model::{ErrorClass, ModelError};
use protocol::limits;
use reqwest::header::{ACCEPT, HeaderMap, LOCATION};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, Url, redirect};
use std::error::Error as _;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpSettings {
    /// For a connection.
    pub connect_timeout: Duration,
    /// For the first sign of an answer.
    pub first_byte_timeout: Duration,
    /// Between two pieces of an answer.
    pub idle_timeout: Duration,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_millis(limits::PROVIDER_CONNECT_MS),
            first_byte_timeout: Duration::from_millis(limits::PROVIDER_FIRST_BYTE_MS),
            idle_timeout: Duration::from_millis(limits::PROVIDER_IDLE_MS),
        }
    }
}

/// Sends requests to [`Target`]s. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    /// Uses the system's proxy and certificates. Reading those takes a while, so it is made when first needed.
    remote: Arc<OnceLock<Client>>,
    /// Uses neither: what runs on this machine is asked directly.
    local: Client,
    settings: HttpSettings,
    rest: Rest,
}

impl HttpClient {
    pub(crate) fn new(settings: HttpSettings) -> Result<Self, ModelError> {
        let local = builder(&settings).no_proxy().tls_certs_only([]).build().map_err(unusable)?;
        Ok(Self { remote: Arc::default(), local, settings, rest: Rest::default() })
    }

    pub(crate) fn settings(&self) -> &HttpSettings {
        &self.settings
    }

    /// The body of an answer, whose connection is used again.
    pub(crate) fn body(&self, response: Response) -> Body {
        Body::new(response).with_rest(self.rest.clone())
    }

    /// Waits until the ends of all answers have been read.
    #[cfg(test)]
    pub(crate) async fn settled(&self) {
        self.rest.all().await;
    }

    /// Sends a JSON body and waits for the head of the answer, whatever its status.
    pub(crate) async fn post(
        &self,
        target: &Target,
        path: &str,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, ModelError> {
        let url = target.url(path)?;
        let request = self.client_for(&url)?.post(url).headers(headers).body(body);
        self.send(target, request, self.settings.first_byte_timeout).await
    }

    /// Asks for JSON and waits at most `limit` for the head of the answer.
    pub(crate) async fn get(
        &self,
        target: &Target,
        path: &str,
        limit: Duration,
    ) -> Result<Response, ModelError> {
        let url = target.url(path)?;
        let request = self.client_for(&url)?.get(url).header(ACCEPT, "application/json");
        self.send(target, request, limit).await
    }

    async fn send(
        &self,
        target: &Target,
        request: RequestBuilder,
        limit: Duration,
    ) -> Result<Response, ModelError> {
        let request = target.authorize(request);
        let answer = tokio::time::timeout(limit, request.send()).await;
        let response = answer.map_err(|_| target.timeout(limit))?.map_err(|error| failure(target, error))?;
        if response.status().is_redirection() {
            return Err(redirected(target, &response));
        }
        Ok(response)
    }

    fn client_for(&self, url: &Url) -> Result<&Client, ModelError> {
        if url.scheme() == "http" && target::is_loopback(url) {
            return Ok(&self.local);
        }
        if let Some(client) = self.remote.get() {
            return Ok(client);
        }
        let client = builder(&self.settings).build().map_err(unusable)?;
        Ok(self.remote.get_or_init(|| client))
    }
}

fn builder(settings: &HttpSettings) -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("bough/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(settings.connect_timeout)
        .redirect(redirect::Policy::none())
}

fn unusable(error: reqwest::Error) -> ModelError {
    let text = format!("No HTTP client can be set up: {}.", root_cause(error));
    ModelError::new(ErrorClass::Connection, text)
}

fn redirected(target: &Target, response: &Response) -> ModelError {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let origin = location
        .and_then(|location| response.url().join(location).ok())
        .map_or_else(|| "another address".to_owned(), |url| url.origin().ascii_serialization());
    let text = format!(
        "{} redirects to {origin}. Redirects are not followed, so that the key goes nowhere else: set the base URL \
         to the final address.",
        target.label()
    );
    ModelError::new(ErrorClass::BadRequest, text)
}

/// The class and the words for a failed exchange.
pub(crate) fn failure(target: &Target, error: reqwest::Error) -> ModelError {
    let label = target.label();
    let (class, text) = if error.is_timeout() {
        (ErrorClass::Timeout, format!("{label} did not answer in time"))
    } else if error.is_connect() {
        (ErrorClass::Connection, format!("{label} cannot be reached at {}", target.origin()))
    } else if error.is_builder() {
        (ErrorClass::BadRequest, format!("The request to {label} cannot be made"))
    } else {
        (ErrorClass::Connection, format!("The connection to {label} broke"))
    };
    ModelError::new(class, format!("{text}: {}.", root_cause(error)))
}

/// The innermost cause: the outer ones only repeat that something went wrong, and where.
fn root_cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause = error.to_string();
    let mut next = error.source();
    while let Some(inner) = next {
        cause = inner.to_string();
        next = inner.source();
    }
    cause
}
