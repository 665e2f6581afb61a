//! Performs what takes long: the model call and the tools. Decides nothing.

use super::Input;
use crate::agent::Silence;
use crate::hooks::TurnHooks;
use crate::tools::{Report, Tool, ToolRun};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::ReadyChunks;
use model::{LanguageModel, ModelError, ModelEvent, ModelRequest, ModelStream};
use protocol::{ToolCallId, limits};
use serde_json::Value;
use std::sync::Arc;
use sync_wrapper::SyncWrapper;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

/// The running work of one turn. Dropping it stops the work: the provider's connection is closed, tools are aborted.
pub(crate) struct Driver {
    call: Option<Call>,
    /// How long a call may say nothing.
    silence: Silence,
    tools: JoinSet<(ToolCallId, Result<Value, String>)>,
    /// The prompt that is being put together.
    prompt: Option<SyncWrapper<BoxFuture<'static, Vec<Input>>>>,
    /// What running tools show before they are done; the sender is for the next ones.
    reports: (mpsc::Sender<Report>, mpsc::Receiver<Report>),
    /// What came while nobody could take it.
    ahead: Vec<Input>,
}

/// A running call of the model.
struct Call {
    /// Streams are not `Sync`; nothing ever shares this one.
    events: SyncWrapper<ReadyChunks<ModelStream>>,
    /// When it was made, or last said something.
    heard: Instant,
}

impl Driver {
    pub(crate) fn new(silence: Silence) -> Self {
        let reports = mpsc::channel(limits::TOOL_REPORT_QUEUE_MAX);
        Self { call: None, silence, tools: JoinSet::new(), prompt: None, reports, ahead: Vec::new() }
    }

    /// From the next call on.
    pub(crate) fn set_silence(&mut self, silence: Silence) {
        self.silence = silence;
    }

    pub(crate) fn call_model(&mut self, model: &dyn LanguageModel, request: ModelRequest) {
        let events = SyncWrapper::new(model.call(request).ready_chunks(limits::CHUNK_BATCH_MAX));
        self.call = Some(Call { events, heard: Instant::now() });
    }

    pub(crate) fn prepare(&mut self, prompt: BoxFuture<'static, Vec<Input>>) {
        self.prompt = Some(SyncWrapper::new(prompt));
    }

    pub(crate) fn run_tool(&mut self, tool: Arc<dyn Tool>, run: ToolRun, hooks: TurnHooks) {
        let _handle = self.tools.spawn(hooks.run_tool(tool, run, self.reports.0.clone()));
    }

    pub(crate) fn stop(&mut self) {
        self.call = None;
        self.prompt = None;
        self.tools.abort_all();
        self.ahead.clear();
    }

    /// Does `other`, and goes on with the work of the turn meanwhile: with the next thing, not with all that follows.
    pub(crate) async fn beside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = std::pin::pin!(other);
        if self.ahead.is_empty() {
            tokio::select! {
                biased;
                done = other.as_mut() => return done,
                inputs = self.next() => self.ahead = inputs,
            }
        }
        other.await
    }

    /// What happened next; everything that is ready comes at once. Pends for ever while nothing runs.
    ///
    /// Cancel-safe: an input is taken only when it is returned.
    pub(crate) async fn next(&mut self) -> Vec<Input> {
        let Self { call, silence, tools, prompt, reports, ahead } = self;
        if !ahead.is_empty() {
            return std::mem::take(ahead);
        }
        loop {
            tokio::select! {
                biased;
                // Before the result that follows it.
                Some((id, output)) = reports.1.recv() => return vec![Input::ToolReported { id, output }],
                batch = next_batch(call, *silence) => return batch,
                inputs = prepared(prompt) => return inputs,
                // An error is a tool that was aborted: nobody waits for it.
                Some(ended) = tools.join_next(), if !tools.is_empty() => if let Ok((id, outcome)) = ended {
                    return vec![Input::ToolFinished { id, outcome }];
                },
            }
        }
    }
}

async fn prepared(prompt: &mut Option<SyncWrapper<BoxFuture<'static, Vec<Input>>>>) -> Vec<Input> {
    let Some(running) = prompt else { return std::future::pending().await };
    let inputs = running.get_mut().await;
    *prompt = None;
    inputs
}

