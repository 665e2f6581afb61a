//! What a program can ask of a session.

use super::channel::Event;
use super::{
    ChatOptions, Events, IntoUserMessage, Listener, Make, Program, ResultStatus, StreamCallback, Terms, Tie,
    TurnResult, Work,
};
use crate::actor::Command;
use crate::admit::is_reserved;
use crate::agent::{ChatOutcome, OutcomeStatus};
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::lineage::Lineage;
use crate::reply;
use futures::FutureExt;
use protocol::{Message, MessageId, RequestId, SessionId, limits};
use session::Parent;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use sync_wrapper::SyncWrapper;
use tokio::sync::oneshot;

impl Engine {
    /// Says something in a session and waits for the answer. Open pages see the turn as any other. Dropping the future
    /// stops the turn; what had arrived is kept.
    ///
    /// # Errors
    /// No such session, too many turns wait, the store; or the caller stands inside a turn of this very session, which
    /// would wait for itself, or inside [`limits::AGENT_DEPTH_MAX`] turns.
    pub async fn chat(
        &self,
        session: &SessionId,
        message: impl IntoUserMessage + Send,
        callback: &dyn StreamCallback,
        options: ChatOptions,
    ) -> Result<TurnResult, ThinkError> {
        let message = message.into_message(self.shared().world.ids.new_id());
        let signal = options.signal.clone().unwrap_or_default();
        let (tools, client_tools) = options.split();
        let client_tools = Some(client_tools).filter(|tools| !tools.is_empty());
        let terms = Terms { tools, client_tools, ..Terms::default() };
        let asked = self.ask(session, Work::Messages(vec![message]), terms).await?;
        let id = Some(asked.request_id.clone());
        let mut guard = Guard { engine: self.clone(), session: session.clone(), id };
        let mut hearing = std::pin::pin!(asked.hear(callback));
        let heard = tokio::select! {
            biased;
            heard = &mut hearing => heard,
            () = signal.aborted() => {
                guard.stop();
                hearing.await
            }
        };
        guard.id = None;
        let mut result = heard?;
        if result.status == ResultStatus::Skipped && signal.is_aborted() {
            result.status = ResultStatus::Aborted;
        }
        Ok(result)
    }

    /// Stores messages at the end of the conversation and answers them. Known ids are not stored again.
    ///
    /// # Errors
    /// As [`Self::chat`].
    pub async fn save_messages(
        &self,
        session: &SessionId,
        messages: Vec<Message>,
    ) -> Result<TurnResult, ThinkError> {
        self.run(session, Work::Messages(messages)).await
    }

    /// The same with messages that are made of the conversation as it is once everything accepted before has ended.
    /// Making none skips the turn.
    ///
    /// # Errors
    /// As [`Self::chat`].
    pub async fn save_messages_with(
        &self,
        session: &SessionId,
        make: impl FnOnce(Vec<Message>) -> Vec<Message> + Send + 'static,
    ) -> Result<TurnResult, ThinkError> {
        let make: Make = SyncWrapper::new(Box::new(make));
        self.run(session, Work::Make(make)).await
    }

    /// Goes on with the last answer, once everything accepted before has ended. Skipped if the conversation does not
    /// end in one.
    ///
    /// # Errors
    /// As [`Self::chat`].
    pub async fn continue_last_turn(&self, session: &SessionId) -> Result<TurnResult, ThinkError> {
        self.run(session, Work::Continue).await
    }

    /// Stores messages, each after the one before, and answers nothing. The first follows `parent`, or the end of the
    /// conversation.
    ///
    /// # Errors
    /// An unknown parent, an answer that is being written, or the store.
    pub async fn add_messages(
        &self,
        session: &SessionId,
        messages: Vec<Message>,
        parent: Option<&MessageId>,
    ) -> Result<Vec<MessageId>, ThinkError> {
        let parent = parent.cloned().map(Parent::Under);
        self.order(session, |reply| Command::Add { messages, parent, reply }).await
    }

    /// Whether the conversation waits for somebody outside: a browser's tool, or a person's agreement.
    ///
    /// # Errors
    /// No such session, or the store.
    pub async fn has_pending_interaction(&self, session: &SessionId) -> Result<bool, ThinkError> {
        let messages = self.messages(session).await?;
        let messages = messages.ok_or_else(|| ThinkError::UnknownSession(session.clone()))?;
        Ok(messages.iter().any(reply::is_waiting))
    }

