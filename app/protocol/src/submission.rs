//! Turns that were handed in and will be run, whatever happens to the server meanwhile.

use crate::ids::{RequestId, SessionId};
use crate::message::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a submission stands. All but the first two are final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SubmissionStatus {
    /// It waits for its slot; none of its messages is stored.
    Pending,
    /// Its turn runs.
    Running,
    /// Its turn ended by itself.
    Completed,
    /// Somebody stopped it.
    Aborted,
    /// The conversation was cleared before it came to its end.
    Skipped,
    /// It failed.
    Error,
}

/// One submission. Times are milliseconds since 1970, UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Submission {
    /// Its id.
    pub id: String,
    /// The session that it is for.
    pub session: SessionId,
    /// Where it stands.
    pub status: SubmissionStatus,
    /// The request that its turn answers; frames carry it.
    pub request_id: RequestId,
    /// Two submissions with the same key are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// What is said.
    pub messages: Vec<Message>,
    /// The caller's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When what happened to it.
    #[serde(flatten)]
    pub times: SubmissionTimes,
}

/// When what happened to a submission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubmissionTimes {
    /// It was handed in.
    pub created_at: u64,
    /// Its slot came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<u64>,
    /// Its messages were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages_applied_at: Option<u64>,
    /// It came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<u64>,
}

/// The answer to who hands something in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SubmissionReceipt {
    /// False if it was there already.
    pub accepted: bool,
    /// The submission, the earlier one if it was there already.
    pub submission: Submission,
}

/// Submissions, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SubmissionPage {
    /// The rows.
    pub submissions: Vec<Submission>,
}

/// A task that an agent does by itself at certain times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleInfo {
    /// Its id.
    pub id: String,
    /// When, as it was written.
    pub schedule: String,
    /// When next, in milliseconds since 1970, UTC.
    pub next_run_at: u64,
}
