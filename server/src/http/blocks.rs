//! Context blocks: the pieces of the system prompt that people and the model write.

use super::{AtBlock, AtSession, Json};
use crate::error::{AppError, unknown_block, unknown_session};
use axum::http::StatusCode;
use protocol::{BlockScope, ContextBlock, ErrorCode};
use serde::{Deserialize, Serialize};
use session::{BlockOptions, Change, Context, Owner, Provider};
use utoipa::{IntoParams, ToSchema};

/// Whose blocks.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes what AtSession reads")]
pub(crate) struct Whose {
    /// The session; absent means the default one.
    session: Option<String>,
}

/// All blocks of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BlockList {
    /// In the order the model reads them.
    blocks: Vec<ContextBlock>,
}

/// A block to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBlockBody {
    /// Names it.
    label: String,
    /// What it is for, as the model reads it.
    description: Option<String>,
    /// How large it may get, in estimated tokens.
    max_tokens: Option<u64>,
    /// What it begins with.
    #[serde(default)]
    content: String,
    /// `session`, or `agent` for all sessions of the agent.
    #[serde(default)]
    scope: BlockScope,
}

/// Another text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContentBody {
    /// The whole text.
    content: String,
    /// The version it was written for; absent overwrites whatever is there.
    version: Option<u64>,
}

/// All blocks
#[utoipa::path(get, path = "/blocks", params(Whose), responses((status = 200, body = BlockList)))]
pub(crate) async fn list(at: AtSession) -> Result<axum::Json<BlockList>, AppError> {
    at.found(at.engine.blocks(&at.id).await?.map(|blocks| BlockList { blocks }))
}

/// Add a block
#[utoipa::path(post, path = "/blocks", params(Whose), request_body = NewBlockBody,
    responses((status = 201, body = ContextBlock)))]
pub(crate) async fn create(
    at: AtSession,
    Json(body): Json<NewBlockBody>,
) -> Result<(StatusCode, axum::Json<ContextBlock>), AppError> {
    let options = BlockOptions {
        description: body.description,
        max_tokens: body.max_tokens,
        provider: Provider::stored(owner(body.scope)?),
    };
    let block = at.engine.add_block(&at.id, &body.label, options, &body.content).await?;
    Ok((StatusCode::CREATED, at.found(block)?))
}

fn owner(scope: BlockScope) -> Result<Owner, AppError> {
    match scope {
        BlockScope::Session => Ok(Owner::Session),
        BlockScope::Agent => Ok(Owner::Agent),
        BlockScope::Outside => {
            let reason = "a block that comes from elsewhere is made in the configuration";
            Err(AppError::new(ErrorCode::BadRequest, reason))
        }
    }
}

/// One block
#[utoipa::path(get, path = "/blocks/{label}", params(Whose), responses((status = 200, body = ContextBlock)))]
pub(crate) async fn read(block: AtBlock) -> Result<axum::Json<ContextBlock>, AppError> {
    let found = block.context().await?.block(&block.label).await?;
    Ok(axum::Json(found.ok_or_else(|| unknown_block(&block.label))?))
}

/// Replace the text of a block
#[utoipa::path(put, path = "/blocks/{label}", params(Whose), request_body = ContentBody,
    responses((status = 200, body = ContextBlock)))]
pub(crate) async fn write(
    AtBlock { at, label }: AtBlock,
    Json(body): Json<ContentBody>,
) -> Result<axum::Json<ContextBlock>, AppError> {
    let change = Change::by_user(body.version);
    at.found(at.engine.put_block(&at.id, &label, &body.content, &change).await?)
}

/// Take a block off the list
#[utoipa::path(delete, path = "/blocks/{label}", params(Whose), responses((status = 204)))]
pub(crate) async fn delete(AtBlock { at, label }: AtBlock) -> Result<StatusCode, AppError> {
    if at.engine.remove_block(&at.id, &label).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(at.missing(unknown_block(&label)).await)
    }
}

impl AtSession {
    /// The blocks, for reading.
    pub(super) async fn context(&self) -> Result<Context, AppError> {
        let context = self.engine.context(&self.id).await?;
        Ok(context.ok_or_else(|| unknown_session(&self.id))?)
    }
}

impl AtBlock {
    /// The blocks of its session, for reading.
    pub(super) async fn context(&self) -> Result<Context, AppError> {
        self.at.context().await
    }
}
