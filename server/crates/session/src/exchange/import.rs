//! Reading files of conversations: every session by itself, with its own times and ids, so that a broken one stops no
//! other. Ids that are taken become new ones; what cannot be read is left out and named.
//!
//! A file is read twice, from its place: first to see what it is, then session by session. However large it is, one
//! message of ours, or one conversation of another product, is in memory.

use super::format::{Memory, Opening};
use super::messages::{Messages, Open, Stop, Until, item};
use super::original::Stored;
use super::scan::{ScanError, Scanner, Shape};
use super::source::Source;
use super::survey::{Kind, Listed, Survey, survey};
use super::{foreign, foreign::Reader};
use crate::context::ContextConfig;
use crate::error::SessionError;
use crate::intake::check_session_id;
use crate::manager::SessionManager;
use crate::store::{exchange as store, sessions};
use protocol::limits::{IMPORT_INFLATED_MAX_BYTES, IMPORT_SESSIONS_MAX, SESSION_NAME_MAX_CHARS};
use protocol::{ImportReport, ImportStatus, ImportedSession, SessionId};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{Read, Seek};

mod file;

pub use file::{ImportError, ImportFile};

type Text<'a> = Scanner<Box<dyn Read + Send + 'a>>;

impl SessionManager {
    /// Imports the sessions of a file, of our own format or of another product's, as new sessions. What stands here
    /// already is never changed. Says for each session what became of it, so that after a failure in the middle it is
    /// known what is here; nothing is ever here by half. Others may write after each batch.
    ///
    /// The file is read between the steps of this future, so let it run where reading a file may block.
    ///
    /// # Errors
    /// [`ImportError`], and then no session was imported; blocks of the agent may have been. Where the file
    /// or the database fails later, the report says so.
    pub async fn import(&self, file: ImportFile) -> Result<ImportReport, ImportError> {
        let ImportFile { mut source, texts, mut problems, stop, blocks } = file;
        let mut ids = Ids { stop, blocks, ..self.own_ids(&texts).await? };
        let mut report = ImportReport::default();
        source.begin();
        let total: usize = texts.iter().map(|(_, text)| text.count).sum();
        for (number, text) in texts {
            let (name, before) = (text.name.clone(), report.sessions.len());
            let done = match source.read(number).and_then(Scanner::new) {
                Ok(mut scanner) => self.import_text(&mut scanner, text, &mut ids, &mut report).await,
                Err(error) => Err(error.into()),
            };
            let new = report.sessions.iter_mut().skip(before);
            name_entry(name.as_deref(), new.filter_map(|session| session.problem.as_mut()));
            name_entry(name.as_deref(), report.problem.as_mut().into_iter());
            problems.extend(report.problem.take());
            let is_any = report.sessions.iter().any(|session| session.status == ImportStatus::Imported);
            if !is_any {
                done?;
            } else if let Err(error) = done {
                let left = total.saturating_sub(report.sessions.len());
                problems.push(format!("the last {left} sessions of the file were not reached: {error}"));
                break;
            }
        }
        report.problem = (!problems.is_empty()).then(|| problems.join("; "));
        Ok(report)
    }

    async fn import_text(
        &self,
        scanner: &mut Text<'_>,
        text: Survey,
        ids: &mut Ids,
        report: &mut ImportReport,
    ) -> Result<(), ImportError> {
        if let Some(memory) = text.memory {
            report.problem = self.import_memory(memory, &ids.blocks).await?;
        }
        match text.kind {
            Kind::Own(listed) => {
                if !go_to_sessions(scanner)? {
                    return Ok(());
                }
                let (mut items, mut listed) = (scanner.enter()?, listed.into_iter());
                while scanner.next_item(&mut items)? {
                    let listed = listed.next().unwrap_or_default();
                    report.sessions.push(self.import_own(scanner, listed, ids).await?);
                }
            }
            Kind::Foreign(reader) if scanner.shape()? == Some(Shape::List) => {
                let mut items = scanner.enter()?;
                while scanner.next_item(&mut items)? {
                    report.sessions.push(self.import_foreign(scanner, reader, ids).await?);
                }
            }
            Kind::Foreign(reader) => report.sessions.push(self.import_foreign(scanner, reader, ids).await?),
        }
        Ok(())
    }

