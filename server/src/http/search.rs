//! Full-text search over all sessions of an instance, or over one.

use super::{AtSession, Query};
use crate::error::AppError;
use axum::Json;
use protocol::{SearchPage, limits};
use serde::Deserialize;
use session::Search;
use utoipa::IntoParams;

/// What to look for, and where.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// Words, `"phrases"`, `begin*`, `-without`, `this OR that`, `role:user`, `session:name`, `after:2026-03-01`,
    /// `before:2026-04`. No text is an error.
    q: String,
    /// Only this session; `~` is the default one. Absent means all.
    session: Option<String>,
    /// The `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most hits of the page.
    limit: Option<usize>,
}

/// Search messages on all branches
#[utoipa::path(get, path = "/search", params(SearchQuery), responses((status = 200, body = SearchPage)))]
pub(crate) async fn find(
    at: AtSession,
    Query(query): Query<SearchQuery>,
) -> Result<Json<SearchPage>, AppError> {
    let limit = query.limit.unwrap_or(limits::SEARCH_PAGE_DEFAULT).clamp(1, limits::SEARCH_PAGE_MAX);
    let search = Search { text: &query.q, cursor: query.cursor.as_deref(), limit };
    let scope = query.session.as_ref().map(|_| &at.id);
    at.found(at.engine.search(&search, scope).await?)
}
