//! One agent instance: its sessions, their actors, and the door to them.

mod blocks;
mod branches;
mod compactions;
mod config;
mod consent;
mod exchange;
mod rest;
mod schedules;
mod shelves;
mod submissions;
mod trash;

pub use branches::Reach;
pub use rest::Rest;

use crate::actor::{Actor, Command, Matter};
use crate::admit::{RESERVED, is_reserved};
use crate::agent::AgentSpec;
use crate::connection::{ConnectOptions, Connection};
use crate::error::ThinkError;
use crate::family::Configured;
use crate::hooks;
use crate::recovery;
use crate::shared::{Shared, World};
use crate::store::Store;
use crate::stream::fanout::CloseReason;
use crate::stream::log::StreamLog;
use db::Database;
use protocol::{
    Message, MessageId, PromptChanges, ServerFrame, SessionId, SessionInfo, SessionPage, ToolSpec,
    Transcript, WireError, limits,
};
use session::{NewSession, SessionManager};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A running agent instance. Cheap to clone; [`Engine::shutdown`] ends it.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

/// Counts of what is alive in an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vitals {
    /// Tasks, the writer of the stream log included.
    pub tasks: usize,
    /// Sessions with an actor.
    pub actors: usize,
    /// Open connections.
    pub sockets: usize,
    /// Sessions in which a turn runs or waits.
    pub busy: usize,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("agent", &self.shared.spec.name)
            .field("instance", &self.shared.instance)
            .finish()
    }
}

impl Engine {
    /// Starts an instance on its database: turns that a crash interrupted are mended first.
    ///
    /// # Errors
    /// The database cannot be read or written.
    pub async fn start(
        spec: Arc<AgentSpec>,
        instance: String,
        db: Database,
        world: World,
    ) -> Result<Self, ThinkError> {
        let sessions = SessionManager::new(db.clone(), Arc::clone(&world.clock), Arc::clone(&world.ids));
        let (log, writer) = StreamLog::new(db.clone(), Arc::clone(&world.clock));
        let store = Store::new(db);
        config::adopt(&sessions, &store).await?;
        let configured = Configured::of(spec).await;
        let shared = Shared::new(configured, instance, (sessions, log, store), world);
        let _owned = shared.tasks.spawn(writer);
        shared.background.stands();
        let mended = recovery::mend(&shared).await?;
        shared.log.sweep().await?;
        let engine = Self { shared };
        for outcome in mended.ended {
            let told = hooks::tell_recovered(engine.clone(), Arc::clone(&engine.shared.spec), outcome);
            let _handle = engine.shared.tasks.spawn(told);
        }
        let followed = crate::submissions::mend(&engine, &mended.owed).await?;
        for promise in mended.owed {
            let session = promise.session_id.clone();
            engine.send(&session, Command::Keep(Box::new(promise))).await?;
        }
        engine.begin_background(followed).await?;
        Ok(engine)
    }

    /// The agent's name.
    pub fn agent(&self) -> &str {
        &self.shared.spec.name
    }

    /// The instance's name.
    pub fn instance(&self) -> &str {
        &self.shared.instance
    }

    /// What is alive in this instance right now: after everything has ended and [`Engine::shutdown`], nothing is.
    pub fn vitals(&self) -> Vitals {
        let actors = self.shared.actors().as_ref().map_or(0, std::collections::HashMap::len);
        let (sockets, busy) = self.shared.hub.counts();
        Vitals { tasks: self.shared.tasks.len(), actors, sockets, busy }
    }

    /// The agent's definition.
    pub fn spec(&self) -> &AgentSpec {
        &self.shared.spec
    }

    /// What a turn that begins now may call: the agent's own tools, and those of its source.
    pub fn offered_tools(&self) -> (Vec<ToolSpec>, Vec<ToolSpec>) {
        let own = self.shared.own_tools().len();
        let mut specs: Vec<ToolSpec> = self.shared.toolbox().iter().map(|tool| tool.spec()).collect();
        let foreign = specs.split_off(own.min(specs.len()));
        (specs, foreign)
    }

    /// The stored sessions. Changes made here directly are not told to open pages; the methods below tell them.
    pub fn sessions(&self) -> &SessionManager {
        &self.shared.sessions
    }

