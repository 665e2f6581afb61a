//! The sessions of an agent instance: list, make, read, change, delete to the trash.

use super::{Agent, AtSession, Json, Query, given};
use crate::error::{AppError, unknown_session};
use axum::http::StatusCode;
use protocol::{ErrorCode, Sampling, SessionId, SessionInfo, SessionPage, limits};
use serde::{Deserialize, Serialize};
use session::{NewSession, SessionFilter, Shelf};
use utoipa::{IntoParams, ToSchema};

/// Where sessions stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ShelfName {
    /// Neither archived nor in the trash.
    Open,
    /// Put aside.
    Archived,
    /// Thrown away, and not for good.
    Trash,
}

/// Which part of the list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most sessions of the page.
    limit: Option<usize>,
    /// Absent means all that are not in the trash.
    #[param(inline)]
    shelf: Option<ShelfName>,
    /// Only those that were made from this session.
    parent: Option<String>,
}

/// Where to look.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(crate) struct PlaceQuery {
    /// In the trash, and nowhere else.
    trash: bool,
}

/// A session to be.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewBody {
    /// May be empty, and need not be unique.
    name: Option<String>,
    /// An id of the caller's choice.
    id: Option<SessionId>,
    /// `provider/model`.
    model: Option<String>,
}

/// What may be changed. What is absent stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ChangeBody {
    /// Another name; empty takes the name away.
    name: Option<String>,
    /// Another model, from the next turn on; `null` leaves it to the agent.
    #[serde(deserialize_with = "given")]
    model: Option<Option<String>>,
    /// Other numbers that shape the answers, from the next call of the model on; `null` leaves them to the provider.
    #[serde(deserialize_with = "given")]
    sampling: Option<Option<Sampling>>,
}

/// What a session has used.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SessionUsage {
    /// Tokens read by models so far.
    input_tokens: u64,
    /// Tokens written by models so far.
    output_tokens: u64,
    /// Cost so far.
    estimated_cost: f64,
}

/// One page of a list of sessions, newest first
#[utoipa::path(get, path = "/sessions", params(ListQuery), responses((status = 200, body = SessionPage)))]
pub(crate) async fn list(
    Agent(engine): Agent,
    Query(query): Query<ListQuery>,
) -> Result<axum::Json<SessionPage>, AppError> {
    let limit = query.limit.unwrap_or(limits::SESSION_PAGE_DEFAULT).clamp(1, limits::SESSION_PAGE_MAX);
    let cursor = query.cursor.as_deref();
    let page = match (&query.parent, query.shelf) {
        (None, Some(ShelfName::Trash)) => engine.trashed_sessions(cursor, limit).await?,
        (None, shelf) => engine.list_sessions_where(&filter(shelf), cursor, limit).await?,
        (Some(parent), None) => {
            engine.child_sessions(&app::routes::session_of(parent), cursor, limit).await?
        }
        (Some(_), Some(_)) => {
            let reason = "a list is of a shelf or of a parent, not of both";
            return Err(AppError::new(ErrorCode::BadRequest, reason));
        }
    };
    Ok(axum::Json(page))
}

fn filter(shelf: Option<ShelfName>) -> SessionFilter {
    let shelf = match shelf {
        None | Some(ShelfName::Trash) => Shelf::Any,
        Some(ShelfName::Open) => Shelf::Current,
        Some(ShelfName::Archived) => Shelf::Archived,
    };
    SessionFilter { shelf, ..SessionFilter::default() }
}

/// Make a session
#[utoipa::path(post, path = "/sessions", request_body = NewBody, responses((status = 201, body = SessionInfo)))]
pub(crate) async fn create(
    Agent(engine): Agent,
    Json(body): Json<NewBody>,
) -> Result<(StatusCode, axum::Json<SessionInfo>), AppError> {
    let session = NewSession {
        name: body.name.unwrap_or_default(),
        model: body.model,
        source: Some("api".to_owned()),
        id: body.id,
        parent_session_id: None,
    };
    Ok((StatusCode::CREATED, axum::Json(engine.create_session(session).await?)))
}

/// One session
#[utoipa::path(get, path = "/sessions/{id}", params(PlaceQuery),
    responses((status = 200, body = SessionInfo)))]
pub(crate) async fn read(
    at: AtSession,
    Query(query): Query<PlaceQuery>,
) -> Result<axum::Json<SessionInfo>, AppError> {
    at.found(match query.trash {
        true => at.engine.trashed_session(&at.id).await?,
        false => at.engine.get_session(&at.id).await?,
    })
}

/// Rename a session, or choose its model
#[utoipa::path(patch, path = "/sessions/{id}", request_body = ChangeBody,
    responses((status = 200, body = SessionInfo)))]
pub(crate) async fn change(
    at: AtSession,
    Json(body): Json<ChangeBody>,
) -> Result<axum::Json<SessionInfo>, AppError> {
    if body.name.is_none() && body.model.is_none() && body.sampling.is_none() {
        return Err(AppError::new(
            ErrorCode::BadRequest,
            "say `name`, `model` or `sampling`: nothing else can be changed",
        ));
    }
    let mut changed = None;
    if let Some(model) = body.model {
        changed = at.engine.set_session_model(&at.id, model.as_deref()).await?;
    }
    if let Some(sampling) = body.sampling {
        changed = at.engine.set_session_sampling(&at.id, sampling).await?;
    }
    if let Some(name) = body.name {
        changed = at.engine.rename_session(&at.id, &name).await?;
    }
    at.found(changed)
}

/// Throw a session into the trash
#[utoipa::path(delete, path = "/sessions/{id}", responses((status = 204)))]
pub(crate) async fn delete(at: AtSession) -> Result<StatusCode, AppError> {
    if at.engine.delete_session(&at.id).await? {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(unknown_session(&at.id).into())
    }
}

/// What a session has used so far
#[utoipa::path(get, path = "/sessions/{id}/usage", responses((status = 200, body = SessionUsage)))]
pub(crate) async fn usage(at: AtSession) -> Result<axum::Json<SessionUsage>, AppError> {
    at.check().await?;
    let info = at.engine.get_session(&at.id).await?;
    let usage = info.map(|info| SessionUsage {
        input_tokens: info.input_tokens,
        output_tokens: info.output_tokens,
        estimated_cost: info.estimated_cost,
    });
    Ok(axum::Json(usage.unwrap_or_default()))
}
