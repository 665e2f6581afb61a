//! What the model sees: the next request taken apart, and freezing its system prompt anew.

use super::{AtSession, Query};
use crate::error::AppError;
use axum::Json;
use protocol::{PromptInfo, PromptReport};
use serde::Deserialize;
use utoipa::IntoParams;

/// How much is told.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReportQuery {
    /// Only the sizes of the whole: none of its pieces.
    brief: bool,
}

/// The next request of a session, if it were sent now
#[utoipa::path(get, path = "/sessions/{id}/prompt", params(ReportQuery),
    responses((status = 200, body = PromptReport)))]
pub(crate) async fn report(
    at: AtSession,
    Query(query): Query<ReportQuery>,
) -> Result<Json<PromptReport>, AppError> {
    let report = at.engine.prompt_report(&at.id).await?;
    at.found(report.map(|report| if query.brief { sizes_of(report) } else { report }))
}

fn sizes_of(report: PromptReport) -> PromptReport {
    PromptReport {
        system: Vec::new(),
        history: Vec::new(),
        tools: Vec::new(),
        waiting: Vec::new(),
        changed: None,
        ..report
    }
}

/// Freeze the system prompt anew, so that the model sees what was written meanwhile
#[utoipa::path(post, path = "/sessions/{id}/prompt/refresh", responses((status = 200, body = PromptInfo)))]
pub(crate) async fn refresh(at: AtSession) -> Result<Json<PromptInfo>, AppError> {
    at.found(at.engine.refresh_prompt(&at.id).await?)
}
