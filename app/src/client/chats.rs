//! What a person does with the session that is looked at.

use super::Client;
use crate::boot::Boot;
use crate::browser;
use crate::chat::signals::Chat;
use crate::chat::transcript::{RowKey, Words};
use crate::connection::link::LinkEvent;
use crate::connection::socket::{self, Command};
use leptos::prelude::*;
use protocol::{ClientFrame, MessageId, RequestId, SessionId, Transcript, WireError};

impl Client {
    /// A session comes on the screen: the socket speaks about it from now on, and words that were typed before it
    /// existed are said.
    pub fn attach(self, chat: Chat) {
        let session = chat.session().clone();
        self.current.set_value(Some(chat.clone()));
        self.listen(&session);
        let waiting = self
            .beginning
            .first_words
            .with_value(|words| words.as_ref().is_some_and(|(id, _)| *id == session));
        if waiting && let Some((_, words)) = self.beginning.first_words.write_value().take() {
            self.send(&chat, words);
        }
    }

    /// A session leaves the screen.
    pub fn detach(self, session: &SessionId) {
        if self.chat_of(session).is_some() {
            self.current.set_value(None);
        }
    }

    /// Hears the server where no session is looked at: through the one session that always exists.
    pub fn listen_to_none(self) {
        self.listen(&SessionId::default());
    }

    /// The session that is looked at.
    pub fn current(self) -> Option<Chat> {
        self.current.get_value()
    }

    /// Says something in a session.
    pub fn send(self, chat: &Chat, words: Words) {
        let message = MessageId::new(browser::new_id("msg-"));
        let frame = chat.act(|transcript| transcript.send(words, message, new_request()));
        chat.own_words().update(|count| *count += 1);
        self.say_if(chat, frame);
    }

    /// Stops what runs in a session.
    pub fn stop(self, chat: &Chat) {
        let frame = chat.act(|transcript| transcript.stop());
        self.say_if(chat, frame);
    }

    /// Stops what runs in the session that is looked at.
    pub fn stop_current(self) {
        if let Some(chat) = self.current.get_value() {
            self.stop(&chat);
        }
    }

    /// Asks for another answer.
    pub fn retry(self, chat: &Chat, row: &RowKey) {
        let frame = chat.act(|transcript| transcript.retry(row, new_request()));
        self.say_if(chat, frame);
    }

    /// Takes a refused message back into the composer.
    pub fn take_back(self, chat: &Chat, row: &RowKey) {
        let words = chat.act(|transcript| transcript.take_back(row));
        chat.taken_back().set(words);
    }

    /// Sends a refused message again, as a new one.
    pub fn send_again(self, chat: &Chat, row: &RowKey) {
        if let Some(words) = chat.act(|transcript| transcript.take_back(row)) {
            self.send(chat, words);
        }
    }

    /// Takes a message out of the queue; its words. The server is asked to forget it once it has let go of it.
    pub fn unqueue(self, chat: &Chat, row: &RowKey) -> Option<Words> {
        let (words, frame) = chat.act(|transcript| transcript.unqueue(row))?;
        self.say(chat.session(), frame);
        Some(words)
    }

    /// The server knows nobody here.
    pub(super) fn signed_out(self) {
        self.command(Command::Tell(LinkEvent::SignedOut));
    }

    /// Tries to reach the server now.
    pub fn reconnect(self) {
        self.command(Command::Tell(LinkEvent::Asked));
    }

    /// The end of a session's path, for its first paint. A session that this tab has just made is known to be empty.
    pub async fn transcript(self, session: SessionId) -> Result<Option<Transcript>, WireError> {
        let is_fresh = self
            .beginning
            .first_words
            .with_value(|words| words.as_ref().is_some_and(|(id, _)| *id == session));
        if is_fresh {
            return Ok(Some(Transcript::default()));
        }
        self.backend().transcript(&session).await
    }

    /// The messages before one of a session; none where they did not come.
    pub async fn earlier(self, session: &SessionId, before: &MessageId) -> Option<Transcript> {
        match self.backend().earlier(session, before).await {
            Ok(transcript) => Some(transcript),
            Err(error) => {
                self.toasts.fail(&error.message);
                None
            }
        }
    }

    pub(super) fn chat_of(self, session: &SessionId) -> Option<Chat> {
        self.current.with_value(|chat| chat.clone().filter(|chat| chat.session() == session))
    }

    pub(super) fn say(self, session: &SessionId, frame: ClientFrame) {
        self.command(Command::Send(session.clone(), frame));
    }

    pub(super) fn say_if(self, chat: &Chat, frame: Option<ClientFrame>) {
        if let Some(frame) = frame {
            self.say(chat.session(), frame);
        }
    }

    fn listen(self, session: &SessionId) {
        if self.socket.with_value(Option::is_some) {
            return self.command(Command::Open(session.clone()));
        }
        let path = self.boot.with_value(Boot::socket);
        self.socket.set_value(Some(socket::start(path, session.clone(), self)));
    }

    fn command(self, command: Command) {
        let Some(mut socket) = self.socket.get_value() else { return };
        // The queue is drained faster than it can be filled; if the task is gone, the page is going too.
        let _queued = socket.try_send(command);
    }
}

pub(super) fn new_request() -> RequestId {
    RequestId::new(browser::new_id("req-"))
}
