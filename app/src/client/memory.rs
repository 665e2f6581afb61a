//! What a person does with a change of memory that the model made: looks at it, or takes it back.

use super::Client;
use crate::api::{Ask, of_session};
use crate::backend::told;
use crate::chat::memory_write::MemoryWrite;
use crate::routes;
use leptos::prelude::WithValue;
use protocol::{SessionId, WireError};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Diff {
    diff: String,
}

impl Client {
    /// What a write changed, as a unified diff.
    pub async fn memory_diff(self, write: &MemoryWrite) -> Result<String, WireError> {
        let versions = format!("from={}&to={}", write.previous.unwrap_or_default(), write.version);
        let query = match of_session(&self.session_here()).as_str() {
            "" => format!("?{versions}"),
            session => format!("{session}&{versions}"),
        };
        let ask = Ask::get(format!("/blocks/{}/diff{query}", routes::encode(&write.label)));
        let text = ask.send(self).await.map_err(|refusal| refusal.error)?;
        told::read::<Diff>(&text).map(|told| told.diff).ok_or_else(|| crate::api::unreadable(200))
    }

    /// Brings back what the block said before a write, unless it was written again since.
    pub async fn undo_memory(self, write: &MemoryWrite, previous: u64) -> Result<(), WireError> {
        let session = of_session(&self.session_here());
        let path = format!("/blocks/{}/restore{session}", routes::encode(&write.label));
        let ask = Ask::post(path, json!({ "version": previous, "expected": write.version }));
        ask.send(self).await.map(drop).map_err(|refusal| refusal.error)
    }

    fn session_here(self) -> SessionId {
        let here = self.current.with_value(|chat| chat.as_ref().map(|chat| chat.session().clone()));
        here.unwrap_or_default()
    }
}
