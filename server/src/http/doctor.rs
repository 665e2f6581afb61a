//! Finding and mending damage of one instance's file, while it is in use.

use super::Agent;
use crate::error::AppError;
use axum::Json;
use protocol::{MessageId, SessionId};
use serde::Serialize;
use session::{Finding, Repair, RepairOutcome};
use utoipa::ToSchema;

/// What was found, in the order it is best mended in.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingList {
    findings: Vec<FindingRow>,
}

/// Something that is wrong.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FindingRow {
    /// What, by its stable name.
    code: &'static str,
    /// In which session; absent where it is about the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionId>,
    /// With which message.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageId>,
    /// More, for people; never what a message says.
    detail: String,
    /// What became of it; absent where nobody asked to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<FindingOutcome>,
    /// How it was mended, or what can mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FindingOutcome {
    /// It is mended.
    Repaired,
    /// It was not there any more.
    Gone,
    /// Nothing here can mend it.
    Beyond,
}

/// Read everything and name what is wrong
#[utoipa::path(get, path = "/doctor", responses((status = 200, body = FindingList)))]
pub(crate) async fn examine(Agent(engine): Agent) -> Result<Json<FindingList>, AppError> {
    let findings = engine.sessions().examine().await?;
    Ok(Json(FindingList { findings: findings.into_iter().map(FindingRow::from).collect() }))
}

/// Mend what can be mended
///
/// Nothing is thrown away: what cannot stay where it is goes to a quarantine.
#[utoipa::path(post, path = "/doctor/repair", responses((status = 200, body = FindingList)))]
pub(crate) async fn repair(Agent(engine): Agent) -> Result<Json<FindingList>, AppError> {
    let repairs = engine.sessions().repair_all().await?;
    Ok(Json(FindingList { findings: repairs.into_iter().map(FindingRow::from).collect() }))
}

impl From<Finding> for FindingRow {
    fn from(Finding { fault, session, message, detail }: Finding) -> Self {
        Self { code: fault.code(), session, message, detail, outcome: None, note: None }
    }
}

impl From<Repair> for FindingRow {
    fn from(Repair { finding, outcome }: Repair) -> Self {
        let (outcome, note) = match outcome {
            RepairOutcome::Repaired(how) => (FindingOutcome::Repaired, Some(how)),
            RepairOutcome::Gone => (FindingOutcome::Gone, None),
            RepairOutcome::Beyond(what) => (FindingOutcome::Beyond, Some(what)),
        };
        Self { outcome: Some(outcome), note, ..finding.into() }
    }
}
