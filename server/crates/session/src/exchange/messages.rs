//! The messages of a session on their way in, one at a time, wherever they come from.

use super::import::ImportError;
use super::scan::{Inside, ScanError, Scanner, Shape};
use protocol::limits::{IMPORT_MESSAGE_MAX_BYTES, IMPORT_VALUE_MAX_BYTES};
use serde_json::{Map, Value};
use std::io::Read;
use std::sync::Arc;
use std::vec::IntoIter;

/// What stands in the place of one message: a value, or why there is none.
pub(super) type Item = Result<Value, String>;

/// Gives messages.
pub(super) trait Messages: Send {
    /// The next one; none after the last.
    fn next(&mut self) -> Result<Option<Item>, ImportError>;
}

impl Messages for IntoIter<Value> {
    fn next(&mut self) -> Result<Option<Item>, ImportError> {
        Ok(Iterator::next(self).map(Ok))
    }
}

/// Tells whether an import is to end.
pub(super) type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Messages as long as nobody says stop.
pub(super) struct Until<'a> {
    pub(super) messages: &'a mut dyn Messages,
    pub(super) stop: Option<Stop>,
}

impl Messages for Until<'_> {
    fn next(&mut self) -> Result<Option<Item>, ImportError> {
        if self.stop.as_ref().is_some_and(|is_told| is_told()) {
            return Err(ImportError::Stopped);
        }
        self.messages.next()
    }
}

/// A session of our own format while it is being read: its messages come one by one from the text.
pub(super) struct Open<'a, R> {
    scanner: &'a mut Scanner<R>,
    /// Until it has been left.
    session: Option<Inside>,
    /// The list of messages, if it has been reached and not been left.
    list: Option<Inside>,
    /// A field that cannot be taken.
    problem: Option<String>,
}

/// A session and the fields before its messages.
pub(super) type Begun<'a, R> = (Open<'a, R>, Map<String, Value>);

impl<'a, R: Read> Open<'a, R> {
    /// Reads what stands before the messages; none, and no session, where there is no object.
    pub(super) fn begin(scanner: &'a mut Scanner<R>) -> Result<Option<Begun<'a, R>>, ScanError> {
        if scanner.shape()? != Some(Shape::Object) {
            scanner.skip()?;
            return Ok(None);
        }
        let session = Some(scanner.enter()?);
        let (mut open, mut fields) = (Self { scanner, session, list: None, problem: None }, Map::new());
        while let Some(name) = open.next_name()? {
            if name == "messages" && open.scanner.shape()? == Some(Shape::List) {
                open.list = Some(open.scanner.enter()?);
                break;
            }
            match item(open.scanner)? {
                Ok(value) => drop(fields.insert(name, value)),
                Err(problem) => open.problem = Some(format!("its field {name:?} is unusable: {problem}")),
            }
        }
        Ok(Some((open, fields)))
    }

    /// Why it cannot be imported, if that is known.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem.clone()
    }

    /// Whether there is a list of messages.
    pub(super) fn has_messages(&self) -> bool {
        self.list.is_some()
    }

    /// Passes over what is left of it.
    pub(super) fn leave(mut self) -> Result<(), ScanError> {
        if let Some(list) = &mut self.list {
            while self.scanner.next_item(list)? {
                self.scanner.skip()?;
            }
        }
        while self.next_name()?.is_some() {
            self.scanner.skip()?;
        }
        Ok(())
    }

    fn next_name(&mut self) -> Result<Option<String>, ScanError> {
        let Some(session) = &mut self.session else { return Ok(None) };
        let name = self.scanner.next_name(session)?;
        if name.is_none() {
            self.session = None;
        }
        Ok(name)
    }
}

impl<R: Read + Send> Messages for Open<'_, R> {
    fn next(&mut self) -> Result<Option<Item>, ImportError> {
        let Some(list) = &mut self.list else { return Ok(None) };
        if self.scanner.next_item(list)? {
            return Ok(Some(item_up_to(self.scanner, IMPORT_MESSAGE_MAX_BYTES)?));
        }
        self.list = None;
        Ok(None)
    }
}

/// A value of a text, however wrong it is in itself.
pub(super) fn item<R: Read>(scanner: &mut Scanner<R>) -> Result<Item, ScanError> {
    item_up_to(scanner, IMPORT_VALUE_MAX_BYTES)
}

fn item_up_to<R: Read>(scanner: &mut Scanner<R>, most: usize) -> Result<Item, ScanError> {
    let Some(value) = scanner.value(most)? else {
        let limit = if most == IMPORT_VALUE_MAX_BYTES {
            "IMPORT_VALUE_MAX_BYTES"
        } else {
            "IMPORT_MESSAGE_MAX_BYTES"
        };
        return Ok(Err(format!("it has more than {most} bytes ({limit})")));
    };
    Ok(serde_json::from_slice(&value).map_err(|error| error.to_string()))
}
