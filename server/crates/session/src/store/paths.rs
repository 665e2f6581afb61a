//! Statements that walk the tree. Each step of a walk must change the depth in its direction, so that a walk ends even
//! where damage has made a circle.

use sqlx::sqlite::SqliteConnection as Connection;
use sqlx::types::Json;
use sqlx::{FromRow, Result};
use std::ops::Range;

/// Any number of steps.
pub(crate) const WHOLE: i64 = -1;

/// The walk from `?2` of session `?1` to its root, at most `?3` messages.
macro_rules! up {
    ($rest:literal) => {
        concat!(
            "WITH RECURSIVE path (row, id, parent_id, depth) AS ( \
                SELECT rowid, id, parent_id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 \
                UNION ALL \
                SELECT m.rowid, m.id, m.parent_id, m.depth FROM path CROSS JOIN assistant_messages AS m \
                WHERE m.session_id = ?1 AND m.id = path.parent_id AND m.depth < path.depth \
                LIMIT ?3 \
            ) ",
            $rest
        )
    };
}

/// Most messages one statement reads with their content; bounds what is held twice, as rows and as messages.
pub(crate) const CHUNK_ROWS: usize = 1_024;

/// Some messages of a path in one row, because carrying many rows costs more than finding them. All lists have the
/// same order.
#[derive(Debug, FromRow)]
struct ChunkRow {
    ids: Json<Vec<String>>,
    parent_ids: Json<Vec<Option<String>>>,
    depths: Json<Vec<i64>>,
    sizes: Json<Vec<usize>>,
    /// One content after the other.
    contents: Vec<u8>,
}

/// Some messages of a path, the last of it first.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) places: Vec<ContentPlace>,
    contents: Vec<u8>,
}

/// A message of a path, and where in its chunk the content stands.
#[derive(Debug)]
pub(crate) struct ContentPlace {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    pub(crate) depth: i64,
    pub(crate) bytes: Range<usize>,
}

impl From<ChunkRow> for Chunk {
    fn from(row: ChunkRow) -> Self {
        let mut end = 0_usize;
        let heads =
            row.ids.0.into_iter().zip(row.parent_ids.0).zip(row.depths.0.into_iter().zip(row.sizes.0));
        let places = heads.map(|((id, parent_id), (depth, size))| {
            let start = end;
            end = end.saturating_add(size);
            ContentPlace { id, parent_id, depth, bytes: start..end }
        });
        let mut places: Vec<ContentPlace> = places.collect();
        places.sort_by_key(|place| std::cmp::Reverse(place.depth));
        Self { places, contents: row.contents }
    }
}

impl Chunk {
    /// The content; bytes, because a damaged one need not be text.
    pub(crate) fn content(&self, place: &ContentPlace) -> &[u8] {
        self.contents.get(place.bytes.clone()).unwrap_or_default()
    }

    /// All contents, which places of [`Chunk::places`] refer to.
    pub(crate) fn into_contents(self) -> Vec<u8> {
        self.contents
    }

    /// Whether each message is the parent of the one before it, and the first one is `last`.
    fn is_line_to(&self, last: &str) -> bool {
        let mut expected = Some(last);
        self.places.iter().all(|place| {
            let is_next = expected == Some(place.id.as_str());
            expected = place.parent_id.as_deref();
            is_next
        })
    }
}

/// The last messages of the path to `leaf`, at most `limit` and [`CHUNK_ROWS`]. Where it is known how deep the leaf
/// stands, and nothing else stands that deep, nor above it as far as is read, no walk is needed.
pub(crate) async fn contents(
    connection: &mut Connection,
    session: &str,
    (leaf, depth): (&str, Option<i64>),
    limit: usize,
) -> Result<Chunk> {
    let limit = i64::try_from(limit.min(CHUNK_ROWS)).unwrap_or(WHOLE);
    if let Some(depth) = depth.filter(|depth| *depth >= 0) {
        let top = depth.saturating_sub(limit).saturating_add(1).max(0);
        let query = sqlx::query_as(CONTENTS_AT).bind(session).bind(leaf).bind(depth - top + 1);
        let row: ChunkRow = query.bind(top).bind(depth).fetch_one(&mut *connection).await?;
        let chunk = Chunk::from(row);
        // What is damaged may look alone without being on the path.
        if chunk.is_line_to(leaf) {
            return Ok(chunk);
        }
    }
    let row: ChunkRow =
        sqlx::query_as(CONTENTS).bind(session).bind(leaf).bind(limit).fetch_one(connection).await?;
    Ok(Chunk::from(row))
}

/// What a chunk consists of.
macro_rules! chunk {
    () => {
        "SELECT json_group_array(m.id) AS ids, json_group_array(m.parent_id) AS parent_ids, \
         json_group_array(m.depth) AS depths, json_group_array(octet_length(m.content)) AS sizes, \
         CAST(coalesce(group_concat(m.content, ''), '') AS BLOB) AS contents "
    };
}

