//! What an agent may make its context of.

use super::{EMPTY, Frame, Preparation};
use crate::agent::ModelContext;
use crate::assemble::fit;
use protocol::{Message, MessageId};
use session::Session;

/// The material for one step, for [`crate::Agent::assemble_context`].
pub struct ContextSource<'a> {
    preparation: &'a Preparation,
    frame: &'a Frame,
}

impl<'a> ContextSource<'a> {
    pub(super) fn new(preparation: &'a Preparation, frame: &'a Frame) -> Self {
        Self { preparation, frame }
    }

    /// The conversation.
    pub fn session(&self) -> &'a Session {
        &self.preparation.session
    }

    /// The message that the turn answers: the model reads the path to it, never further.
    pub fn leaf(&self) -> &'a MessageId {
        &self.preparation.leaf
    }

    /// The answer so far, in every step but the first.
    pub fn so_far(&self) -> Option<&'a Message> {
        self.preparation.so_far.as_deref()
    }

    /// The frozen prompt of the context blocks, or the system prompt where they say nothing.
    pub fn system(&self) -> &'a str {
        &self.frame.told.system
    }

    /// The engine's own way: the frozen prompt; the path with its summaries, older long texts and results cut; old
    /// calls of tools left out.
    ///
    /// # Errors
    /// The store, or a conversation with nothing in it to answer.
    pub async fn standard(&self) -> Result<ModelContext, String> {
        let path = self.preparation.path().await.map_err(|error| error.to_string())?;
        let request = self.preparation.assemble(self.frame, &fit(path)).ok_or(EMPTY)?.request;
        Ok(ModelContext { system: request.system.unwrap_or_default(), messages: request.messages })
    }
}
