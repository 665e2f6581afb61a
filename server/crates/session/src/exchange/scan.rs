//! A JSON text of any size, read piece by piece: lists and objects are entered, values in them taken whole,
//! up to a size, or passed over. Whatever the text holds, no more of it is in memory than one such value.
//!
//! What is passed over is checked for where it ends, not for what it is.

use std::io::{self, Read};

/// Bytes read at once.
const BUFFER: usize = 64 * 1024;
/// Longest name of a field, as it is written.
const NAME_MAX_BYTES: usize = 64 * 1024;

/// Why a text cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// It ends inside of something.
    #[error("it ends too early, after {at} bytes")]
    Early {
        /// Its length.
        at: u64,
    },
    /// Something else stands there.
    #[error("at byte {at} there should be {wanted}")]
    Unexpected {
        /// Where, counted from 0.
        at: u64,
        /// What was expected.
        wanted: &'static str,
    },
    /// Where it comes from.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// What begins at the place that has been reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    List,
    Other,
}

/// A list or an object that has been entered and not been left.
#[derive(Debug)]
pub(super) struct Inside {
    end: u8,
    is_first: bool,
}

/// The text and how far it has been read.
pub(super) struct Scanner<R> {
    source: R,
    buffer: Vec<u8>,
    at: usize,
    /// Bytes before the buffer.
    before: u64,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(source: R) -> Result<Self, ScanError> {
        let mut scanner = Self { source, buffer: Vec::new(), at: 0, before: 0 };
        for byte in "\u{feff}".bytes() {
            if scanner.look()? != Some(byte) {
                break;
            }
            scanner.at += 1;
        }
        Ok(scanner)
    }

    /// What comes next; nothing at the end.
    pub(super) fn shape(&mut self) -> Result<Option<Shape>, ScanError> {
        Ok(self.next_byte()?.map(|byte| match byte {
            b'{' => Shape::Object,
            b'[' => Shape::List,
            _ => Shape::Other,
        }))
    }

    /// Enters the list or object that comes next.
    pub(super) fn enter(&mut self) -> Result<Inside, ScanError> {
        let end = match self.next_byte()? {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            _ => return Err(self.unexpected("a list or an object")),
        };
        self.at += 1;
        Ok(Inside { end, is_first: true })
    }

    /// Goes on to the next item of a list; false where the list has been left.
    pub(super) fn next_item(&mut self, inside: &mut Inside) -> Result<bool, ScanError> {
        let next = self.next_byte()?;
        if next == Some(inside.end) {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut inside.is_first) {
            if next != Some(b',') {
                return Err(self.unexpected("a comma or an end"));
            }
            self.at += 1;
            if self.next_byte()? == Some(inside.end) {
                return Err(self.unexpected("a value"));
            }
        }
        Ok(true)
    }

    /// Goes on to the next field of an object and gives its name; none where the object has been left.
    pub(super) fn next_name(&mut self, inside: &mut Inside) -> Result<Option<String>, ScanError> {
        if !self.next_item(inside)? {
            return Ok(None);
        }
        let unexpected = self.unexpected("a name");
        if self.next_byte()? != Some(b'"') {
            return Err(unexpected);
        }
        let name = self.value(NAME_MAX_BYTES)?.and_then(|name| serde_json::from_slice(&name).ok());
        let name = name.ok_or(unexpected)?;
        if self.next_byte()? != Some(b':') {
            return Err(self.unexpected("a colon"));
        }
        self.at += 1;
        Ok(Some(name))
    }

    /// Takes the value that comes next, as it is written; none where it is longer than `most`, and passed over.
    pub(super) fn value(&mut self, most: usize) -> Result<Option<Vec<u8>>, ScanError> {
        let mut taken = Vec::new();
        let is_whole = self.pass(|piece| {
            let fits = taken.len() + piece.len() <= most;
            if fits {
                taken.extend_from_slice(piece);
            }
            fits
        })?;
        Ok(is_whole.then_some(taken))
    }

    /// Passes over the value that comes next.
    pub(super) fn skip(&mut self) -> Result<(), ScanError> {
        self.pass(|_| true).map(drop)
    }

