//! Skills: what the model can load into a conversation, and taking it out again.

use super::blocks::Whose;
use super::{AtSession, Json};
use crate::error::AppError;
use protocol::SkillInfo;
use serde::{Deserialize, Serialize};
use session::{Position, SkillRef};
use utoipa::ToSchema;

/// The skills of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillList {
    /// Block by block.
    skills: Vec<SkillInfo>,
}

/// Names a skill.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillBody {
    /// The block.
    label: String,
    /// The entry.
    key: String,
}

/// What can be loaded, and what is
#[utoipa::path(get, path = "/skills", params(Whose), responses((status = 200, body = SkillList)))]
pub(crate) async fn list(at: AtSession) -> Result<axum::Json<SkillList>, AppError> {
    let skills = at.context().await?.skills(Position::default()).await?;
    Ok(axum::Json(SkillList { skills }))
}

/// Take a loaded skill out of the conversation
///
/// One that is not loaded stays so.
#[utoipa::path(post, path = "/skills/unload", params(Whose), request_body = SkillBody,
    responses((status = 200, body = SkillList)))]
pub(crate) async fn unload(
    at: AtSession,
    Json(body): Json<SkillBody>,
) -> Result<axum::Json<SkillList>, AppError> {
    let _was_loaded = at.engine.unload_skill(&at.id, &SkillRef::new(body.label, body.key)).await?;
    list(at).await
}
