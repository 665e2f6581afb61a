//! A file of conversations as it lies there: one JSON text, or a zip archive that holds some. Nothing is unpacked to a
//! disk or into memory; what an archive claims about sizes is not believed.

use super::import::ImportError;
use super::scan::ScanError;
use protocol::limits::{
    IMPORT_ENTRIES_MAX, IMPORT_INFLATED_FREE_BYTES, IMPORT_INFLATED_MAX_BYTES, IMPORT_INFLATION_MAX,
};
use std::io::{self, Read, Seek, SeekFrom};
use zip::ZipArchive;

/// A file that can be read from any place.
pub(super) trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// Where texts come from.
pub(super) enum Source {
    /// The file is the text.
    Plain(Box<dyn Bytes>),
    /// Some of its entries are texts.
    Archive(Box<Archive>),
}

/// A zip archive.
pub(super) struct Archive {
    zip: ZipArchive<Box<dyn Bytes>>,
    texts: Vec<Entry>,
    /// Bytes that came out of it since it was begun.
    inflated: u64,
}

/// A JSON text in an archive.
struct Entry {
    number: usize,
    name: String,
}

impl Source {
    pub(super) fn open(mut file: Box<dyn Bytes>) -> Result<Self, ImportError> {
        let mut first = Vec::new();
        file.by_ref().take(4).read_to_end(&mut first)?;
        file.rewind()?;
        if first != *b"PK\x03\x04" && first != *b"PK\x05\x06" {
            return Ok(Self::Plain(file));
        }
        let (count, max) = (entries(file.as_mut())?, IMPORT_ENTRIES_MAX as u64);
        if count > max {
            return Err(ImportError::Entries { count, max });
        }
        let zip = ZipArchive::new(file).map_err(|error| ImportError::archive(&error))?;
        let texts = (0..zip.len()).filter_map(|number| {
            let name = zip.name_for_index(number)?.ok()?.into_owned();
            is_text(&name).then_some(Entry { number, name })
        });
        let texts = texts.collect();
        Ok(Self::Archive(Box::new(Archive { zip, texts, inflated: 0 })))
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Plain(_) => 1,
            Self::Archive(archive) => archive.texts.len(),
        }
    }

    /// What a text is called in its archive.
    pub(super) fn name(&self, number: usize) -> Option<&str> {
        match self {
            Self::Plain(_) => None,
            Self::Archive(archive) => archive.texts.get(number).map(|entry| entry.name.as_str()),
        }
    }

    /// All texts will be read once more.
    pub(super) fn begin(&mut self) {
        if let Self::Archive(archive) = self {
            archive.inflated = 0;
        }
    }

    /// Whether more came out of an archive than may.
    pub(super) fn is_bomb(&self) -> bool {
        matches!(self, Self::Archive(archive) if archive.inflated > IMPORT_INFLATED_MAX_BYTES)
    }

    /// A text, from its beginning.
    pub(super) fn read(&mut self, number: usize) -> Result<Box<dyn Read + Send + '_>, ScanError> {
        match self {
            Self::Plain(file) => {
                file.rewind()?;
                Ok(Box::new(file))
            }
            Self::Archive(archive) => archive.read(number),
        }
    }
}

impl Archive {
    fn read(&mut self, number: usize) -> Result<Box<dyn Read + Send + '_>, ScanError> {
        let Self { zip, texts, inflated } = self;
        let number = texts.get(number).map_or(usize::MAX, |entry| entry.number);
        let entry = zip.by_index(number).map_err(io::Error::from)?;
        let may = entry.compressed_size().saturating_mul(IMPORT_INFLATION_MAX);
        let room = may.saturating_add(IMPORT_INFLATED_FREE_BYTES);
        Ok(Box::new(Inflated { entry, room, inflated }))
    }
}

/// What comes out of an archive, counted, and no more of it than may.
struct Inflated<'a, R> {
    entry: R,
    /// What this entry may still give, by its size in the archive.
    room: u64,
    /// What all entries have given.
    inflated: &'a mut u64,
}

impl<R: Read> Read for Inflated<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.entry.read(buffer)?;
        *self.inflated = self.inflated.saturating_add(length as u64);
        let Some(room) = self.room.checked_sub(length as u64) else {
            // So all of it counts as too much.
            *self.inflated = u64::MAX;
            return Err(io::Error::other("much more comes out of it than can be a text"));
        };
        self.room = room;
        if *self.inflated > IMPORT_INFLATED_MAX_BYTES {
            return Err(io::Error::other("too much comes out of it"));
        }
        Ok(length)
    }
}

/// Conversations stand in JSON texts. What one system packs besides, for itself, is none.
fn is_text(name: &str) -> bool {
    let is_json =
        name.len() > 5 && name.get(name.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case(".json"));
    is_json && !name.starts_with("__MACOSX/")
}

/// How many entries an archive says it has. Its end stands in the last bytes, before a comment.
fn entries(file: &mut dyn Bytes) -> io::Result<u64> {
    /// Of the record at the end, without the comment.
    const END: usize = 22;
    /// Of what leads to the larger record of a large archive.
    const LOCATOR: usize = 20;
    let length = file.seek(SeekFrom::End(0))?;
    let most = (LOCATOR + END + usize::from(u16::MAX)) as u64;
    let _from = file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut tail = Vec::new();
    file.take(most).read_to_end(&mut tail)?;
    let at = tail.windows(4).rposition(|bytes| bytes == b"PK\x05\x06");
    let count = at.and_then(|at| tail.get(at + 10..at + 12)).map_or(0, number);
    let locator = at
        .and_then(|at| tail.get(at.checked_sub(LOCATOR)?..at))
        .filter(|bytes| bytes.starts_with(b"PK\x06\x07"));
    let Some(end) = locator.and_then(|bytes| bytes.get(8..16)) else {
        file.rewind()?;
        return Ok(count);
    };
    let mut record = Vec::new();
    let _there = file.seek(SeekFrom::Start(number(end)))?;
    file.take(40).read_to_end(&mut record)?;
    file.rewind()?;
    Ok(record.get(32..40).map_or(u64::MAX, number))
}

/// A number, its last byte first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