    async fn import_own(
        &self,
        scanner: &mut Text<'_>,
        listed: Listed,
        ids: &mut Ids,
    ) -> Result<ImportedSession, ImportError> {
        let id = ids.drawn.pop_front().unwrap_or_else(|| self.shared().ids.new_id());
        let Some((mut open, mut fields)) = Open::begin(scanner)? else {
            return self.import_session(Map::new(), None, &id, ids).await;
        };
        fields.extend(listed.behind);
        if let Some(problem) = open.problem() {
            let _why = fields.insert("problem".to_owned(), problem.into());
        }
        let messages = (open.has_messages() && open.problem().is_none()).then_some(&mut open);
        let said =
            self.import_session(fields, messages.map(|open| open as &mut dyn Messages), &id, ids).await?;
        open.leave()?;
        Ok(said)
    }

    async fn import_foreign(
        &self,
        scanner: &mut Text<'_>,
        reader: Reader,
        ids: &mut Ids,
    ) -> Result<ImportedSession, ImportError> {
        let mut fields = match item(scanner)? {
            Ok(conversation) => foreign::session(reader, &conversation),
            Err(problem) => Map::from_iter([("problem".to_owned(), problem.into())]),
        };
        let own = fields.get("id").and_then(Value::as_str).map(str::to_owned);
        let id = self.draw(ids, own.as_deref()).await?;
        match fields.remove("messages") {
            Some(Value::Array(messages)) => {
                self.import_session(fields, Some(&mut messages.into_iter()), &id, ids).await
            }
            _ => self.import_session(fields, None, &id, ids).await,
        }
    }

    async fn import_session(
        &self,
        fields: Map<String, Value>,
        messages: Option<&mut dyn Messages>,
        id: &str,
        ids: &mut Ids,
    ) -> Result<ImportedSession, ImportError> {
        let of = |field: &str| fields.get(field).and_then(Value::as_str).map(str::to_owned);
        let said = ImportedSession {
            id: SessionId::new(id),
            name: short(&of("name").unwrap_or_default()),
            status: ImportStatus::Failed,
            messages: 0,
            problem: None,
        };
        let failed = |problem: String| Ok(ImportedSession { problem: Some(problem), ..said.clone() });
        if let Some(why) = of("skipped") {
            return Ok(ImportedSession { status: ImportStatus::Skipped, problem: Some(why), ..said });
        }
        let Some(messages) = messages else {
            return failed(of("problem").unwrap_or_else(|| "it has no list of messages".to_owned()));
        };
        let note = of("note");
        let opening = match serde_json::from_value(Value::Object(fields)) {
            Ok(opening) => renamed(opening, id, &said.name, ids),
            Err(error) => return failed(format!("it cannot be read: {error}")),
        };
        let mut messages = Until { messages, stop: ids.stop.clone() };
        match self.insert(opening, &mut messages, &ids.blocks).await {
            Ok(Stored { count: 0, is_damaged: true, problem, .. }) => failed(problem.unwrap_or_default()),
            Ok(Stored { session: id, count, problem, .. }) => {
                self.note_stored(said.id.as_str(), &id, ids).await?;
                let problems: Vec<String> = [problem, note].into_iter().flatten().collect();
                let problem = (!problems.is_empty()).then(|| problems.join("; "));
                Ok(ImportedSession { id, status: ImportStatus::Imported, messages: count, problem, ..said })
            }
            Err(ImportError::Session(error)) if !matches!(error, SessionError::Db(_)) => {
                failed(error.to_string())
            }
            Err(error) => Err(error),
        }
    }

    /// Remembers under which id a session stands. Where somebody took the one that was drawn meanwhile, sessions made from
    /// it that are here already follow it.
    async fn note_stored(&self, drawn: &str, id: &SessionId, ids: &mut Ids) -> Result<(), SessionError> {
        if drawn != id.as_str() {
            for new in ids.renamed.values_mut().filter(|new| *new == drawn) {
                id.as_str().clone_into(new);
            }
            let children = Value::from_iter(ids.stored.iter().map(String::as_str)).to_string();
            let mut tx = self.shared().db.write().await?;
            let moved = store::move_children(&mut tx, &children, drawn, id.as_str()).await;
            moved.map_err(|e| tx.error(e))?;
            tx.commit().await?;
        }
        ids.stored.push(id.to_string());
        Ok(())
    }

