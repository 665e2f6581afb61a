//! The talking, which is the same for every dialect: send, once more for each thing that a server turns out to
//! refuse, try again before the first event, never after it.

use super::answer::{Answer, Decode};
use super::call_ids::CallIds;
use super::error::WireFailure;
use super::headers;
use super::quirks::{QuirkBook, Quirks};
use crate::entropy::Entropy;
use crate::http::{Body, HttpClient, RetryPolicy, Target, retrying};
use crate::now::Now;
use model::{ErrorClass, LanguageModel, ModelError, ModelRequest, ModelStream};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::fmt::Debug;
use std::sync::Arc;

/// What differs between the APIs. All of it is pure.
pub(super) trait Dialect: Debug + Send + Sync + 'static {
    /// Reads its answers.
    type Decoder: Decode;

    /// Where calls go, behind the base address.
    const PATH: &'static str;

    /// The request, as text.
    fn body(&self, request: &ModelRequest, model: &str, quirks: &Quirks) -> String;

    /// For one answer.
    fn decoder(&self, target: &Target, ids: CallIds) -> Self::Decoder;
}

/// How a provider is reached.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) target: Target,
    pub(crate) http: HttpClient,
    pub(crate) retry: RetryPolicy,
    pub(crate) entropy: Entropy,
    pub(crate) now: Now,
}

/// One provider, whatever its dialect, shared by all its models.
pub(crate) trait Provider: Debug + Send + Sync {
    /// Its address.
    fn target(&self) -> &Target;

    /// One of its models, as it names it.
    fn model(self: Arc<Self>, model: &str) -> Arc<dyn LanguageModel>;
}

/// One provider that speaks `D`.
#[derive(Debug)]
pub(super) struct Speaker<D> {
    dialect: D,
    link: Link,
    quirks: QuirkBook,
}

impl<D: Dialect> Speaker<D> {
    /// `quirks` are known of all its models beforehand.
    pub(super) fn new(dialect: D, link: Link, quirks: Quirks) -> Self {
        Self { dialect, link, quirks: QuirkBook::new(quirks) }
    }
}

impl<D: Dialect> Provider for Speaker<D> {
    fn target(&self) -> &Target {
        &self.link.target
    }

    fn model(self: Arc<Self>, model: &str) -> Arc<dyn LanguageModel> {
        let name = format!("{}/{model}", self.link.target.label());
        Arc::new(WireModel { name, call: Arc::new(ModelCall { provider: self, model: model.to_owned() }) })
    }
}

/// One model of such a provider.
struct WireModel<D> {
    name: String,
    call: Arc<ModelCall<D>>,
}

/// What a running call needs, without borrowing the model.
struct ModelCall<D> {
    provider: Arc<Speaker<D>>,
    /// As the provider names it.
    model: String,
}

impl<D: Dialect> LanguageModel for WireModel<D> {
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

impl<D: Dialect> ModelCall<D> {
    /// An answer whose first event is there. Until then every failure that may pass is worth another call.
    async fn begin(&self, request: &ModelRequest) -> Result<Answer<D::Decoder>, ModelError> {
        let link = &self.provider.link;
        retrying(link.retry, &link.entropy, || async {
            let response = self.send(request).await?;
            let mut answer = self.answer(request, response)?;
            answer.wait_for_first().await?;
            Ok(answer)
        })
        .await
    }

    /// Sends the request, once more for each quirk that its refusal teaches. What was learned is remembered as soon
    /// as the provider takes the request.
    async fn send(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        let Speaker { dialect, link: Link { target, http, .. }, quirks: book } = &*self.provider;
        let shape = request.output.as_ref();
        let mut quirks = book.of(&self.model, shape);
        let (mut tried, mut lessons) = (Vec::new(), Vec::new());
        let headers = headers::of(request)?;
        loop {
            let body = headers::with_options(dialect.body(request, &self.model, &quirks), &request.options);
            let response = http.post(target, D::PATH, headers.clone(), body).await?;
            if response.status().is_success() {
                book.learn(target, (&self.model, shape), &lessons);
                return Ok(response);
            }
            let failure = self.read_failure(response).await;
            let lesson =
                quirks.lesson(&failure.haystack).filter(|_| failure.class() == ErrorClass::BadRequest);
            match lesson.filter(|(quirk, _)| !tried.contains(quirk)) {
                Some((quirk, reach)) => {
                    quirks = quirks.with(quirk);
                    tried.push(quirk);
                    lessons.push((quirk, reach));
                }
                None => return Err(failure.into_error(target)),
            }
        }
    }

    async fn read_failure(&self, response: Response) -> WireFailure {
        let link = &self.provider.link;
        let status = response.status().as_u16();
        let retry_after = headers::retry_after(response.headers(), &link.now);
        let body = Body::new(response).error_text(&link.target).await;
        WireFailure::from_answer(status, retry_after, &body)
    }

    fn answer(&self, request: &ModelRequest, response: Response) -> Result<Answer<D::Decoder>, ModelError> {
        let Link { target, http, entropy, .. } = &self.provider.link;
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
        let decoder = self.provider.dialect.decoder(target, CallIds::new(request, entropy));
        let settings = *http.settings();
        let body = http.body(response);
        Ok(if kind.starts_with("application/json") {
            Answer::whole(body, target.clone(), decoder, settings)
        } else if kind.contains("ndjson") {
            Answer::lines(body, target.clone(), decoder, settings)
        } else {
            Answer::stream(body, target.clone(), decoder, settings)
        })
    }
}

#[cfg(test)]
mod tests;
