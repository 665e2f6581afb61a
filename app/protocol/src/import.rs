//! What became of a file of conversations that was imported.

use crate::ids::SessionId;
use serde::{Deserialize, Serialize};

/// The report on an imported file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportReport {
    /// Each session of the file, in its order.
    pub sessions: Vec<ImportedSession>,
    /// What is wrong with what belongs to no session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What became of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportedSession {
    /// Under which id it stands here, if it was imported.
    pub id: SessionId,
    /// Its name.
    pub name: String,
    /// What became of it.
    pub status: ImportStatus,
    /// How many of its messages were imported.
    pub messages: u64,
    /// What was left out, or why nothing was imported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImportStatus {
    /// It is here; a problem names what of it is not.
    Imported,
    /// There was nothing in it.
    Skipped,
    /// Nothing of it is here.
    Failed,
}
