//! What a person does with the list of sessions. Everything is shown at once and taken back if the server refuses.

use super::Client;
use crate::sessions::state::{SessionList, clean_name, title};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo, SessionPage, WireError};

impl Client {
    /// The sessions.
    pub fn sessions(self) -> RwSignal<SessionList> {
        self.sessions
    }

    /// A session that was deleted elsewhere.
    pub fn removed(self) -> RwSignal<Option<SessionId>> {
        self.removed
    }

    /// The first page of the list, for the first paint.
    pub async fn first_sessions(self) -> Result<SessionPage, WireError> {
        self.backend().sessions(None).await
    }

    /// Brings older sessions.
    pub fn load_older(self) {
        let Some(cursor) = self.sessions.with_untracked(SessionList::cursor) else { return };
        spawn_local(async move {
            match self.backend().sessions(Some(cursor)).await {
                Ok(page) => self.sessions.update(|sessions| sessions.extend(page)),
                Err(error) => self.toasts.fail(&error.message),
            }
        });
    }

    /// Makes a session for what was typed. Its address is opened by `go`; if there is none, the text is given back.
    pub fn begin(self, text: String, go: impl FnOnce(Result<SessionId, String>) + 'static) {
        spawn_local(async move {
            match self.backend().create_session(None).await {
                Ok(session) => {
                    let id = session.id.clone();
                    self.sessions.update(|sessions| sessions.put(session));
                    self.first_words.set_value(Some((id.clone(), text)));
                    go(Ok(id));
                }
                Err(error) => {
                    self.toasts.fail(&error.message);
                    go(Err(text));
                }
            }
        });
    }

    /// Gives a session the name that was typed.
    pub fn rename(self, id: SessionId, typed: &str) {
        let Some(name) = clean_name(typed) else { return };
        let old = self.sessions.try_update(|sessions| sessions.rename(&id, &name)).flatten();
        let Some(old) = old.filter(|old| *old != name) else { return };
        spawn_local(async move {
            match self.backend().rename(&id, name).await {
                Ok(session) => self.sessions.update(|sessions| sessions.put(session)),
                Err(error) => {
                    self.sessions.update(|sessions| drop(sessions.rename(&id, &old)));
                    self.toasts.fail(&error.message);
                }
            }
        });
    }

    /// Moves a session to the trash, with a way back.
    pub fn delete(self, id: &SessionId) {
        let gone = self.sessions.try_update(|sessions| sessions.delete(id)).flatten();
        let Some(session) = gone else { return };
        spawn_local(async move {
            match self.backend().delete(&session.id).await {
                Ok(()) => {
                    let note = format!("Deleted “{}”", title(Some(&session)));
                    self.toasts.offer(&note, "Undo", move || self.restore(session.clone()));
                }
                Err(error) => {
                    self.toasts.fail(&error.message);
                    self.sessions.update(|sessions| sessions.undelete(session));
                }
            }
        });
    }

    /// Takes a session back out of the trash.
    pub fn restore(self, session: SessionInfo) {
        spawn_local(async move {
            match self.backend().restore(&session.id).await {
                Ok(session) => self.sessions.update(|sessions| sessions.undelete(session)),
                Err(error) => self.toasts.fail(&error.message),
            }
        });
    }
}
