//! The first of two looks at a text of conversations: whose it is, and how many sessions it holds under which
//! ids. Nothing of what they say is kept, so a text of any size is looked through.

use super::foreign::{READERS, Reader, UNKNOWN};
use super::format::{FORMAT, VERSION};
use super::import::ImportError;
use super::scan::{Inside, ScanError, Scanner, Shape};
use protocol::limits::{IMPORT_SESSIONS_MAX, IMPORT_VALUE_MAX_BYTES};
use serde_json::{Map, Value};
use std::io::Read;

/// What is known of a text before anything of it is imported.
pub(super) struct Survey {
    /// What it is called in its archive.
    pub(super) name: Option<String>,
    pub(super) kind: Kind,
    /// How many sessions it holds.
    pub(super) count: usize,
    /// What belongs to all sessions.
    pub(super) memory: Option<Value>,
}

/// Whose text it is.
pub(super) enum Kind {
    /// Ours, with what must be known of each session beforehand.
    Own(Vec<Listed>),
    /// Another product's.
    Foreign(Reader),
}

/// A session of our own format.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) id: Option<String>,
    /// Fields that stand behind its messages. In files that we write there are none.
    pub(super) behind: Map<String, Value>,
}

/// Looks through a whole text.
pub(super) fn survey(text: impl Read) -> Result<Survey, ImportError> {
    let mut scanner = Scanner::new(text)?;
    let mut looked = Looked::default();
    match scanner.shape()? {
        Some(Shape::Object) => looked.object(&mut scanner)?,
        Some(Shape::List) => looked.list(&mut scanner)?,
        Some(Shape::Other) | None => scanner.skip()?,
    }
    scanner.end()?;
    looked.survey()
}

/// What has been seen so far.
#[derive(Default)]
struct Looked {
    format: Option<Value>,
    version: Option<Value>,
    sessions: Option<Sessions>,
    memory: Option<Value>,
    /// Conversations of others, and which readers one of them at least looks right to.
    count: usize,
    fits: [bool; READERS.len()],
}

impl Looked {
    fn survey(self) -> Result<Survey, ImportError> {
        if self.format.as_ref().and_then(Value::as_str) == Some(FORMAT) {
            match self.version.as_ref().and_then(Value::as_u64) {
                Some(1..=VERSION) => {}
                Some(found) => return Err(ImportError::Newer { found }),
                None => return Err(ImportError::Unknown("it does not say which version it has".to_owned())),
            }
            let sessions = self.sessions;
            let Sessions { listed, count } =
                sessions.ok_or_else(|| ImportError::Unknown("it has no list of sessions".to_owned()))?;
            return Ok(Survey { name: None, kind: Kind::Own(listed), count, memory: self.memory });
        }
        let reader = READERS.iter().zip(self.fits).find_map(|((_, reader), fits)| fits.then_some(*reader));
        let reader = reader.ok_or_else(|| ImportError::Unknown(UNKNOWN.to_owned()))?;
        Ok(Survey { name: None, kind: Kind::Foreign(reader), count: self.count, memory: None })
    }

    /// An object: a file of ours, or one conversation of another.
    fn object<R: Read>(&mut self, scanner: &mut Scanner<R>) -> Result<(), ScanError> {
        self.count = 1;
        let mut inside = scanner.enter()?;
        while let Some(name) = scanner.next_name(&mut inside)? {
            self.see(&name);
            match name.as_str() {
                "format" => self.format = parsed(scanner)?,
                "version" => self.version = parsed(scanner)?,
                "memory" => self.memory = parsed(scanner)?,
                "sessions" if scanner.shape()? == Some(Shape::List) => {
                    self.sessions = Some(sessions(scanner)?);
                }
                _ => scanner.skip()?,
            }
        }
        Ok(())
    }

    fn list<R: Read>(&mut self, scanner: &mut Scanner<R>) -> Result<(), ScanError> {
        let mut items = scanner.enter()?;
        while scanner.next_item(&mut items)? {
            self.count += 1;
            if scanner.shape()? != Some(Shape::Object) {
                scanner.skip()?;
                continue;
            }
            let mut inside = scanner.enter()?;
            while let Some(name) = scanner.next_name(&mut inside)? {
                self.see(&name);
                scanner.skip()?;
            }
        }
        Ok(())
    }

    fn see(&mut self, name: &str) {
        for ((field, _), fits) in READERS.iter().zip(&mut self.fits) {
            *fits |= *field == name;
        }
    }
}

/// The sessions of a text of ours.
#[derive(Default)]
struct Sessions {
    /// No more than may be imported.
    listed: Vec<Listed>,
    /// How many there are.
    count: usize,
}

fn sessions<R: Read>(scanner: &mut Scanner<R>) -> Result<Sessions, ScanError> {
    let (mut sessions, mut room) = (Sessions::default(), IMPORT_VALUE_MAX_BYTES);
    let mut items = scanner.enter()?;
    while scanner.next_item(&mut items)? {
        sessions.count += 1;
        if sessions.count > IMPORT_SESSIONS_MAX {
            scanner.skip()?;
        } else if scanner.shape()? == Some(Shape::Object) {
            let inside = scanner.enter()?;
            sessions.listed.push(session(scanner, inside, &mut room)?);
        } else {
            scanner.skip()?;
            sessions.listed.push(Listed::default());
        }
    }
    Ok(sessions)
}

/// What is listed of all sessions of a text has `room` bytes together; what does not fit counts as nothing.
fn session<R: Read>(
    scanner: &mut Scanner<R>,
    mut inside: Inside,
    room: &mut usize,
) -> Result<Listed, ScanError> {
    let (mut listed, mut is_behind) = (Listed::default(), false);
    while let Some(name) = scanner.next_name(&mut inside)? {
        if name == "messages" {
            scanner.skip()?;
            is_behind = true;
            continue;
        }
        if name != "id" && !is_behind {
            scanner.skip()?;
            continue;
        }
        let written = scanner.value(*room)?.unwrap_or_default();
        *room = room.saturating_sub(written.len());
        let value: Value = serde_json::from_slice(&written).unwrap_or_default();
        if name == "id" {
            listed.id = value.as_str().map(str::to_owned);
        }
        if is_behind {
            let _first = listed.behind.insert(name, value);
        }
    }
    Ok(listed)
}

/// A value; none where it is too large, or no JSON in itself.
fn parsed<R: Read>(scanner: &mut Scanner<R>) -> Result<Option<Value>, ScanError> {
    Ok(scanner.value(IMPORT_VALUE_MAX_BYTES)?.and_then(|value| serde_json::from_slice(&value).ok()))
}
