//! Writing down what a session, or the agent, remembers: summaries, blocks with all their versions, entries. However much
//! that is, only a few rows of it are in memory.

use super::export::{Out, open, written};
use crate::error::SessionError;
use crate::store::exchange as store;
use db::ReadTx;
use serde::Serialize;

/// Rows read at once. Each may be as large as a block.
const CHUNK: i64 = 4;

/// Writes the list of summaries of a session, if it has any; whether anybody took it.
pub(super) async fn put_summaries(
    tx: &mut ReadTx,
    session: &str,
    out: &mut Out,
) -> Result<bool, SessionError> {
    let (mut list, mut seq) = (List::named(",\"summaries\":["), i64::MIN);
    loop {
        let rows = store::summaries(tx, session, seq, CHUNK).await.map_err(|e| tx.error(e))?;
        let Some(last) = rows.last() else { return Ok(list.end(out).await) };
        seq = last.seq;
        if !list.put(&rows, out).await {
            return Ok(false);
        }
    }
}

/// Writes what is remembered in blocks.
pub(super) async fn put_memory(
    tx: &mut ReadTx,
    session: Option<&str>,
    out: &mut Out,
) -> Result<bool, SessionError> {
    let mut comma = "";
    Ok(out.put(",\"memory\":{".to_owned()).await
        && put_blocks(tx, session, out, &mut comma).await?
        && put_changes(tx, session, out, &mut comma).await?
        && put_entries(tx, session, out, &mut comma).await?
        && put_entry_versions(tx, session, out, &mut comma).await?
        && out.put("}".to_owned()).await)
}

async fn put_blocks(
    tx: &mut ReadTx,
    session: Option<&str>,
    out: &mut Out,
    comma: &mut &'static str,
) -> Result<bool, SessionError> {
    let (mut before, mut after) = ("\"blocks\":[", None);
    loop {
        let block = store::next_block(tx, session, after.as_deref()).await.map_err(|e| tx.error(e))?;
        let Some(block) = block else { break };
        if !(out.put(format!("{before}{}", open(&block))).await
            && put_versions(tx, block.number, out).await?)
        {
            return Ok(false);
        }
        (before, after, *comma) = (",", Some(block.label), ",");
    }
    Ok(before != "," || out.put("]".to_owned()).await)
}

/// Writes the versions of a block, and the end of the block.
async fn put_versions(tx: &mut ReadTx, block: i64, out: &mut Out) -> Result<bool, SessionError> {
    let (mut list, mut version) = (List::named(",\"versions\":["), i64::MIN);
    loop {
        let rows = store::versions(tx, block, version, CHUNK).await.map_err(|e| tx.error(e))?;
        let Some(last) = rows.last() else { break };
        version = last.version;
        if !list.put(&rows, out).await {
            return Ok(false);
        }
    }
    Ok(list.end(out).await && out.put("}".to_owned()).await)
}

async fn put_changes(
    tx: &mut ReadTx,
    session: Option<&str>,
    out: &mut Out,
    comma: &mut &'static str,
) -> Result<bool, SessionError> {
    let rows = store::changes(tx, session).await.map_err(|e| tx.error(e))?;
    let mut list = List::after(comma, "\"block_changes\":[");
    let is_taken = rows.is_empty() || list.put(&rows, out).await;
    Ok(is_taken && list.end_before(comma, out).await)
}

async fn put_entries(
    tx: &mut ReadTx,
    session: Option<&str>,
    out: &mut Out,
    comma: &mut &'static str,
) -> Result<bool, SessionError> {
    let mut list = List::after(comma, "\"entries\":[");
    let mut after = (String::new(), String::new());
    loop {
        let rows = store::entries(tx, session, &after, CHUNK).await.map_err(|e| tx.error(e))?;
        let Some(last) = rows.last() else { return Ok(list.end_before(comma, out).await) };
        after = (last.label.clone(), last.key.clone());
        if !list.put(&rows, out).await {
            return Ok(false);
        }
    }
}

async fn put_entry_versions(
    tx: &mut ReadTx,
    session: Option<&str>,
    out: &mut Out,
    comma: &mut &'static str,
) -> Result<bool, SessionError> {
    let mut list = List::after(comma, "\"entry_versions\":[");
    let mut after = (String::new(), String::new(), i64::MIN);
    loop {
        let rows = store::entry_versions(tx, session, &after, CHUNK).await.map_err(|e| tx.error(e))?;
        let Some(last) = rows.last() else { return Ok(list.end_before(comma, out).await) };
        after = (last.label.clone(), last.key.clone(), last.version);
        if !list.put(&rows, out).await {
            return Ok(false);
        }
    }
}

/// A list that is only there where something is in it.
struct List {
    /// What comes before the next row.
    before: String,
    is_open: bool,
}

impl List {
    fn named(name: &str) -> Self {
        Self { before: name.to_owned(), is_open: false }
    }

    fn after(comma: &str, name: &str) -> Self {
        Self { before: format!("{comma}{name}"), is_open: false }
    }

    async fn put<T: Serialize>(&mut self, rows: &[T], out: &mut Out) -> bool {
        for row in rows {
            if !out.put(format!("{}{}", self.before, written(row))).await {
                return false;
            }
            (self.before, self.is_open) = (",\n".to_owned(), true);
        }
        true
    }

    async fn end(self, out: &mut Out) -> bool {
        !self.is_open || out.put("]".to_owned()).await
    }

    /// The same; another list may follow.
    async fn end_before(self, comma: &mut &'static str, out: &mut Out) -> bool {
        if self.is_open {
            *comma = ",";
        }
        self.end(out).await
    }
}
