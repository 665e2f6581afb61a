//! Statements that read everything of a session, and write it as it was, for files that go from one place to another.
//!
//! A `session` of none means the rows that belong to all sessions of the agent.

use crate::exchange::format::{
    Change, Deletion, Entry, EntryVersion, Head, MessageFields, Summary, Version, WholeBlock,
};
use crate::names::folded;
use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::types::Json;
use sqlx::{FromRow, Result};

/// A message as it is read for a file.
#[derive(Debug, FromRow)]
pub(crate) struct MessageRow {
    #[sqlx(flatten)]
    pub(crate) fields: MessageFields,
    pub(crate) content: Vec<u8>,
}

/// The ids of all sessions, those in the trash too, the one first that was changed first.
pub(crate) async fn sessions(connection: &mut Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT id FROM assistant_sessions WHERE id NOT IN (SELECT session_id FROM assistant_imports) \
        ORDER BY updated_seq";
    sqlx::query_scalar(SQL).fetch_all(connection).await
}

pub(crate) async fn head(connection: &mut Connection, session: &str) -> Result<Option<Head>> {
    const SQL: &str = "SELECT id, name, parent_session_id, model, sampling, source, end_reason, input_tokens, \
        output_tokens, estimated_cost, created_at, updated_at, pinned_at, archived_at, deleted_at, trashed_from, active_leaf, \
        chosen_root, last_seq FROM assistant_sessions WHERE id = ?";
    sqlx::query_as(SQL).bind(session).fetch_optional(connection).await
}

/// The next `limit` messages after the number `seq`, those in the trash too, below the parents they were stored below.
pub(crate) async fn messages(
    connection: &mut Connection,
    session: &str,
    seq: i64,
    limit: i64,
) -> Result<Vec<MessageRow>> {
    sqlx::query_as(MESSAGES).bind(session).bind(seq).bind(limit).fetch_all(connection).await
}

pub(super) const MESSAGES: &str = "SELECT m.id, coalesce(d.parent_id, m.parent_id) AS parent_id, m.seq, \
        m.chosen_child, m.created_at, w.pinned_at, NULL AS deletion, CAST(m.content AS BLOB) AS content \
    FROM assistant_messages AS m \
    LEFT JOIN assistant_weights AS w ON w.session_id = ?1 AND w.message_id = m.id \
    LEFT JOIN assistant_displaced AS d ON d.session_id = ?1 AND d.message_id = m.id \
    WHERE m.session_id = ?1 AND m.seq > ?2 \
    UNION ALL \
    SELECT t.id, t.parent_id, t.seq, t.chosen_child, t.created_at, t.pinned_at, t.deletion, \
        CAST(t.content AS BLOB) FROM assistant_trashed_messages AS t WHERE t.session_id = ?1 AND t.seq > ?2 \
    ORDER BY seq LIMIT ?3";

