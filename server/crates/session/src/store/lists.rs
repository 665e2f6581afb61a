//! Statements on `assistant_sessions` that list sessions and put them where they stand in the list.

use crate::store::sessions::{SessionRow, columns};
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::{FromRow, Result};

/// Which sessions a list holds. What is none is not asked for.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'a> {
    pub(crate) is_archived: Option<bool>,
    pub(crate) is_pinned: Option<bool>,
    pub(crate) source: Option<&'a str>,
}

/// The name of a session, and where it stands in the list.
#[derive(Debug, FromRow)]
pub(crate) struct NameRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) updated_at: i64,
    pub(crate) updated_seq: i64,
}

/// The sessions after the one that was last touched at `after`, newest first; those in the trash are left out.
pub(crate) async fn newest(
    connection: &mut Connection,
    after: (i64, i64),
    wanted: &Wanted<'_>,
    limit: i64,
) -> Result<Vec<SessionRow>> {
    let query = sqlx::query_as(NEWEST).bind(after.0).bind(after.1).bind(limit);
    let query = query.bind(wanted.is_archived).bind(wanted.is_pinned);
    query.bind(wanted.source).fetch_all(connection).await
}

pub(super) const NEWEST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM assistant_sessions WHERE deleted_at IS NULL AND (updated_at, updated_seq) < (?1, ?2) \
     AND (?4 IS NULL OR (archived_at IS NOT NULL) = ?4) AND (?5 IS NULL OR (pinned_at IS NOT NULL) = ?5) \
     AND (?6 IS NULL OR source = ?6) ORDER BY updated_at DESC, updated_seq DESC LIMIT ?3"
);

/// The same, names only.
pub(crate) async fn names(
    connection: &mut Connection,
    after: (i64, i64),
    wanted: &Wanted<'_>,
    limit: i64,
) -> Result<Vec<NameRow>> {
    let query = sqlx::query_as(NAMES).bind(after.0).bind(after.1).bind(limit);
    let query = query.bind(wanted.is_archived).bind(wanted.is_pinned);
    query.bind(wanted.source).fetch_all(connection).await
}

pub(super) const NAMES: &str = "SELECT id, name, updated_at, updated_seq FROM assistant_sessions \
     WHERE deleted_at IS NULL AND (updated_at, updated_seq) < (?1, ?2) \
     AND (?4 IS NULL OR (archived_at IS NOT NULL) = ?4) AND (?5 IS NULL OR (pinned_at IS NOT NULL) = ?5) \
     AND (?6 IS NULL OR source = ?6) ORDER BY updated_at DESC, updated_seq DESC LIMIT ?3";

/// Those sessions whose ids are in a JSON array, in the order of the list.
pub(crate) async fn these(connection: &mut Connection, ids: &str) -> Result<Vec<SessionRow>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM assistant_sessions WHERE id IN (SELECT asked.value FROM json_each(?) AS asked) \
         ORDER BY updated_at DESC, updated_seq DESC"
    );
    sqlx::query_as(SQL).bind(ids).fetch_all(connection).await
}

/// The sessions that were made from `parent`, the one touched last first.
pub(crate) async fn children(
    connection: &mut Connection,
    parent: &str,
    after: (i64, i64),
    limit: i64,
) -> Result<Vec<SessionRow>> {
    sqlx::query_as(CHILDREN).bind(after.0).bind(after.1).bind(limit).bind(parent).fetch_all(connection).await
}

pub(super) const CHILDREN: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM assistant_sessions WHERE parent_session_id = ?4 AND deleted_at IS NULL \
     AND (updated_at, updated_seq) < (?1, ?2) ORDER BY updated_at DESC, updated_seq DESC LIMIT ?3"
);

/// The sessions in the trash after the one thrown away at `after`, the one thrown away last first.
pub(crate) async fn trashed(
    connection: &mut Connection,
    after: (i64, i64),
    limit: i64,
) -> Result<Vec<SessionRow>> {
    sqlx::query_as(TRASHED).bind(after.0).bind(after.1).bind(limit).fetch_all(connection).await
}

pub(super) const TRASHED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM assistant_sessions WHERE deleted_at IS NOT NULL AND (deleted_at, updated_seq) < (?1, ?2) \
     AND NOT EXISTS (SELECT 1 FROM assistant_imports AS i WHERE i.session_id = assistant_sessions.id) \
     ORDER BY deleted_at DESC, updated_seq DESC LIMIT ?3"
);

macro_rules! placed {
    ($column:literal) => {
        concat!(
            "UPDATE assistant_sessions SET ",
            $column,
            " = ?2 WHERE id = ?1 AND deleted_at IS NULL RETURNING ",
            columns!()
        )
    };
}

/// Notes since when a session is pinned; none takes the pin away. It keeps its place in the list.
pub(crate) async fn set_pinned(
    connection: &mut Connection,
    id: &str,
    since: Option<i64>,
) -> Result<Option<SessionRow>> {
    sqlx::query_as(placed!("pinned_at")).bind(id).bind(since).fetch_optional(connection).await
}

/// Notes since when a session is put aside; none takes it back. It keeps its place in the list.
pub(crate) async fn set_archived(
    connection: &mut Connection,
    id: &str,
    since: Option<i64>,
) -> Result<Option<SessionRow>> {
    sqlx::query_as(placed!("archived_at")).bind(id).bind(since).fetch_optional(connection).await
}
