//! What a context block said before: its versions, how two differ, and the way back.

use super::blocks::Whose;
use super::{AtBlock, Json, Query, path};
use crate::error::{AppError, unknown_block};
use crate::state::AppState;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use protocol::{BlockVersion, ContextBlock, limits};
use serde::{Deserialize, Serialize};
use session::Change;
use utoipa::{IntoParams, ToSchema};

/// Which part of the history.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct HistoryQuery {
    /// The versions before this one.
    before: Option<u64>,
    /// Most versions.
    limit: Option<usize>,
}

/// Which two versions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiffQuery {
    /// The older one.
    from: u64,
    /// The newer one.
    to: u64,
}

/// Versions of a block.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionList {
    /// Newest first, without their texts.
    versions: Vec<BlockVersion>,
}

/// How two versions differ.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Diff {
    /// A unified diff; empty where they do not.
    diff: String,
}

/// Which version to go back to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// Its number.
    version: u64,
    /// The version that is there now; absent overwrites whatever is there.
    expected: Option<u64>,
}

/// One version of a block.
pub(crate) struct AtVersion {
    block: AtBlock,
    version: u64,
}

#[derive(Deserialize)]
struct VersionPath {
    version: u64,
}

impl FromRequestParts<AppState> for AtVersion {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let VersionPath { version } = path(parts, state).await?;
        Ok(Self { block: AtBlock::from_request_parts(parts, state).await?, version })
    }
}

/// The versions of a block, newest first
#[utoipa::path(get, path = "/blocks/{label}/history", params(Whose, HistoryQuery),
    responses((status = 200, body = VersionList)))]
pub(crate) async fn list(
    block: AtBlock,
    Query(query): Query<HistoryQuery>,
) -> Result<axum::Json<VersionList>, AppError> {
    let context = block.context().await?;
    if context.block(&block.label).await?.is_none() {
        return Err(unknown_block(&block.label).into());
    }
    let limit = query.limit.unwrap_or(limits::BLOCK_VERSION_PAGE_MAX);
    let versions = context.history(&block.label, query.before, limit).await?;
    Ok(axum::Json(VersionList { versions }))
}

/// One version of a block with its text
#[utoipa::path(get, path = "/blocks/{label}/history/{version}", params(Whose),
    responses((status = 200, body = BlockVersion)))]
pub(crate) async fn read(at: AtVersion) -> Result<axum::Json<BlockVersion>, AppError> {
    let context = at.block.context().await?;
    Ok(axum::Json(context.version(&at.block.label, at.version).await?))
}

/// How two versions of a block differ
#[utoipa::path(get, path = "/blocks/{label}/diff", params(Whose, DiffQuery), responses((status = 200, body = Diff)))]
pub(crate) async fn diff(
    block: AtBlock,
    Query(query): Query<DiffQuery>,
) -> Result<axum::Json<Diff>, AppError> {
    let diff = block.context().await?.diff(&block.label, query.from, query.to).await?;
    Ok(axum::Json(Diff { diff }))
}

/// Write the text of an earlier version again, as a new version
#[utoipa::path(post, path = "/blocks/{label}/restore", params(Whose), request_body = RestoreBody,
    responses((status = 200, body = ContextBlock)))]
pub(crate) async fn restore(
    AtBlock { at, label }: AtBlock,
    Json(body): Json<RestoreBody>,
) -> Result<axum::Json<ContextBlock>, AppError> {
    let change = Change::by_user(body.expected);
    at.found(at.engine.restore_block(&at.id, &label, body.version, &change).await?)
}