pub(crate) async fn deletions(connection: &mut Connection, session: &str) -> Result<Vec<Deletion>> {
    const SQL: &str = "SELECT number, head, deleted_at, choices, leaf_before, leaf_after, summaries \
        FROM assistant_deletions WHERE session_id = ? ORDER BY number";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

/// The next `limit` summaries after the number `seq`, with the real ends of their ranges.
pub(crate) async fn summaries(
    connection: &mut Connection,
    session: &str,
    seq: i64,
    limit: i64,
) -> Result<Vec<Summary>> {
    const SQL: &str = "SELECT c.id, c.seq, coalesce(k.from_message_id, c.from_message_id) AS from_message, \
            coalesce(k.to_message_id, c.to_message_id) AS to_message, c.created_at, c.summary \
        FROM assistant_compactions AS c \
        LEFT JOIN assistant_clamped AS k ON k.session_id = ?1 AND k.id = c.id \
        WHERE c.session_id = ?1 AND c.seq > ?2 \
        UNION ALL \
        SELECT k.id, k.seq, k.from_message_id, k.to_message_id, k.created_at, k.summary FROM assistant_clamped AS k \
        WHERE k.session_id = ?1 AND k.seq > ?2 AND NOT EXISTS \
            (SELECT 1 FROM assistant_compactions AS c WHERE c.session_id = ?1 AND c.id = k.id) ORDER BY seq LIMIT ?3";
    sqlx::query_as(SQL).bind(session).bind(seq).bind(limit).fetch_all(connection).await
}

/// The block whose label comes after this one.
pub(crate) async fn next_block(
    connection: &mut Connection,
    session: Option<&str>,
    label: Option<&str>,
) -> Result<Option<WholeBlock>> {
    const SQL: &str = "SELECT id AS number, label, version, updated_at, content FROM cf_agents_context_blocks \
        WHERE session_id IS ?1 AND (?2 IS NULL OR label > ?2) ORDER BY label LIMIT 1";
    sqlx::query_as(SQL).bind(session).bind(label).fetch_optional(connection).await
}

/// The next `limit` versions of a block after the number `version`.
pub(crate) async fn versions(
    connection: &mut Connection,
    block: i64,
    version: i64,
    limit: i64,
) -> Result<Vec<Version>> {
    const SQL: &str = "SELECT version, author, written_at, content FROM cf_agents_block_versions \
        WHERE block_id = ? AND version > ? ORDER BY version LIMIT ?";
    sqlx::query_as(SQL).bind(block).bind(version).bind(limit).fetch_all(connection).await
}

pub(crate) async fn changes(connection: &mut Connection, session: Option<&str>) -> Result<Vec<Change>> {
    const SQL: &str = "SELECT label, is_removed, description, max_tokens FROM cf_agents_block_changes \
        WHERE session_id IS ? ORDER BY id";
    sqlx::query_as(SQL).bind(session).fetch_all(connection).await
}

/// The next `limit` entries after this label and key.
pub(crate) async fn entries(
    connection: &mut Connection,
    session: Option<&str>,
    (label, key): &(String, String),
    limit: i64,
) -> Result<Vec<Entry>> {
    const SQL: &str = "SELECT label, key, created_at, updated_at, content FROM cf_agents_search_entries \
        WHERE session_id IS ? AND (label, key) > (?, ?) ORDER BY label, key LIMIT ?";
    let query = sqlx::query_as(SQL).bind(session).bind(label).bind(key);
    query.bind(limit).fetch_all(connection).await
}

/// The next `limit` versions of entries after this label, key and number.
pub(crate) async fn entry_versions(
    connection: &mut Connection,
    session: Option<&str>,
    (label, key, version): &(String, String, i64),
    limit: i64,
) -> Result<Vec<EntryVersion>> {
    const SQL: &str = "SELECT label, key, version, author, written_at, content FROM cf_agents_entry_versions \
        WHERE session_id IS ? AND (label, key, version) > (?, ?, ?) ORDER BY label, key, version LIMIT ?";
    let query = sqlx::query_as(SQL).bind(session).bind(label).bind(key).bind(version);
    query.bind(limit).fetch_all(connection).await
}

/// Puts a session apart from all others until it is whole.
pub(crate) async fn set_apart(connection: &mut Connection, session: &str, now: i64) -> Result<()> {
    const NOTE: &str = "INSERT INTO assistant_imports (session_id, deleted_at) \
        SELECT id, deleted_at FROM assistant_sessions WHERE id = ?";
    const HIDE: &str = "UPDATE assistant_sessions SET deleted_at = ? WHERE id = ?";
    sqlx::query(NOTE).bind(session).execute(&mut *connection).await?;
    sqlx::query(HIDE).bind(now).bind(session).execute(connection).await.map(drop)
}

/// Puts a session that stands apart where it belongs.
pub(crate) async fn join(connection: &mut Connection, session: &str) -> Result<()> {
    const SHOW: &str = "UPDATE assistant_sessions SET deleted_at = i.deleted_at FROM assistant_imports AS i \
        WHERE assistant_sessions.id = ?1 AND i.session_id = ?1";
    const FORGET: &str = "DELETE FROM assistant_imports WHERE session_id = ?";
    sqlx::query(SHOW).bind(session).execute(&mut *connection).await?;
    sqlx::query(FORGET).bind(session).execute(connection).await.map(drop)
}

/// Gives a session that stands apart its own id.
pub(crate) async fn set_id(connection: &mut Connection, from: &str, to: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET id = ?2 WHERE id = ?1";
    sqlx::query(SQL).bind(from).bind(to).execute(connection).await.map(drop)
}

/// The sessions that stand apart.
pub(crate) async fn apart(connection: &mut Connection) -> Result<Vec<String>> {
    const SQL: &str = "SELECT session_id FROM assistant_imports ORDER BY session_id";
    sqlx::query_scalar(SQL).fetch_all(connection).await
}

pub(crate) async fn is_apart(connection: &mut Connection, session: &str) -> Result<bool> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM assistant_imports WHERE session_id = ?)";
    sqlx::query_scalar(SQL).bind(session).fetch_one(connection).await
}

/// The first messages of a session, at most `limit`, and no more once they have so many bytes: id, content.
pub(crate) async fn first(
    connection: &mut Connection,
    session: &str,
    (limit, bytes): (i64, i64),
) -> Result<Vec<(String, Vec<u8>)>> {
    sqlx::query_as(FIRST).bind(session).bind(limit).bind(bytes).fetch_all(connection).await
}

