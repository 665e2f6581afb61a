//! Turns that are handed in and run whatever happens to the server meanwhile.

use super::{Agent, Json, Query};
use crate::error::AppError;
use axum::extract::Path;
use axum::http::StatusCode;
use protocol::{ErrorCode, Message, Submission, SubmissionPage, SubmissionReceipt, SubmissionStatus, limits};
use serde::Deserialize;
use serde_json::Value;
use think::{Engine, NewSubmission};
use utoipa::{IntoParams, ToSchema};

/// What is handed in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SubmissionBody {
    /// Messages with the role `user`, `assistant` or `system`, stored one below the other when the slot comes.
    messages: Vec<Message>,
    /// Handing in the same key again changes nothing.
    idempotency_key: Option<String>,
    /// An id of the caller's choice.
    id: Option<String>,
    /// The session; absent means the default one.
    session: Option<String>,
    /// The caller's own; shown again.
    metadata: Option<Value>,
}

/// Which submissions.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct SubmissionQuery {
    /// Only those that stand there.
    status: Option<SubmissionStatus>,
    /// At most so many, from 1 to 500.
    limit: Option<usize>,
}

/// The last part of the address.
#[derive(Debug, Deserialize)]
pub(crate) struct SubmissionPath {
    submission: String,
}

/// Hand in a turn; the answer comes when it is written down
#[utoipa::path(post, path = "/submissions", request_body = SubmissionBody,
    responses((status = 202, body = SubmissionReceipt)))]
pub(crate) async fn submit(
    Agent(engine): Agent,
    Json(body): Json<SubmissionBody>,
) -> Result<(StatusCode, axum::Json<SubmissionReceipt>), AppError> {
    let new = NewSubmission {
        id: body.id,
        idempotency_key: body.idempotency_key,
        session: app::routes::session_of(body.session.as_deref().unwrap_or_default()),
        messages: body.messages,
        metadata: body.metadata,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(engine.submit_messages(new).await?)))
}

/// The newest submissions
#[utoipa::path(get, path = "/submissions", params(SubmissionQuery), responses((status = 200, body = SubmissionPage)))]
pub(crate) async fn list(
    Agent(engine): Agent,
    Query(query): Query<SubmissionQuery>,
) -> Result<axum::Json<SubmissionPage>, AppError> {
    let limit = query.limit.unwrap_or(limits::SUBMISSION_PAGE_DEFAULT);
    Ok(axum::Json(SubmissionPage { submissions: engine.submissions(query.status, limit).await? }))
}

/// One submission
#[utoipa::path(get, path = "/submissions/{submission}", responses((status = 200, body = Submission)))]
pub(crate) async fn read(
    Agent(engine): Agent,
    Path(SubmissionPath { submission }): Path<SubmissionPath>,
) -> Result<axum::Json<Submission>, AppError> {
    found(&engine, &submission).await
}

/// Stop a submission: before its slot nothing of it is stored, later its turn is stopped
#[utoipa::path(post, path = "/submissions/{submission}/cancel", responses((status = 200, body = Submission)))]
pub(crate) async fn cancel(
    Agent(engine): Agent,
    Path(SubmissionPath { submission }): Path<SubmissionPath>,
) -> Result<axum::Json<Submission>, AppError> {
    let cancelled = engine.cancel_submission(&submission).await?;
    cancelled.map(axum::Json).ok_or_else(|| unknown(&submission))
}

/// Forget a submission that has come to its end
#[utoipa::path(delete, path = "/submissions/{submission}", responses((status = 204)))]
pub(crate) async fn delete(
    Agent(engine): Agent,
    Path(SubmissionPath { submission }): Path<SubmissionPath>,
) -> Result<StatusCode, AppError> {
    if engine.delete_submission(&submission).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let _known = found(&engine, &submission).await?;
    Err(AppError::new(ErrorCode::Conflict, "it has not come to its end; cancel it first"))
}

async fn found(engine: &Engine, id: &str) -> Result<axum::Json<Submission>, AppError> {
    engine.submission(id).await?.map(axum::Json).ok_or_else(|| unknown(id))
}

fn unknown(id: &str) -> AppError {
    AppError::new(ErrorCode::UnknownSubmission, format!("there is no submission {id:?}"))
}
