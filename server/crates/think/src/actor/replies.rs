//! Answers of browsers and people to calls, and the turn that goes on because of them.

use super::{Accepted, Actor, Line, TurnKind};
use crate::admit::is_reserved;
use crate::error::ThinkError;
use crate::program::Terms;
use crate::recovery::{TakenUp, Tries};
use crate::reply::{self, Consent, ConsentReach, Reply};
use crate::store::{Promise, PromiseKind};
use crate::stream::fanout::{ConnectionId, Stage};
use crate::tools::{find, misfit};
use crate::turn::continuation::Wanted;
use protocol::{Message, MessageId, Part, RequestId, ServerFrame, ToolCallId, WireError, limits};
use serde_json::json;
use tokio::time::Instant;

/// Whether the model shall go on by itself after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AndThen {
    Continue,
    Wait,
}

/// An answer that came while the turn that made the call was still running.
#[derive(Debug)]
pub(crate) struct HeldReply {
    from: ConnectionId,
    call: ToolCallId,
    reply: Reply,
    then: AndThen,
}

impl Actor {
    /// Takes an answer. While the turn that owns the call runs, its message is not stored yet: the answer waits for
    /// its end, in the order it came.
    pub(super) async fn on_reply(
        &mut self,
        from: ConnectionId,
        call: ToolCallId,
        reply: Reply,
        then: AndThen,
    ) {
        let running = self.running.as_ref().and_then(|running| running.machine.message());
        if running.is_some_and(|message| owns(&message, &call)) {
            if self.later.held.len() >= limits::HELD_REPLIES_MAX {
                return self.refuse(from, None, WireError::from(&ThinkError::QueueFull));
            }
            self.later.held.push(HeldReply { from, call, reply, then });
            return;
        }
        match self.apply_reply(&call, &reply).await {
            Ok(Some(message)) => {
                if let Err(error) = self.keep_reply(message, from, then).await {
                    self.refuse(from, None, WireError::from(&error));
                }
            }
            // Nothing waited for it: a repetition, or too late. It buys no turn.
            Ok(None) => {}
            Err(error) => self.refuse(from, None, WireError::from(&error)),
        }
    }

    /// Stores an answered message, after the promise to go on with it: whoever finds the one after a crash finds the
    /// other too.
    async fn keep_reply(
        &mut self,
        mut message: Message,
        from: ConnectionId,
        then: AndThen,
    ) -> Result<(), ThinkError> {
        let wanted = match then {
            AndThen::Continue => {
                Some(self.promise_continuation(self.new_continuation(&message.id, Some(from))).await?)
            }
            AndThen::Wait => {
                self.close_if_passed(&mut message).await?;
                None
            }
        };
        if let Err(error) = self.session.update(&message).await {
            if let Some(wanted) = &wanted {
                self.void_promise(&wanted.request_id).await;
            }
            return Err(error.into());
        }
        self.watchers.send_all(&ServerFrame::MessageUpdated { message });
        match wanted {
            Some(wanted) => self.schedule(wanted).await,
            None => self.continuation.touch(Instant::now()),
        }
        Ok(())
    }

    /// Looks at what came while a turn ran.
    pub(super) async fn apply_held(&mut self) {
        for held in std::mem::take(&mut self.later.held) {
            self.on_reply(held.from, held.call, held.reply, held.then).await;
        }
        self.continuation.touch(Instant::now());
    }

    /// The message with the answer in it, not stored yet; none where nothing waited for it.
    async fn apply_reply(&self, call: &ToolCallId, reply: &Reply) -> Result<Option<Message>, ThinkError> {
        let path = self.session.history(None).await?.messages;
        let Some(mut message) = path.into_iter().rfind(|message| owns(message, call)) else {
            return Ok(None);
        };
        let tool = reply::tool_of(&message, call).unwrap_or_default().to_owned();
        if !reply::apply(&mut message, call, reply) {
            return Ok(None);
        }
        if let Reply::Approved(consent) = reply {
            self.check_input(&tool, consent)?;
            if consent.reach == ConsentReach::Tool {
                self.consent_to(&tool).await?;
            }
        }
        Ok(Some(message))
    }

    /// What a person made of the arguments must fit the tool, as what a model writes must.
    fn check_input(&self, name: &str, consent: &Consent) -> Result<(), ThinkError> {
        let Some(input) = &consent.input else { return Ok(()) };
        let schema = find(&self.shared.toolbox(), name).map(|tool| tool.spec().schema());
        let schema = schema.unwrap_or_else(|| json!({ "type": "object" }));
        misfit(name, &schema, input).map_or(Ok(()), |text| Err(ThinkError::UnfitInput(text)))
    }

    /// Takes from a client's list what it says about waiting calls of finished answers. It buys no turn: the request
    /// that brought the list has its own.
    pub(super) async fn take_advances(&mut self, list: &[Message]) -> Result<(), ThinkError> {
        let holds_call = |message: &&Message| message.parts.iter().any(|part| part.as_tool().is_some());
        let waiting = self.session.waiting_among(list.iter().filter(holds_call).map(|it| &it.id)).await?;
        for claimed in list.iter().filter(holds_call).filter(|it| waiting.contains(&it.id)) {
            let Some(mut stored) = self.session.get(&claimed.id).await? else { continue };
            let advances = reply::advances(&stored, claimed);
            if advances.is_empty() || is_reserved(&stored) {
                continue;
            }
            for (call, reply) in &advances {
                let _is_applied = reply::apply(&mut stored, call, reply);
            }
            let _known = self.session.update(&stored).await?;
            self.watchers.send_all(&ServerFrame::MessageUpdated { message: stored });
        }
        Ok(())
    }

