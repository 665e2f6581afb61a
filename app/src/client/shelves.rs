//! What a person does with one session of the list: its name, its place, its end. What leaves the list has a way back.

use super::Client;
use crate::api::{Ask, unreadable};
use crate::backend::told;
use crate::routes;
use crate::sessions::state::{clean_name, title};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo};
use serde_json::json;

/// A change of a session's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelving {
    /// To the top of the list.
    Pin,
    /// Back among the others.
    Unpin,
    /// Aside.
    Archive,
    /// Back into the list.
    Unarchive,
    /// Out of the trash.
    Restore,
}

impl Shelving {
    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pin => "Pin to the top",
            Self::Unpin => "Unpin",
            Self::Archive => "Archive",
            Self::Unarchive => "Take out of the archive",
            Self::Restore => "Restore",
        }
    }

    /// Asks for it.
    pub(super) fn ask(self, id: &SessionId) -> Ask {
        Ask::post(path(id, self.verb()), json!({}))
    }

    /// Its word in the API.
    fn verb(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Archive => "archive",
            Self::Unarchive => "unarchive",
            Self::Restore => "restore",
        }
    }
}

impl Client {
    /// Gives a session the name that was typed. It is shown at once and taken back if the server refuses.
    pub fn rename(self, id: SessionId, typed: &str) {
        let Some(name) = clean_name(typed) else { return };
        let old = self.sessions.try_update(|sessions| sessions.rename(&id, &name)).flatten();
        let Some(old) = old.filter(|old| *old != name) else { return };
        let answer = Ask::patch(path(&id, ""), json!({ "name": name })).send(self);
        spawn_local(async move {
            match answer.await {
                Ok(text) => drop(self.take_in(&text)),
                Err(refusal) => {
                    self.sessions.update(|sessions| drop(sessions.rename(&id, &old)));
                    self.toasts.fail(&refusal.error.message);
                }
            }
        });
    }

    /// Moves a session to another place.
    pub fn shelve(self, id: &SessionId, shelving: Shelving) {
        let answer = shelving.ask(id).send(self);
        spawn_local(async move {
            match answer.await.map(|text| self.take_in(&text)) {
                Ok(Some(session)) if shelving == Shelving::Archive => {
                    let note = format!("Archived “{}”", title(Some(&session)));
                    self.toasts.offer(&note, "Undo", move || self.shelve(&session.id, Shelving::Unarchive));
                }
                Ok(_) => {}
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Takes the session that is looked for out of the trash; `back` when it is there.
    pub fn bring_back_here(self, id: &SessionId, back: Option<Callback<()>>) {
        let answer = Shelving::Restore.ask(id).send(self);
        spawn_local(async move {
            match answer.await {
                Ok(text) => {
                    let _shown = self.take_in(&text);
                    // Whoever looked for it may have gone elsewhere.
                    let _told = back.and_then(|back| back.try_run(()));
                }
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Makes a session of its own of the branch that is looked at, and goes there.
    pub fn fork_whole(self, id: &SessionId, go: impl Fn(SessionId) + 'static) {
        let answer = Ask::post(path(id, "fork"), json!({})).send(self);
        spawn_local(async move {
            match answer.await.map(|text| self.take_in(&text)) {
                Ok(Some(session)) => go(session.id),
                Ok(None) => self.toasts.fail(&unreadable(201).message),
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Moves a session to the trash, with a way back. It leaves the list at once and returns if the server refuses.
    pub fn delete(self, id: &SessionId) {
        let gone = self.sessions.try_update(|sessions| sessions.delete(id)).flatten();
        let Some(session) = gone else { return };
        let answer = Ask::delete(path(id, "")).send(self);
        spawn_local(async move {
            match answer.await {
                Ok(_) => {
                    self.sessions.update_untracked(|sessions| drop(sessions.remove(&session.id)));
                    let note = format!("Moved “{}” to the trash", title(Some(&session)));
                    self.toasts.offer(&note, "Undo", move || self.shelve(&session.id, Shelving::Restore));
                }
                Err(refusal) => {
                    self.toasts.fail(&refusal.error.message);
                    self.sessions.update(|sessions| sessions.undelete(session));
                }
            }
        });
    }

    /// Removes a session of the trash for good.
    pub fn purge(self, id: &SessionId) {
        let answer = Ask::post(path(id, "purge"), json!({})).send(self);
        spawn_local(async move {
            match answer.await {
                // Whoever shows the trash looks again when the list changes.
                Ok(_) => self.sessions.update(|_| {}),
                Err(refusal) => self.toasts.fail(&refusal.error.message),
            }
        });
    }

    /// Puts a session that the server told into the list.
    pub(super) fn take_in(self, text: &str) -> Option<SessionInfo> {
        let session: SessionInfo = told::read(text)?;
        let told = session.clone();
        self.sessions.update(|sessions| sessions.undelete(told));
        Some(session)
    }
}

/// The address of a session, or of something below it.
pub fn path(id: &SessionId, below: &str) -> String {
    let joint = if below.is_empty() { "" } else { "/" };
    format!("/sessions/{}{joint}{below}", routes::segment(id))
}
