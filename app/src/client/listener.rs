//! What the socket says, to the corners of the page that it concerns.

use super::Client;
use crate::connection::link::LinkState;
use crate::connection::socket::Listener;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ErrorCode, ServerFrame, SessionId, SessionInfo};

impl Listener for Client {
    fn link(&self, state: LinkState) {
        self.link.set(state);
        if matches!(state, LinkState::Waiting { .. }) {
            self.doubt();
        }
    }

    fn opened(&self, session: &SessionId) {
        if let Some(chat) = self.chat_of(session) {
            chat.hear(|transcript| transcript.opened());
            self.look_again(session.clone());
        }
    }

    fn closed(&self, session: &SessionId) {
        if let Some(chat) = self.chat_of(session) {
            chat.hear(|transcript| transcript.closed());
        }
    }

    fn frame(&self, session: &SessionId, frame: ServerFrame) {
        if let ServerFrame::SessionChanged { session } = frame {
            return self.changed(session);
        }
        if let ServerFrame::SessionRemoved { id } = frame {
            return self.gone(id);
        }
        self.tell_panel(&frame);
        let Some(chat) = self.chat_of(session) else { return };
        for reply in chat.hear(|transcript| transcript.apply(frame)) {
            self.say(session, reply);
        }
    }
}

impl Client {
    /// The socket was lost, perhaps with its session or with the sign-in: what is gone while nobody could tell is not asked
    /// for again. A browser does not say why a socket could not be opened.
    fn doubt(self) {
        let session = self.current.with_value(|chat| chat.as_ref().map(|chat| chat.session().clone()));
        let id = session.unwrap_or_default();
        spawn_local(async move {
            match self.backend().session(&id).await {
                Ok(None) if id != SessionId::default() => self.gone(id),
                Err(error) if error.code == ErrorCode::Unauthorized => self.signed_out(),
                Ok(_) | Err(_) => {}
            }
        });
    }

    /// What became of the session after the page was made, or while there was no socket, nobody has told this tab.
    fn look_again(self, id: SessionId) {
        let listed = move |id: &SessionId| self.sessions.with_untracked(|sessions| sessions.get(id).cloned());
        let Some(before) = listed(&id) else { return };
        spawn_local(async move {
            let Ok(Some(now)) = self.backend().session(&id).await else { return };
            // What the socket has told meanwhile is newer.
            if now != before && listed(&id).as_ref() == Some(&before) {
                self.changed(now);
            }
        });
    }

    fn tell_panel(self, frame: &ServerFrame) {
        if let ServerFrame::BlockFull { message, .. } = frame {
            self.toasts.fail(message);
        }
        let grow = |count: RwSignal<u64>| count.update(|count| *count += 1);
        if matches!(frame, ServerFrame::BlockChanged { .. }) {
            grow(self.panel.block_news);
        }
        if matches!(frame, ServerFrame::Messages(_) | ServerFrame::Turn { .. } | ServerFrame::Clear {}) {
            grow(self.panel.message_news);
        }
    }

    fn changed(self, session: SessionInfo) {
        if self.removed.with_untracked(|removed| removed.as_ref() == Some(&session.id)) {
            self.removed.set(None);
        }
        self.sessions.update(|sessions| sessions.put(session));
    }

    fn gone(self, id: SessionId) {
        self.sessions.update(|sessions| drop(sessions.remove(&id)));
        if self.chat_of(&id).is_some() {
            self.removed.set(Some(id));
            self.listen_to_none();
        } else if id == SessionId::default() && self.current.with_value(Option::is_none) {
            // This socket was its last; the next one begins it anew.
            self.listen_to_none();
        }
    }
}