    /// A continuation with a request of its own.
    fn new_continuation(&self, message_id: &MessageId, owner: Option<ConnectionId>) -> Wanted {
        let request_id = RequestId::new(self.shared.world.ids.new_id());
        Wanted { request_id, message_id: message_id.clone(), owner, taken_up: None }
    }

    /// Writes down that the model owes it. The socket that asked hears of it through the resume handshake.
    pub(super) async fn promise_continuation(&self, wanted: Wanted) -> Result<Wanted, ThinkError> {
        let promise = Promise {
            session_id: self.session.id().clone(),
            request_id: wanted.request_id.clone(),
            message_id: wanted.message_id.clone(),
            parent_id: None,
            previous_leaf: None,
            kind: PromiseKind::Continuation,
            tries: Tries::default(),
        };
        self.shared.store.promise(&promise, self.shared.now()).await?;
        Ok(wanted)
    }

    /// Takes up what was promised before a restart.
    pub(super) async fn keep_promise(&mut self, promise: Promise) {
        let Promise { request_id, message_id, parent_id, previous_leaf, kind, tries, .. } = promise;
        let (is_again, fruitless_ms) = (tries.all > 0, tries.fruitless_ms);
        let taken_up = is_again.then(|| TakenUp { at: self.shared.now(), fruitless_ms });
        if kind == PromiseKind::Continuation {
            self.schedule(Wanted { request_id, message_id, owner: None, taken_up }).await;
            // Nobody has answered anything since; turns that were promised later come after it.
            return self.fire_continuation().await;
        }
        let model = match self.chosen_model().await {
            Ok(model) => model,
            Err(error) => {
                tracing::error!(session.id = %self.session.id(), request.id = %request_id, %error,
                    "a turn from before the start cannot begin; the next start will try again");
                return;
            }
        };
        // The stop may have come between the question and the end of what it passed by.
        if let Some(above) = &parent_id {
            self.pass_by_above(above).await;
        }
        self.shared.hub.set_busy(self.session.id());
        self.shared.announce_session(self.session.id()).await;
        self.queue.enqueue(Accepted {
            request_id,
            requester: None,
            parent_id: parent_id.unwrap_or_else(|| message_id.clone()),
            message_id,
            previous_leaf,
            model,
            kind: TurnKind::Answer,
            client_tools: self.client_tools.clone(),
            body: self.custom_fields(),
            line: Line::Firm,
            terms: Terms::default(),
            taken_up,
        });
    }

    /// Puts a promised continuation into the slot.
    pub(super) async fn schedule(&mut self, wanted: Wanted) {
        if let Some(watcher) = wanted.owner.and_then(|owner| self.watchers.get_mut(owner)) {
            watcher.stage = Stage::Parked;
        }
        if let Some(void) = self.continuation.want(wanted, Instant::now()) {
            self.void_promise(&void.request_id).await;
        }
    }

    pub(super) async fn void_promise(&self, id: &RequestId) {
        if let Err(error) = self.shared.store.fulfil(self.session.id(), id).await {
            tracing::error!(session.id = %self.session.id(), request.id = %id, %error, "a promise is not crossed out");
        }
    }

    /// The moment has come: if no call waits any more, the continuation is queued like any turn.
    pub(super) async fn fire_continuation(&mut self) {
        let Some(wanted) = self.continuation.pending().cloned() else { return };
        let accepted = self.accept_continuation(wanted).await;
        match accepted {
            Ok(Some(turn)) => {
                let _fired = self.continuation.fire();
                self.shared.hub.set_busy(self.session.id());
                self.shared.announce_session(self.session.id()).await;
                self.queue.enqueue(turn);
            }
            Ok(None) => self.continuation.hold(),
            Err(error) => {
                tracing::error!(session.id = %self.session.id(), %error, "a continuation cannot begin");
                self.continuation.hold();
            }
        }
    }

    pub(super) async fn accept_continuation(&self, wanted: Wanted) -> Result<Option<Accepted>, ThinkError> {
        let Some(message) = self.session.get(&wanted.message_id).await? else { return Ok(None) };
        if reply::is_waiting(&message) {
            return Ok(None);
        }
        let path = self.session.history_ids(Some(&wanted.message_id)).await?;
        let Some(parent_id) = path.iter().rev().nth(1).cloned() else { return Ok(None) };
        Ok(Some(Accepted {
            request_id: wanted.request_id,
            requester: wanted.owner,
            message_id: wanted.message_id,
            parent_id,
            previous_leaf: None,
            model: self.chosen_model().await?,
            kind: TurnKind::Continuation(Box::new(message)),
            client_tools: self.client_tools.clone(),
            body: self.custom_fields(),
            line: Line::Firm,
            terms: Terms::default(),
            taken_up: wanted.taken_up,
        }))
    }
}

pub(super) fn owns(message: &Message, call: &ToolCallId) -> bool {
    message.parts.iter().filter_map(Part::as_tool).any(|tool| tool.call.tool_call_id == *call)
}
