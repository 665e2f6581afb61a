//! The agent's own configuration: one value of the application's type, kept over restarts.

use super::Engine;
use crate::error::ThinkError;
use crate::store::{CONFIG_KEY, STATE_KEY, Store};
use protocol::ServerFrame;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use session::SessionManager;

impl Engine {
    /// Stores the configuration of this instance; the one before is forgotten.
    ///
    /// # Errors
    /// It cannot be written as JSON, or the store.
    pub async fn configure<C: Serialize + Sync>(&self, config: &C) -> Result<(), ThinkError> {
        self.shared().store.set(CONFIG_KEY, Some(config)).await
    }

    /// Stores the state that the agent shows to its pages, and tells it to all of them; new ones hear it first thing.
    ///
    /// # Errors
    /// The store.
    pub async fn set_state(&self, state: &Value) -> Result<(), ThinkError> {
        self.shared().store.set(STATE_KEY, Some(state)).await?;
        self.shared().hub.announce(&ServerFrame::State { state: state.clone() });
        Ok(())
    }

    /// The configuration as it was stored last; none if it never was.
    ///
    /// # Errors
    /// What is stored is of another type, or the store.
    pub async fn get_config<C: DeserializeOwned>(&self) -> Result<Option<C>, ThinkError> {
        self.shared().store.get(CONFIG_KEY).await
    }
}

/// Settings of the engine that older files keep beside the sessions.
const OLD: [&str; 3] = [CONFIG_KEY, "lastClientTools", "lastBody"];

/// Moves them. What is set here already stays, and what was moved does not come back after it was removed here.
pub(super) async fn adopt(sessions: &SessionManager, store: &Store) -> Result<(), ThinkError> {
    for key in OLD {
        if let Some(value) = sessions.foreign_setting(key).await? {
            store.adopt(key, &value).await?;
            sessions.forget_foreign_setting(key).await?;
        }
    }
    Ok(())
}