    /// Nothing but blanks may follow.
    pub(super) fn end(&mut self) -> Result<(), ScanError> {
        if self.next_byte()?.is_some() { Err(self.unexpected("the end")) } else { Ok(()) }
    }

    /// Shows the next value to `take`, piece by piece, until that wants no more; whether it wanted all.
    fn pass(&mut self, mut take: impl FnMut(&[u8]) -> bool) -> Result<bool, ScanError> {
        let Some(first) = self.next_byte()? else { return Err(self.early()) };
        if !matches!(first, b'{' | b'[' | b'"' | b'-' | b't' | b'f' | b'n' | b'0'..=b'9') {
            return Err(self.unexpected("a value"));
        }
        let (mut extent, mut wants_more) = (Extent::default(), true);
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let (length, is_over) = extent.follow(rest);
            wants_more = wants_more && take(rest.get(..length).unwrap_or_default());
            self.at += length;
            if is_over {
                return Ok(wants_more);
            }
            let is_all = !self.fill()?;
            if is_all && extent.may_end() {
                return Ok(wants_more);
            }
            if is_all {
                return Err(self.early());
            }
        }
    }

    /// The next byte that is no blank.
    fn next_byte(&mut self) -> Result<Option<u8>, ScanError> {
        while let Some(byte) = self.look()? {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(Some(byte));
            }
            self.at += 1;
        }
        Ok(None)
    }

    fn look(&mut self) -> Result<Option<u8>, ScanError> {
        if self.at >= self.buffer.len() && !self.fill()? {
            return Ok(None);
        }
        Ok(self.buffer.get(self.at).copied())
    }

    /// Reads on, after all that was read has been used; false at the end.
    fn fill(&mut self) -> Result<bool, ScanError> {
        self.before += self.buffer.len() as u64;
        self.at = 0;
        self.buffer.resize(BUFFER, 0);
        let length = loop {
            match self.source.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.buffer.clear();
                    return Err(error.into());
                }
                Ok(length) => break length,
            }
        };
        self.buffer.truncate(length);
        Ok(length > 0)
    }

    fn place(&self) -> u64 {
        self.before + self.at as u64
    }

    fn early(&self) -> ScanError {
        ScanError::Early { at: self.place() }
    }

    /// At the end of the text, nothing stands there at all.
    fn unexpected(&self, wanted: &'static str) -> ScanError {
        if self.at >= self.buffer.len() {
            self.early()
        } else {
            ScanError::Unexpected { at: self.place(), wanted }
        }
    }
}

/// How far a value goes.
#[derive(Debug, Default)]
struct Extent {
    level: usize,
    within: Within,
}

/// What a byte of a value stands in.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Text,
    /// In a text, behind a backslash.
    Escape,
    /// A number or a word, which ends where something else begins.
    Bare,
}

impl Extent {
    /// How many of these bytes belong to it, and whether it ends with them.
    fn follow(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (number, byte) in bytes.iter().enumerate() {
            let is_end = matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
            if self.within == Within::Bare && is_end {
                return (number, true);
            }
            self.step(*byte);
            if self.level == 0 && self.within == Within::Nothing {
                return (number + 1, true);
            }
        }
        (bytes.len(), false)
    }

    fn step(&mut self, byte: u8) {
        self.within = match (self.within, byte) {
            (Within::Bare, _) => Within::Bare,
            (Within::Escape, _) => Within::Text,
            (Within::Text, b'\\') => Within::Escape,
            (Within::Text, b'"') => Within::Nothing,
            (Within::Text, _) | (Within::Nothing, b'"') => Within::Text,
            (Within::Nothing, _) => self.structure(byte),
        };
    }

    fn structure(&mut self, byte: u8) -> Within {
        match byte {
            b'{' | b'[' => self.level += 1,
            b'}' | b']' => self.level = self.level.saturating_sub(1),
            _ if self.level == 0 => return Within::Bare,
            _ => {}
        }
        Within::Nothing
    }

    /// Whether it may end with the text.
    fn may_end(&self) -> bool {
        self.within == Within::Bare
    }
}

#[cfg(test)]
mod tests;
