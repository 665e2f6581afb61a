//! Statements on `assistant_sessions` and `assistant_config`.

use crate::names::folded;
use crate::store::counted;
use crate::store::weights::awaited;
use protocol::{Sampling, SessionId, SessionInfo};
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::types::Json;
use sqlx::{FromRow, Result};

// Whom the last message of the active path waits for stands beside it, so that a list never reads what was said.
macro_rules! columns {
    () => {
        "id, name, parent_session_id, model, sampling, source, end_reason, input_tokens, output_tokens, estimated_cost, \
         created_at, updated_at, message_count, updated_seq, pinned_at, archived_at, deleted_at, \
         (SELECT tip.waits FROM assistant_weights AS tip WHERE tip.session_id = assistant_sessions.id \
            AND tip.message_id = assistant_sessions.active_leaf) AS waits"
    };
}

pub(super) use columns;

/// What every change of a session does besides: it moves to the top of the list.
macro_rules! touched {
    () => {
        "updated_at = ?2, updated_seq = (SELECT coalesce(max(updated_seq), 0) + 1 FROM assistant_sessions)"
    };
}

/// A change of a session that is not in the trash, which gives the session as it is afterwards.
macro_rules! changed {
    ($set:literal, $also:literal) => {
        concat!(
            "UPDATE assistant_sessions SET ",
            $set,
            ", ",
            touched!(),
            " WHERE id = ?1 AND deleted_at IS NULL ",
            $also,
            " RETURNING ",
            columns!()
        )
    };
}

/// A session as stored.
#[derive(Debug, FromRow)]
pub(crate) struct SessionRow {
    id: String,
    name: String,
    parent_session_id: Option<String>,
    #[sqlx(flatten)]
    origin: Origin,
    #[sqlx(flatten)]
    spent: Spent,
    created_at: i64,
    pub(crate) updated_at: i64,
    message_count: i64,
    pub(crate) updated_seq: i64,
    #[sqlx(flatten)]
    pub(crate) place: ListPlace,
    waits: Option<String>,
}

/// Where in the list a session stands.
#[derive(Debug, FromRow)]
pub(crate) struct ListPlace {
    pinned_at: Option<i64>,
    archived_at: Option<i64>,
    pub(crate) deleted_at: Option<i64>,
}

#[derive(Debug, FromRow)]
struct Origin {
    model: Option<String>,
    #[sqlx(json(nullable))]
    sampling: Option<Sampling>,
    source: Option<String>,
    end_reason: Option<String>,
}

#[derive(Debug, FromRow)]
struct Spent {
    input_tokens: i64,
    output_tokens: i64,
    estimated_cost: f64,
}

impl From<SessionRow> for SessionInfo {
    fn from(row: SessionRow) -> Self {
        let waiting = row.waits.as_deref().and_then(awaited);
        Self {
            id: SessionId::new(row.id),
            name: row.name,
            parent_session_id: row.parent_session_id.map(SessionId::new),
            model: row.origin.model,
            sampling: row.origin.sampling,
            source: row.origin.source,
            input_tokens: counted(row.spent.input_tokens),
            output_tokens: counted(row.spent.output_tokens),
            estimated_cost: row.spent.estimated_cost,
            end_reason: row.origin.end_reason,
            created_at: counted(row.created_at),
            updated_at: counted(row.updated_at),
            message_count: counted(row.message_count),
            pinned_at: row.place.pinned_at.map(counted),
            archived_at: row.place.archived_at.map(counted),
            deleted_at: row.place.deleted_at.map(counted),
            is_running: false,
            is_waiting: waiting.is_some(),
            waiting,
        }
    }
}

/// A session to be written.
#[derive(Debug, Default)]
pub(crate) struct NewRow<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) parent_session_id: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) sampling: Option<Sampling>,
    pub(crate) source: Option<&'a str>,
    pub(crate) now: i64,
}

pub(crate) async fn insert(connection: &mut Connection, row: &NewRow<'_>) -> Result<SessionRow> {
    const SQL: &str = concat!(
        "INSERT INTO assistant_sessions \
         (id, name, name_key, parent_session_id, model, source, sampling, created_at, updated_at, updated_seq, search_key) \
         VALUES (?1, ?3, ?8, ?4, ?5, ?6, ?7, ?2, ?2, \
            (SELECT coalesce(max(updated_seq), 0) + 1 FROM assistant_sessions), \
            (SELECT coalesce(max(search_key), 0) + 1 FROM assistant_sessions)) RETURNING ",
        columns!()
    );
    let query = sqlx::query_as(SQL).bind(row.id).bind(row.now).bind(row.name);
    query
        .bind(row.parent_session_id)
        .bind(row.model)
        .bind(row.source)
        .bind(row.sampling.map(Json))
        .bind(folded(row.name))
        .fetch_one(connection)
        .await
}

