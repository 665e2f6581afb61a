//! What a person does with a change of memory that the model made: looks at it, or takes it back.

use super::Client;
use crate::api::{Ask, Refusal, of_session};
use crate::backend::told;
use crate::chat::memory_write::{Fate, MemoryWrite};
use crate::context_panel::memory::diff::is_same;
use crate::routes;
use leptos::prelude::WithValue;
use protocol::{ContextBlock, SessionId, WireError};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Diff {
    diff: String,
}

#[derive(Deserialize)]
struct Blocks {
    blocks: Vec<ContextBlock>,
}

impl Client {
    /// What became different between two versions of a block, as a unified diff.
    pub async fn memory_diff(self, label: &str, from: u64, to: u64) -> Result<String, WireError> {
        let versions = format!("from={from}&to={to}");
        let query = match of_session(&self.session_here()).as_str() {
            "" => format!("?{versions}"),
            session => format!("{session}&{versions}"),
        };
        let ask = Ask::get(format!("/blocks/{}/diff{query}", routes::encode(label)));
        let text = ask.send(self).await.map_err(|refusal| refusal.error)?;
        told::read::<Diff>(&text).map(|told| told.diff).ok_or_else(|| crate::api::unreadable(200))
    }

    /// Labels of the memory's blocks; none where they cannot be read.
    pub async fn block_labels(self) -> Vec<String> {
        let answer = Ask::get(format!("/blocks{}", of_session(&self.session_here()))).send(self).await;
        let told = answer.ok().and_then(|text| told::read::<Blocks>(&text));
        told.into_iter().flat_map(|told| told.blocks).map(|block| block.label).collect()
    }

    /// What has become of a write. The list of all blocks is asked, since one that is gone is no failure.
    pub async fn memory_fate(self, write: &MemoryWrite) -> Result<Fate, WireError> {
        let ask = Ask::get(format!("/blocks{}", of_session(&self.session_here())));
        let text = ask.send(self).await.map_err(|refusal| refusal.error)?;
        let told = told::read::<Blocks>(&text).ok_or_else(|| crate::api::unreadable(200))?;
        let Some(block) = told.blocks.into_iter().find(|block| block.label == write.label) else {
            return Ok(Fate::Gone);
        };
        if block.version == write.version {
            return Ok(Fate::Latest);
        }
        let since = self.memory_diff(&write.label, write.previous, block.version).await?;
        Ok(if is_same(&since) { Fate::Undone } else { Fate::Changed(block.version) })
    }

    /// Brings back what the block said before a write, unless it was written again since.
    ///
    /// # Errors
    /// It was, or the server.
    pub async fn undo_memory(self, write: &MemoryWrite) -> Result<(), Refusal> {
        let session = of_session(&self.session_here());
        let path = format!("/blocks/{}/restore{session}", routes::encode(&write.label));
        let ask = Ask::post(path, json!({ "version": write.previous, "expected": write.version }));
        ask.send(self).await.map(drop)
    }

    fn session_here(self) -> SessionId {
        let here = self.current.with_value(|chat| chat.as_ref().map(|chat| chat.session().clone()));
        here.unwrap_or_default()
    }
}
