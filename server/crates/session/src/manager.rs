//! All sessions of one file: making, naming, counting, throwing away.

use crate::append::open_tip;
use crate::compaction::flight::Flights;
use crate::error::SessionError;
use crate::intake::{check_session_id, session_name};
use crate::options::SessionOptions;
use crate::session::Session;
use crate::store::sessions::{self, NewRow, SessionRow, Used};
use crate::store::{self, stored};
use crate::trash;
use db::{Clock, Database, DbError, IdSource, WriteTx};
use protocol::{Sampling, SessionId, SessionInfo};
use sqlx::Sqlite;
use sqlx::pool::PoolConnection;
use std::sync::Arc;

/// What all handles of one file share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) db: Database,
    clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) flights: Flights,
}

impl Shared {
    /// The time, as it is stored.
    pub(crate) fn now(&self) -> i64 {
        store::now(self.clock.as_ref())
    }

    /// A connection for a single read. Several that must see the same state need [`Database::read`], which asks the file
    /// twice more.
    pub(crate) async fn look(&self) -> Result<PoolConnection<Sqlite>, DbError> {
        self.db.reader().acquire().await.map_err(|error| self.db.error(error))
    }
}

/// A session to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewSession {
    /// May be empty, and need not be unique.
    pub name: String,
    /// The session it was forked or spawned from; need not exist any more.
    pub parent_session_id: Option<SessionId>,
    /// `provider/model`.
    pub model: Option<String>,
    /// Who makes it.
    pub source: Option<String>,
    /// An id of the caller's choice; without one, a new one is drawn.
    pub id: Option<SessionId>,
}

/// The sessions of one file. Cloning is cheap.
///
/// Every method is one transaction; dropping its future leaves everything as it was. A session that was never made,
/// or lies in the trash, is no error but none or false.
#[derive(Debug, Clone)]
pub struct SessionManager {
    shared: Arc<Shared>,
    options: Arc<SessionOptions>,
}

impl SessionManager {
    /// The sessions in `db`.
    pub fn new(db: Database, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        let shared = Shared { db, clock, ids, flights: Flights::default() };
        Self { shared: Arc::new(shared), options: Arc::default() }
    }

    /// The same sessions, set up in this way.
    #[must_use]
    pub fn with_options(self, options: SessionOptions) -> Self {
        Self { options: Arc::new(options), ..self }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Makes a session.
    ///
    /// # Errors
    /// [`SessionError::Conflict`] where the chosen id is taken, [`SessionError::InvalidId`],
    /// [`SessionError::NameTooLong`].
    pub async fn create(&self, new: NewSession) -> Result<SessionInfo, SessionError> {
        let name = session_name(&new.name)?;
        let id = match new.id {
            Some(id) => id,
            None => SessionId::new(self.shared.ids.new_id()),
        };
        check_session_id(&id)?;
        let mut tx = self.shared.db.write().await?;
        if sessions::exists(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))? {
            return Err(SessionError::Conflict(id));
        }
        let row = NewRow {
            id: id.as_str(),
            name: &name,
            parent_session_id: new.parent_session_id.as_ref().map(SessionId::as_str),
            model: new.model.as_deref(),
            source: new.source.as_deref(),
            now: self.shared.now(),
            ..NewRow::default()
        };
        let row = sessions::insert(&mut tx, &row).await.map_err(|e| tx.error(e))?;
        tx.commit().await?;
        Ok(row.into())
    }

