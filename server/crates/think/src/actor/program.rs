//! Turns that programs ask for: accepted like any other, some of them only when everything before has ended.

use super::{Accepted, Actor};
use crate::admit::{Admission, is_reserved, without_reserved};
use crate::error::ThinkError;
use crate::program::{Program, Terms, Work};
use crate::reply;
use crate::turn::continuation::Wanted;
use protocol::{Message, MessageId, RequestId, Role, limits};
use session::Parent;

impl Actor {
    pub(super) async fn on_program(&mut self, program: Box<Program>) {
        let waiting = self.queue.waiting().count() + self.later.programs.len();
        if waiting >= limits::TURN_QUEUE_MAX {
            if let Some(events) = &program.terms.events {
                events.refused(ThinkError::QueueFull);
            }
            return;
        }
        match program.work {
            Work::Messages(_) => self.start_program(*program).await,
            // The next round begins it, if nothing is going on.
            Work::Make(_) | Work::Continue => self.later.programs.push_back(program),
        }
    }

    /// Begins what waited for the end of everything before it.
    pub(super) async fn start_programs(&mut self) {
        while self.is_quiet() {
            let Some(program) = self.later.programs.pop_front() else { return };
            self.start_program(*program).await;
        }
    }

    fn is_quiet(&self) -> bool {
        self.running.is_none() && self.queue.is_idle()
    }

    async fn start_program(&mut self, program: Program) {
        let Program { work, request_id, terms } = program;
        let events = terms.events.clone();
        match self.accept_program(work, request_id, terms).await {
            Ok(Some(turn)) => self.take(turn, None).await,
            // Nothing to do: dropping its events says so.
            Ok(None) => {}
            Err(error) => {
                if let Some(events) = events {
                    events.refused(error);
                }
            }
        }
    }

    async fn accept_program(
        &mut self,
        work: Work,
        request_id: RequestId,
        terms: Terms,
    ) -> Result<Option<Accepted>, ThinkError> {
        let accepted = match work {
            Work::Messages(messages) => self.accept_messages(&request_id, messages).await?,
            Work::Make(make) => {
                let history = crate::program::finished(self.session.history(None).await?.messages);
                self.accept_messages(&request_id, make.into_inner()(history)).await?
            }
            Work::Continue => self.accept_more(request_id).await?,
        };
        Ok(accepted.map(|mut turn| {
            if let Some(tools) = terms.client_tools.clone() {
                turn.client_tools = tools;
            }
            turn.terms = terms;
            turn
        }))
    }

    async fn accept_messages(
        &mut self,
        request_id: &RequestId,
        messages: Vec<Message>,
    ) -> Result<Option<Accepted>, ThinkError> {
        let messages = self.unknown_of(messages).await?;
        let messages: Vec<Message> = messages.into_iter().map(without_reserved).collect();
        if messages.is_empty() {
            return Ok(None);
        }
        self.keep_terminal(None).await;
        let parent = self.session.active_leaf().await?;
        let admission = Admission { messages, parent };
        self.write_down((None, request_id), admission, None).await.map(Some)
    }

    async fn unknown_of(&self, messages: Vec<Message>) -> Result<Vec<Message>, ThinkError> {
        let mut unknown: Vec<Message> = Vec::with_capacity(messages.len());
        for message in messages {
            let is_repeated = unknown.iter().any(|earlier| earlier.id == message.id);
            if !is_repeated && self.session.get(&message.id).await?.is_none() {
                unknown.push(message);
            }
        }
        Ok(unknown)
    }

    /// Goes on with the answer that the conversation ends in.
    async fn accept_more(&mut self, request_id: RequestId) -> Result<Option<Accepted>, ThinkError> {
        let Some(message_id) = self.session.active_leaf().await? else { return Ok(None) };
        let Some(leaf) = self.session.get(&message_id).await? else { return Ok(None) };
        if leaf.role != Role::Assistant || is_reserved(&leaf) || reply::is_waiting(&leaf) {
            return Ok(None);
        }
        let wanted = Wanted { request_id, message_id, owner: None, taken_up: None };
        let wanted = self.promise_continuation(wanted).await?;
        self.accept_continuation(wanted).await
    }

    pub(super) async fn add_messages(
        &mut self,
        messages: Vec<Message>,
        parent: Option<Parent>,
    ) -> Result<Vec<MessageId>, ThinkError> {
        if !self.is_quiet() {
            return Err(ThinkError::Busy);
        }
        let parent = match parent {
            Some(parent) => parent,
            None => self.session.active_leaf().await?.map_or(Parent::Root, Parent::Under),
        };
        let messages: Vec<Message> = messages.into_iter().map(without_reserved).collect();
        let above = if let Parent::Under(above) = &parent { Some(above.clone()) } else { None };
        let _places = self.session.append_all(&messages, parent).await?;
        if let Some(above) = above {
            self.pass_by_quietly(&above).await;
        }
        self.tell_transcript(None).await;
        self.shared.announce_session(self.session.id()).await;
        Ok(messages.into_iter().map(|message| message.id).collect())
    }

    /// Tells those who wait that nothing is going on, once that is so.
    pub(super) async fn tell_stable(&mut self) {
        let is_idle = self.is_quiet() && self.later.programs.is_empty() && self.continuation.due().is_none();
        if self.later.stable.is_empty() || !is_idle {
            return;
        }
        let waits = match self.session.history(None).await {
            Ok(history) => history.messages.iter().any(reply::is_waiting),
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "whether anybody is waited for is unknown");
                return;
            }
        };
        if !waits {
            for asker in self.later.stable.drain(..) {
                let _asker_gone = asker.send(());
            }
        }
    }
}
