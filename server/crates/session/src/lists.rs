//! The lists of sessions, their filters, and where in them a session stands. All lists come in pages and in an order
//! that does not depend on the clock.

use crate::cursor;
use crate::error::SessionError;
use crate::manager::{SessionManager, finish};
use crate::names::folded;
use crate::store::counted;
use crate::store::lists::{self, NameRow, Wanted};
use crate::store::sessions::SessionRow;
use db::ReadTx;
use protocol::limits::SESSION_PAGE_MAX;
use protocol::{SessionId, SessionInfo, SessionPage};

/// Names that are looked through at once.
const NAMES_AT_ONCE: i64 = 500;

/// Which sessions a list holds. Those in the trash are never among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Where they stand.
    pub shelf: Shelf,
    /// Who made them.
    pub source: Option<String>,
    /// A piece of their name; case does not matter, in any script.
    pub name: Option<String>,
}

/// Where a session stands in the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shelf {
    /// Anywhere.
    #[default]
    Any,
    /// Not archived.
    Current,
    /// Pinned, and not archived.
    Pinned,
    /// Neither pinned nor archived.
    Unpinned,
    /// Archived.
    Archived,
}

impl Shelf {
    fn is_archived(self) -> Option<bool> {
        match self {
            Self::Any => None,
            Self::Current | Self::Pinned | Self::Unpinned => Some(false),
            Self::Archived => Some(true),
        }
    }

    fn is_pinned(self) -> Option<bool> {
        match self {
            Self::Any | Self::Current | Self::Archived => None,
            Self::Pinned => Some(true),
            Self::Unpinned => Some(false),
        }
    }
}

impl SessionManager {
    /// One page of the sessions, the one touched last first; `cursor` is that of the page before.
    ///
    /// # Errors
    /// [`SessionError::BadCursor`].
    pub async fn list(&self, cursor: Option<&str>, limit: usize) -> Result<SessionPage, SessionError> {
        self.list_where(&SessionFilter::default(), cursor, limit).await
    }

    /// The same with those sessions only that `filter` wants.
    ///
    /// # Errors
    /// [`SessionError::BadCursor`].
    pub async fn list_where(
        &self,
        filter: &SessionFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, SessionError> {
        let after = cursor.map_or(Ok(cursor::START), cursor::read)?;
        let wanted = Wanted {
            is_archived: filter.shelf.is_archived(),
            is_pinned: filter.shelf.is_pinned(),
            source: filter.source.as_deref(),
        };
        let mut tx = self.shared().db.read().await?;
        let rows = match filter.name.as_deref().map(folded).filter(|name| !name.is_empty()) {
            None => lists::newest(&mut tx, after, &wanted, one_more(limit)).await,
            Some(name) => named(&mut tx, after, (&wanted, &name), one_more(limit)).await,
        };
        Ok(page(rows.map_err(|e| tx.error(e))?, limit, cursor::after))
    }

    /// One page of the sessions that were made from `parent`, by a fork or for a child of the agent, the one touched
    /// last first. They outlive their parent.
    ///
    /// # Errors
    /// [`SessionError::BadCursor`].
    pub async fn children(
        &self,
        parent: &SessionId,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, SessionError> {
        let after = cursor.map_or(Ok(cursor::START), cursor::read)?;
        let mut tx = self.shared().db.read().await?;
        let rows = lists::children(&mut tx, parent.as_str(), after, one_more(limit)).await;
        Ok(page(rows.map_err(|e| tx.error(e))?, limit, cursor::after))
    }

    /// One page of the trash, the session thrown away last first.
    ///
    /// # Errors
    /// [`SessionError::BadCursor`].
    pub async fn trash(&self, cursor: Option<&str>, limit: usize) -> Result<SessionPage, SessionError> {
        let after = cursor.map_or(Ok(cursor::START), cursor::read)?;
        let mut tx = self.shared().db.read().await?;
        let rows = lists::trashed(&mut tx, after, one_more(limit)).await.map_err(|e| tx.error(e))?;
        Ok(page(rows, limit, cursor::after_in_trash))
    }

    /// Keeps a session at the top of the list. Pins and archives move nothing else: they are no news.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn pin(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        self.set_pinned(id, Some(self.shared().now())).await
    }

    /// Lets a session go from the top of the list.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn unpin(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        self.set_pinned(id, None).await
    }

    /// Puts a session aside. It is still found, and can be continued.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn archive(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        self.set_archived(id, Some(self.shared().now())).await
    }

    /// Takes a session back that was put aside.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn unarchive(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        self.set_archived(id, None).await
    }

    async fn set_pinned(
        &self,
        id: &SessionId,
        since: Option<i64>,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let mut tx = self.change(id).await?;
        let row = lists::set_pinned(&mut tx, id.as_str(), since).await;
        finish(tx, row).await
    }

    async fn set_archived(
        &self,
        id: &SessionId,
        since: Option<i64>,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let mut tx = self.change(id).await?;
        let row = lists::set_archived(&mut tx, id.as_str(), since).await;
        finish(tx, row).await
    }
}

/// The sessions after `after` whose folded names hold `name`. SQLite knows no case beyond a to z, so the names are looked
/// through here.
async fn named(
    tx: &mut ReadTx,
    mut after: (i64, i64),
    (wanted, name): (&Wanted<'_>, &str),
    limit: i64,
) -> sqlx::Result<Vec<SessionRow>> {
    let mut ids: Vec<String> = Vec::new();
    loop {
        let names = lists::names(tx, after, wanted, NAMES_AT_ONCE).await?;
        let Some(last) = names.last() else { break };
        after = (last.updated_at, last.updated_seq);
        let is_it = |row: &NameRow| folded(&row.name).contains(name);
        ids.extend(names.into_iter().filter(is_it).map(|row| row.id));
        if ids.len() as u64 >= counted(limit) {
            break;
        }
    }
    let ids = ids.into_iter().take(usize::try_from(limit).unwrap_or(usize::MAX));
    lists::these(tx, &serde_json::Value::from_iter(ids).to_string()).await
}

/// One row more than a page holds, to know whether there are more.
fn one_more(limit: usize) -> i64 {
    i64::try_from(limit.clamp(1, SESSION_PAGE_MAX).saturating_add(1)).unwrap_or(i64::MAX)
}

fn page(mut rows: Vec<SessionRow>, limit: usize, cursor: fn(&SessionRow) -> String) -> SessionPage {
    let limit = limit.clamp(1, SESSION_PAGE_MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next_cursor = rows.last().filter(|_| has_more).map(cursor);
    SessionPage { sessions: rows.into_iter().map(SessionInfo::from).collect(), next_cursor }
}