    /// Waits until nothing runs, nothing waits in the queue and nobody outside is waited for; false if that did not
    /// happen in time.
    ///
    /// # Errors
    /// No such session, the store, or the caller stands inside a turn of this session.
    pub async fn wait_until_stable(
        &self,
        session: &SessionId,
        timeout: Duration,
    ) -> Result<bool, ThinkError> {
        if Lineage::current().holds(self.shared(), session) {
            return Err(ThinkError::InsideTurn(session.clone()));
        }
        let (reply, stable) = oneshot::channel();
        self.send(session, Command::WhenStable(reply)).await?;
        match tokio::time::timeout(timeout, stable).await {
            Ok(Ok(())) => Ok(true),
            Ok(Err(_gone)) => Err(ThinkError::Stopping),
            Err(_elapsed) => Ok(false),
        }
    }

    async fn run(&self, session: &SessionId, work: Work) -> Result<TurnResult, ThinkError> {
        let asked = self.ask(session, work, Terms::default()).await?;
        asked.hear(&()).await
    }

    async fn ask(&self, session: &SessionId, work: Work, terms: Terms) -> Result<Asked, ThinkError> {
        let lineage = Lineage::current();
        if lineage.holds(self.shared(), session) {
            return Err(ThinkError::InsideTurn(session.clone()));
        }
        if lineage.depth() >= limits::AGENT_DEPTH_MAX {
            return Err(ThinkError::TooDeep);
        }
        let request_id = RequestId::new(self.shared().world.ids.new_id());
        let terms = Terms { tie: Tie::Program, ..terms };
        let listener = self.ask_as(session, request_id.clone(), work, terms).await?;
        Ok(Asked { request_id, listener })
    }

    /// Asks for a turn under an id that is known already. Nobody is asked where the caller stands.
    pub(crate) async fn ask_as(
        &self,
        session: &SessionId,
        request_id: RequestId,
        work: Work,
        terms: Terms,
    ) -> Result<Listener, ThinkError> {
        let (events, listener) = Events::channel();
        let lineage = Lineage::current();
        let terms = Terms { lineage, events: Some(events), ..terms };
        let program = Program { work, request_id, terms };
        self.send(session, Command::Run(Box::new(program))).await?;
        Ok(listener)
    }
}

/// A turn that was asked for.
struct Asked {
    request_id: RequestId,
    listener: Listener,
}

impl Asked {
    async fn hear(mut self, callback: &dyn StreamCallback) -> Result<TurnResult, ThinkError> {
        let mut ears = Ears(Some(callback));
        while let Some(event) = self.listener.recv().await {
            match event {
                Event::Started => ears.call(|callback| callback.on_start(&self.request_id)).await,
                Event::Chunks(bodies) => ears.hear_all(&bodies).await,
                Event::Ended(outcome) => return Ok(ears.hear_end(*outcome).await),
                Event::Refused(error) => return Err(error),
            }
        }
        Ok(self.skipped())
    }

    fn skipped(&self) -> TurnResult {
        let (request_id, status) = (self.request_id.clone(), ResultStatus::Skipped);
        TurnResult { request_id, status, error: None, message: None }
    }
}

/// The callback, until it does something wrong.
struct Ears<'a>(Option<&'a dyn StreamCallback>);

impl<'a> Ears<'a> {
    async fn call<F: Future<Output = ()>>(&mut self, call: impl FnOnce(&'a dyn StreamCallback) -> F) {
        let Some(callback) = self.0 else { return };
        if AssertUnwindSafe(call(callback)).catch_unwind().await.is_err() {
            tracing::error!("the callback of a turn failed in a way it did not expect and hears no more");
            self.0 = None;
        }
    }

    async fn hear_all(&mut self, bodies: &[String]) {
        for body in bodies {
            self.call(|callback| callback.on_event(body)).await;
        }
    }

    async fn hear_end(mut self, outcome: ChatOutcome) -> TurnResult {
        let ChatOutcome { request_id, error, message, .. } = outcome;
        let status = match outcome.status {
            OutcomeStatus::Completed => ResultStatus::Completed,
            OutcomeStatus::Error => ResultStatus::Error,
            OutcomeStatus::Aborted => ResultStatus::Aborted,
        };
        let text = error.clone().unwrap_or_default();
        match status {
            ResultStatus::Error => self.call(|callback| callback.on_error(&text)).await,
            ResultStatus::Completed | ResultStatus::Skipped | ResultStatus::Aborted => {
                self.call(|callback| callback.on_done()).await;
            }
        }
        TurnResult { request_id, status, error, message }
    }
}

/// Stops the turn when nobody waits for it any more.
struct Guard {
    engine: Engine,
    session: SessionId,
    /// The request to stop; none once it ended.
    id: Option<RequestId>,
}

impl Guard {
    fn stop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let (engine, session) = (self.engine.clone(), self.session.clone());
        let _handle = self.engine.shared().tasks.spawn(async move {
            let _stopping = engine.send(&session, Command::StopTurn(id)).await;
        });
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The conversation without rows that are only reserved.
pub(crate) fn finished(mut messages: Vec<Message>) -> Vec<Message> {
    messages.retain(|message| !is_reserved(message));
    messages
}
