//! Summaries that stand for older messages: making, reading, rewriting and removing them.

use super::{AtSession, Json, path};
use crate::error::{AppError, unknown_message, unknown_session};
use crate::state::AppState;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use protocol::{Compacted, MessageId, OverlayInfo, SessionInfo};
use serde::{Deserialize, Serialize};
use session::{Compaction, Outcome, Session, estimate_message};
use utoipa::ToSchema;

/// A summary with its text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompactionRow {
    #[serde(flatten)]
    overlay: OverlayInfo,
    /// What is read instead of the range.
    summary: String,
}

/// All summaries of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompactionList {
    /// On all branches, in the order they were made.
    compactions: Vec<CompactionRow>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CompactStatus {
    /// There is a new summary.
    Compacted,
    /// Nothing changed.
    Nothing,
}

/// What came of a compaction.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompactReply {
    status: CompactStatus,
    /// The new summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    overlay: Option<OverlayInfo>,
    /// Estimated tokens of the whole prompt before.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_before: Option<u64>,
    /// Estimated tokens of the whole prompt after.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_after: Option<u64>,
    /// Why nothing changed, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// Another text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SummaryBody {
    summary: String,
}

/// What to call what comes after.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SplitBody {
    /// Absent means the name of the old session.
    name: Option<String>,
}

/// One summary of a session.
pub(crate) struct AtOverlay {
    at: AtSession,
    overlay: MessageId,
}

#[derive(Deserialize)]
struct OverlayPath {
    oid: MessageId,
}

impl FromRequestParts<AppState> for AtOverlay {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let OverlayPath { oid: overlay } = path(parts, state).await?;
        Ok(Self { at: AtSession::from_request_parts(parts, state).await?, overlay })
    }
}

/// Let a summary stand for the older part of the active path
///
/// Waits for the model that writes it.
#[utoipa::path(post, path = "/sessions/{id}/compact", responses((status = 200, body = CompactReply)))]
pub(crate) async fn compact(at: AtSession) -> Result<axum::Json<CompactReply>, AppError> {
    let outcome = at.engine.compact(&at.id).await?.ok_or_else(|| unknown_session(&at.id))?;
    let (compaction, Compacted { tokens_before, tokens_after }) = match outcome {
        Outcome::Declined(declined) => return Ok(axum::Json(CompactReply::nothing(declined.to_string()))),
        Outcome::Stored { compaction, tokens } => (compaction, tokens),
    };
    Ok(axum::Json(CompactReply {
        status: CompactStatus::Compacted,
        overlay: Some(overlay_of(&session(&at).await?, &compaction).await?),
        tokens_before: Some(tokens_before),
        tokens_after,
        reason: None,
    }))
}

impl CompactReply {
    fn nothing(reason: String) -> Self {
        let status = CompactStatus::Nothing;
        Self { status, overlay: None, tokens_before: None, tokens_after: None, reason: Some(reason) }
    }
}

/// Go on in a new session that begins with a summary of this one
#[utoipa::path(post, path = "/sessions/{id}/compact-and-split", request_body = SplitBody,
    responses((status = 201, body = SessionInfo)))]
pub(crate) async fn split(
    at: AtSession,
    Json(body): Json<SplitBody>,
) -> Result<(StatusCode, axum::Json<SessionInfo>), AppError> {
    let split = at.engine.compact_and_split(&at.id, body.name.as_deref()).await?;
    Ok((StatusCode::CREATED, at.found(split)?))
}

/// All summaries of a session, on all branches
#[utoipa::path(get, path = "/sessions/{id}/compactions", responses((status = 200, body = CompactionList)))]
pub(crate) async fn list(at: AtSession) -> Result<axum::Json<CompactionList>, AppError> {
    let found = at.engine.compactions(&at.id).await?.ok_or_else(|| unknown_session(&at.id))?;
    let session = session(&at).await?;
    let mut compactions = Vec::with_capacity(found.len());
    for compaction in found {
        compactions.push(row(&session, compaction).await?);
    }
    Ok(axum::Json(CompactionList { compactions }))
}

/// Rewrite a summary
#[utoipa::path(patch, path = "/sessions/{id}/compactions/{oid}", request_body = SummaryBody,
    responses((status = 200, body = CompactionRow)))]
pub(crate) async fn edit(
    AtOverlay { at, overlay }: AtOverlay,
    Json(body): Json<SummaryBody>,
) -> Result<axum::Json<CompactionRow>, AppError> {
    let edited = at.engine.edit_compaction(&at.id, &overlay, &body.summary).await?;
    let Some(edited) = edited else { return Err(at.missing(unknown_message(&overlay)).await) };
    Ok(axum::Json(row(&session(&at).await?, edited).await?))
}

/// Remove a summary, so that what it stood for is read again
#[utoipa::path(delete, path = "/sessions/{id}/compactions/{oid}", responses((status = 204)))]
pub(crate) async fn delete(AtOverlay { at, overlay }: AtOverlay) -> Result<StatusCode, AppError> {
    if at.engine.delete_compaction(&at.id, &overlay).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(at.missing(unknown_message(&overlay)).await)
    }
}

async fn session(at: &AtSession) -> Result<Session, AppError> {
    let session = at.engine.sessions().session(&at.id).await?;
    Ok(session.ok_or_else(|| unknown_session(&at.id))?)
}

async fn row(session: &Session, compaction: Compaction) -> Result<CompactionRow, AppError> {
    Ok(CompactionRow { overlay: overlay_of(session, &compaction).await?, summary: compaction.summary })
}

/// What a summary stands for, counted on the path it was made for.
async fn overlay_of(session: &Session, compaction: &Compaction) -> Result<OverlayInfo, AppError> {
    let path = session.raw_history(Some(&compaction.to)).await?.messages;
    let range = path.iter().skip_while(|message| message.id != compaction.from);
    let (hidden, tokens_before) = range.fold((0, 0_u64), |(count, tokens), message| {
        (count + 1, tokens.saturating_add(estimate_message(message)))
    });
    Ok(OverlayInfo {
        id: compaction.id.clone(),
        from: compaction.from.clone(),
        to: compaction.to.clone(),
        hidden,
        tokens_before,
        tokens_after: estimate_message(&compaction.message()),
        created_at: compaction.created_at,
    })
}