    /// Adds blocks of the agent that it has not yet; says what is wrong with the others.
    async fn import_memory(
        &self,
        memory: Value,
        blocks: &ContextConfig,
    ) -> Result<Option<String>, SessionError> {
        let memory: Memory = match serde_json::from_value(memory) {
            Ok(memory) => memory,
            Err(error) => return Ok(Some(format!("the agent's blocks cannot be read: {error}"))),
        };
        if memory.is_empty() {
            return Ok(None);
        }
        Ok(self.insert_memory(memory, blocks).await?.said())
    }

    /// Under which ids the sessions of our own format will stand: they name each other.
    async fn own_ids(&self, texts: &[(usize, Survey)]) -> Result<Ids, SessionError> {
        let mut ids = Ids::default();
        for (_, text) in texts {
            let Kind::Own(listed) = &text.kind else { continue };
            for session in listed {
                let id = self.draw(&mut ids, session.id.as_deref()).await?;
                ids.note(session.id.as_deref(), id);
            }
        }
        Ok(ids)
    }

    /// Its own id where that is free, else a new one.
    async fn draw(&self, ids: &mut Ids, own: Option<&str>) -> Result<String, SessionError> {
        let mut id = own.filter(|id| may_be_id(id) && !ids.taken.contains(*id)).map(str::to_owned);
        if let Some(own) = &id {
            let mut tx = self.shared().db.read().await?;
            if sessions::exists(&mut tx, own).await.map_err(|e| tx.error(e))? {
                id = None;
            }
        }
        let id = id.unwrap_or_else(|| self.shared().ids.new_id());
        let _new = ids.taken.insert(id.clone());
        Ok(id)
    }
}

/// What every session of a file is stored by: the ids of all of them, those they get, and what limits them.
#[derive(Default)]
struct Ids {
    stop: Option<Stop>,
    /// The blocks of the agent, whose limits hold for what comes.
    blocks: ContextConfig,
    /// Of our own format, in the order of the file.
    drawn: VecDeque<String>,
    renamed: HashMap<String, String>,
    /// Of the sessions that are here now.
    stored: Vec<String>,
    taken: HashSet<String>,
}

impl Ids {
    /// The next session of our own format, under the id it has and the one it gets.
    fn note(&mut self, own: Option<&str>, id: String) {
        if let Some(own) = own {
            let _first = self.renamed.entry(own.to_owned()).or_insert_with(|| id.clone());
        }
        self.drawn.push_back(id);
    }
}

/// Goes to the list of sessions of a file of ours; false where there is none.
fn go_to_sessions(scanner: &mut Text<'_>) -> Result<bool, ScanError> {
    let mut inside = scanner.enter()?;
    while let Some(name) = scanner.next_name(&mut inside)? {
        if name == "sessions" && scanner.shape()? == Some(Shape::List) {
            return Ok(true);
        }
        scanner.skip()?;
    }
    Ok(false)
}

/// Says in which entry of an archive the problems are.
fn name_entry<'a>(name: Option<&str>, problems: impl Iterator<Item = &'a mut String>) {
    for (name, problem) in name.into_iter().cycle().zip(problems) {
        *problem = format!("{name}: {problem}");
    }
}

/// The default session keeps its empty id where that is free.
fn may_be_id(id: &str) -> bool {
    id.is_empty() || check_session_id(&SessionId::new(id)).is_ok()
}

fn short(name: &str) -> String {
    let line: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim().chars().take(SESSION_NAME_MAX_CHARS).collect::<String>().trim_end().to_owned()
}

fn renamed(mut opening: Opening, id: &str, name: &str, ids: &Ids) -> Opening {
    let who = &mut opening.head.who;
    id.clone_into(&mut who.id);
    name.clone_into(&mut who.name);
    if let Some(parent) = &mut who.parent_session_id {
        match ids.renamed.get(parent) {
            Some(new) => parent.clone_from(new),
            // The default session of another agent is not that of this one.
            None if parent.is_empty() => who.parent_session_id = None,
            None => {}
        }
    }
    opening
}
