//! A request for a turn: checked, written down, told to the others, queued.

use super::{Accepted, Actor, Line, TurnKind};
use crate::admit::{Admission, Known, admit, is_reserved, read};
use crate::agent::ErrorStage;
use crate::error::ThinkError;
use crate::program::Terms;
use crate::recovery::Tries;
use crate::store::{Promise, PromiseKind};
use crate::stream::fanout::ConnectionId;
use crate::title;
use crate::turn::overlap::{Verdict, is_submit};
use db::IdSource;
use protocol::{
    ChatBody, ChatResponse, ErrorCode, Extra, Message, MessageId, RequestId, RequestInit, Role, ServerFrame,
    SessionInfo, TurnInfo, TurnOutcome, TurnStatus, WireError, limits,
};
use session::Parent;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::time::Instant;

impl Actor {
    pub(super) async fn on_chat_request(&mut self, from: ConnectionId, id: RequestId, init: RequestInit) {
        if self.is_in_motion(&id) {
            // No end is told: the one that is answered has its own.
            let text = format!("request {id} is being answered already");
            return self.refuse(from, Some(id), WireError::new(ErrorCode::Conflict, text));
        }
        let body = match read(&init) {
            Ok(body) => body,
            Err(error) => return self.refuse_turn(from, id, error),
        };
        let others = self.queue.count(self.queue.generation());
        let verdict = self.shared.spec.turns.overlap.judge(body.trigger, others);
        if verdict == Verdict::Refuse {
            self.tell_transcript_to(from).await;
            let (id, done, outcome) = (id.to_string(), true, Some(TurnOutcome::Skipped));
            let end = ChatResponse { id, done, outcome, ..ChatResponse::default() };
            return self.watchers.send_to(Some(from), &ServerFrame::ChatResponse(end));
        }
        match self.accept(from, &id, &body).await {
            Ok((mut turn, hears)) => {
                if is_submit(body.trigger) {
                    turn.line = self.place_in_line(verdict).await;
                }
                self.take(turn, (hears == Hears::Others).then_some(from)).await;
            }
            Err(error) => self.refuse_turn(from, id, error),
        }
    }

    /// A request that is not taken: said in our words, and ended in the way every client understands.
    pub(super) fn refuse_turn(&self, from: ConnectionId, id: RequestId, error: WireError) {
        let body = self.in_agents_words(&id, error.message.clone(), ErrorStage::Request);
        let done = true;
        let end = ChatResponse { id: id.to_string(), body, done, error: true, ..ChatResponse::default() };
        self.refuse(from, Some(id), error);
        self.watchers.send_to(Some(from), &ServerFrame::ChatResponse(end));
    }

    /// Ends the waiting turns that a new message replaces. Their messages stay, and the new turn answers them all.
    async fn place_in_line(&mut self, verdict: Verdict) -> Line {
        let Verdict::Replace(pause) = verdict else { return Line::NoSooner(Instant::now()) };
        while let Some(turn) = self.queue.remove(|turn| turn.line != Line::Firm) {
            self.withdraw(&turn).await;
            self.watchers.send_to(turn.requester, &turn.end(TurnOutcome::Skipped));
        }
        Line::NoSooner(Instant::now() + pause)
    }

    async fn tell_transcript_to(&self, to: ConnectionId) {
        if let Some(watcher) = self.watchers.all().find(|watcher| watcher.id == to) {
            watcher.sink.send_text(self.transcript(watcher.window).await);
        }
    }

    /// Tells the others and puts the turn into the line.
    pub(super) async fn take(&mut self, turn: Accepted, except: Option<ConnectionId>) {
        self.tell_transcript(except).await;
        self.shared.hub.set_busy(self.session.id());
        self.later.is_news = true;
        self.queue.enqueue(turn);
    }

    /// Tells what the row of the session is now.
    pub(super) async fn tell_news(&mut self) {
        if !std::mem::take(&mut self.later.is_news) {
            return;
        }
        let (shared, id) = (Arc::clone(&self.shared), self.session.id().clone());
        let telling = shared.announce_session(&id);
        match &mut self.running {
            Some(running) => running.driver.beside(telling).await,
            None => telling.await,
        }
    }

    async fn accept(
        &mut self,
        from: ConnectionId,
        id: &RequestId,
        body: &ChatBody,
    ) -> Result<(Accepted, Hears), WireError> {
        self.check_request(id)?;
        if let Some(name) = &body.model {
            let _known =
                self.shared.spec.model(name).map_err(|error| WireError::from(&ThinkError::from(error)))?;
        }
        self.take_advances(&body.messages).await.map_err(|error| WireError::from(&error))?;
        let known = self.known(body).await.map_err(|error| WireError::from(&error))?;
        let admission = admit(body, &known)?;
        self.capture(body).await.map_err(|error| WireError::from(&error))?;
        self.keep_terminal(None).await;
        if admission.messages.is_empty()
            && is_submit(body.trigger)
            && let Some(last) = &admission.parent
            && let Some(more) =
                self.accept_agreed((from, id), last).await.map_err(|error| WireError::from(&error))?
        {
            return Ok((more, Hears::Others));
        }
        // Only another answer to the same question makes way for the old one; a new question stays in sight.
        let previous = known.leaf.clone().filter(|_| admission.messages.is_empty());
        let hears = known.who_hears(&admission);
        let written = self.write_down((Some(from), id), admission, previous).await;
        let mut turn = written.map_err(|error| WireError::from(&error))?;
        turn.model = body.model.clone().unwrap_or(turn.model);
        Ok((turn, hears))
    }

