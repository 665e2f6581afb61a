//! What the socket says, to the corners of the page that it concerns.

use super::Client;
use crate::connection::link::LinkState;
use crate::connection::socket::Listener;
use leptos::prelude::*;
use protocol::{ServerFrame, SessionId};

impl Listener for Client {
    fn link(&self, state: LinkState) {
        self.link.set(state);
    }

    fn opened(&self, session: &SessionId) {
        if let Some(chat) = self.chat_of(session) {
            chat.hear(|transcript| transcript.opened());
        }
    }

    fn closed(&self, session: &SessionId) {
        if let Some(chat) = self.chat_of(session) {
            chat.hear(|transcript| transcript.closed());
        }
    }

    fn frame(&self, session: &SessionId, frame: ServerFrame) {
        match frame {
            ServerFrame::SessionChanged { session } => self.sessions.update(|sessions| sessions.put(session)),
            ServerFrame::SessionRemoved { id } => {
                let was_here = self.sessions.try_update(|sessions| sessions.remove(&id)).flatten().is_some();
                if was_here {
                    self.removed.set(Some(id));
                }
            }
            frame => {
                let Some(chat) = self.chat_of(session) else { return };
                for reply in chat.hear(|transcript| transcript.apply(frame)) {
                    self.say(session, reply);
                }
            }
        }
    }
}
