//! Writing everything down, bit by bit: whatever an instance holds, only a few messages are in memory at once.

use super::format::{Beginning, FORMAT, MessageFields, VERSION};
use super::remembered::{put_memory, put_summaries};
use crate::error::SessionError;
use crate::history;
use crate::manager::SessionManager;
use crate::store::exchange::{self as store, MessageRow};
use futures::SinkExt;
use futures::channel::mpsc::Sender;
use protocol::SessionId;
use serde::Serialize;
use serde_json::json;

/// Pieces of a file that may wait for whoever writes them.
pub const PIECES_MAX: usize = 8;
/// Messages read at once.
const CHUNK: i64 = 16;

/// What is exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// All sessions, those in the trash too, and what the agent remembers in all of them.
    Everything,
    /// These sessions, with what each alone remembers.
    Sessions(Vec<SessionId>),
}

impl SessionManager {
    /// Writes sessions into `to`, as one JSON text in pieces. Each session is read as it is at one moment. Where nobody
    /// takes the pieces any more, the rest is not written.
    ///
    /// # Errors
    /// [`SessionError::UnknownSession`] before the first piece; later only what the file can meet, and then the text has
    /// no end.
    pub async fn export(&self, what: &Exported, to: Sender<String>) -> Result<(), SessionError> {
        let mut tx = self.shared().db.read().await?;
        let (ids, is_all) = match what {
            Exported::Everything => (store::sessions(&mut tx).await.map_err(|e| tx.error(e))?, true),
            Exported::Sessions(named) => {
                let mut ids = Vec::with_capacity(named.len());
                for id in named {
                    let head = store::head(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
                    let head = head.filter(|head| head.times.deleted_at.is_none());
                    ids.push(head.ok_or_else(|| SessionError::UnknownSession(id.clone()))?.who.id);
                }
                (ids, false)
            }
        };
        let mut out = Out(to);
        let opening = json!({"format": FORMAT, "version": VERSION, "exported_at": self.shared().now()});
        let mut is_taken = out.put(open(&opening)).await;
        if is_all {
            is_taken = is_taken && put_memory(&mut tx, None, &mut out).await?;
        }
        drop(tx);
        is_taken = is_taken && out.put(",\"sessions\":[".to_owned()).await;
        for (number, id) in ids.iter().enumerate() {
            if !is_taken {
                return Ok(());
            }
            let comma = if number == 0 { "" } else { "," };
            is_taken = self.export_session(id, comma, &mut out).await?;
        }
        let _taken = out.put("]}\n".to_owned()).await;
        Ok(())
    }

    /// Writes one session after a `comma`, if there is one; whether anybody took it.
    async fn export_session(&self, id: &str, comma: &str, out: &mut Out) -> Result<bool, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let head = store::head(&mut tx, id).await.map_err(|e| tx.error(e))?;
        let Some(head) = head else { return Ok(true) };
        let deletions = store::deletions(&mut tx, id).await.map_err(|e| tx.error(e))?;
        let beginning = open(&Beginning { head, deletions });
        let is_taken = out.put(format!("{comma}\n{beginning}")).await
            && put_summaries(&mut tx, id, out).await?
            && put_memory(&mut tx, Some(id), out).await?
            && out.put(",\"messages\":[".to_owned()).await;
        if !is_taken {
            return Ok(false);
        }
        let (mut seq, mut comma) = (i64::MIN, "\n");
        loop {
            let rows = store::messages(&mut tx, id, seq, CHUNK).await.map_err(|e| tx.error(e))?;
            let Some(last) = rows.last() else { break };
            seq = last.fields.seq;
            if !out.put_messages(id, &rows, comma).await {
                return Ok(false);
            }
            comma = ",\n";
        }
        Ok(out.put("]}".to_owned()).await)
    }
}

/// Whoever takes the pieces.
pub(super) struct Out(Sender<String>);

impl Out {
    async fn put_messages(&mut self, session: &str, rows: &[MessageRow], first: &str) -> bool {
        let mut comma = first;
        for row in rows {
            if !self.put(format!("{comma}{}", message(session, &row.fields, &row.content))).await {
                return false;
            }
            comma = ",\n";
        }
        true
    }

    pub(super) async fn put(&mut self, piece: String) -> bool {
        self.0.send(piece).await.is_ok()
    }
}

/// A message, which is written as it is stored; one that does not parse, as a text.
fn message(session: &str, fields: &MessageFields, content: &[u8]) -> String {
    let said = String::from_utf8_lossy(content);
    match history::read(&SessionId::new(session), &fields.id, content) {
        Ok(_) => format!("{},\"message\":{said}}}", open(fields)),
        Err(_) => format!("{},\"broken\":{}}}", open(fields), written(&said)),
    }
}

/// An object without its end.
pub(super) fn open(value: &impl Serialize) -> String {
    let mut json = written(value);
    let _brace = json.pop();
    json
}

/// Nothing here can fail to be written: all keys are texts.
pub(super) fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
