//! The door for conversations that come from elsewhere.

use super::Engine;
use crate::admit::is_reserved;
use crate::error::ThinkError;
use crate::tend::tend;
use protocol::{ImportReport, ImportStatus, MessageId, SessionId};
use session::ImportFile;

impl Engine {
    /// Imports the sessions of a file as new ones and tells every page. The file is read meanwhile, which may block.
    ///
    /// # Errors
    /// A file that is not known here, or the store.
    pub async fn import(&self, file: ImportFile) -> Result<ImportReport, ThinkError> {
        let file = file.for_blocks(self.shared.blocks());
        let report = self.shared.sessions.import(file).await?;
        for session in report.sessions.iter().filter(|session| session.status == ImportStatus::Imported) {
            self.end_waiting(&session.id).await?;
            self.shared.announce_session(&session.id).await;
        }
        self.shared.context_changed();
        let _owned = self.shared.tasks.spawn(tend(self.clone(), Vec::new()));
        Ok(report)
    }

    /// A place that waits for its answer would wait for ever: nobody writes it here.
    async fn end_waiting(&self, id: &SessionId) -> Result<(), ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(()) };
        let Some(leaf) = session.active_leaf().await? else { return Ok(()) };
        if session.get(&leaf).await?.as_ref().is_some_and(is_reserved) {
            let _gone = session.discard(&[MessageId::clone(&leaf)]).await?;
        }
        Ok(())
    }
}
