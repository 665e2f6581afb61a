//! The replayable log of streams. Whatever waits while the writer is busy goes into its next transaction together:
//! one small commit at a time for all sessions of the instance, and no timer that would hold a chunk back.
//!
//! Nothing is ever sent that is not in here first.

use crate::error::ThinkError;
use db::{Clock, Database, DbError};
use futures::TryStreamExt;
use protocol::{MessageId, RequestId, SessionId, StreamId, limits};
use serde::Serialize;
use sqlx::sqlite::SqliteConnection;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// How a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::Type)]
#[sqlx(rename_all = "lowercase")]
pub(crate) enum StreamStatus {
    Streaming,
    Completed,
    Error,
}

/// A stream that begins.
#[derive(Debug, Clone)]
pub(crate) struct NewStream {
    pub(crate) id: StreamId,
    pub(crate) session_id: SessionId,
    pub(crate) request_id: RequestId,
    pub(crate) message_id: MessageId,
    pub(crate) parent_id: Option<MessageId>,
    pub(crate) model: String,
    pub(crate) is_continuation: bool,
}

/// A stream that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredStream {
    pub(crate) id: StreamId,
    pub(crate) status: StreamStatus,
    pub(crate) is_continuation: bool,
}

/// Where the next row of a stream goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Position<'a> {
    pub(crate) stream_id: &'a StreamId,
    /// Rows before it.
    pub(crate) row: u32,
    /// Chunks before it.
    pub(crate) seq: u64,
}

/// Where a page of a stream begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// With the chunk of this number.
    Chunk(u64),
    /// With this row.
    Row(i64),
}

/// Some rows of a stream.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// With their numbers.
    pub(crate) chunks: Vec<(u64, String)>,
    /// None where there was no row.
    pub(crate) last_row: Option<i64>,
}

/// The log of one instance. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct StreamLog {
    db: Database,
    clock: Arc<dyn Clock>,
    jobs: mpsc::Sender<Job>,
}

#[derive(Debug)]
struct Job {
    row: Row,
    done: oneshot::Sender<Result<(), String>>,
}

/// One row of a stream: one chunk or several.
#[derive(Debug, Serialize)]
struct Row {
    stream_id: StreamId,
    body: String,
    chunk_index: u32,
    first_seq: u64,
}

impl StreamLog {
    /// The log and its writer; the caller owns the writer's task. It ends when the last clone of the log is dropped.
    pub(crate) fn new(db: Database, clock: Arc<dyn Clock>) -> (Self, impl Future<Output = ()> + Send) {
        let (jobs, waiting) = mpsc::channel(limits::CHUNK_BACKLOG_MAX);
        let writer = write_jobs(db.clone(), Arc::clone(&clock), waiting);
        (Self { db, clock, jobs }, writer)
    }

    /// Stores the next chunks of a stream; returns when they are committed.
    pub(crate) async fn append(&self, at: Position<'_>, bodies: &[String]) -> Result<(), String> {
        let body = match bodies {
            [] => return Ok(()),
            [one] => one.clone(),
            many => serde_json::to_string(many).map_err(|error| error.to_string())?,
        };
        let (done, outcome) = oneshot::channel();
        let (stream_id, chunk_index, first_seq) = (at.stream_id.clone(), at.row, at.seq);
        let job = Job { row: Row { stream_id, body, chunk_index, first_seq }, done };
        let gone = || "the stream log has stopped".to_owned();
        self.jobs.send(job).await.map_err(|_closed| gone())?;
        outcome.await.unwrap_or_else(|_dropped| Err(gone()))
    }

    pub(crate) async fn open(&self, stream: &NewStream) -> Result<(), ThinkError> {
        Ok(insert_stream(&self.db, stream, self.clock.now_ms()).await?)
    }

    pub(crate) async fn finish(&self, id: &StreamId, status: StreamStatus) -> Result<(), ThinkError> {
        Ok(set_status(&self.db, id, status, self.clock.now_ms()).await?)
    }

    /// The newest stream of a request, if it is still kept.
    pub(crate) async fn newest(
        &self,
        session_id: &SessionId,
        request_id: &RequestId,
    ) -> Result<Option<StoredStream>, ThinkError> {
        Ok(select_newest(&self.db, session_id, request_id).await?)
    }

    /// All chunks of a stream, in order, with their numbers.
    pub(crate) async fn chunks(&self, id: &StreamId) -> Result<Vec<(u64, String)>, ThinkError> {
        let (mut chunks, mut from) = (Vec::new(), Wanted::Row(0));
        loop {
            let page = self.page(id, from).await?;
            let Some(last) = page.last_row else { return Ok(chunks) };
            chunks.extend(page.chunks);
            from = Wanted::Row(last + 1);
        }
    }

