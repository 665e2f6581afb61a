//! Which version of a message is looked at, and new versions that nobody has to answer.

use super::Actor;
use crate::admit::is_reserved;
use crate::error::ThinkError;
use protocol::{Message, MessageId, Part};
use session::{Parent, SessionError};

impl Actor {
    /// Looks at the branch of a message, at the leaf that was last viewed below it. Turns hang under the leaf they
    /// found, so nobody moves it while one is on its way.
    pub(super) async fn set_active(&mut self, id: &MessageId) -> Result<MessageId, ThinkError> {
        self.check_quiet()?;
        let leaf = self.session.set_active(id).await?.ok_or_else(|| self.unknown(id))?;
        self.tell_transcript(None).await;
        // Another branch may wait for somebody.
        self.shared.announce_session(self.session.id()).await;
        Ok(leaf)
    }

    /// Stores a new version beside a message and looks at it. The old one stays, with everything below it.
    pub(super) async fn edit(&mut self, id: &MessageId, parts: Vec<Part>) -> Result<Message, ThinkError> {
        self.check_quiet()?;
        let old = self.session.get(id).await?.ok_or_else(|| self.unknown(id))?;
        if is_reserved(&old) {
            return Err(ThinkError::BeingWritten);
        }
        check_parts(&old, &parts)?;
        let path = self.session.history_ids(Some(id)).await?;
        let parent = path.into_iter().rev().nth(1).map_or(Parent::Root, Parent::Under);
        let id = MessageId::new(self.shared.world.ids.new_id());
        let version = Message { id, parts, ..old };
        let _place = self.session.append(&version, parent).await?;
        let stored = self.session.get(&version.id).await?.unwrap_or(version);
        self.tell_transcript(None).await;
        self.shared.announce_session(self.session.id()).await;
        Ok(stored)
    }

    fn check_quiet(&self) -> Result<(), ThinkError> {
        let is_quiet = self.running.is_none() && self.queue.is_idle();
        is_quiet.then_some(()).ok_or(ThinkError::Busy)
    }

    fn unknown(&self, id: &MessageId) -> ThinkError {
        let (session, id) = (self.session.id().clone(), id.clone());
        SessionError::UnknownMessage { session, id }.into()
    }
}

/// A version says something, and makes up no call: what a tool did is kept or left out.
fn check_parts(old: &Message, parts: &[Part]) -> Result<(), ThinkError> {
    if parts.is_empty() {
        return Err(ThinkError::EmptyVersion);
    }
    let invented = parts.iter().find(|part| part.as_tool().is_some() && !old.parts.contains(part));
    match invented.and_then(Part::as_tool) {
        Some(tool) => Err(ThinkError::InventedCall(tool.call.tool_call_id.clone())),
        None => Ok(()),
    }
}