pub(super) const CONTENTS: &str =
    concat!(up!(""), chunk!(), "FROM path CROSS JOIN assistant_messages AS m ON m.rowid = path.row");

/// The messages of the depths from `?4` to `?5`, `?3` in number, where each is alone with its depth; else by a walk.
pub(super) const CONTENTS_AT: &str = concat!(
    "WITH RECURSIVE part (is_alone) AS MATERIALIZED (SELECT ?3 = (SELECT count(*) FROM \
        (SELECT 1 FROM assistant_messages WHERE session_id = ?1 AND depth BETWEEN ?4 AND ?5 LIMIT ?3 + 1) AS part)), \
    path (row, id, parent_id, depth) AS ( \
        SELECT rowid, id, parent_id, depth FROM assistant_messages \
        WHERE session_id = ?1 AND id = ?2 AND NOT (SELECT is_alone FROM part) \
        UNION ALL \
        SELECT m.rowid, m.id, m.parent_id, m.depth FROM path CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.id = path.parent_id AND m.depth < path.depth \
        LIMIT ?3 \
    ), \
    asked (row) AS ( \
        SELECT row FROM path \
        UNION ALL \
        SELECT rowid FROM assistant_messages \
        WHERE session_id = ?1 AND depth BETWEEN ?4 AND ?5 AND (SELECT is_alone FROM part) \
    ) ",
    chunk!(),
    "FROM asked CROSS JOIN assistant_messages AS m ON m.rowid = asked.row"
);

/// How long the path to `leaf` is, and how large the contents on it are.
pub(crate) async fn measure(connection: &mut Connection, session: &str, leaf: &str) -> Result<(i64, i64)> {
    sqlx::query_as(MEASURE).bind(session).bind(leaf).bind(WHOLE).fetch_one(connection).await
}

pub(super) const MEASURE: &str = up!("SELECT count(*), coalesce(sum(octet_length(m.content)), 0) FROM path \
     CROSS JOIN assistant_messages AS m ON m.rowid = path.row");

/// A message of a path without its content.
#[derive(Debug, FromRow)]
pub(crate) struct SizeRow {
    pub(crate) id: String,
    pub(crate) role: String,
    pub(crate) depth: i64,
    /// Of the stored JSON.
    pub(crate) bytes: i64,
}

/// The path to `leaf`, oldest first, without reading any content.
pub(crate) async fn sizes(connection: &mut Connection, session: &str, leaf: &str) -> Result<Vec<SizeRow>> {
    let query = sqlx::query_as(SIZES).bind(session).bind(leaf).bind(WHOLE);
    let mut rows: Vec<SizeRow> = query.fetch_all(connection).await?;
    rows.sort_by_key(|row| row.depth);
    Ok(rows)
}

pub(super) const SIZES: &str =
    up!("SELECT m.id, m.role, m.depth, octet_length(m.content) AS bytes FROM path \
     CROSS JOIN assistant_messages AS m ON m.rowid = path.row");

/// The ids of the path to `leaf`, oldest first.
pub(crate) async fn ids(connection: &mut Connection, session: &str, leaf: &str) -> Result<Vec<String>> {
    let found = last_ids(connection, session, leaf, WHOLE).await?;
    Ok(found.into_iter().map(|(_, id)| id).collect())
}

/// The depths and ids of the last `limit` messages of the path to `leaf`, oldest first.
pub(crate) async fn last_ids(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    limit: i64,
) -> Result<Vec<(i64, String)>> {
    let query = sqlx::query_as(IDS).bind(session).bind(leaf).bind(limit);
    let (Json(ids), Json(depths)): (Json<Vec<String>>, Json<Vec<i64>>) = query.fetch_one(connection).await?;
    let mut found: Vec<(i64, String)> = depths.into_iter().zip(ids).collect();
    found.sort_by_key(|(depth, _)| *depth);
    Ok(found)
}

pub(super) const IDS: &str = up!("SELECT json_group_array(id), json_group_array(depth) FROM path");

/// A message that was looked for by a word.
#[derive(Debug, FromRow)]
pub(crate) struct HoldingRow {
    pub(crate) id: String,
    depth: i64,
    pub(crate) content: Vec<u8>,
}

/// The answers on the path to `leaf` whose stored JSON holds `word`, oldest first.
pub(crate) async fn holding(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    word: &str,
) -> Result<Vec<HoldingRow>> {
    let query = sqlx::query_as(HOLDING).bind(session).bind(leaf).bind(WHOLE).bind(word);
    let mut rows: Vec<HoldingRow> = query.fetch_all(connection).await?;
    rows.sort_by_key(|row| row.depth);
    Ok(rows)
}

