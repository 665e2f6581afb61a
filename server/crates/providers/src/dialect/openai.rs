//! Chat completions as OpenAI defined them and everybody else serves them.
//!
//! `request` and `stream` are pure, `error` gives failures their class, `quirks` remembers what a server refuses, and
//! this file does the talking: send, try again before the first event, never after it.

mod answer;
mod call_ids;
mod error;
mod quirks;
mod request;
mod stream;

use crate::entropy::Entropy;
use crate::http::{Body, HttpClient, RetryPolicy, Target, retrying};
use answer::Answer;
use error::WireFailure;
use model::{ErrorClass, LanguageModel, ModelError, ModelRequest, ModelStream, Purpose};
use quirks::{Quirk, QuirkBook, Quirks};
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use std::sync::Arc;
use std::time::Duration;

const PATH: &str = "chat/completions";
const PURPOSE: HeaderName = HeaderName::from_static("x-bough-purpose");

/// Whether reasoning goes back to the provider with the tool calls that it led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReasoningReplay {
    /// Only if the provider turns out to demand it.
    #[default]
    Never,
    /// Yes, unless the provider turns out to refuse it.
    WithToolCalls,
}

/// One provider that speaks the dialect, shared by all its models.
#[derive(Debug)]
pub(crate) struct OpenAiProvider {
    target: Target,
    http: HttpClient,
    retry: RetryPolicy,
    entropy: Entropy,
    quirks: QuirkBook,
}

impl OpenAiProvider {
    pub(crate) fn new(
        target: Target,
        http: HttpClient,
        retry: RetryPolicy,
        entropy: Entropy,
        replay: ReasoningReplay,
    ) -> Self {
        let quirks = match replay {
            ReasoningReplay::Never => Quirks::default(),
            ReasoningReplay::WithToolCalls => Quirks::default().with(Quirk::EchoReasoning),
        };
        Self { target, http, retry, entropy, quirks: QuirkBook::new(quirks) }
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }
}

/// One model of such a provider.
pub(crate) struct OpenAiModel {
    name: String,
    call: Arc<ModelCall>,
}

/// What a running call needs, without borrowing the model.
struct ModelCall {
    provider: Arc<OpenAiProvider>,
    /// As the provider names it.
    model: String,
}

impl OpenAiModel {
    pub(crate) fn new(provider: Arc<OpenAiProvider>, model: &str) -> Self {
        let name = format!("{}/{model}", provider.target.label());
        Self { name, call: Arc::new(ModelCall { provider, model: model.to_owned() }) }
    }
}

impl LanguageModel for OpenAiModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        let call = Arc::clone(&self.call);
        Box::pin(async_stream::try_stream! {
            let mut answer = call.begin(&request).await?;
            while let Some(events) = answer.next().await? {
                for event in events {
                    yield event;
                }
            }
        })
    }
}

impl ModelCall {
    /// An answer whose first event is there. Until then every failure that may pass is worth another call.
    async fn begin(&self, request: &ModelRequest) -> Result<Answer, ModelError> {
        let provider = &self.provider;
        retrying(provider.retry, &provider.entropy, || async {
            let response = self.send(request).await?;
            let mut answer = self.answer(request, response).await?;
            answer.wait_for_first().await?;
            Ok(answer)
        })
        .await
    }

    /// Sends the request, once more for each quirk that its refusal teaches. What was learned is remembered as soon
    /// as the provider takes the request.
    async fn send(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        let OpenAiProvider { target, http, quirks: book, .. } = &*self.provider;
        let mut quirks = book.of(&self.model);
        let mut lessons = Vec::new();
        loop {
            let body = request::body(request, &self.model, &quirks);
            let response = http.post(target, PATH, headers(request.purpose), body).await?;
            if response.status().is_success() {
                book.learn(target, &self.model, lessons);
                return Ok(response);
            }
            let failure = read_failure(target, response).await;
            let lesson =
                quirks.lesson(&failure.haystack).filter(|_| failure.class() == ErrorClass::BadRequest);
            match lesson.filter(|lesson| !lessons.contains(lesson)) {
                Some(quirk) => {
                    quirks = quirks.with(quirk);
                    lessons.push(quirk);
                }
                None => return Err(failure.into_error(target)),
            }
        }
    }

    async fn answer(&self, request: &ModelRequest, response: Response) -> Result<Answer, ModelError> {
        let target = &self.provider.target;
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let kind = kind.to_lowercase();
        if kind.starts_with("text/html") {
            let text = format!(
                "{} answered with a web page. The base URL should end where the API begins, often with /v1.",
                target.label()
            );
            return Err(ModelError::new(ErrorClass::Protocol, text));
        }
        let ids = call_ids::CallIds::new(request, &self.provider.entropy);
        let decoder = stream::Decoder::new(target.clone(), ids);
        let settings = *self.provider.http.settings();
        let body = Body::new(response);
        Ok(if kind.starts_with("application/json") {
            Answer::whole(body, target.clone(), decoder, settings)
        } else {
            Answer::stream(body, target.clone(), decoder, settings)
        })
    }
}

fn headers(purpose: Purpose) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let _none = headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let word = match purpose {
        Purpose::Chat => return headers,
        Purpose::Title => "title",
        Purpose::Summary => "summary",
    };
    let _none = headers.insert(PURPOSE, HeaderValue::from_static(word));
    headers
}

async fn read_failure(target: &Target, response: Response) -> WireFailure {
    let status = response.status().as_u16();
    let retry_after = retry_after(response.headers());
    let body = Body::new(response).error_text(target).await;
    WireFailure::from_answer(status, retry_after, &body)
}

/// Seconds or milliseconds; a date is not read, since it would need a clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1_000.0).or_else(|| number(RETRY_AFTER.as_str()));
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}