async fn next_batch(call: &mut Option<Call>, silence: Silence) -> Vec<Input> {
    let Some(running) = call else { return std::future::pending().await };
    let Ok(events) = next_events(running, silence).await else {
        *call = None;
        return vec![Input::ModelStalled];
    };
    let Some(events) = events else {
        *call = None;
        return vec![Input::ModelEnded];
    };
    running.heard = Instant::now();
    let mut inputs = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Ok(event) => inputs.push(Input::Model(event)),
            Err(error) => {
                *call = None;
                inputs.push(Input::ModelFailed(error));
                break;
            }
        }
    }
    inputs
}

/// What the model says next, none at its end; an error where it is silent for too long. What is ready counts as said,
/// however late it is looked at.
async fn next_events(
    call: &mut Call,
    silence: Silence,
) -> Result<Option<Vec<Result<ModelEvent, ModelError>>>, Elapsed> {
    let next = call.events.get_mut().next();
    match silence {
        Silence::Unlimited => Ok(next.await),
        Silence::AtMost(limit) => timeout_at(call.heard + limit, next).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Gate, Script, ScriptedModel};
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_secs(30);

    /// What a driver gives of one call, and how many seconds each input took.
    async fn play(script: Script, silence: Silence) -> (Vec<(Input, u64)>, usize) {
        let (mut driver, model) = (Driver::new(silence), ScriptedModel::new([script]));
        driver.call_model(&model, ModelRequest::default());
        let (mut inputs, mut since) = (Vec::new(), Instant::now());
        while driver.call.is_some() {
            let batch = tokio::time::timeout(10 * LIMIT, driver.next()).await.unwrap_or_default();
            if batch.is_empty() {
                break;
            }
            inputs.extend(batch.into_iter().map(|input| (input, since.elapsed().as_secs())));
            since = Instant::now();
        }
        drop(driver);
        (inputs, model.cancelled())
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_call_is_dropped_and_told_once() {
        let closed = Gate::new();
        let stalled = (vec![(Input::ModelStalled, 30)], 1);
        let silent = || Script::new().hold(&closed).text("late").stop();
        assert_eq!(play(silent(), Silence::AtMost(LIMIT)).await, stalled);
        assert_eq!(play(silent(), Silence::Unlimited).await, (Vec::new(), 1));

        let (inputs, cancelled) =
            play(Script::new().text("a").hold(&closed).stop(), Silence::AtMost(LIMIT)).await;
        assert_eq!(inputs.last(), Some(&(Input::ModelStalled, 30)), "counted from the last word");
        assert!(matches!(inputs[0], (Input::Model(_), 0)));
        assert_eq!(cancelled, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn work_goes_on_beside_something_else_and_is_given_once() {
        let (mut driver, model) =
            (Driver::new(Silence::Unlimited), ScriptedModel::new([Script::new().stop()]));
        driver.call_model(&model, ModelRequest::default());
        driver.beside(tokio::time::sleep(LIMIT)).await;
        driver.beside(tokio::time::sleep(LIMIT)).await;
        assert!(matches!(driver.ahead.as_slice(), [Input::Model(ModelEvent::Finish { .. })]));
        assert!(matches!(driver.next().await.as_slice(), [Input::Model(ModelEvent::Finish { .. })]));
        assert_eq!(driver.next().await, [Input::ModelEnded]);
        assert_eq!(driver.beside(async { 7 }).await, 7, "nothing runs");
    }

    #[tokio::test(start_paused = true)]
    async fn what_came_ahead_of_a_stop_is_not_given() {
        let (mut driver, model) =
            (Driver::new(Silence::Unlimited), ScriptedModel::new([Script::new().stop()]));
        driver.call_model(&model, ModelRequest::default());
        driver.beside(tokio::time::sleep(LIMIT)).await;
        assert_eq!(driver.ahead.len(), 1);
        driver.stop();
        assert!(tokio::time::timeout(LIMIT, driver.next()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_ready_is_heard_however_late_it_is_looked_at() {
        let (mut driver, model) =
            (Driver::new(Silence::AtMost(LIMIT)), ScriptedModel::new([Script::new().stop()]));
        driver.call_model(&model, ModelRequest::default());
        tokio::time::advance(2 * LIMIT).await;
        assert!(matches!(driver.next().await.as_slice(), [Input::Model(ModelEvent::Finish { .. })]));
    }
}
