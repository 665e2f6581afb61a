//! Where a provider is reached, with what key, and under which name people know it.

use crate::secret::Secret;
use model::{ErrorClass, ModelError};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Url};
use std::net::IpAddr;
use std::time::Duration;

/// One provider's address.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    label: String,
    base: Url,
    key: Option<Secret>,
    scheme: KeyScheme,
}

/// Where a request carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum KeyScheme {
    /// As a bearer token.
    #[default]
    Bearer,
    /// In the header that Anthropic wants, next to the version of its API.
    Anthropic,
}

/// The version of Anthropic's API that we speak.
const ANTHROPIC_VERSION: &str = "2023-06-01";

impl Target {
    /// Reads a base address such as `https://api.openai.com/v1`; the path of the one call we make may stand behind it.
    pub(crate) fn new(label: &str, base_url: &str, key: Option<Secret>) -> Result<Self, ModelError> {
        let wrong = |why: &str| {
            let text = format!("The base URL of provider {label} is wrong: {why}.");
            ModelError::new(ErrorClass::BadRequest, text)
        };
        let trimmed = base_url.trim().trim_end_matches('/').trim_end_matches("/chat/completions");
        let base = Url::parse(trimmed).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong("it must begin with http:// or https:// and a host"));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("it must end with its path"));
        }
        Ok(Self { label: label.to_owned(), base, key, scheme: KeyScheme::Bearer })
    }

    /// The same with the key elsewhere.
    pub(crate) fn with_scheme(self, scheme: KeyScheme) -> Self {
        Self { scheme, ..self }
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    /// Scheme, host and port: all of an address that a message may show.
    pub(crate) fn origin(&self) -> String {
        self.base.origin().ascii_serialization()
    }

    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.base)
    }

    pub(super) fn url(&self, path: &str) -> Result<Url, ModelError> {
        let text = format!("{}/{path}", self.base.as_str().trim_end_matches('/'));
        Url::parse(&text).map_err(|error| ModelError::new(ErrorClass::BadRequest, error.to_string()))
    }

    pub(super) fn authorize(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header(CONTENT_TYPE, "application/json");
        let request = match self.scheme {
            KeyScheme::Bearer => request,
            KeyScheme::Anthropic => request.header("anthropic-version", ANTHROPIC_VERSION),
        };
        let Some(key) = &self.key else { return request };
        let (header, text) = match self.scheme {
            KeyScheme::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            KeyScheme::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
        };
        match HeaderValue::from_str(&text) {
            Ok(mut value) => {
                value.set_sensitive(true);
                request.header(header, value)
            }
            // A key with a line break in it is no key; the provider will say that it is missing.
            Err(_) => request,
        }
    }

    /// `text`, which came from the provider, without our key.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    pub(crate) fn timeout(&self, limit: Duration) -> ModelError {
        let text = format!("Nothing came from {} for {} seconds.", self.label, limit.as_secs_f64());
        ModelError::new(ErrorClass::Timeout, text)
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_their_endings() {
        let rows = [
            (
                "https://api.openai.com/v1",
                "https://api.openai.com/v1/models",
                "https://api.openai.com",
                false,
            ),
            (" http://127.0.0.1:9/v1/ ", "http://127.0.0.1:9/v1/models", "http://127.0.0.1:9", true),
            ("http://[::1]:8080", "http://[::1]:8080/models", "http://[::1]:8080", true),
            ("http://localhost:1/chat/completions", "http://localhost:1/models", "http://localhost:1", true),
        ];
        for (base, models, origin, is_local) in rows {
            let target = Target::new("p", base, None).expect("an address");
            let url = target.url("models").expect("an address");
            assert_eq!(
                (url.as_str(), target.origin().as_str(), target.is_loopback()),
                (models, origin, is_local)
            );
        }
    }

    #[test]
    fn wrong_addresses_are_refused_with_the_reason() {
        for (base, reason) in [
            ("", "relative URL without a base"),
            ("ftp://host/v1", "it must begin with http:// or https:// and a host"),
            ("api.openai.com/v1", "relative URL without a base"),
            ("http://host/v1?key=secret", "it must end with its path"),
        ] {
            let error = Target::new("p", base, None).expect_err("a wrong address");
            let text = format!("The base URL of provider p is wrong: {reason}.");
            assert_eq!(error, ModelError::new(ErrorClass::BadRequest, text));
        }
    }
}