/// Whether the id is taken, be it by a session in the trash.
pub(crate) async fn exists(connection: &mut Connection, id: &str) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM assistant_sessions WHERE id = ?)";
    sqlx::query_scalar(SQL).bind(id).fetch_one(connection).await
}

/// A session that is not in the trash.
pub(crate) async fn find(connection: &mut Connection, id: &str) -> Result<Option<SessionRow>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM assistant_sessions WHERE id = ? AND deleted_at IS NULL");
    sqlx::query_as(SQL).bind(id).fetch_optional(connection).await
}

/// A session that is in the trash.
pub(crate) async fn find_trashed(connection: &mut Connection, id: &str) -> Result<Option<SessionRow>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM assistant_sessions WHERE id = ? AND deleted_at IS NOT NULL");
    sqlx::query_as(SQL).bind(id).fetch_optional(connection).await
}

/// How many sessions are not in the trash.
pub(crate) async fn count(connection: &mut Connection) -> Result<i64> {
    const SQL: &str = "SELECT count(*) FROM assistant_sessions WHERE deleted_at IS NULL";
    sqlx::query_scalar(SQL).fetch_one(connection).await
}

pub(crate) async fn set_name(
    connection: &mut Connection,
    id: &str,
    now: i64,
    name: &str,
) -> Result<Option<SessionRow>> {
    const SQL: &str = changed!("name = ?3, name_key = ?4", "");
    let query = sqlx::query_as(SQL).bind(id).bind(now).bind(name);
    query.bind(folded(name)).fetch_optional(connection).await
}

/// Gives a session the second name if it has the first.
pub(crate) async fn replace_name(
    connection: &mut Connection,
    id: &str,
    now: i64,
    (from, to): (&str, &str),
) -> Result<Option<SessionRow>> {
    const SQL: &str = changed!("name = ?3, name_key = ?5", "AND name = ?4");
    let query = sqlx::query_as(SQL).bind(id).bind(now).bind(to).bind(from);
    query.bind(folded(to)).fetch_optional(connection).await
}

/// Notes why a session was ended.
pub(crate) async fn set_end_reason(
    connection: &mut Connection,
    id: &str,
    now: i64,
    reason: &str,
) -> Result<Option<SessionRow>> {
    const SQL: &str = changed!("end_reason = ?3", "");
    sqlx::query_as(SQL).bind(id).bind(now).bind(reason).fetch_optional(connection).await
}

pub(crate) async fn set_model(
    connection: &mut Connection,
    id: &str,
    now: i64,
    model: Option<&str>,
) -> Result<Option<SessionRow>> {
    const SQL: &str = changed!("model = ?3", "");
    sqlx::query_as(SQL).bind(id).bind(now).bind(model).fetch_optional(connection).await
}

pub(crate) async fn set_sampling(
    connection: &mut Connection,
    id: &str,
    now: i64,
    sampling: Option<Sampling>,
) -> Result<Option<SessionRow>> {
    const SQL: &str = changed!("sampling = ?3", "");
    sqlx::query_as(SQL).bind(id).bind(now).bind(sampling.map(Json)).fetch_optional(connection).await
}

/// What a turn has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) input_tokens: i64,
    pub(crate) output_tokens: i64,
    pub(crate) cost: f64,
}

/// Adds to the counters, which stop at the largest number there is.
pub(crate) async fn add_usage(
    connection: &mut Connection,
    id: &str,
    now: i64,
    used: Used,
) -> Result<Option<SessionRow>> {
    const SQL: &str = concat!(
        "UPDATE assistant_sessions SET \
         input_tokens = input_tokens + min(?3, 9223372036854775807 - input_tokens), \
         output_tokens = output_tokens + min(?4, 9223372036854775807 - output_tokens), \
         estimated_cost = min(estimated_cost + ?5, 1.7976931348623157e308), ",
        touched!(),
        " WHERE id = ?1 RETURNING ",
        columns!()
    );
    let query = sqlx::query_as(SQL).bind(id).bind(now).bind(used.input_tokens);
    query.bind(used.output_tokens).bind(used.cost).fetch_optional(connection).await
}

/// What a change of the tree must know of its session.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Tip {
    pub(crate) active_leaf: Option<String>,
    /// Whether there is a message under that id.
    pub(crate) is_present: bool,
    pub(crate) chosen_root: Option<String>,
    pub(crate) last_seq: i64,
    pub(crate) message_count: i64,
}

