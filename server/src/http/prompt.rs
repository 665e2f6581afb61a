//! What the model sees: the next request taken apart, and freezing its system prompt anew.

use super::AtSession;
use crate::error::AppError;
use axum::Json;
use protocol::{PromptInfo, PromptReport};

/// The next request of a session, if it were sent now
#[utoipa::path(get, path = "/sessions/{id}/prompt", responses((status = 200, body = PromptReport)))]
pub(crate) async fn report(at: AtSession) -> Result<Json<PromptReport>, AppError> {
    at.found(at.engine.prompt_report(&at.id).await?)
}

/// Freeze the system prompt anew, so that the model sees what was written meanwhile
#[utoipa::path(post, path = "/sessions/{id}/prompt/refresh", responses((status = 200, body = PromptInfo)))]
pub(crate) async fn refresh(at: AtSession) -> Result<Json<PromptInfo>, AppError> {
    at.found(at.engine.refresh_prompt(&at.id).await?)
}
