//! A model that plays scripts, for tests: no clock, no network, the same every time.
//!
//! ```
//! use model::{LanguageModel, ModelEvent, ModelRequest, Script, ScriptedModel};
//! use futures::{StreamExt, executor::block_on};
//!
//! let model = ScriptedModel::new([Script::new().text("Good ").text("morning").stop()]);
//! let answer: Vec<_> = block_on(model.call(ModelRequest::default()).collect());
//! assert_eq!(answer[1], Ok(ModelEvent::TextDelta { id: "text-0".into(), delta: "Good ".into() }));
//! assert_eq!(model.requests().len(), 1);
//! ```

mod gate;
mod script;

pub use gate::Gate;
pub use script::Script;

use crate::error::{ErrorClass, ModelError};
use crate::language_model::{LanguageModel, ModelStream};
use crate::request::ModelRequest;
use futures::{FutureExt, StreamExt, stream};
use gate::Counter;
use script::Beat;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Answer = dyn Fn(&ModelRequest) -> Script + Send + Sync;

/// Plays one [`Script`] per call and keeps what it was asked. Clones share everything.
#[derive(Clone)]
pub struct ScriptedModel {
    name: Arc<str>,
    answer: Arc<Answer>,
    record: Arc<Record>,
}

/// What tests look at afterwards.
#[derive(Default)]
struct Record {
    requests: Mutex<Vec<ModelRequest>>,
    calls: Counter,
    drops: Counter,
}

impl ScriptedModel {
    /// A model that plays `scripts` in this order. One call more than there are scripts fails, so that a test
    /// cannot pass with calls nobody expected.
    pub fn new(scripts: impl IntoIterator<Item = Script>) -> Self {
        let left = Mutex::new(scripts.into_iter().collect::<VecDeque<_>>());
        Self::answering(move |_request| {
            let none_left = || Script::new().error(ErrorClass::BadRequest, "no script is left for this call");
            lock(&left).pop_front().unwrap_or_else(none_left)
        })
    }

    /// A model that chooses its script by the request.
    pub fn answering(answer: impl Fn(&ModelRequest) -> Script + Send + Sync + 'static) -> Self {
        Self { name: "test/scripted".into(), answer: Arc::new(answer), record: Arc::default() }
    }

    /// The same under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Everything asked so far, oldest first.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.record.requests).clone()
    }

    /// Waits until `count` calls were begun.
    pub async fn wait_for_calls(&self, count: usize) {
        self.record.calls.reach(count).await;
    }

    /// How many streams were dropped before they had said all: calls that were cancelled.
    pub fn cancelled(&self) -> usize {
        self.record.drops.get()
    }

    /// Waits until `count` calls were cancelled.
    pub async fn wait_for_cancelled(&self, count: usize) {
        self.record.drops.reach(count).await;
    }

    fn begin(&self, request: ModelRequest) -> Playback {
        let script = (self.answer)(&request);
        lock(&self.record.requests).push(request);
        self.record.calls.add();
        Playback { beats: script.into_beats(), record: Arc::clone(&self.record) }
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedModel").field("name", &self.name).finish_non_exhaustive()
    }
}

impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        let model = self.clone();
        let begun = async move { stream::unfold(model.begin(request), Playback::next) };
        begun.into_stream().flatten().boxed()
    }
}

/// One running call. Dropped with beats left, it counts as cancelled.
struct Playback {
    beats: VecDeque<Beat>,
    record: Arc<Record>,
}

impl Playback {
    async fn next(mut self) -> Option<(Result<crate::ModelEvent, ModelError>, Self)> {
        loop {
            // The gate stays in front while it is closed, so that a drop at the gate is seen as one.
            if let Some(Beat::Hold(gate)) = self.beats.front() {
                gate.clone().pass().await;
            }
            match self.beats.pop_front()? {
                Beat::Hold(_) => {}
                Beat::Event(event) => return Some((Ok(event), self)),
                Beat::Error(error) => {
                    self.beats.clear();
                    return Some((Err(error), self));
                }
            }
        }
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        if !self.beats.is_empty() {
            self.record.drops.add();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
