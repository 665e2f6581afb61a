//! Reading such a file: every session in a transaction of its own, with its own times and ids, so that a broken one
//! stops no other. Ids that are taken become new ones; what cannot be read is left out and named.

use super::foreign;
use super::format::{FORMAT, Memory, Opening, VERSION};
use super::original::{Original, Rows};
use crate::error::SessionError;
use crate::intake::check_session_id;
use crate::manager::SessionManager;
use crate::store::sessions;
use protocol::limits::{IMPORT_SESSIONS_MAX, SESSION_NAME_MAX_CHARS};
use protocol::{ImportReport, ImportStatus, ImportedSession, SessionId};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Why nothing of a file could be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Nobody here knows this kind of file.
    #[error("this is no file of conversations that is known here: {0}")]
    Unknown(&'static str),
    /// It was written by a later program.
    #[error("the file has version {found} of its format; this program reads up to version {VERSION}")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// There is more in it than is read at once.
    #[error("a file may hold {max} sessions at most; this one holds {count} (IMPORT_SESSIONS_MAX)")]
    TooMany {
        /// How many it holds.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// The database.
    #[error(transparent)]
    Session(#[from] SessionError),
}

/// What a file holds.
pub(super) struct Contents {
    /// In the shape of our own format.
    pub(super) sessions: Vec<Value>,
    /// What belongs to all sessions.
    pub(super) memory: Option<Value>,
}

impl SessionManager {
    /// Imports the sessions of a file, of our own format or of another product's, as new sessions. What stands here
    /// already is never changed. Says for each session what became of it.
    ///
    /// # Errors
    /// [`ImportError`]; where the database fails in the middle, what came before stays.
    pub async fn import(&self, file: Value) -> Result<ImportReport, ImportError> {
        let Contents { sessions, memory } = contents(file)?;
        let (count, max) = (sessions.len(), IMPORT_SESSIONS_MAX);
        if count > max {
            return Err(ImportError::TooMany { count, max });
        }
        let ids = self.new_ids(&sessions).await?;
        let mut report = ImportReport::default();
        if let Some(memory) = memory {
            report.problem = self.import_memory(memory).await?;
        }
        for (session, id) in sessions.into_iter().zip(&ids.drawn) {
            report.sessions.push(self.import_session(session, id, &ids).await?);
        }
        Ok(report)
    }

    /// Under which id each session will stand.
    async fn new_ids(&self, sessions: &[Value]) -> Result<Ids, SessionError> {
        let mut tx = self.shared().db.read().await?;
        let (mut ids, mut taken) = (Ids::default(), HashSet::new());
        for session in sessions {
            let own = session.get("id").and_then(Value::as_str);
            let mut id = own.map(str::to_owned).filter(|id| may_be_id(id) && !taken.contains(id));
            if let Some(own) = &id
                && sessions::exists(&mut tx, own).await.map_err(|e| tx.error(e))?
            {
                id = None;
            }
            let id = id.unwrap_or_else(|| self.shared().ids.new_id());
            let _new = taken.insert(id.clone());
            if let Some(own) = own {
                let _first = ids.renamed.entry(own.to_owned()).or_insert_with(|| id.clone());
            }
            ids.drawn.push(id);
        }
        Ok(ids)
    }

    async fn import_session(
        &self,
        session: Value,
        id: &str,
        ids: &Ids,
    ) -> Result<ImportedSession, SessionError> {
        let mut said = ImportedSession {
            id: SessionId::new(id),
            name: short(session.get("name").and_then(Value::as_str).unwrap_or_default()),
            status: ImportStatus::Failed,
            messages: 0,
            problem: None,
        };
        let of = |field: &str| session.get(field).and_then(Value::as_str).map(str::to_owned);
        let (note, skipped) = (of("note"), of("skipped"));
        if skipped.is_some() {
            return Ok(ImportedSession { status: ImportStatus::Skipped, problem: skipped, ..said });
        }
        let (opening, rows) = match read(session) {
            Ok(read) => read,
            Err(problem) => return Ok(ImportedSession { problem: Some(problem), ..said }),
        };
        if rows.is_empty() && rows.problem().is_some() {
            return Ok(ImportedSession { problem: rows.problem(), ..said });
        }
        let head = renamed(opening, id, &said.name, ids);
        said.messages = rows.len() as u64;
        match self.insert(head, rows).await {
            Ok(problem) => {
                let problems: Vec<String> = [problem, note].into_iter().flatten().collect();
                let problem = (!problems.is_empty()).then(|| problems.join("; "));
                Ok(ImportedSession { status: ImportStatus::Imported, problem, ..said })
            }
            Err(SessionError::Db(error)) => Err(SessionError::Db(error)),
            Err(error) => Ok(ImportedSession { problem: Some(error.to_string()), ..said }),
        }
    }

    async fn insert(&self, opening: Opening, rows: Rows) -> Result<Option<String>, SessionError> {
        let mut tx = self.shared().db.write().await?;
        let problem = Original::insert(&mut tx, opening, rows).await?;
        tx.commit().await?;
        Ok(problem)
    }

    /// Adds blocks of the agent that it has not yet; says what is wrong with the others.
    async fn import_memory(&self, memory: Value) -> Result<Option<String>, SessionError> {
        let memory: Memory = match serde_json::from_value(memory) {
            Ok(memory) => memory,
            Err(error) => return Ok(Some(format!("the agent's blocks cannot be read: {error}"))),
        };
        let mut tx = self.shared().db.write().await?;
        let problems = super::original::insert_memory(&mut tx, None, memory).await?;
        tx.commit().await?;
        Ok(problems.said())
    }
}

/// The ids of sessions in a file, and those they get.
#[derive(Debug, Default)]
struct Ids {
    /// In the order of the file.
    drawn: Vec<String>,
    renamed: HashMap<String, String>,
}

/// The default session keeps its empty id where that is free.
fn may_be_id(id: &str) -> bool {
    id.is_empty() || check_session_id(&SessionId::new(id)).is_ok()
}

fn short(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().chars().take(SESSION_NAME_MAX_CHARS).collect::<String>().trim_end().to_owned()
}

fn read(mut session: Value) -> Result<(Opening, Rows), String> {
    let messages = session.as_object_mut().and_then(|fields| fields.remove("messages"));
    let Some(Value::Array(messages)) = messages else {
        let problem = session.get("problem").and_then(Value::as_str);
        return Err(problem.unwrap_or("it has no list of messages").to_owned());
    };
    let opening = serde_json::from_value(session).map_err(|e| format!("it cannot be read: {e}"))?;
    Ok((opening, Rows::read(messages)))
}

fn renamed(mut opening: Opening, id: &str, name: &str, ids: &Ids) -> Opening {
    let who = &mut opening.head.who;
    id.clone_into(&mut who.id);
    name.clone_into(&mut who.name);
    if let Some(parent) = &mut who.parent_session_id
        && let Some(new) = ids.renamed.get(parent)
    {
        parent.clone_from(new);
    }
    opening
}

fn contents(file: Value) -> Result<Contents, ImportError> {
    let Value::Object(mut fields) = file else { return foreign::contents(file) };
    if fields.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return foreign::contents(Value::Object(fields));
    }
    match fields.get("version").and_then(Value::as_u64) {
        Some(1..=VERSION) => {}
        Some(found) => return Err(ImportError::Newer { found }),
        None => return Err(ImportError::Unknown("it does not say which version it has")),
    }
    let Some(Value::Array(sessions)) = fields.remove("sessions") else {
        return Err(ImportError::Unknown("it has no list of sessions"));
    };
    Ok(Contents { sessions, memory: fields.remove("memory") })
}
