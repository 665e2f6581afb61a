//! What the list of sessions can do, for its rows.

use crate::ui::menu::MenuHandle;
use leptos::prelude::*;
use protocol::SessionId;

/// What the list can do, for its rows.
#[derive(Clone, Copy)]
pub struct ListDeeds {
    /// The session on the screen.
    pub current: Memo<Option<SessionId>>,
    /// The session whose name is in a field.
    pub renamed: RwSignal<Option<SessionId>>,
    /// The session whose menu is open.
    pub chosen: RwSignal<Option<SessionId>>,
    /// The menu.
    pub menu: MenuHandle,
}