pub(super) const HOLDING: &str = up!("SELECT m.id, m.depth, CAST(m.content AS BLOB) AS content FROM path \
     CROSS JOIN assistant_messages AS m ON m.rowid = path.row WHERE m.role = 'assistant' AND instr(m.content, ?4) > 0");

/// Whether `id` is among the last `steps` messages of the path to `leaf`.
pub(crate) async fn is_among_last(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    steps: i64,
    id: &str,
) -> Result<bool> {
    sqlx::query_scalar(IS_AMONG_LAST)
        .bind(session)
        .bind(leaf)
        .bind(steps)
        .bind(id)
        .fetch_one(connection)
        .await
}

pub(super) const IS_AMONG_LAST: &str = up!("SELECT EXISTS (SELECT 1 FROM path WHERE id = ?4)");

/// The message at most `steps` below `middle` on the path to `leaf`; none if `middle` is not on that path.
pub(crate) async fn some_below(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    middle: &str,
    steps: i64,
) -> Result<Option<String>> {
    sqlx::query_scalar(SOME_BELOW)
        .bind(session)
        .bind(leaf)
        .bind(WHOLE)
        .bind(middle)
        .bind(steps)
        .fetch_optional(connection)
        .await
}

pub(super) const SOME_BELOW: &str = up!("SELECT id FROM path WHERE depth <= \
     (SELECT depth + ?5 FROM path WHERE id = ?4) ORDER BY depth DESC LIMIT 1");

/// A message that its parent (or the session, for a root) does not remember as the one last viewed.
#[derive(Debug, FromRow)]
pub(crate) struct Forgotten {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
}

/// What of the path to `leaf` is not remembered; the walk ends at `known`, whose own path is.
pub(crate) async fn forgotten(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
    known: Option<&str>,
) -> Result<Vec<Forgotten>> {
    sqlx::query_as(FORGOTTEN).bind(session).bind(leaf).bind(known).fetch_all(connection).await
}

pub(super) const FORGOTTEN: &str = "WITH RECURSIVE path (id, parent_id, depth) AS ( \
        SELECT id, parent_id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 AND id IS NOT ?3 \
        UNION ALL \
        SELECT m.id, m.parent_id, m.depth FROM path CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.id = path.parent_id AND m.depth < path.depth AND m.id IS NOT ?3 \
    ) \
    SELECT path.id, path.parent_id FROM path LEFT JOIN assistant_messages AS p \
    ON p.session_id = ?1 AND p.id = path.parent_id WHERE p.chosen_child IS NOT path.id";

/// The leaf below `top`: at each step the child last viewed, else the one stored last.
pub(crate) async fn descend(connection: &mut Connection, session: &str, top: &str) -> Result<Option<String>> {
    sqlx::query_scalar(DESCEND).bind(session).bind(top).fetch_optional(connection).await
}

pub(super) const DESCEND: &str = "WITH RECURSIVE down (row, id, depth) AS ( \
        SELECT rowid, id, depth FROM assistant_messages WHERE session_id = ?1 AND id = ?2 \
        UNION ALL \
        SELECT c.rowid, c.id, c.depth FROM down CROSS JOIN assistant_messages AS c ON c.rowid = coalesce( \
            (SELECT v.rowid FROM assistant_messages AS p CROSS JOIN assistant_messages AS v \
                ON v.session_id = ?1 AND v.id = p.chosen_child AND v.parent_id = p.id \
                WHERE p.rowid = down.row), \
            (SELECT n.rowid FROM assistant_messages AS n WHERE n.session_id = ?1 AND n.parent_id = down.id \
                ORDER BY n.seq DESC LIMIT 1)) \
        WHERE c.depth > down.depth \
    ) SELECT id FROM down ORDER BY depth DESC LIMIT 1";

/// Counts all depths of a session again, from its roots.
pub(crate) async fn renew_depths(connection: &mut Connection, session: &str) -> Result<()> {
    sqlx::query(RENEW_DEPTHS).bind(session).execute(connection).await.map(drop)
}

pub(super) const RENEW_DEPTHS: &str = "WITH RECURSIVE tree (id, depth) AS ( \
        SELECT id, 0 FROM assistant_messages WHERE session_id = ?1 AND parent_id IS NULL \
        UNION ALL \
        SELECT m.id, tree.depth + 1 FROM tree CROSS JOIN assistant_messages AS m \
        WHERE m.session_id = ?1 AND m.parent_id = tree.id \
    ) \
    UPDATE assistant_messages SET depth = tree.depth FROM tree \
    WHERE assistant_messages.session_id = ?1 AND assistant_messages.id = tree.id \
    AND assistant_messages.depth <> tree.depth";
