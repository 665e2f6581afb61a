//! What every adapter must do, as scenarios that an adapter's tests run against its own wire.
//!
//! The test implements [`Bench`]: it makes its fixture server answer the way a [`Scenario`] says and hands out a model
//! that talks to it. [`run`] calls the model and compares what came with what the scenario demands. A scenario that a
//! wire cannot spell is declared skipped by the bench and stands in the [`Report`], never silently passed.

mod grammar;

pub use grammar::check_grammar;

use crate::error::{ErrorClass, ModelError};
use crate::event::{FinishReason, ModelEvent};
use crate::language_model::{LanguageModel, ModelStream};
use crate::request::{ModelMessage, ModelRequest};
use futures::StreamExt;
use protocol::{ToolSpec, Usage};
use serde_json::{Value, json};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// The text of [`Scenario::Text`] and most others: letters of one to four bytes.
pub const TEXT: &str = "Grüße aus Ålesund, 木 und 🌳.";
/// The reasoning of [`Scenario::Reasoning`], before [`TEXT`].
pub const REASONING: &str = "First the greeting, then the tree.";
/// The cost in [`Scenario::Usage`].
pub const USAGE: Usage =
    Usage { input_tokens: 12, output_tokens: 34, cached_tokens: Some(5), reasoning_tokens: Some(6) };
/// How soon a provider must see that a call was cancelled.
pub const CANCEL_LIMIT: Duration = Duration::from_secs(1);

/// One thing that can happen in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// [`TEXT`], then a normal end.
    Text,
    /// [`REASONING`], then [`TEXT`], then a normal end.
    Reasoning,
    /// The first of [`calls`], then an end for tools.
    OneTool,
    /// Both of [`calls`], then an end for tools.
    TwoTools,
    /// [`TEXT`], a normal end, and [`USAGE`].
    Usage,
    /// [`TEXT`], ended by the length limit.
    Length,
    /// [`TEXT`], ended by the provider's filter.
    Filtered,
    /// [`TEXT`], then the connection ends without any sign of completion.
    CutOff,
    /// The call fails like this, before anything came.
    Failure(ErrorClass),
    /// Some text, then the caller goes away; the provider must see it within [`CANCEL_LIMIT`].
    Cancel,
}

/// Every scenario.
pub const SCENARIOS: [Scenario; 19] = [
    Scenario::Text,
    Scenario::Reasoning,
    Scenario::OneTool,
    Scenario::TwoTools,
    Scenario::Usage,
    Scenario::Length,
    Scenario::Filtered,
    Scenario::CutOff,
    Scenario::Failure(ErrorClass::Connection),
    Scenario::Failure(ErrorClass::Timeout),
    Scenario::Failure(ErrorClass::RateLimited),
    Scenario::Failure(ErrorClass::Unavailable),
    Scenario::Failure(ErrorClass::Auth),
    Scenario::Failure(ErrorClass::UnknownModel),
    Scenario::Failure(ErrorClass::ContextOverflow),
    Scenario::Failure(ErrorClass::Refused),
    Scenario::Failure(ErrorClass::BadRequest),
    Scenario::Failure(ErrorClass::Protocol),
    Scenario::Cancel,
];

/// Name and arguments of the calls in [`Scenario::OneTool`] and [`Scenario::TwoTools`].
pub fn calls() -> [(&'static str, Value); 2] {
    [("add", json!({"a": 1, "b": 2})), ("greet", json!({"whom": "木 \"quoted\"\n🌳"}))]
}

/// An adapter with its fixture server.
pub trait Bench: Sync {
    /// A model whose next call meets `scenario`; none where the wire has no way to say it.
    fn prepare(&self, scenario: Scenario) -> impl Future<Output = Option<Arc<dyn LanguageModel>>> + Send;

    /// Waits until the fixture server has seen the end of the connection of the last call.
    fn closed(&self) -> impl Future<Output = ()> + Send;
}

/// How the scenarios went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// As demanded.
    pub passed: Vec<Scenario>,
    /// Declared unspeakable by the bench.
    pub skipped: Vec<Scenario>,
    /// Otherwise, with the story.
    pub failed: Vec<(Scenario, String)>,
}

/// Runs every scenario, one after the other.
pub async fn run(bench: &impl Bench) -> Report {
    let mut report = Report::default();
    for scenario in SCENARIOS {
        match bench.prepare(scenario).await {
            None => report.skipped.push(scenario),
            Some(model) => match meet(bench, scenario, &*model).await {
                Ok(()) => report.passed.push(scenario),
                Err(story) => report.failed.push((scenario, story)),
            },
        }
    }
    report
}

