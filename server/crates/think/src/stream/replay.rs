//! A stored stretch of a stream on its way to one socket: read page by page as the socket takes it, so that a
//! long answer never stands in memory as a whole for each tab that comes back.
//!
//! It ends at the chunk after which the socket hears the live stream, so nothing is missing and nothing comes
//! twice.

use super::fanout::{Batch, encode};
use super::log::{StreamLog, Wanted};
use crate::error::ThinkError;
use bytes::Bytes;
use protocol::{ChatResponse, ServerFrame, StreamId};
use std::ops::Range;

/// What is left to be replayed.
#[derive(Debug)]
pub(crate) struct Replay {
    log: StreamLog,
    stream: StreamId,
    /// Numbers of chunks.
    left: Range<u64>,
    /// The stored row that the next page begins with; none before the first page.
    row: Option<i64>,
    /// What every frame of it says.
    like: ChatResponse,
}

impl Replay {
    pub(crate) fn new(log: StreamLog, stream: StreamId, chunks: Range<u64>, like: ChatResponse) -> Self {
        Self { log, stream, left: chunks, row: None, like }
    }

    /// The next page; none once there is nothing left. Cancel-safe.
    pub(crate) async fn page(&mut self) -> Result<Option<Batch>, ThinkError> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let from = match self.row {
            Some(row) => Wanted::Row(row),
            None => Wanted::Chunk(self.left.start),
        };
        let page = self.log.page(&self.stream, from).await?;
        // Whoever cleared or swept the stream meanwhile says so behind this.
        let Some(last) = page.last_row else { return Ok(None) };
        let wanted = page.chunks.into_iter().filter(|(seq, _)| self.left.contains(seq));
        let (like, mut next) = (&self.like, self.left.start);
        let frames: Vec<Bytes> = wanted
            .map(|chunk| {
                next = chunk.0 + 1;
                chunk_frame(like, chunk)
            })
            .collect();
        (self.row, self.left.start) = (Some(last + 1), next);
        Ok(Some(Batch::from(frames)).filter(|frames| !frames.is_empty()))
    }
}

/// A frame like this one with a chunk in it.
pub(crate) fn chunk_frame(like: &ChatResponse, (seq, body): (u64, String)) -> Bytes {
    encode(&ServerFrame::ChatResponse(ChatResponse { body, seq: Some(seq), ..like.clone() }))
}
