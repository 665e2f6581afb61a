//! An open edit of one block: what was typed, upon which version, and how the attempt to save it stands. Pure.

/// An open edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What was typed so far.
    pub text: String,
    /// The version it began from, or was compared with last.
    version: u64,
    /// How it stands.
    pub state: EditState,
}

/// How an edit stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditState {
    /// It is typed.
    Open,
    /// It is on its way.
    Saving,
    /// The server said no.
    Refused(String),
    /// Somebody else changed the block meanwhile; nothing was tried yet.
    Overtaken,
    /// Somebody else changed the block meanwhile; a person chooses.
    Conflict {
        /// What they wrote.
        theirs: String,
    },
}

/// What became of an attempt to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is stored.
    Saved,
    /// The server said no, and why.
    Refused(String),
    /// The block is not what the edit began from.
    Conflict {
        /// What it holds.
        content: String,
        /// Its version.
        version: u64,
    },
}

impl Edit {
    /// Begins to edit a block.
    pub fn of(content: &str, version: u64) -> Self {
        Self { text: content.to_owned(), version, state: EditState::Open }
    }

    /// Something was typed; what was said about the text before is over.
    pub fn type_text(&mut self, text: String) {
        self.text = text;
        if matches!(self.state, EditState::Refused(_)) {
            self.state = EditState::Open;
        }
    }

    /// Begins to save: the text and the version it replaces. None while that cannot be done.
    pub fn start_saving(&mut self) -> Option<(String, u64)> {
        match self.state {
            EditState::Saving | EditState::Conflict { .. } => None,
            EditState::Open | EditState::Refused(_) | EditState::Overtaken => {
                self.state = EditState::Saving;
                Some((self.text.clone(), self.version))
            }
        }
    }

    /// The edit after an attempt to save it; none when it is over.
    pub fn after(mut self, outcome: Outcome) -> Option<Self> {
        match outcome {
            Outcome::Saved => return None,
            Outcome::Conflict { content, .. } if content == self.text => return None,
            Outcome::Refused(why) => self.state = EditState::Refused(why),
            Outcome::Conflict { content, version } => {
                self.version = version;
                self.state = EditState::Conflict { theirs: content };
            }
        }
        Some(self)
    }

    /// The block is at `version` now: an edit that began from another one is told, and loses nothing.
    pub fn block_is_at(&mut self, version: u64) {
        if version != self.version && matches!(self.state, EditState::Open | EditState::Refused(_)) {
            self.state = EditState::Overtaken;
        }
    }

    /// A person keeps what they typed, over what the other wrote.
    pub fn keep_mine(&mut self) {
        self.state = EditState::Open;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Edit {
        let mut edit = Edit::of("old", 3);
        edit.type_text(text.to_owned());
        edit
    }

    #[test]
    fn a_save_names_the_version_it_began_from_and_is_sent_once() {
        let mut edit = typed("new");
        assert_eq!(edit.start_saving(), Some(("new".to_owned(), 3)));
        assert_eq!(edit.start_saving(), None);
        assert_eq!(edit.after(Outcome::Saved), None);
    }

    #[test]
    fn a_refusal_stands_until_something_is_typed() {
        let mut edit = typed("too long");
        let _sent = edit.start_saving();
        let mut edit = edit.after(Outcome::Refused("1200 of 1100".to_owned())).expect("still open");
        assert_eq!(edit.state, EditState::Refused("1200 of 1100".to_owned()));
        edit.type_text("short".to_owned());
        assert_eq!(edit, Edit { text: "short".to_owned(), version: 3, state: EditState::Open });
    }

    #[test]
    fn a_conflict_asks_and_mine_can_then_replace_theirs() {
        let mut edit = typed("mine");
        let _sent = edit.start_saving();
        let theirs = Outcome::Conflict { content: "theirs".to_owned(), version: 4 };
        let mut edit = edit.after(theirs).expect("still open");
        assert_eq!(edit.start_saving(), None);
        assert_eq!(edit.text, "mine");
        edit.keep_mine();
        assert_eq!(edit.start_saving(), Some(("mine".to_owned(), 4)));
    }

    #[test]
    fn who_typed_the_same_has_no_conflict() {
        let mut edit = typed("same");
        let _sent = edit.start_saving();
        assert_eq!(edit.after(Outcome::Conflict { content: "same".to_owned(), version: 9 }), None);
    }

    #[test]
    fn an_open_edit_is_told_of_a_change_and_keeps_its_text() {
        let mut edit = typed("mine");
        edit.block_is_at(3);
        assert_eq!(edit.state, EditState::Open);
        edit.block_is_at(4);
        assert_eq!((edit.text.as_str(), &edit.state), ("mine", &EditState::Overtaken));
        let mut saving = typed("mine");
        let _sent = saving.start_saving();
        saving.block_is_at(4);
        assert_eq!(saving.state, EditState::Saving);
    }
}