    /// One session. The default one is none until something is stored in it.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn get(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        let mut reader = self.shared.look().await?;
        let row = sessions::find(&mut reader, id.as_str()).await.map_err(|e| self.shared.db.error(e))?;
        Ok(row.map(SessionInfo::from))
    }

    /// One session of the trash. The default session is never there.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn trashed(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        let mut reader = self.shared.look().await?;
        let row = sessions::find_trashed(&mut reader, id.as_str()).await;
        Ok(row.map_err(|e| self.shared.db.error(e))?.map(SessionInfo::from))
    }

    /// Gives a session another name, or takes its name away.
    ///
    /// # Errors
    /// [`SessionError::NameTooLong`].
    pub async fn rename(&self, id: &SessionId, name: &str) -> Result<Option<SessionInfo>, SessionError> {
        let name = session_name(name)?;
        let mut tx = self.change(id).await?;
        let row = sessions::set_name(&mut tx, id.as_str(), self.shared.now(), &name).await;
        finish(tx, row).await
    }

    /// Gives a session another name if its name is `from`; none where it is not. So a title made in the background never
    /// replaces one that a person gave meanwhile.
    ///
    /// # Errors
    /// [`SessionError::NameTooLong`].
    pub async fn replace_name(
        &self,
        id: &SessionId,
        from: &str,
        to: &str,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let to = session_name(to)?;
        let mut tx = self.change(id).await?;
        let row = sessions::replace_name(&mut tx, id.as_str(), self.shared.now(), (from, &to)).await;
        finish(tx, row).await
    }

    /// Chooses the model of a session; none leaves it to the agent.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn set_model(
        &self,
        id: &SessionId,
        model: Option<&str>,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let mut tx = self.change(id).await?;
        let row = sessions::set_model(&mut tx, id.as_str(), self.shared.now(), model).await;
        finish(tx, row).await
    }

    /// Chooses the numbers that shape a session's answers; none leaves them to the provider.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn set_sampling(
        &self,
        id: &SessionId,
        sampling: Option<Sampling>,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let mut tx = self.change(id).await?;
        let row = sessions::set_sampling(&mut tx, id.as_str(), self.shared.now(), sampling).await;
        finish(tx, row).await
    }

    /// Adds to the counters of a session, also of one in the trash: what was spent was spent. A cost that is no
    /// number counts as nothing.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn add_usage(
        &self,
        id: &SessionId,
        input_tokens: u64,
        output_tokens: u64,
        cost: f64,
    ) -> Result<Option<SessionInfo>, SessionError> {
        let used = Used {
            input_tokens: stored(input_tokens),
            output_tokens: stored(output_tokens),
            cost: if cost.is_finite() { cost } else { 0.0 },
        };
        let mut tx = self.change(id).await?;
        let row = sessions::add_usage(&mut tx, id.as_str(), self.shared.now(), used).await;
        finish(tx, row).await
    }

    /// Puts a session into the trash; whether it was there. The default session is empty afterwards and lies in the
    /// trash under another id.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn delete(&self, id: &SessionId) -> Result<bool, SessionError> {
        let mut tx = self.shared.db.write().await?;
        self.shared.flights.clear(id);
        let spare_id = self.shared.ids.new_id();
        let was_there = trash::put_in(&mut tx, id, &spare_id, self.shared.now()).await?;
        tx.commit().await?;
        Ok(was_there)
    }

    /// Takes a session out of the trash, whole and at its old place in the list. For the default session: the one
    /// thrown away last, under its old id unless something new was written there.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn restore(&self, id: &SessionId) -> Result<Option<SessionInfo>, SessionError> {
        let mut tx = self.shared.db.write().await?;
        let row = trash::take_out(&mut tx, id).await?;
        tx.commit().await?;
        Ok(row.map(SessionInfo::from))
    }

    /// Removes a session for good, from the trash or not: its messages and everything under its id in the tables of
    /// this crate, and the words that only its messages held. Whether it was there. It is gone at once; what it held goes
    /// in several changes, so that others can write meanwhile, and what is left where that is broken off is removed like
    /// an unfinished import.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn purge(&self, id: &SessionId) -> Result<bool, SessionError> {
        let mut tx = self.shared.db.write().await?;
        self.shared.flights.forget(id);
        sessions::delete_config(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        let spare_id = self.shared.ids.new_id();
        let apart = trash::set_apart(&mut tx, id, &spare_id, self.shared.now()).await?;
        tx.commit().await?;
        if let Some(apart) = &apart {
            self.remove_unfinished_import(apart).await?;
        }
        Ok(apart.is_some())
    }

    /// A handle on a session. The default session always exists; any other must have been made and not be in the
    /// trash.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn session(&self, id: &SessionId) -> Result<Option<Session>, SessionError> {
        let is_there = *id == SessionId::default() || self.get(id).await?.is_some();
        Ok(is_there.then(|| Session::new(Arc::clone(&self.shared), Arc::clone(&self.options), id.clone())))
    }

    /// Begins a change of a session; the default one comes to be with it.
    pub(crate) async fn change(&self, id: &SessionId) -> Result<WriteTx, SessionError> {
        let mut tx = self.shared.db.write().await?;
        if *id == SessionId::default() {
            let _tip = open_tip(&mut tx, id, self.shared.now()).await?;
        }
        Ok(tx)
    }
}

/// Ends a change that gives the session as it is now.
pub(crate) async fn finish(
    tx: WriteTx,
    changed: sqlx::Result<Option<SessionRow>>,
) -> Result<Option<SessionInfo>, SessionError> {
    let row = changed.map_err(|e| tx.error(e))?;
    tx.commit().await?;
    Ok(row.map(SessionInfo::from))
}
