//! The door to context blocks. Every write is told: to all pages where all sessions share the block, else to those of
//! the session.

use super::Engine;
use crate::error::ThinkError;
use crate::shared::Shared;
use protocol::{Author, BlockScope, ContextBlock, PromptInfo, ServerFrame, SessionId};
use session::{BlockOptions, Change, Context, ContextEvent, Position, SkillRef};

impl Engine {
    /// The blocks of a session, for whoever reads them; none if there is no such session. Writes go through the methods
    /// below, which tell them.
    ///
    /// # Errors
    /// The store.
    pub async fn context(&self, id: &SessionId) -> Result<Option<Context>, ThinkError> {
        let shared = self.shared.answering(id).await?;
        Ok(shared.session(id).await?.map(|session| shared.context(&session)))
    }

    /// All blocks of a session, in the order the model reads them; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn blocks(&self, id: &SessionId) -> Result<Option<Vec<ContextBlock>>, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(None) };
        Ok(Some(context.blocks().await?))
    }

    /// Replaces the text of a block; none if there is no such session.
    ///
    /// # Errors
    /// What [`Context::replace`] refuses, or the store.
    pub async fn put_block(
        &self,
        id: &SessionId,
        label: &str,
        content: &str,
        change: &Change,
    ) -> Result<Option<ContextBlock>, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(None) };
        let block = context.replace(label, content, change).await?;
        self.shared.tell_block(id, &block, BlockNow::There, &change.author);
        Ok(Some(block))
    }

    /// Adds a block with a first text, or none of the two; none if there is no such session.
    ///
    /// # Errors
    /// What [`Context::add_block`] and [`Context::replace`] refuse, or the store.
    pub async fn add_block(
        &self,
        id: &SessionId,
        label: &str,
        options: BlockOptions,
        content: &str,
    ) -> Result<Option<ContextBlock>, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(None) };
        let mut block = context.add_block(label, options).await?;
        if !content.is_empty() {
            block = match context.replace(label, content, &Change::by_user(None)).await {
                Ok(block) => block,
                Err(error) => {
                    let _was_there = context.remove_block(label).await?;
                    return Err(error.into());
                }
            };
        }
        self.shared.tell_block(id, &block, BlockNow::There, &Author::User);
        Ok(Some(block))
    }

    /// Takes a block off the list; false if there is no such session or block. What it holds stays stored.
    ///
    /// # Errors
    /// The store.
    pub async fn remove_block(&self, id: &SessionId, label: &str) -> Result<bool, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(false) };
        let Some(block) = context.block(label).await? else { return Ok(false) };
        let was_there = context.remove_block(label).await?;
        self.shared.tell_block(id, &block, BlockNow::Gone, &Author::User);
        Ok(was_there)
    }

    /// Writes the text of an earlier version again; none if there is no such session.
    ///
    /// # Errors
    /// What [`Context::restore`] refuses, or the store.
    pub async fn restore_block(
        &self,
        id: &SessionId,
        label: &str,
        version: u64,
        change: &Change,
    ) -> Result<Option<ContextBlock>, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(None) };
        let block = context.restore(label, version, change).await?;
        self.shared.tell_block(id, &block, BlockNow::There, &change.author);
        Ok(Some(block))
    }

    /// Freezes the system prompt anew and says what it holds; none if there is no such session.
    ///
    /// # Errors
    /// A block that cannot be read, or the store; the old prompt stays then.
    pub async fn refresh_prompt(&self, id: &SessionId) -> Result<Option<PromptInfo>, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(None) };
        let _text = context.refresh_system_prompt().await?;
        self.shared.context_changed();
        Ok(Some(context.prompt_info().await?))
    }

    /// Takes a loaded skill out of the conversation; false if there is no such session, or it is not loaded.
    ///
    /// # Errors
    /// The store.
    pub async fn unload_skill(&self, id: &SessionId, skill: &SkillRef) -> Result<bool, ThinkError> {
        let Some(context) = self.context(id).await? else { return Ok(false) };
        let was_loaded = context.unload_skill(skill, Position::default()).await?;
        if was_loaded {
            self.shared.tell_transcript(id);
        }
        Ok(was_loaded)
    }
}

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockNow {
    /// It is different.
    There,
    /// It is off the list.
    Gone,
}

impl Shared {
    /// Tells what became of a block.
    pub(crate) fn tell_block(
        &self,
        session: &SessionId,
        block: &ContextBlock,
        now: BlockNow,
        author: &Author,
    ) {
        self.context_changed();
        let version = match now {
            BlockNow::Gone => 0,
            // Entries have no number of their own, and a new block none yet: 0 would say that it is gone.
            BlockNow::There => block.version.max(1),
        };
        let (label, author) = (block.label.clone(), author.clone());
        let frame = ServerFrame::BlockChanged { label, version, author };
        match block.scope {
            BlockScope::Session => self.hub.tell(session, &frame),
            BlockScope::Agent | BlockScope::Outside => self.hub.announce(&frame),
        }
    }

    /// Tells what a call by the model did.
    pub(crate) fn tell_context_event(&self, session: &SessionId, event: &ContextEvent, author: &Author) {
        match event {
            ContextEvent::Written { block, .. } => self.tell_block(session, block, BlockNow::There, author),
            ContextEvent::EntryWritten { label, .. } => {
                let (label, author) = (label.clone(), author.clone());
                self.context_changed();
                // Entries have no number of their own, and 0 would say that the block is gone.
                self.hub.announce(&ServerFrame::BlockChanged { label, version: 1, author });
            }
            ContextEvent::Full { label, tokens, max_tokens } => {
                let message = format!("Block \"{label}\" is full: {tokens} of {max_tokens} tokens.");
                self.hub.tell(session, &ServerFrame::BlockFull { label: label.clone(), message });
            }
            ContextEvent::Loaded(_) | ContextEvent::Unloaded(_) => {}
        }
    }
}
