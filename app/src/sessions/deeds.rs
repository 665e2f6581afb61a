//! What the list of sessions can do, for its rows.

use super::selection::Selection;
use crate::ui::menu::Anchor;
use leptos::prelude::*;
use protocol::SessionId;

/// What the list can do, for its rows.
#[derive(Clone, Copy)]
pub struct ListDeeds {
    /// The session on the screen.
    pub current: Memo<Option<SessionId>>,
    /// The session whose name is in a field.
    pub renamed: RwSignal<Option<SessionId>>,
    /// The session whose menu is wanted, and where.
    pub chosen: RwSignal<Option<(SessionId, Anchor)>>,
    /// Sessions whose children are folded away.
    pub folded: RwSignal<Vec<SessionId>>,
    /// Sessions with an answer that nobody looked at.
    pub unread: RwSignal<Vec<SessionId>>,
    /// Sessions that are chosen together.
    pub selection: RwSignal<Selection>,
}

impl ListDeeds {
    /// Those of a list in which nothing is done yet.
    pub fn new(current: Memo<Option<SessionId>>) -> Self {
        Self {
            current,
            renamed: RwSignal::new(None),
            chosen: RwSignal::new(None),
            folded: RwSignal::new(Vec::new()),
            unread: RwSignal::new(Vec::new()),
            selection: RwSignal::new(Selection::default()),
        }
    }

    /// Folds the children of a session away, or shows them.
    pub fn fold(self, id: &SessionId) {
        self.folded.update(|folded| {
            let count = folded.len();
            folded.retain(|known| known != id);
            if folded.len() == count {
                folded.push(id.clone());
            }
        });
    }
}

/// Whether a list of sessions names this one.
pub fn is_among(list: RwSignal<Vec<SessionId>>, id: &SessionId) -> bool {
    // A task of the server may look once more after the page is gone; it finds nothing then.
    list.try_with(|list| list.contains(id)).unwrap_or_default()
}

/// Whether a session is chosen together with others.
pub fn is_selected(deeds: ListDeeds, id: &SessionId) -> bool {
    deeds.selection.try_with(|selection| selection.has(id)).unwrap_or_default()
}