    pub(super) fn is_in_motion(&self, id: &RequestId) -> bool {
        let running = self.running.iter().map(|running| &running.turn);
        running.chain(self.queue.waiting()).any(|turn| turn.request_id == *id)
    }

    fn check_request(&self, id: &RequestId) -> Result<(), WireError> {
        let length = id.as_str().len();
        if length == 0 || length > limits::ID_MAX_BYTES {
            let text = format!("a request id must have 1 to {} bytes (ID_MAX_BYTES)", limits::ID_MAX_BYTES);
            return Err(WireError::new(ErrorCode::BadRequest, text));
        }
        if self.queue.waiting().count() >= limits::TURN_QUEUE_MAX {
            return Err(WireError::from(&ThinkError::QueueFull));
        }
        Ok(())
    }

    /// Writes down the promise, the messages and the reserved row, all or none.
    pub(super) async fn write_down(
        &mut self,
        (from, request_id): (Option<ConnectionId>, &RequestId),
        admission: Admission,
        previous_leaf: Option<MessageId>,
    ) -> Result<Accepted, ThinkError> {
        let row = self.shared.sessions.get(self.session.id()).await?;
        let is_unnamed = row.as_ref().is_none_or(|row| row.name.is_empty());
        let model = self.model_of(row);
        let message_id = MessageId::new(self.shared.world.ids.new_id());
        let last = admission.messages.last().map(|message| message.id.clone());
        let parent_id = last.or_else(|| admission.parent.clone());
        let promise = Promise {
            session_id: self.session.id().clone(),
            request_id: request_id.clone(),
            message_id: message_id.clone(),
            parent_id: parent_id.clone(),
            previous_leaf: previous_leaf.clone(),
            kind: PromiseKind::Answer,
            tries: Tries::default(),
        };
        let title = admission.messages.first().and_then(title::of_question).filter(|_| is_unnamed);
        let above = admission.parent.clone();
        let row = reserved(&message_id, &model, self.shared.now());
        self.append((admission, row), &promise, title.as_deref()).await?;
        if let Some(above) = above {
            self.pass_by_quietly(&above).await;
        }
        let (requester, request_id, kind) = (from, request_id.clone(), TurnKind::Answer);
        let client_tools = self.client_tools.clone();
        let parent_id = parent_id.unwrap_or_else(|| message_id.clone());
        Ok(Accepted {
            request_id,
            requester,
            message_id,
            parent_id,
            previous_leaf,
            model,
            kind,
            client_tools,
            body: self.custom_fields(),
            line: Line::Firm,
            terms: Terms::default(),
            taken_up: None,
        })
    }

    /// The session's own choice, else the agent's.
    pub(super) async fn chosen_model(&self) -> Result<String, ThinkError> {
        let row = self.shared.sessions.get(self.session.id()).await?;
        Ok(self.model_of(row))
    }

    fn model_of(&self, row: Option<SessionInfo>) -> String {
        let chosen = row.and_then(|row| row.model);
        chosen.unwrap_or_else(|| self.shared.spec.usual_model())
    }

    /// A session without a name gets this one at the same time, so that none lacks it after a crash.
    async fn append(
        &self,
        (admission, reserved): (Admission, Message),
        promise: &Promise,
        name: Option<&str>,
    ) -> Result<(), ThinkError> {
        let parent = admission.parent.map_or(Parent::Root, Parent::Under);
        let mut messages = admission.messages;
        messages.push(reserved);
        let change = self.shared.store.promising(promise, self.shared.now());
        let _ids = self.session.append_all_in(change, &messages, parent, name).await?;
        Ok(())
    }