pub(crate) async fn tip(connection: &mut Connection, id: &str) -> Result<Option<Tip>> {
    const SQL: &str = "SELECT s.active_leaf, m.id IS NOT NULL AS is_present, s.chosen_root, s.last_seq, \
        s.message_count FROM assistant_sessions AS s \
        LEFT JOIN assistant_messages AS m ON m.session_id = s.id AND m.id = s.active_leaf WHERE s.id = ?";
    sqlx::query_as(SQL).bind(id).fetch_optional(connection).await
}

/// Stores where the session stands now, as a change of its messages.
pub(crate) async fn move_tip(connection: &mut Connection, id: &str, now: i64, tip: &Tip) -> Result<()> {
    const SQL: &str = concat!(
        "UPDATE assistant_sessions SET active_leaf = ?3, chosen_root = ?4, last_seq = ?5, message_count = ?6, ",
        touched!(),
        " WHERE id = ?1"
    );
    let query = sqlx::query(SQL).bind(id).bind(now).bind(&tip.active_leaf).bind(&tip.chosen_root);
    query.bind(tip.last_seq).bind(tip.message_count).execute(connection).await.map(drop)
}

/// Stores which branch is looked at. That is no news, so the session keeps its place in the list.
pub(crate) async fn look_at(connection: &mut Connection, id: &str, tip: &Tip) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET active_leaf = ?, chosen_root = ? WHERE id = ?";
    let query = sqlx::query(SQL).bind(&tip.active_leaf).bind(&tip.chosen_root).bind(id);
    query.execute(connection).await.map(drop)
}

/// Puts a session into the trash; whether it was there and not in the trash yet.
pub(crate) async fn put_in_trash(connection: &mut Connection, id: &str, now: i64) -> Result<bool> {
    const SQL: &str = "UPDATE assistant_sessions SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL";
    let done = sqlx::query(SQL).bind(now).bind(id).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Takes a session out of the trash, to the place in the list it had.
pub(crate) async fn take_from_trash(connection: &mut Connection, id: &str) -> Result<Option<SessionRow>> {
    const SQL: &str = concat!(
        "UPDATE assistant_sessions SET deleted_at = NULL, trashed_from = NULL WHERE id = ? \
         AND NOT EXISTS (SELECT 1 FROM assistant_imports AS i WHERE i.session_id = assistant_sessions.id) RETURNING ",
        columns!()
    );
    sqlx::query_as(SQL).bind(id).fetch_optional(connection).await
}

/// Gives a session and its messages another id and notes the old one.
pub(crate) async fn change_id(connection: &mut Connection, from: &str, to: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET id = ?2, trashed_from = ?1 WHERE id = ?1";
    sqlx::query(SQL).bind(from).bind(to).execute(connection).await.map(drop)
}

/// The session that was put into the trash last from the id `former`, which it had to give up.
pub(crate) async fn last_trashed_from(connection: &mut Connection, former: &str) -> Result<Option<String>> {
    const SQL: &str = "SELECT id FROM assistant_sessions WHERE trashed_from = ? AND deleted_at IS NOT NULL \
        AND id NOT IN (SELECT session_id FROM assistant_imports) \
        ORDER BY deleted_at DESC, updated_seq DESC LIMIT 1";
    sqlx::query_scalar(SQL).bind(former).fetch_optional(connection).await
}

/// Removes a session with all its messages; whether it was there.
pub(crate) async fn delete(connection: &mut Connection, id: &str) -> Result<bool> {
    const SQL: &str = "DELETE FROM assistant_sessions WHERE id = ?";
    let done = sqlx::query(SQL).bind(id).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Removes what is stored beside a session under its id.
pub(crate) async fn delete_config(connection: &mut Connection, id: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_config WHERE session_id = ?";
    sqlx::query(SQL).bind(id).execute(connection).await.map(drop)
}

/// A setting of no session, if it is JSON.
pub(crate) async fn general_config(connection: &mut Connection, key: &str) -> Result<Option<String>> {
    const SQL: &str =
        "SELECT value FROM assistant_config WHERE session_id = '' AND key = ? AND json_valid(value)";
    sqlx::query_scalar(SQL).bind(key).fetch_optional(connection).await
}

/// Removes a setting of no session, if it is JSON.
pub(crate) async fn delete_general_config(connection: &mut Connection, key: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM assistant_config WHERE session_id = '' AND key = ? AND json_valid(value)";
    sqlx::query(SQL).bind(key).execute(connection).await.map(drop)
}