    /// So many rows that together they have about [`limits::REPLAY_PAGE_BYTES`], in order. The cost is that
    /// of what is wanted, not of the whole stream.
    pub(crate) async fn page(&self, id: &StreamId, from: Wanted) -> Result<Page, ThinkError> {
        let row = match from {
            Wanted::Row(row) => row,
            Wanted::Chunk(0) => 0,
            Wanted::Chunk(seq) => select_row_of(&self.db, id, seq).await?,
        };
        let rows = select_rows(&self.db, id, row).await?;
        let last_row = rows.last().map(|(row, ..)| *row);
        let chunks = rows.into_iter().flat_map(|(_, first, body)| (first..).zip(expand(body)));
        Ok(Page { chunks: chunks.collect(), last_row })
    }

    /// Forgets all streams of a session.
    pub(crate) async fn clear(&self, session_id: &SessionId) -> Result<(), ThinkError> {
        let mut tx = self.db.write().await?;
        delete_session_chunks(&mut tx, session_id).await?;
        delete_session_streams(&mut tx, session_id).await?;
        Ok(tx.commit().await?)
    }

    /// Forgets streams that nobody can want any more.
    pub(crate) async fn sweep(&self) -> Result<(), ThinkError> {
        let stale = select_stale(&self.db, self.clock.now_ms()).await?;
        if stale.is_empty() {
            return Ok(());
        }
        let mut tx = self.db.write().await?;
        for id in stale {
            delete_stream(&mut tx, &id).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// One row holds one chunk as it is, or several as a JSON array of their texts.
fn expand(body: String) -> Vec<String> {
    if body.starts_with('[')
        && let Ok(bodies) = serde_json::from_str(&body)
    {
        return bodies;
    }
    vec![body]
}

async fn write_jobs(db: Database, clock: Arc<dyn Clock>, mut waiting: mpsc::Receiver<Job>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, limits::CHUNK_BATCH_MAX).await > 0 {
        let outcome = write_batch(&db, &batch, clock.now_ms()).await.map_err(|error| error.to_string());
        for job in batch.drain(..) {
            // Whoever stopped waiting was cancelled; the rows do no harm.
            let _receiver_gone = job.done.send(outcome.clone());
        }
    }
}

async fn write_batch(db: &Database, batch: &[Job], now_ms: u64) -> Result<(), DbError> {
    let stored = match batch {
        [] => Ok(()),
        [one] => insert_row(db, &one.row, now_ms).await,
        many => insert_rows(db, &many.iter().map(|job| &job.row).collect::<Vec<_>>(), now_ms).await,
    };
    stored.map_err(|error| db.error(error))
}

async fn insert_row(db: &Database, row: &Row, now_ms: u64) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO cf_ai_chat_stream_chunks (stream_id, body, chunk_index, first_seq, created_at) \
         VALUES (?, ?, ?, ?, ?)",
    )
    .bind(row.stream_id.as_str())
    .bind(&row.body)
    .bind(row.chunk_index)
    .bind(row.first_seq.cast_signed())
    .bind(now_ms.cast_signed())
    .execute(db.writer())
    .await
    .map(drop)
}

/// Rows of many streams in one statement, which is one commit.
async fn insert_rows(db: &Database, rows: &[&Row], now_ms: u64) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO cf_ai_chat_stream_chunks (stream_id, body, chunk_index, first_seq, created_at) \
         SELECT value ->> 'stream_id', value ->> 'body', value ->> 'chunk_index', value ->> 'first_seq', ?2 \
         FROM json_each(?1)",
    )
    .bind(sqlx::types::Json(rows))
    .bind(now_ms.cast_signed())
    .execute(db.writer())
    .await
    .map(drop)
}

async fn insert_stream(db: &Database, stream: &NewStream, now_ms: u64) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO cf_ai_chat_stream_metadata \
         (id, request_id, status, created_at, message_id, is_continuation, session_id, parent_id, model, started_at) \
         VALUES (?, ?, 'streaming', ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(stream.id.as_str())
    .bind(stream.request_id.as_str())
    .bind(now_ms.cast_signed())
    .bind(stream.message_id.as_str())
    .bind(stream.is_continuation)
    .bind(stream.session_id.as_str())
    .bind(stream.parent_id.as_ref().map(MessageId::as_str))
    .bind(&stream.model)
    .bind(now_ms.cast_signed())
    .execute(db.writer())
    .await
    .map(drop)
}

