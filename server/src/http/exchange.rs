//! Conversations in and out of the server: a file of everything, a text of one session, and files of other places.

use super::{Agent, Query, body};
use crate::error::{AppError, unknown_session};
use crate::instances::Lease;
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::channel::mpsc;
use futures::stream;
use protocol::{ErrorCode, ImportReport, SessionId, limits};
use serde::Deserialize;
use session::{Exported, ImportFile, PIECES_MAX};
use std::fs::File;
use think::{Engine, ThinkError};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use utoipa::{IntoParams, ToSchema};

/// What to export, and how.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(try_from = "Vec<(String, String)>")]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// A session; may be given more than once. Absent means everything of the instance. `~` is the default
    /// one.
    session: Vec<String>,
    /// `markdown` is for one session.
    #[param(inline)]
    format: ExportFormat,
}

/// In which shape.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportFormat {
    /// Everything, so that an import makes the same of it.
    #[default]
    Json,
    /// A text for people.
    Markdown,
}

impl TryFrom<Vec<(String, String)>> for ExportQuery {
    type Error = String;

    fn try_from(pairs: Vec<(String, String)>) -> Result<Self, String> {
        let mut query = Self::default();
        for (name, value) in pairs {
            match (name.as_str(), value.as_str()) {
                ("session", _) if query.session.contains(&value) => {}
                ("session", _) => query.session.push(value),
                ("format", "json") => query.format = ExportFormat::Json,
                ("format", "markdown") => query.format = ExportFormat::Markdown,
                ("format", _) => return Err(format!("there is no format `{value}`: json or markdown")),
                _ => {}
            }
        }
        Ok(query)
    }
}

/// Everything of the instance or of some sessions, as a file
///
/// The format is described in `server/docs/export.md`. It holds no keys and no paths of files.
#[utoipa::path(get, path = "/export", params(ExportQuery), responses(
    (status = 200, content_type = "application/json", body = Object)))]
pub(crate) async fn export(
    Agent(engine): Agent,
    Query(query): Query<ExportQuery>,
) -> Result<Response, AppError> {
    let sessions: Vec<SessionId> = query.session.iter().map(|id| app::routes::session_of(id)).collect();
    if sessions.len() > limits::EXPORT_NAMED_MAX {
        let (named, most) = (sessions.len(), limits::EXPORT_NAMED_MAX);
        let told = format!("{named} sessions are named; at most {most} can be (EXPORT_NAMED_MAX)");
        return Err(AppError::new(ErrorCode::TooLarge, told));
    }
    match query.format {
        ExportFormat::Json => json(engine, sessions).await,
        ExportFormat::Markdown => {
            let told = "a Markdown export is of one session; name it with `session`";
            let [session] = sessions.as_slice() else {
                return Err(AppError::new(ErrorCode::BadRequest, told));
            };
            let text = engine.sessions().markdown(session).await?;
            let name = file_name(&engine, Some(session), "md");
            Ok(attachment("text/markdown; charset=utf-8", &name, Body::from(text)))
        }
    }
}

/// Add the sessions of a file
///
/// An export of Bough, or of ChatGPT, Claude or Open WebUI, as JSON or in a zip archive. Nothing that is here is
/// changed; ids that are taken become new ones. The answer says for each session what became of it.
#[utoipa::path(post, path = "/import", request_body(content(
        (Object = "application/json"), (Vec<u8> = "application/zip"))),
    responses((status = 200, body = ImportReport)))]
pub(crate) async fn import(
    State(state): State<AppState>,
    Agent(engine): Agent,
    request: Request,
) -> Result<Json<ImportReport>, AppError> {
    let (body, folder) = (request.into_body(), state.instances.folder());
    let file = body::spool_in_time(body, folder, limits::IMPORT_MAX_BYTES, limits::IMPORT_BODY_MS).await?;
    // When nobody waits for the answer any more, the import ends with the session before the one it is at, and pages hear
    // of those that are here.
    let left = CancellationToken::new();
    let guard = left.clone().drop_guard();
    let work = move || Handle::current().block_on(read_in(&engine, file, left));
    let done = tokio::task::spawn_blocking(work).await;
    drop(guard);
    let stopped = |_| AppError::new(ErrorCode::ShuttingDown, "the import was broken off");
    done.map_err(stopped)?.map(Json)
}

async fn read_in(engine: &Engine, file: File, left: CancellationToken) -> Result<ImportReport, AppError> {
    let file = ImportFile::open(file).map_err(ThinkError::from)?;
    Ok(engine.import(file.until(move || left.is_cancelled())).await?)
}

/// The pieces are made as fast as they are taken, and no further where nobody takes them. The instance stays
/// open until the last one is.
async fn json(engine: Lease, sessions: Vec<SessionId>) -> Result<Response, AppError> {
    for id in &sessions {
        if engine.get_session(id).await?.is_none() {
            return Err(unknown_session(id).into());
        }
    }
    let name = match sessions.as_slice() {
        [] | [_] => file_name(&engine, sessions.first(), "json"),
        several => file_name(&engine, Some(&format!("{}-chats", several.len()).into()), "json"),
    };
    let what = if sessions.is_empty() { Exported::Everything } else { Exported::Sessions(sessions) };
    let (sender, pieces) = mpsc::channel(PIECES_MAX);
    let work = async move { engine.sessions().export(&what, sender).await };
    // A failure in the middle breaks the connection off, so that nobody takes half a file for a whole one.
    let failure = stream::once(work).filter_map(async |done| done.err().map(Err));
    let pieces = stream::select(pieces.map(Ok), failure);
    Ok(attachment("application/json", &name, Body::from_stream(pieces)))
}

/// Names of agents and instances are plain; ids of sessions need not be.
fn file_name(engine: &Engine, session: Option<&SessionId>, extension: &str) -> String {
    let (agent, instance) = (engine.agent(), engine.instance());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
    let session: String = session.map_or("", SessionId::as_str).chars().map(plain).take(64).collect();
    let dash = if session.is_empty() { "" } else { "-" };
    format!("bough-{agent}-{instance}{dash}{session}.{extension}")
}

fn attachment(kind: &'static str, name: &str, body: Body) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], body).into_response()
}