    /// Reads what the decision needs: the ids of the active path, and what the list names beyond it.
    async fn known(&self, body: &ChatBody) -> Result<KnownTree, ThinkError> {
        // A list that only holds the new question, as most do, needs no walk of a path that may be long.
        let is_long = body.messages.len() > LONG_LIST;
        let path = if is_long { self.session.history_ids(None).await? } else { Vec::new() };
        let mut ids: HashSet<MessageId> = path.iter().cloned().collect();
        let elsewhere = body.messages.iter().map(|message| &message.id).filter(|id| !ids.contains(*id));
        let stored = self.session.stored_among(elsewhere).await?;
        ids.extend(stored);
        let last_known =
            body.messages.iter().rev().map(|message| &message.id).find(|id| ids.contains(*id)).cloned();
        let answered = match &last_known {
            Some(last) if is_long => self.is_answered_below(last, &path).await?,
            Some(last) => self.is_answered_below(last, &self.session.history_ids(None).await?).await?,
            None => None,
        };
        let leaf = self.session.active_leaf().await?;
        let is_stored = |message: &&Message| ids.contains(&message.id);
        let last = match body.messages.last().filter(is_stored) {
            Some(message) => self.last_stored(&message.id).await?,
            None => None,
        };
        let ids_of = Arc::clone(&self.shared.world.ids);
        Ok(KnownTree { ids, leaf, answered: last_known.zip(answered), last, ids_of })
    }

    /// The stored row of the message that the list ends in, and what it follows.
    async fn last_stored(&self, id: &MessageId) -> Result<Option<(Message, Option<MessageId>)>, ThinkError> {
        let Some(stored) = self.session.get(id).await? else { return Ok(None) };
        let path = self.session.history_ids(Some(id)).await?;
        Ok(Some((stored, path.into_iter().rev().nth(1))))
    }

    /// Looks down the active path for the first finished answer; it is almost always the next row.
    async fn is_answered_below(
        &self,
        id: &MessageId,
        path: &[MessageId],
    ) -> Result<Option<bool>, ThinkError> {
        let Some(at) = path.iter().position(|known| known == id) else { return Ok(None) };
        for below in path.iter().skip(at + 1) {
            let message = self.session.get(below).await?;
            if message.is_some_and(|message| message.role == Role::Assistant && !is_reserved(&message)) {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    /// Takes back a turn that will not run: its reserved row goes, what hangs below moves up.
    pub(super) async fn withdraw(&mut self, turn: &Accepted) {
        let session = self.session.id();
        let undone = async {
            if !turn.kind.is_continuation() {
                let _gone = self.session.discard(std::slice::from_ref(&turn.message_id)).await?;
            }
            self.shared.store.fulfil(session, &turn.request_id).await
        };
        if let Err(error) = undone.await {
            tracing::error!(session.id = %session, request.id = %turn.request_id, %error,
                "a turn that did not run could not be taken back; the next start will do it");
        }
        if turn.kind.is_continuation() {
            self.continuation.ended(Instant::now());
        }
        self.tell_recovered(turn);
        self.quiet_if_idle().await;
    }

    pub(super) async fn quiet_if_idle(&self) {
        if self.queue.is_idle() && self.running.is_none() {
            self.shared.hub.set_quiet(self.session.id());
        }
        self.shared.announce_session(self.session.id()).await;
    }
}

/// From how many messages on the whole path is read at once instead of each message by itself.
const LONG_LIST: usize = 8;

/// The row that keeps the answer's place.
fn reserved(id: &MessageId, model: &str, now_ms: u64) -> Message {
    let (role, parts, extra) = (Role::Assistant, Vec::new(), Extra::new());
    let mut message = Message { id: id.clone(), role, parts, metadata: None, extra };
    message.set_turn(&TurnInfo {
        status: TurnStatus::Running,
        model: model.to_owned(),
        started_at: now_ms,
        finished_at: None,
        error: None,
        usage: None,
    });
    message
}

struct KnownTree {
    ids: HashSet<MessageId>,
    leaf: Option<MessageId>,
    /// The last message of the list that is stored, and whether it is answered below.
    answered: Option<(MessageId, bool)>,
    /// The last message of the list as it is stored, and what it follows.
    last: Option<(Message, Option<MessageId>)>,
    ids_of: Arc<dyn IdSource>,
}

/// Who is told the transcript when a request is accepted. The socket that asked shows its question already, but not
/// the id that the new version of one got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hears {
    All,
    Others,
}

impl KnownTree {
    fn who_hears(&self, admission: &Admission) -> Hears {
        let is_version = self.last.is_some() && !admission.messages.is_empty();
        if is_version { Hears::All } else { Hears::Others }
    }
}

impl Known for KnownTree {
    fn has(&self, id: &MessageId) -> bool {
        self.ids.contains(id)
    }

    fn active_leaf(&self) -> Option<&MessageId> {
        self.leaf.as_ref()
    }

    fn stored(&self, id: &MessageId) -> Option<(&Message, Option<&MessageId>)> {
        let (stored, parent) = self.last.as_ref().filter(|(stored, _)| stored.id == *id)?;
        Some((stored, parent.as_ref()))
    }

    fn new_id(&self) -> MessageId {
        MessageId::new(self.ids_of.new_id())
    }

    fn is_answered_below(&self, id: &MessageId) -> Option<bool> {
        self.answered.as_ref().filter(|(last, _)| last == id).map(|(_, is_answered)| *is_answered)
    }
}