/// The request that every scenario sends.
pub fn request() -> ModelRequest {
    let tools =
        calls().map(|(name, _)| ToolSpec { name: name.to_owned(), description: None, parameters: None });
    ModelRequest {
        system: Some("Answer.".to_owned()),
        messages: vec![ModelMessage::user("Hello")],
        tools: tools.to_vec(),
        ..ModelRequest::default()
    }
}

async fn meet(bench: &impl Bench, scenario: Scenario, model: &dyn LanguageModel) -> Result<(), String> {
    let stream = model.call(request());
    if scenario == Scenario::Cancel {
        return cancel(bench, stream).await;
    }
    let items: Vec<Result<ModelEvent, ModelError>> = stream.collect().await;
    let (outcome, expected) = (Outcome::of(&items)?, Outcome::demanded(scenario));
    if outcome == expected { Ok(()) } else { Err(format!("demanded {expected:?}\n     came {outcome:?}")) }
}

async fn cancel(bench: &impl Bench, mut stream: ModelStream) -> Result<(), String> {
    loop {
        match stream.next().await {
            Some(Ok(ModelEvent::TextDelta { .. })) => break,
            Some(Ok(_)) => {}
            other => return Err(format!("expected text before the cancel, got {other:?}")),
        }
    }
    drop(stream);
    let noticed = tokio::time::timeout(CANCEL_LIMIT, bench.closed()).await;
    noticed.map_err(|_| "the provider did not see that the call was cancelled".to_owned())
}

/// A whole answer, without the borders between its deltas.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    text: String,
    reasoning: String,
    calls: Vec<(String, Value)>,
    usage: Option<Usage>,
    end: End,
}

#[derive(Debug, Default, PartialEq)]
enum End {
    #[default]
    CutOff,
    Finished(FinishReason),
    Failed(ErrorClass),
}

impl Outcome {
    fn of(items: &[Result<ModelEvent, ModelError>]) -> Result<Self, String> {
        check_grammar(items)?;
        let mut outcome = Self::default();
        for item in items {
            match item {
                Ok(event) => outcome.add(event)?,
                Err(error) => outcome.end = End::Failed(error.class),
            }
        }
        Ok(outcome)
    }

    fn add(&mut self, event: &ModelEvent) -> Result<(), String> {
        match event {
            ModelEvent::TextDelta { delta, .. } => self.text.push_str(delta),
            ModelEvent::ReasoningDelta { delta, .. } => self.reasoning.push_str(delta),
            ModelEvent::ToolInputEnd { name, input, .. } => {
                let input =
                    serde_json::from_str(input).map_err(|error| format!("arguments {input}: {error}"))?;
                self.calls.push((name.clone(), input));
            }
            ModelEvent::Usage(usage) => self.usage = Some(*usage),
            ModelEvent::Finish { reason } => self.end = End::Finished(reason.clone()),
            ModelEvent::TextStart { .. }
            | ModelEvent::TextEnd { .. }
            | ModelEvent::ReasoningStart { .. }
            | ModelEvent::ReasoningEnd { .. }
            | ModelEvent::ToolInputStart { .. }
            | ModelEvent::ToolInputDelta { .. }
            | ModelEvent::Source { .. }
            | ModelEvent::File { .. } => {}
        }
        Ok(())
    }

    fn demanded(scenario: Scenario) -> Self {
        let spoken = |end| Self { text: TEXT.to_owned(), end, ..Self::default() };
        let called = |count| Self {
            calls: calls().into_iter().take(count).map(|(name, input)| (name.to_owned(), input)).collect(),
            end: End::Finished(FinishReason::ToolCalls),
            ..Self::default()
        };
        match scenario {
            Scenario::Text | Scenario::Cancel => spoken(End::Finished(FinishReason::Stop)),
            Scenario::Reasoning => {
                Self { reasoning: REASONING.to_owned(), ..spoken(End::Finished(FinishReason::Stop)) }
            }
            Scenario::OneTool => called(1),
            Scenario::TwoTools => called(2),
            Scenario::Usage => Self { usage: Some(USAGE), ..spoken(End::Finished(FinishReason::Stop)) },
            Scenario::Length => spoken(End::Finished(FinishReason::Length)),
            Scenario::Filtered => spoken(End::Finished(FinishReason::ContentFilter)),
            Scenario::CutOff => spoken(End::CutOff),
            Scenario::Failure(class) => Self { end: End::Failed(class), ..Self::default() },
        }
    }
}

#[cfg(test)]
mod tests;
