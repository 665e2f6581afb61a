//! Performs what takes long: the model call and the tools. Decides nothing.

use super::Input;
use crate::tools::{Report, Tool, ToolRun, run_bounded};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::ReadyChunks;
use model::{LanguageModel, ModelRequest, ModelStream};
use protocol::{ToolCallId, limits};
use serde_json::Value;
use std::sync::Arc;
use sync_wrapper::SyncWrapper;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The running work of one turn. Dropping it stops the work: the provider's connection is closed, tools are aborted.
pub(crate) struct Driver {
    /// Streams are not `Sync`; nothing ever shares this one.
    model: Option<SyncWrapper<ReadyChunks<ModelStream>>>,
    tools: JoinSet<(ToolCallId, Result<Value, String>)>,
    /// The prompt that is being put together.
    prompt: Option<SyncWrapper<BoxFuture<'static, Vec<Input>>>>,
    /// What running tools show before they are done; the sender is for the next ones.
    reports: (mpsc::Sender<Report>, mpsc::Receiver<Report>),
}

impl Default for Driver {
    fn default() -> Self {
        let reports = mpsc::channel(limits::TOOL_REPORT_QUEUE_MAX);
        Self { model: None, tools: JoinSet::new(), prompt: None, reports }
    }
}

impl Driver {
    pub(crate) fn call_model(&mut self, model: &dyn LanguageModel, request: ModelRequest) {
        self.model = Some(SyncWrapper::new(model.call(request).ready_chunks(limits::CHUNK_BATCH_MAX)));
    }

    pub(crate) fn prepare(&mut self, prompt: BoxFuture<'static, Vec<Input>>) {
        self.prompt = Some(SyncWrapper::new(prompt));
    }

    pub(crate) fn run_tool(&mut self, tool: Arc<dyn Tool>, run: ToolRun) {
        let _handle = self.tools.spawn(run_bounded(tool, run, self.reports.0.clone()));
    }

    pub(crate) fn stop(&mut self) {
        self.model = None;
        self.prompt = None;
        self.tools.abort_all();
    }

    /// What happened next; everything that is ready comes at once. Pends for ever while nothing runs.
    ///
    /// Cancel-safe: an input is taken only when it is returned.
    pub(crate) async fn next(&mut self) -> Vec<Input> {
        let Self { model, tools, prompt, reports } = self;
        loop {
            tokio::select! {
                biased;
                // Before the result that follows it.
                Some((id, output)) = reports.1.recv() => return vec![Input::ToolReported { id, output }],
                batch = next_batch(model) => return batch,
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

async fn next_batch(model: &mut Option<SyncWrapper<ReadyChunks<ModelStream>>>) -> Vec<Input> {
    let Some(stream) = model else { return std::future::pending().await };
    let Some(events) = stream.get_mut().next().await else {
        *model = None;
        return vec![Input::ModelEnded];
    };
    let mut inputs = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Ok(event) => inputs.push(Input::Model(event)),
            Err(error) => {
                *model = None;
                inputs.push(Input::ModelFailed(error));
                break;
            }
        }
    }
    inputs
}