const FIRST: &str = "WITH some (row, seq, size) AS ( \
        SELECT rowid, seq, octet_length(content) FROM assistant_messages WHERE session_id = ?1 ORDER BY seq LIMIT ?2 \
    ), summed (row, before) AS (SELECT row, sum(size) OVER (ORDER BY seq) - size FROM some) \
    SELECT m.id, CAST(m.content AS BLOB) FROM summed CROSS JOIN assistant_messages AS m ON m.rowid = summed.row \
    WHERE summed.before < ?3";

/// Removes old versions and entries of a session, until they have so many bytes; whether there were any.
pub(crate) async fn forget_some(connection: &mut Connection, session: &str, bytes: i64) -> Result<bool> {
    const VERSIONS: &str = "WITH summed (row, before) AS ( \
            SELECT v.id, sum(octet_length(v.content)) OVER (ORDER BY v.id) - octet_length(v.content) \
            FROM cf_agents_context_blocks AS b CROSS JOIN cf_agents_block_versions AS v ON v.block_id = b.id \
            WHERE b.session_id = ?1 \
        ) DELETE FROM cf_agents_block_versions WHERE id IN (SELECT row FROM summed WHERE before < ?2)";
    const ENTRY_VERSIONS: &str = "WITH summed (row, before) AS ( \
            SELECT id, sum(octet_length(content)) OVER (ORDER BY id) - octet_length(content) \
            FROM cf_agents_entry_versions WHERE session_id = ?1 \
        ) DELETE FROM cf_agents_entry_versions WHERE id IN (SELECT row FROM summed WHERE before < ?2)";
    const ENTRIES: &str = "WITH summed (row, before) AS ( \
            SELECT id, sum(octet_length(content)) OVER (ORDER BY id) - octet_length(content) \
            FROM cf_agents_search_entries WHERE session_id = ?1 \
        ) DELETE FROM cf_agents_search_entries WHERE id IN (SELECT row FROM summed WHERE before < ?2)";
    for sql in [VERSIONS, ENTRY_VERSIONS, ENTRIES] {
        let done = sqlx::query(sql).bind(session).bind(bytes).execute(&mut *connection).await?;
        if done.rows_affected() > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes a session's row, as the one that changed last; what its messages decide follows them.
pub(crate) async fn insert_session(connection: &mut Connection, head: &Head) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_sessions \
        (id, name, name_key, parent_session_id, model, sampling, source, end_reason, input_tokens, output_tokens, \
         estimated_cost, created_at, updated_at, pinned_at, archived_at, deleted_at, trashed_from, updated_seq, search_key) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
            (SELECT coalesce(max(updated_seq), 0) + 1 FROM assistant_sessions), \
            (SELECT coalesce(max(search_key), 0) + 1 FROM assistant_sessions))";
    let query = sqlx::query(SQL).bind(&head.who.id).bind(&head.who.name).bind(folded(&head.who.name));
    let query = query
        .bind(&head.who.parent_session_id)
        .bind(&head.who.model)
        .bind(head.who.sampling.map(Json))
        .bind(&head.who.source)
        .bind(&head.who.end_reason);
    let query = query.bind(head.spent.input_tokens).bind(head.spent.output_tokens);
    let query = query.bind(head.spent.estimated_cost).bind(head.times.created_at).bind(head.times.updated_at);
    let query = query.bind(head.times.pinned_at).bind(head.times.archived_at).bind(head.times.deleted_at);
    query.bind(&head.times.trashed_from).execute(connection).await.map(drop)
}

/// Writes down where a session stands, and nothing about when.
pub(crate) async fn set_view(
    connection: &mut Connection,
    session: &str,
    tip: &crate::store::sessions::Tip,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET active_leaf = ?, chosen_root = ?, last_seq = ?, \
        message_count = (SELECT count(*) FROM assistant_messages AS m WHERE m.session_id = assistant_sessions.id) \
        WHERE id = ?";
    let query = sqlx::query(SQL).bind(&tip.active_leaf).bind(&tip.chosen_root).bind(tip.last_seq);
    query.bind(session).execute(connection).await.map(drop)
}

/// Forgets choices of what is no child.
pub(crate) async fn forget_wrong_choices(connection: &mut Connection, session: &str) -> Result<()> {
    const SQL: &str = "UPDATE assistant_messages SET chosen_child = NULL \
        WHERE session_id = ?1 AND chosen_child IS NOT NULL AND NOT EXISTS \
        (SELECT 1 FROM assistant_messages AS c WHERE c.session_id = ?1 AND c.id = assistant_messages.chosen_child \
            AND c.parent_id = assistant_messages.id)";
    sqlx::query(SQL).bind(session).execute(connection).await.map(drop)
}