async fn set_status(db: &Database, id: &StreamId, status: StreamStatus, now_ms: u64) -> sqlx::Result<()> {
    sqlx::query("UPDATE cf_ai_chat_stream_metadata SET status = ?, completed_at = ? WHERE id = ?")
        .bind(status)
        .bind(now_ms.cast_signed())
        .bind(id.as_str())
        .execute(db.writer())
        .await
        .map(drop)
}

async fn select_newest(
    db: &Database,
    session_id: &SessionId,
    request_id: &RequestId,
) -> sqlx::Result<Option<StoredStream>> {
    let row: Option<(String, StreamStatus, bool)> = sqlx::query_as(
        "SELECT id, status, COALESCE(is_continuation, 0) FROM cf_ai_chat_stream_metadata WHERE request_id = ? AND session_id = ? \
         ORDER BY created_at DESC, rowid DESC LIMIT 1",
    )
    .bind(request_id.as_str())
    .bind(session_id.as_str())
    .fetch_optional(db.reader())
    .await?;
    Ok(row.map(|(id, status, is_continuation)| StoredStream {
        id: StreamId::new(id),
        status,
        is_continuation,
    }))
}

/// The row of a stream that holds a chunk, or the last one before it.
async fn select_row_of(db: &Database, id: &StreamId, seq: u64) -> sqlx::Result<i64> {
    let row = sqlx::query_scalar(
        "SELECT chunk_index FROM cf_ai_chat_stream_chunks WHERE stream_id = ? AND first_seq <= ? \
         ORDER BY chunk_index DESC LIMIT 1",
    )
    .bind(id.as_str())
    .bind(seq.cast_signed())
    .fetch_optional(db.reader())
    .await?;
    Ok(row.unwrap_or_default())
}

/// Rows of a stream from one on, as many as make a page: each with its number and that of its first chunk.
async fn select_rows(db: &Database, id: &StreamId, from: i64) -> sqlx::Result<Vec<(i64, u64, String)>> {
    let mut stored = sqlx::query_as::<_, (i64, i64, String)>(
        "SELECT chunk_index, first_seq, body FROM cf_ai_chat_stream_chunks \
         WHERE stream_id = ? AND chunk_index >= ? ORDER BY chunk_index LIMIT ?",
    )
    .bind(id.as_str())
    .bind(from)
    .bind(limits::REPLAY_PAGE_ROWS)
    .fetch(db.reader());
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some((row, first, body)) = stored.try_next().await? {
        bytes += body.len();
        rows.push((row, first.cast_unsigned(), body));
        if bytes >= limits::REPLAY_PAGE_BYTES {
            break;
        }
    }
    Ok(rows)
}

async fn delete_session_chunks(tx: &mut SqliteConnection, session_id: &SessionId) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM cf_ai_chat_stream_chunks WHERE stream_id IN \
         (SELECT id FROM cf_ai_chat_stream_metadata WHERE session_id = ?)",
    )
    .bind(session_id.as_str())
    .execute(tx)
    .await
    .map(drop)
}

async fn delete_session_streams(tx: &mut SqliteConnection, session_id: &SessionId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM cf_ai_chat_stream_metadata WHERE session_id = ?")
        .bind(session_id.as_str())
        .execute(tx)
        .await
        .map(drop)
}

/// Finished streams by the time of their end; unfinished ones by their last sign of life.
async fn select_stale(db: &Database, now_ms: u64) -> sqlx::Result<Vec<String>> {
    let finished = now_ms.saturating_sub(limits::STREAM_FINISHED_RETENTION_MS).cast_signed();
    let silent = now_ms.saturating_sub(limits::STREAM_ABANDONED_RETENTION_MS).cast_signed();
    sqlx::query_scalar(
        "SELECT id FROM cf_ai_chat_stream_metadata AS stream WHERE \
         (status <> 'streaming' AND completed_at < ?1) OR \
         (status = 'streaming' AND created_at < ?2 AND NOT EXISTS \
           (SELECT 1 FROM cf_ai_chat_stream_chunks WHERE stream_id = stream.id AND created_at >= ?2))",
    )
    .bind(finished)
    .bind(silent)
    .fetch_all(db.reader())
    .await
}

async fn delete_stream(tx: &mut SqliteConnection, id: &str) -> sqlx::Result<()> {
    for statement in [
        "DELETE FROM cf_ai_chat_stream_chunks WHERE stream_id = ?",
        "DELETE FROM cf_ai_chat_stream_metadata WHERE id = ?",
    ] {
        sqlx::query(statement).bind(id).execute(&mut *tx).await.map(drop)?;
    }
    Ok(())
}
