//! What the model sees: the frozen system prompt, and freezing it anew.

use super::AtSession;
use crate::error::AppError;
use axum::Json;
use protocol::PromptInfo;

/// Freeze the system prompt anew, so that the model sees what was written meanwhile
#[utoipa::path(post, path = "/sessions/{id}/prompt/refresh", responses((status = 200, body = PromptInfo)))]
pub(crate) async fn refresh(at: AtSession) -> Result<Json<PromptInfo>, AppError> {
    at.found(at.engine.refresh_prompt(&at.id).await?)
}
