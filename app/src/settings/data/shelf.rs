//! Where sessions stand that are not in the list. Pure.

use crate::client::shelves::Shelving;

/// A shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shelf {
    /// Put aside.
    Archive,
    /// Thrown away, and not for good.
    Trash,
}

impl Shelf {
    /// What it is called.
    pub fn label(self) -> &'static str {
        match self {
            Self::Archive => "Archive",
            Self::Trash => "Trash",
        }
    }

    /// Its name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archive => "archived",
            Self::Trash => "trash",
        }
    }

    /// What is said where nothing stands on it.
    pub fn empty_note(self) -> &'static str {
        match self {
            Self::Archive => "Nothing is archived.",
            Self::Trash => "The trash is empty.",
        }
    }

    /// What takes a session back into the list.
    pub fn way_back(self) -> Shelving {
        match self {
            Self::Archive => Shelving::Unarchive,
            Self::Trash => Shelving::Restore,
        }
    }
}
