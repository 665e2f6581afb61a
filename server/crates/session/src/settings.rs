//! Settings of others that older files keep beside the sessions; their owners take them over.

use crate::error::SessionError;
use crate::manager::SessionManager;
use crate::store::sessions;

impl SessionManager {
    /// What is kept here under the key for no session in particular, as JSON text.
    ///
    /// # Errors
    /// The file.
    pub async fn foreign_setting(&self, key: &str) -> Result<Option<String>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        sessions::general_config(&mut tx, key).await.map_err(|e| tx.error(e).into())
    }

    /// Forgets it: its owner has it.
    ///
    /// # Errors
    /// The file.
    pub async fn forget_foreign_setting(&self, key: &str) -> Result<(), SessionError> {
        let mut tx = self.shared().db.write().await?;
        sessions::delete_general_config(&mut tx, key).await.map_err(|e| tx.error(e))?;
        Ok(tx.commit().await?)
    }
}
