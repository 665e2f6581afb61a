//! The door to the lists of sessions: shelves, the trash, search, and what a session's row says. Every change is told
//! to all pages.

use super::Engine;
use crate::error::ThinkError;
use crate::recovery;
use crate::stream::fanout::CloseReason;
use protocol::{Sampling, SearchPage, ServerFrame, SessionId, SessionInfo, SessionPage};
use session::{Search, SessionError, SessionFilter};

impl Engine {
    /// One page of the sessions that `filter` wants, newest first.
    ///
    /// # Errors
    /// A bad cursor, or the store.
    pub async fn list_sessions_where(
        &self,
        filter: &SessionFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, ThinkError> {
        Ok(self.marked_page(self.shared.sessions.list_where(filter, cursor, limit).await?))
    }

    /// One page of the sessions that were made from `parent`.
    ///
    /// # Errors
    /// A bad cursor, or the store.
    pub async fn child_sessions(
        &self,
        parent: &SessionId,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, ThinkError> {
        Ok(self.marked_page(self.shared.sessions.children(parent, cursor, limit).await?))
    }

    /// One page of the trash.
    ///
    /// # Errors
    /// A bad cursor, or the store.
    pub async fn trashed_sessions(
        &self,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<SessionPage, ThinkError> {
        Ok(self.shared.sessions.trash(cursor, limit).await?)
    }

    /// One session of the trash; none if it does not lie there.
    ///
    /// # Errors
    /// The store.
    pub async fn trashed_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        Ok(self.shared.sessions.trashed(id).await?)
    }

    /// Keeps a session at the top of the list; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn pin_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.pin(id).await)
    }

    /// Lets a session go from the top of the list; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn unpin_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.unpin(id).await)
    }

    /// Puts a session aside; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn archive_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.archive(id).await)
    }

    /// Takes a session back that was put aside; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn unarchive_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.unarchive(id).await)
    }

    /// Chooses the model of a session, from its next turn on; none leaves it to the agent. None if there is no such
    /// session.
    ///
    /// # Errors
    /// No such model, or the store.
    pub async fn set_session_model(
        &self,
        id: &SessionId,
        model: Option<&str>,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        if let Some(name) = model {
            let _known = self.shared.spec.model(name)?;
        }
        self.changed(self.shared.sessions.set_model(id, model).await)
    }

    /// Chooses the numbers that shape a session's answers, from the next call of its model on; none leaves them to the
    /// provider. None if there is no such session.
    ///
    /// # Errors
    /// A number that no model takes, or the store.
    pub async fn set_session_sampling(
        &self,
        id: &SessionId,
        sampling: Option<Sampling>,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        if let Some(problem) = sampling.and_then(|sampling| sampling.problem()) {
            return Err(ThinkError::UnfitInput(problem.to_owned()));
        }
        let sampling = sampling.filter(|sampling| *sampling != Sampling::default());
        self.changed(self.shared.sessions.set_sampling(id, sampling).await)
    }

    /// Searches one session, or all of them. None if there is no such session.
    ///
    /// # Errors
    /// A bad cursor, or the store.
    pub async fn search(
        &self,
        search: &Search<'_>,
        session: Option<&SessionId>,
    ) -> Result<Option<SearchPage>, ThinkError> {
        let Some(id) = session else { return Ok(Some(self.shared.sessions.search(search).await?)) };
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(Some(session.search(search).await?))
    }

    /// Removes a session for good, with everything that is stored under its id; false if it was not there. Meant for
    /// the trash; one that is not there yet is stopped first.
    ///
    /// # Errors
    /// The store.
    pub async fn purge_session(&self, id: &SessionId) -> Result<bool, ThinkError> {
        self.stop_actor(id, CloseReason::SessionGone).await;
        let was_there = self.shared.sessions.purge(id).await?;
        recovery::forget(&self.shared, id).await?;
        if was_there {
            self.shared.hub.announce(&ServerFrame::SessionRemoved { id: id.clone() });
        }
        Ok(was_there)
    }

    /// Tells every page what a change made of a session's row, and gives that row.
    pub(super) fn changed(
        &self,
        changed: Result<Option<SessionInfo>, SessionError>,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        let info = changed?.map(|info| self.shared.marked(info));
        info.clone().into_iter().for_each(|info| self.announce(info));
        Ok(info)
    }

    pub(super) fn marked_page(&self, mut page: SessionPage) -> SessionPage {
        page.sessions = page.sessions.into_iter().map(|info| self.shared.marked(info)).collect();
        page
    }
}