    /// The same instance, for whoever holds its inside.
    pub(crate) fn of(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared) }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// One page of the session list, newest first.
    ///
    /// # Errors
    /// A bad cursor, or the store.
    pub async fn list_sessions(&self, cursor: Option<&str>, limit: usize) -> Result<SessionPage, ThinkError> {
        let limit = limit.min(limits::SESSION_PAGE_MAX);
        Ok(self.marked_page(self.shared.sessions.list(cursor, limit).await?))
    }

    /// One session's row.
    ///
    /// # Errors
    /// The store.
    pub async fn get_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        Ok(self.shared.sessions.get(id).await?.map(|info| self.shared.marked(info)))
    }

    /// Makes a session and tells every page.
    ///
    /// # Errors
    /// A name that is too long, an id that is taken, or the store.
    pub async fn create_session(&self, new: NewSession) -> Result<SessionInfo, ThinkError> {
        let info = self.shared.sessions.create(new).await?;
        self.announce(info.clone());
        Ok(info)
    }

    /// Renames a session and tells every page; none if there is no such session.
    ///
    /// # Errors
    /// A name that is too long, or the store.
    pub async fn rename_session(
        &self,
        id: &SessionId,
        name: &str,
    ) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.rename(id, name).await)
    }

    /// Moves a session to the trash: its turn is stopped, its sockets are closed, every page is told.
    ///
    /// # Errors
    /// The store.
    pub async fn delete_session(&self, id: &SessionId) -> Result<bool, ThinkError> {
        self.stop_actor(id, CloseReason::SessionGone).await;
        recovery::settle(&self.shared, id).await?;
        let is_deleted = self.shared.sessions.delete(id).await?;
        // A request may have slipped in between: it is ended like those before.
        self.stop_actor(id, CloseReason::SessionGone).await;
        recovery::settle(&self.shared, id).await?;
        if is_deleted {
            self.shared.hub.announce(&ServerFrame::SessionRemoved { id: id.clone() });
        }
        Ok(is_deleted)
    }

    /// Takes a session out of the trash and tells every page; none if it is not there.
    ///
    /// # Errors
    /// The store.
    pub async fn restore_session(&self, id: &SessionId) -> Result<Option<SessionInfo>, ThinkError> {
        self.changed(self.shared.sessions.restore(id).await)
    }

    /// The end of a session's active path, and the answer in motion; none if there is no such session.
    ///
    /// # Errors
    /// The store, or an unknown `before`.
    pub async fn transcript(
        &self,
        id: &SessionId,
        before: Option<&MessageId>,
        limit: usize,
    ) -> Result<Option<Transcript>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let mut transcript = session.window(before, limit).await?;
        transcript.messages.retain(|message| !is_reserved(message));
        if before.is_none() {
            transcript.live = self.live(id).await;
        }
        Ok(Some(transcript))
    }

    /// Some messages of the active path around one of them, no messages where it is on another branch; none if there is
    /// no such session.
    ///
    /// # Errors
    /// The store, or a message that is on no branch.
    pub async fn transcript_around(
        &self,
        id: &SessionId,
        middle: &MessageId,
        limit: usize,
    ) -> Result<Option<Transcript>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let mut transcript = session.window_around(middle, limit).await?;
        transcript.messages.retain(|message| !is_reserved(message));
        Ok(Some(transcript))
    }

    /// The whole active path; none if there is no such session.
    ///
    /// # Errors
    /// The store.
    pub async fn messages(&self, id: &SessionId) -> Result<Option<Vec<Message>>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        let mut messages = session.history(None).await?.messages;
        messages.retain(|message| !is_reserved(message));
        Ok(Some(messages))
    }

    /// [`Engine::messages`] as JSON text, made in a fraction of the time.
    ///
    /// # Errors
    /// The store.
    pub async fn messages_text(&self, id: &SessionId) -> Result<Option<Vec<u8>>, ThinkError> {
        let Some(session) = self.shared.session(id).await? else { return Ok(None) };
        Ok(Some(session.history_text(Some(RESERVED)).await?.json))
    }

    /// Opens a connection to a session.
    ///
    /// # Errors
    /// No such session, the store, or the engine stops.
    pub async fn connect(&self, id: &SessionId, options: ConnectOptions) -> Result<Connection, WireError> {
        let (connection, watcher) = Connection::new(self, id, options);
        self.send(id, Command::Connect(watcher)).await.map_err(|error| WireError::from(&error))?;
        Ok(connection)
    }

    /// Stops: running turns keep what has arrived, sockets are closed. Afterwards nothing of this instance runs.
    pub async fn shutdown(&self) {
        self.shared.background.stopping.cancel();
        let actors = self.shared.actors().take().unwrap_or_default();
        for (id, mailbox) in actors {
            stop(&mailbox, CloseReason::Stopping).await;
            tracing::debug!(session.id = %id, "stopped");
        }
        self.shared.hub.close_all(CloseReason::Stopping);
        let _open = self.shared.tasks.close();
    }

    fn announce(&self, session: SessionInfo) {
        self.shared.hub.announce(&ServerFrame::SessionChanged { session });
    }

    pub(crate) async fn live(&self, id: &SessionId) -> Option<Message> {
        self.peek(id, Command::Live).await.flatten()
    }

    /// Whether a session knows what a frame is about; one without an actor does not.
    pub(crate) async fn knows(&self, id: &SessionId, matter: Matter) -> bool {
        self.peek(id, |reply| Command::Knows { matter, reply }).await.unwrap_or_default()
    }

    /// What the agent's code changed in the session's last call; none where no actor remembers one.
    pub(crate) async fn changed_prompt(&self, id: &SessionId) -> Option<PromptChanges> {
        self.peek(id, Command::Changed).await.flatten()
    }

    /// What a session's actor answers to a question; none where no actor runs.
    async fn peek<T>(
        &self,
        id: &SessionId,
        question: impl FnOnce(oneshot::Sender<T>) -> Command,
    ) -> Option<T> {
        let mailbox = self.running_mailbox(id).ok().flatten()?;
        let (reply, answer) = oneshot::channel();
        mailbox.send(question(reply)).await.ok()?;
        answer.await.ok()
    }

    /// Gives a session's actor work, starting it where none runs, and waits for what comes of it.
    pub(crate) async fn order<T>(
        &self,
        id: &SessionId,
        work: impl FnOnce(oneshot::Sender<Result<T, ThinkError>>) -> Command,
    ) -> Result<T, ThinkError> {
        let (reply, outcome) = oneshot::channel();
        self.send(id, work(reply)).await?;
        outcome.await.map_err(|_gone| ThinkError::Stopping)?
    }

    async fn stop_actor(&self, id: &SessionId, reason: CloseReason) {
        let mailbox = self.shared.actors().as_mut().and_then(|actors| actors.remove(id));
        if let Some(mailbox) = mailbox {
            stop(&mailbox, reason).await;
        }
    }

    /// Sends a command to a session's actor, starting it where none runs; an actor that retires in this very moment
    /// gives the command back and a new one gets it.
    pub(crate) async fn send(&self, id: &SessionId, command: Command) -> Result<(), ThinkError> {
        let mut command = command;
        loop {
            let mailbox = self.mailbox(id).await?;
            match mailbox.send(command).await {
                Ok(()) => return Ok(()),
                Err(mpsc::error::SendError(unsent)) => command = unsent,
            }
        }
    }

    async fn mailbox(&self, id: &SessionId) -> Result<mpsc::Sender<Command>, ThinkError> {
        if let Some(mailbox) = self.running_mailbox(id)? {
            return Ok(mailbox);
        }
        let shared = self.shared.answering(id).await?;
        let session = shared.session(id).await?;
        let session = session.ok_or_else(|| ThinkError::UnknownSession(id.clone()))?;
        let mut actors = self.shared.actors();
        let actors = actors.as_mut().ok_or(ThinkError::Stopping)?;
        // Somebody else may have started it while the row was read.
        if let Some(mailbox) = actors.get(id).filter(|mailbox| !mailbox.is_closed()) {
            return Ok(mailbox.clone());
        }
        let (mailbox, commands) = mpsc::channel(limits::MAILBOX_MAX);
        let actor = Actor::new(shared, session, commands);
        let _owned = self.shared.tasks.spawn(actor.run());
        let _closed = actors.insert(id.clone(), mailbox.clone());
        Ok(mailbox)
    }

    fn running_mailbox(&self, id: &SessionId) -> Result<Option<mpsc::Sender<Command>>, ThinkError> {
        let actors = self.shared.actors();
        let actors = actors.as_ref().ok_or(ThinkError::Stopping)?;
        Ok(actors.get(id).filter(|mailbox| !mailbox.is_closed()).cloned())
    }
}

async fn stop(mailbox: &mpsc::Sender<Command>, reason: CloseReason) {
    let (done, stopped) = oneshot::channel();
    if mailbox.send(Command::Stop { reason, done }).await.is_ok() {
        let _gone = stopped.await;
    }
}
