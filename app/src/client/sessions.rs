//! The list of sessions as the page needs it from the first: read, read on, and begin a new one.

use super::Client;
use crate::api::{Ask, unreadable};
use crate::backend::told;
use crate::chat::transcript::Words;
use crate::sessions::state::{SessionList, in_pieces};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo, SessionPage, WireError};
use serde_json::json;

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

    /// One session's row, where the first page of the list may not hold it. Its transcript says it if it is not there.
    pub async fn know(self, id: &SessionId) {
        let is_known = self.sessions.try_with_untracked(|sessions| sessions.get(id).is_some());
        if is_known == Some(false)
            && let Ok(Some(session)) = self.backend().session(id).await
        {
            let _left = self.sessions.try_update(|sessions| sessions.put(session));
        }
    }

    /// Brings older sessions; `done` runs when they are there, or did not come.
    pub fn load_older(self, done: impl FnOnce() + 'static) {
        let Some(cursor) = self.sessions.with_untracked(SessionList::cursor) else { return done() };
        spawn_local(async move {
            match self.backend().sessions(Some(cursor.clone())).await {
                Ok(page) => self.extend(in_pieces(page, &cursor)).await,
                Err(error) => self.toasts.fail(&error.message),
            }
            done();
        });
    }

    async fn extend(self, pieces: Vec<SessionPage>) {
        for piece in pieces {
            self.sessions.update(|sessions| sessions.extend(piece));
            TimeoutFuture::new(0).await;
        }
    }

    /// Makes a session for what was typed. Its address is opened by `go`; if there is none, the words are given back.
    pub fn begin(self, words: Words, go: impl FnOnce(Result<SessionId, Words>) + 'static) {
        let body = self.beginning.model.get_untracked().map_or(json!({}), |model| json!({ "model": model }));
        let answer = Ask::post("/sessions".to_owned(), body).send(self);
        spawn_local(async move {
            let made = answer.await.map_err(|refusal| refusal.error);
            match made.and_then(|text| told::read::<SessionInfo>(&text).ok_or_else(|| unreadable(201))) {
                Ok(session) => {
                    let id = session.id.clone();
                    self.sessions.update(|sessions| sessions.put(session));
                    self.beginning.first_words.set_value(Some((id.clone(), words)));
                    go(Ok(id));
                }
                Err(error) => {
                    self.toasts.fail(&error.message);
                    go(Err(words));
                }
            }
        });
    }
}
