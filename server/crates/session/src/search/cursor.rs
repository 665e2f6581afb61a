//! Where a page of a search ends. Clients keep the text and give it back; only this file knows what it means.

use crate::error::SessionError;
use std::fmt;

/// Where the next page begins. What is stored meanwhile is newer than anything a cursor names, so it moves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cursor {
    /// At this row, going back in time.
    Newest(i64),
    /// Among the matches that are not newer than `newest`, after the best `skip` of them.
    Ranked {
        /// The newest match.
        newest: i64,
        /// How many were on the pages before.
        skip: usize,
    },
}

impl Cursor {
    /// Reads a cursor.
    pub(crate) fn read(text: &str) -> Result<Self, SessionError> {
        let cursor = match text.split_once('.') {
            None => text.parse().ok().map(Self::Newest),
            Some((newest, skip)) => {
                let numbers = newest.parse().ok().zip(skip.parse().ok());
                numbers.map(|(newest, skip)| Self::Ranked { newest, skip })
            }
        };
        cursor.ok_or_else(|| SessionError::BadCursor(text.chars().take(64).collect()))
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newest(newest) => write!(f, "{newest}"),
            Self::Ranked { newest, skip } => write!(f, "{newest}.{skip}"),
        }
    }
}