pub(crate) async fn insert_deletion(
    connection: &mut Connection,
    session: &str,
    row: &Deletion,
) -> Result<()> {
    const SQL: &str = "INSERT INTO assistant_deletions \
        (session_id, number, head, deleted_at, choices, leaf_before, leaf_after, summaries) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    let query = sqlx::query(SQL).bind(session).bind(row.number).bind(&row.head).bind(row.deleted_at);
    let query = query.bind(&row.choices).bind(&row.leaf_before).bind(&row.leaf_after);
    query.bind(&row.summaries).execute(connection).await.map(drop)
}

/// Makes the parent of those of `children`, a JSON array, that were made from `from` another session.
pub(crate) async fn move_children(
    connection: &mut Connection,
    children: &str,
    from: &str,
    to: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE assistant_sessions SET parent_session_id = ?3 WHERE parent_session_id = ?2 \
        AND id IN (SELECT asked.value FROM json_each(?1) AS asked)";
    sqlx::query(SQL).bind(children).bind(from).bind(to).execute(connection).await.map(drop)
}

/// Gives the agent a block of a session; false, and nothing changes, where it has one of that label.
pub(crate) async fn give_to_agent(connection: &mut Connection, block: i64) -> Result<bool> {
    const SQL: &str = "UPDATE OR IGNORE cf_agents_context_blocks SET session_id = NULL WHERE id = ?";
    let done = sqlx::query(SQL).bind(block).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

/// Whether a block of this label is stored.
pub(crate) async fn has_block(
    connection: &mut Connection,
    session: Option<&str>,
    label: &str,
) -> Result<bool> {
    const SQL: &str =
        "SELECT EXISTS (SELECT 1 FROM cf_agents_context_blocks WHERE session_id IS ? AND label = ?)";
    sqlx::query_scalar(SQL).bind(session).bind(label).fetch_one(connection).await
}

/// How many changes of the list of blocks there are.
pub(crate) async fn count_changes(connection: &mut Connection, session: Option<&str>) -> Result<i64> {
    const SQL: &str = "SELECT count(*) FROM cf_agents_block_changes WHERE session_id IS ?";
    sqlx::query_scalar(SQL).bind(session).fetch_one(connection).await
}

/// Writes a block; none where its label is taken, else its number.
pub(crate) async fn insert_block(
    connection: &mut Connection,
    session: Option<&str>,
    block: &WholeBlock,
) -> Result<Option<i64>> {
    const SQL: &str = "INSERT INTO cf_agents_context_blocks (session_id, label, version, updated_at, content) \
        VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id";
    let query = sqlx::query_scalar(SQL).bind(session).bind(&block.label).bind(block.version);
    query.bind(block.updated_at).bind(&block.content).fetch_optional(connection).await
}

pub(crate) async fn insert_version(connection: &mut Connection, block: i64, row: &Version) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_block_versions (block_id, version, author, written_at, content) \
        VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let query = sqlx::query(SQL).bind(block).bind(row.version).bind(&row.author);
    query.bind(row.written_at).bind(&row.content).execute(connection).await.map(drop)
}

pub(crate) async fn insert_change(
    connection: &mut Connection,
    session: Option<&str>,
    row: &Change,
) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_block_changes (session_id, label, is_removed, description, max_tokens) \
        VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let query = sqlx::query(SQL).bind(session).bind(&row.label).bind(row.is_removed);
    query.bind(&row.description).bind(row.max_tokens).execute(connection).await.map(drop)
}

pub(crate) async fn insert_entry(
    connection: &mut Connection,
    session: Option<&str>,
    row: &Entry,
) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_search_entries (session_id, label, key, created_at, updated_at, content) \
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
    let query = sqlx::query(SQL).bind(session).bind(&row.label).bind(&row.key).bind(row.created_at);
    query.bind(row.updated_at).bind(&row.content).execute(connection).await.map(drop)
}

pub(crate) async fn insert_entry_version(
    connection: &mut Connection,
    session: Option<&str>,
    row: &EntryVersion,
) -> Result<()> {
    const SQL: &str = "INSERT INTO cf_agents_entry_versions \
        (session_id, label, key, version, author, written_at, content) VALUES (?, ?, ?, ?, ?, ?, ?) \
        ON CONFLICT DO NOTHING";
    let query = sqlx::query(SQL).bind(session).bind(&row.label).bind(&row.key).bind(row.version);
    query.bind(&row.author).bind(row.written_at).bind(&row.content).execute(connection).await.map(drop)
}
