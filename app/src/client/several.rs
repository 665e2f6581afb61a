//! What a person does with several sessions of the list at once; one Undo takes all of it back.

use super::Client;
use super::shelves::{Shelving, path};
use crate::api::Ask;
use crate::format::counted;
use crate::sessions::state::SessionList;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo};

/// Where sessions go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// Into the archive.
    Archive,
    /// To the trash.
    Trash,
}

impl Away {
    fn note(self, count: usize) -> String {
        let chats = counted(count as u64, "chat");
        match self {
            Self::Archive => format!("Archived {chats}"),
            Self::Trash => format!("Moved {chats} to the trash"),
        }
    }

    /// The way there.
    fn ask(self, id: &SessionId) -> Ask {
        match self {
            Self::Archive => Shelving::Archive.ask(id),
            Self::Trash => Ask::delete(path(id, "")),
        }
    }

    /// The way back.
    fn back(self) -> Shelving {
        match self {
            Self::Archive => Shelving::Unarchive,
            Self::Trash => Shelving::Restore,
        }
    }
}

impl Client {
    /// Moves sessions out of the list, with one way back for all. What goes to the trash leaves at once, and
    /// returns if the server refuses; what is archived is still known to whoever looks at it.
    pub fn put_away(self, ids: Vec<SessionId>, away: Away) {
        let take = |list: &mut SessionList, id: &SessionId| match away {
            Away::Archive => list.get(id).cloned(),
            Away::Trash => list.delete(id),
        };
        let gone = self.sessions.try_update(|list| ids.iter().filter_map(|id| take(list, id)).collect());
        let gone: Vec<SessionInfo> = gone.unwrap_or_default();
        spawn_local(async move {
            let (mut moved, mut failure) = (Vec::new(), None);
            for session in gone {
                match self.put_one_away(session, away).await {
                    Ok(id) => moved.push(id),
                    Err(text) => failure = Some(text),
                }
            }
            failure.iter().for_each(|text| self.toasts.fail(text));
            if !moved.is_empty() {
                let note = away.note(moved.len());
                self.toasts.offer(&note, "Undo", move || self.bring_back(moved.clone(), away.back()));
            }
        });
    }

    async fn put_one_away(self, session: SessionInfo, away: Away) -> Result<SessionId, String> {
        match away.ask(&session.id).send(self).await {
            Ok(text) => {
                match away {
                    Away::Archive => drop(self.take_in(&text)),
                    Away::Trash => self.sessions.update_untracked(|list| drop(list.remove(&session.id))),
                }
                Ok(session.id)
            }
            Err(refusal) => {
                self.sessions.update(|list| list.undelete(session));
                Err(refusal.error.message)
            }
        }
    }

    fn bring_back(self, ids: Vec<SessionId>, back: Shelving) {
        spawn_local(async move {
            for id in ids {
                match back.ask(&id).send(self).await {
                    Ok(text) => drop(self.take_in(&text)),
                    Err(refusal) => self.toasts.fail(&refusal.error.message),
                }
            }
        });
    }
}
