//! A file that is to be imported, after the first look at it: it is known then whether anything can be imported at all.

use super::{
    IMPORT_INFLATED_MAX_BYTES, IMPORT_SESSIONS_MAX, Read, ScanError, Seek, Source, Stop, Survey, survey,
};
use crate::context::ContextConfig;
use crate::error::SessionError;
use crate::exchange::format::VERSION;
use std::io;
use std::sync::Arc;

/// Names of entries that an error tells, and how much of each.
const NAMES_TOLD: usize = 10;
const NAME_TOLD_CHARS: usize = 80;

/// Why nothing of a file could be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Nobody here knows this kind of file.
    #[error("this is no file of conversations that is known here: {0}")]
    Unknown(String),
    /// It was written by a later program.
    #[error("the file has version {found} of its format; this program reads up to version {VERSION}")]
    Newer {
        /// Its version.
        found: u64,
    },
    /// There is more in it than is imported at once.
    #[error("a file may hold {max} sessions at most; this one holds {count} at least (IMPORT_SESSIONS_MAX)")]
    TooMany {
        /// How many were found before nobody looked further.
        count: usize,
        /// The limit.
        max: usize,
    },
    /// It is neither JSON nor an archive.
    #[error("the file is no JSON: {0}")]
    Json(#[from] ScanError),
    /// It is an archive that cannot be read.
    #[error("the archive cannot be read: {0}")]
    Archive(String),
    /// It is an archive of too many files.
    #[error("an archive may hold {max} files at most; this one holds {count} (IMPORT_ENTRIES_MAX)")]
    Entries {
        /// How many it holds.
        count: u64,
        /// The limit.
        max: u64,
    },
    /// It is an archive out of which too much comes.
    #[error(
        "{name:?} in the archive unpacks to far more than it may; at most {max} bytes are unpacked \
         (IMPORT_INFLATED_MAX_BYTES, IMPORT_INFLATION_MAX)"
    )]
    Inflated {
        /// The entry.
        name: String,
        /// The limit.
        max: u64,
    },
    /// The file itself.
    #[error("the file cannot be read: {0}")]
    Read(#[from] io::Error),
    /// Whoever asked for it does not want it any more.
    #[error("the import was broken off")]
    Stopped,
    /// The database.
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl ImportError {
    pub(in crate::exchange) fn archive(error: &zip::result::ZipError) -> Self {
        Self::Archive(error.to_string())
    }
}

/// A file of conversations: JSON of our own format, of ChatGPT, Claude or Open WebUI, or a zip archive with such files.
pub struct ImportFile {
    pub(super) source: Source,
    /// The texts that hold sessions, and their numbers in the source.
    pub(super) texts: Vec<(usize, Survey)>,
    /// What is wrong with others.
    pub(super) problems: Vec<String>,
    /// Tells whether to end.
    pub(super) stop: Option<Stop>,
    /// The blocks of the agent.
    pub(super) blocks: ContextConfig,
}

impl std::fmt::Debug for ImportFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportFile").field("texts", &self.texts.len()).finish_non_exhaustive()
    }
}

impl ImportFile {
    /// Looks through a file from its beginning, which blocks. Nothing is imported by that.
    ///
    /// # Errors
    /// [`ImportError`]; one entry of an archive that is broken or unknown is none.
    pub fn open(file: impl Read + Seek + Send + 'static) -> Result<Self, ImportError> {
        let source = Source::open(Box::new(file))?;
        let mut opened = Self {
            source,
            texts: Vec::new(),
            problems: Vec::new(),
            stop: None,
            blocks: ContextConfig::default(),
        };
        let mut passed = Vec::new();
        for number in 0..opened.source.len() {
            let name = opened.source.name(number).map(told);
            let looked = opened.source.read(number).map_err(ImportError::from).and_then(survey);
            if opened.source.is_bomb() {
                let name = name.unwrap_or_default();
                return Err(ImportError::Inflated { name, max: IMPORT_INFLATED_MAX_BYTES });
            }
            match (looked, name) {
                (Ok(survey), name) => {
                    opened.texts.push((number, Survey { name, ..survey }));
                    // Of each session something stays in memory.
                    opened.check_count()?;
                }
                (Err(error), None) => return Err(error),
                (Err(ImportError::Unknown(_)), Some(name)) => passed.push(name),
                (Err(error), Some(name)) => opened.problems.push(format!("{name}: {error}")),
            }
        }
        opened.check(&passed)
    }

    /// The same file, until this is told: the session that is being imported then is not kept, those before it are.
    #[must_use]
    pub fn until(self, is_told: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { stop: Some(Arc::new(is_told)), ..self }
    }

    /// The same file for an agent with these blocks: what it remembers must keep to their limits.
    #[must_use]
    pub fn for_blocks(self, blocks: &ContextConfig) -> Self {
        Self { blocks: blocks.clone(), ..self }
    }

    fn check(self, passed: &[String]) -> Result<Self, ImportError> {
        if self.texts.is_empty() {
            let first: Vec<&str> = passed.iter().take(NAMES_TOLD).map(String::as_str).collect();
            let mut why =
                vec![format!("none of the JSON files in the archive holds any ({})", first.join(", "))];
            why.extend(self.problems);
            return Err(ImportError::Unknown(why.join("; ")));
        }
        Ok(self)
    }

    fn check_count(&self) -> Result<(), ImportError> {
        let (count, max) = (self.texts.iter().map(|(_, text)| text.count).sum(), IMPORT_SESSIONS_MAX);
        if count > max { Err(ImportError::TooMany { count, max }) } else { Ok(()) }
    }
}

/// A name as a message shows it.
fn told(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(NAME_TOLD_CHARS).collect()
}
