//! What an error of a provider means. The class decides what we do, so it is read from status, code and type first
//! and from the words only where providers put it nowhere else.

use crate::http::Target;
use model::{ErrorClass, ModelError};
use serde_json::Value;
use std::time::Duration;

/// How much of a provider's words people get to see.
const WORDS_MAX_CHARS: usize = 600;

/// An error as it stands on the wire, as status and body of an answer or in the middle of a stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WireFailure {
    status: Option<u16>,
    retry_after: Option<Duration>,
    /// `code` and `type`, lower case.
    codes: String,
    words: Option<String>,
    /// The whole body, lower case, to look for words in.
    pub(super) haystack: String,
}

/// Words, any of which gives an error its class. The first row that fits counts.
const SIGNS: [(ErrorClass, &[&str]); 5] = [
    (
        ErrorClass::ContextOverflow,
        &[
            "context_length_exceeded",
            "exceed_context_size",
            "context length",
            "context window",
            "context size",
            "maximum context",
            "prompt is too long",
            "prompt too long",
            "input is too long",
            "reduce the length",
            "exceed context limit",
        ],
    ),
    (
        ErrorClass::Refused,
        &["content_filter", "content_policy", "content management policy", "moderation", "safety system"],
    ),
    (
        ErrorClass::Auth,
        &[
            "insufficient_quota",
            "credit balance is too low",
            "invalid_api_key",
            "authentication_error",
            "permission_error",
        ],
    ),
    (
        ErrorClass::UnknownModel,
        &["model_not_found", "not a valid model", "model not found", "no such model", "unknown model"],
    ),
    (ErrorClass::RateLimited, &["rate_limit", "too_many_requests", "resource_exhausted"]),
];

impl WireFailure {
    /// Reads an answer whose status says that it is an error.
    pub(super) fn from_answer(status: u16, retry_after: Option<Duration>, body: &str) -> Self {
        Self { status: Some(status), retry_after, ..Self::from_body(body) }
    }

    /// Reads a body: `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, `{"detail": …}`, a list of one of these, or
    /// something that is no JSON, whose words are not shown.
    pub(super) fn from_body(body: &str) -> Self {
        let parsed: Value = serde_json::from_str(body).unwrap_or_default();
        let outer = parsed.as_array().and_then(|list| list.first()).unwrap_or(&parsed);
        let inner = outer.get("error").filter(|error| !error.is_null()).unwrap_or(outer);
        let numeric = inner.get("code").and_then(Value::as_u64).or_else(|| outer.get("code")?.as_u64());
        let codes: Vec<_> = ["code", "type", "status"]
            .iter()
            .filter_map(|key| inner.get(key).and_then(Value::as_str).map(str::to_lowercase))
            .collect();
        Self {
            status: numeric
                .and_then(|code| u16::try_from(code).ok())
                .filter(|code| (400..600).contains(code)),
            retry_after: None,
            codes: codes.join(" "),
            words: words(inner),
            haystack: body.to_lowercase(),
        }
    }

    /// For people and for the engine.
    pub(super) fn into_error(self, target: &Target) -> ModelError {
        let class = self.class();
        let lead = lead(class);
        let status = self.status.map_or_else(String::new, |status| format!(" ({status})"));
        let words = self.words.as_deref().map(|words| target.scrub(words.trim()));
        let words = words.filter(|words| !words.is_empty()).map_or_else(
            || ".".to_owned(),
            |words| format!(": {}", words.chars().take(WORDS_MAX_CHARS).collect::<String>()),
        );
        ModelError {
            class,
            message: format!("{} {lead}{status}{words}", target.label()),
            retry_after: self.retry_after,
        }
    }

    pub(super) fn class(&self) -> ErrorClass {
        let told = signs(&self.haystack);
        let only = |class| told.filter(|told| *told == class);
        match self.status {
            Some(408) => ErrorClass::Timeout,
            Some(413) => ErrorClass::ContextOverflow,
            Some(500..) => only(ErrorClass::ContextOverflow).unwrap_or(ErrorClass::Unavailable),
            Some(401 | 402) => ErrorClass::Auth,
            Some(403) => only(ErrorClass::Refused).unwrap_or(ErrorClass::Auth),
            Some(404) => ErrorClass::UnknownModel,
            // An empty account is reported like too many requests, but waiting does not fill it.
            Some(425 | 429) if signs(&self.codes) == Some(ErrorClass::Auth) => ErrorClass::Auth,
            Some(425 | 429) => ErrorClass::RateLimited,
            Some(_) => told.unwrap_or(ErrorClass::BadRequest),
            None if self.codes.contains("invalid_request") => told.unwrap_or(ErrorClass::BadRequest),
            None => told.unwrap_or(ErrorClass::Unavailable),
        }
    }
}

/// The class that the words in `text` point to.
fn signs(text: &str) -> Option<ErrorClass> {
    SIGNS.iter().find(|(_, signs)| signs.iter().any(|sign| text.contains(sign))).map(|(class, _)| *class)
}

fn words(inner: &Value) -> Option<String> {
    if let Some(text) = inner.as_str() {
        return Some(text.to_owned());
    }
    let said = ["message", "detail", "error", "msg"].iter().find_map(|key| inner.get(key))?;
    match said {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => Some(said.to_string()),
    }
}

/// What the class means, after the provider's name.
fn lead(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Connection => "broke the connection",
        ErrorClass::Timeout => "did not answer in time",
        ErrorClass::RateLimited => "asks for fewer requests",
        ErrorClass::Unavailable => "is overloaded or broken",
        ErrorClass::Auth => "refused the key or the account",
        ErrorClass::UnknownModel => "does not have this model, or its base URL is wrong",
        ErrorClass::ContextOverflow => "says that the conversation is too long for this model",
        ErrorClass::Refused => "refused on grounds of content",
        ErrorClass::BadRequest => "rejected the request",
        ErrorClass::Protocol => "answered against its own rules",
    }
}

/// The error for an answer that breaks the dialect.
pub(super) fn breach(target: &Target, what: &str) -> ModelError {
    ModelError::new(ErrorClass::Protocol, format!("{} sent {what}.", target.label()))
}

#[cfg(test)]
mod tests;
