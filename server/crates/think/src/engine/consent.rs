//! The door to what a person agreed to once for all: which tools need no question in a session, and taking that back.

use super::Engine;
use crate::actor::consent::consent_key;
use crate::error::ThinkError;
use protocol::SessionId;

impl Engine {
    /// The tools whose calls need no approval in a session any more; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn approved_tools(&self, id: &SessionId) -> Result<Option<Vec<String>>, ThinkError> {
        if self.shared.sessions.session(id).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.shared.approved_tools(id).await?))
    }

    /// From the next turn on, each call of the tool is asked about again; false if it was anyway.
    ///
    /// # Errors
    /// The store.
    pub async fn ask_again(&self, id: &SessionId, tool: &str) -> Result<bool, ThinkError> {
        let names = self.shared.approved_tools(id).await?;
        let rest: Vec<&String> = names.iter().filter(|name| *name != tool).collect();
        let was_agreed = rest.len() < names.len();
        if was_agreed {
            let rest = Some(rest).filter(|rest| !rest.is_empty());
            self.shared.store.set(&consent_key(id), rest.as_ref()).await?;
        }
        Ok(was_agreed)
    }
}
