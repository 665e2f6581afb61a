//! What a person agreed to once for all calls of a session.

use super::AtSession;
use crate::error::AppError;
use axum::extract::Path;
use axum::http::StatusCode;
use protocol::ErrorCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Tools whose calls need no question.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovedTools {
    /// Their names.
    tools: Vec<String>,
}

/// The last part of the address.
#[derive(Debug, Deserialize)]
pub(crate) struct ToolPath {
    tool: String,
}

/// The tools that need no approval in a session any more
#[utoipa::path(get, path = "/sessions/{id}/approvals", responses((status = 200, body = ApprovedTools)))]
pub(crate) async fn list(at: AtSession) -> Result<axum::Json<ApprovedTools>, AppError> {
    at.found(at.engine.approved_tools(&at.id).await?.map(|tools| ApprovedTools { tools }))
}

/// Ask about each call of a tool again
#[utoipa::path(delete, path = "/sessions/{id}/approvals/{tool}", responses((status = 204)))]
pub(crate) async fn take_back(
    at: AtSession,
    Path(ToolPath { tool }): Path<ToolPath>,
) -> Result<StatusCode, AppError> {
    at.check().await?;
    if at.engine.ask_again(&at.id, &tool).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let reason = format!("calls of {tool:?} are asked about in this session anyway");
    Err(AppError::new(ErrorCode::NotFound, reason))
}
