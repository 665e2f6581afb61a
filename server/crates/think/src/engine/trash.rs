//! The door to the messages in the trash of a session. Open tabs hear the transcript as it is afterwards.

use super::Engine;
use crate::error::ThinkError;
use protocol::{MessageId, MessageTrash, SessionId};

impl Engine {
    /// What was deleted of a session, the last deletion first; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn message_trash(&self, id: &SessionId) -> Result<Option<MessageTrash>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(Some(MessageTrash { messages: session.trash().await? }))
    }

    /// Brings back what was deleted together with a message and says how many came back; none if there is no such
    /// session, or no such message in its trash.
    ///
    /// # Errors
    /// The store.
    pub async fn restore_message(
        &self,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<u64>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let restored = session.restore(message).await?;
        if restored.is_some() {
            self.shared.tell_transcript(id);
            self.shared.announce_session(id).await;
        }
        Ok(restored)
    }

    /// Removes for good what was deleted together with a message and says how many went; none if there is no such
    /// session, or no such message in its trash.
    ///
    /// # Errors
    /// The store.
    pub async fn purge_message(
        &self,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Option<u64>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(session.purge(message).await?)
    }
}
