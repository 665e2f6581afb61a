//! One task per session, the only writer of that session. Everybody else sends it a command.
//!
//! The actor waits for a command or for the running turn's work, lets the machine decide, and performs what it says.
//! While it writes to the store nothing else is taken in, so what happens to a session has one order, for everybody.

mod branch;
pub(crate) mod captured;
mod chat;
mod clear;
mod connect;
pub(crate) mod consent;
mod dismiss;
mod drive;
mod finish;
mod frames;
mod matter;
mod passed;
mod program;
mod recovering;
mod replies;
mod resume;
mod rpc;
mod terminal;

use crate::agent::Recovery;
use crate::error::ThinkError;
use crate::hooks::{LastWord, TurnHooks};
use crate::meters::RunningTurn;
use crate::program::{Program, Terms, Tie};
use crate::prompt::Kept;
use crate::recovery::TakenUp;
use crate::shared::Shared;
use crate::store::Promise;
use crate::stream::fanout::{CloseReason, ConnectionId, Watcher, Watchers};
use crate::tools::Tool;
use crate::turn::continuation::Continuation;
use crate::turn::driver::Driver;
use crate::turn::{Input, Machine, TurnQueue};
use db::Clock;
pub(crate) use matter::Matter;
use protocol::{
    ChatResponse, Chunk, ClientFrame, Message, MessageId, Part, PromptChanges, RequestId, ServerFrame,
    StreamId, ToolSpec, TurnOutcome, WireError,
};
use replies::HeldReply;
use serde_json::{Map, Value};
use session::{Parent, Session};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
pub(crate) use terminal::TerminalRecord;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How long an actor with nothing to do and nobody listening stays.
const IDLE: Duration = Duration::from_secs(60);

/// What an actor can be asked.
#[derive(Debug)]
pub(crate) enum Command {
    /// A socket opened; it is greeted.
    Connect(Watcher),
    /// A socket of another session sends a request here: it hears the answer, without a greeting.
    Listen(Watcher),
    /// A socket said something.
    Frame { from: ConnectionId, frame: Box<ClientFrame> },
    /// A turn that was promised before a restart.
    Keep(Box<Promise>),
    /// The transcript changed behind the actor's back: every socket hears it.
    Tell,
    /// Look at another branch.
    SetActive { message: MessageId, reply: oneshot::Sender<Result<MessageId, ThinkError>> },
    /// Store a new version of a message.
    Edit { message: MessageId, parts: Vec<Part>, reply: oneshot::Sender<Result<Message, ThinkError>> },
    /// Put away what a message waits for.
    Dismiss { message: MessageId, reply: oneshot::Sender<Result<Option<Message>, ThinkError>> },
    /// Forget the conversation.
    Clear(oneshot::Sender<Result<(), ThinkError>>),
    /// The answer that is being written.
    Live(oneshot::Sender<Option<Message>>),
    /// Whether this session knows what a frame is about.
    Knows { matter: Matter, reply: oneshot::Sender<bool> },
    /// What the agent's code changed in the last call.
    Changed(oneshot::Sender<Option<PromptChanges>>),
    /// A program asks for a turn.
    Run(Box<Program>),
    /// A program gives a turn up.
    StopTurn(RequestId),
    /// Store messages that nobody answers.
    Add {
        messages: Vec<Message>,
        parent: Option<Parent>,
        reply: oneshot::Sender<Result<Vec<MessageId>, ThinkError>>,
    },
    /// Say when nothing is going on any more.
    WhenStable(oneshot::Sender<()>),
    /// Stop: keep what has arrived, close the sockets.
    Stop { reason: CloseReason, done: oneshot::Sender<()> },
}

/// A turn that was accepted.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    request_id: RequestId,
    /// The socket that asked, if it still matters.
    requester: Option<ConnectionId>,
    /// The row reserved for the answer.
    message_id: MessageId,
    parent_id: MessageId,
    previous_leaf: Option<MessageId>,
    model: String,
    kind: TurnKind,
    /// What the browser offered when the turn was accepted.
    client_tools: Vec<ToolSpec>,
    /// The custom fields of its request.
    body: Map<String, Value>,
    line: Line,
    /// What a program brought.
    terms: Terms,
    /// Whether it was taken up again, since the end of a server interrupted it.
    taken_up: Option<TakenUp>,
}

impl Accepted {
    /// The end of a turn that never began, or of which nothing is kept.
    fn end(&self, outcome: TurnOutcome) -> ServerFrame {
        let (id, continuation) = (self.request_id.to_string(), self.kind.is_continuation());
        let outcome = Some(outcome);
        ServerFrame::ChatResponse(ChatResponse {
            id,
            done: true,
            continuation,
            outcome,
            ..ChatResponse::default()
        })
    }
}

/// A turn's place in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// It keeps it, whatever comes.
    Firm,
    /// A new message: another one may take its place, and it starts no sooner than this.
    NoSooner(Instant),
}

impl Line {
    fn due(self) -> Option<Instant> {
        match self {
            Self::Firm => None,
            Self::NoSooner(at) => Some(at),
        }
    }
}

/// What a turn is to its message.
#[derive(Debug, Clone)]
enum TurnKind {
    /// Its first; the row is only reserved.
    Answer,
    /// It goes on with this one.
    Continuation(Box<Message>),
}

impl TurnKind {
    fn is_continuation(&self) -> bool {
        matches!(self, Self::Continuation(_))
    }
}

/// The turn whose slot it is.
struct Running {
    turn: Accepted,
    machine: Machine,
    driver: Driver,
    stream_id: StreamId,
    /// Rows of the stream so far.
    rows: u32,
    /// Chunks of the stream so far.
    seq: u64,
    /// Chunks that are decided and not yet stored.
    pending: Vec<Chunk>,
    /// The server's tools, as they were when the turn was planned.
    tools: Vec<Arc<dyn Tool>>,
    hooks: TurnHooks,
    /// What tells the agent how the turn ended.
    last_word: LastWord,
    /// Counted among the running ones for as long as it is here.
    _counted: RunningTurn,
}

/// What waits for the end of turns.
#[derive(Default)]
struct Later {
    /// Answers to calls of the running turn.
    held: Vec<HeldReply>,
    /// Turns whose messages are made of what the turns before them leave.
    programs: VecDeque<Box<Program>>,
    /// Who wants to know when nothing is going on.
    stable: Vec<oneshot::Sender<()>>,
    /// Whether a turn was accepted that the list of sessions does not know of; the turn does not wait for it.
    is_news: bool,
}

pub(crate) struct Actor {
    shared: Arc<Shared>,
    session: Session,
    commands: mpsc::Receiver<Command>,
    watchers: Watchers,
    queue: TurnQueue<Accepted>,
    running: Option<Running>,
    /// What the last turn left to say to tabs that come late.
    terminal: Option<TerminalRecord>,
    continuation: Continuation,
    later: Later,
    /// What the browser offers.
    client_tools: Vec<ToolSpec>,
    /// The custom fields of the last request as they are stored; the outer none means unknown.
    body: Option<Option<Map<String, Value>>>,
    /// What is known of the context blocks.
    kept: Arc<Kept>,
}

impl Actor {
    pub(crate) fn new(shared: Arc<Shared>, session: Session, commands: mpsc::Receiver<Command>) -> Self {
        let kept = Arc::new(Kept::within(shared.recall_room()));
        Self {
            shared,
            session,
            commands,
            watchers: Watchers::default(),
            queue: TurnQueue::default(),
            running: None,
            terminal: None,
            continuation: Continuation::default(),
            later: Later::default(),
            client_tools: Vec::new(),
            body: None,
            kept,
        }
    }

    /// Runs until told to stop, or until nothing has been going on for [`IDLE`].
    pub(crate) async fn run(mut self) {
        self.load_terminal().await;
        self.load_captured().await;
        loop {
            self.start_programs().await;
            self.start_next().await;
            self.tell_news().await;
            self.tell_stable().await;
            let idle = tokio::time::sleep(IDLE);
            let clock_due = self.running.as_ref().and_then(|running| running.machine.due());
            let next_due = self.queue.waiting().next().and_then(|turn| turn.line.due());
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(Command::Stop { reason, done }) => return self.stop(reason, done).await,
                    Some(command) => self.on_command(command).await,
                    None => return,
                },
                inputs = work(&mut self.running) => self.drive(inputs).await,
                () = reached(&*self.shared.world.clock, clock_due) => self.drive(vec![Input::TimePassed]).await,
                () = moment(self.continuation.due()), if self.running.is_none() => self.fire_continuation().await,
                // The turn that heads the line may start; the next round does it.
                () = moment(next_due), if self.running.is_none() => {}
                () = idle, if self.running.is_none() => {
                    if self.retire() {
                        return;
                    }
                    self.kept.recall().forget();
                }
            }
        }
    }

    async fn on_command(&mut self, command: Command) {
        match command {
            Command::Connect(watcher) => self.greet(watcher).await,
            Command::Listen(watcher) => self.watchers.add(watcher),
            Command::Frame { from, frame } => self.on_frame(from, *frame).await,
            Command::Keep(promise) => self.keep_promise(*promise).await,
            Command::Tell => self.tell_changed().await,
            Command::SetActive { message, reply } => {
                let _asker_gone = reply.send(self.set_active(&message).await);
            }
            Command::Edit { message, parts, reply } => {
                let _asker_gone = reply.send(self.edit(&message, parts).await);
            }
            Command::Dismiss { message, reply } => {
                let _asker_gone = reply.send(self.dismiss(&message).await);
            }
            Command::Clear(reply) => {
                let cleared = self.clear().await;
                let _asker_gone = reply.send(cleared);
            }
            Command::Live(reply) => {
                let live = self.running.as_ref().and_then(|running| running.machine.message());
                let _asker_gone = reply.send(live);
            }
            Command::Knows { matter, reply } => {
                let _asker_gone = reply.send(self.knows(&matter).await);
            }
            Command::Changed(reply) => {
                let _asker_gone = reply.send(self.kept.changed());
            }
            Command::Run(program) => self.on_program(program).await,
            Command::StopTurn(id) => self.on_cancel(&id).await,
            Command::Add { messages, parent, reply } => {
                let _asker_gone = reply.send(self.add_messages(messages, parent).await);
            }
            Command::WhenStable(reply) => self.later.stable.push(reply),
            Command::Stop { done, .. } => drop(done),
        }
    }

    async fn stop(mut self, reason: CloseReason, done: oneshot::Sender<()>) {
        // Their promises stay: the next start looks after them, or whoever deletes the session.
        let waiting = self.queue.reset();
        if reason != CloseReason::Stopping {
            for turn in waiting {
                self.watchers.send_all(&turn.end(TurnOutcome::Skipped));
            }
        }
        let recovery = self.recovery_after(reason);
        if self.running.is_some() {
            self.drive(vec![Input::ShutDown(recovery)]).await;
        }
        self.refuse_rest();
        self.watchers.close(reason);
        let _asker_gone = done.send(());
    }

    /// What becomes of the running turn after this stop. A program does not outlive it, so nobody would wait for its turn.
    fn recovery_after(&self, reason: CloseReason) -> Recovery {
        let tie = self.running.as_ref().map(|running| running.turn.terms.tie);
        match reason {
            CloseReason::Stopping if tie == Some(Tie::Free) => self.shared.spec.turns.recovery,
            CloseReason::Stopping | CloseReason::FellBehind | CloseReason::SessionGone => Recovery::Mark,
        }
    }

    /// Ends the requests that came too late to be looked at; nobody shall wait for them.
    fn refuse_rest(&mut self) {
        self.commands.close();
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Connect(watcher) | Command::Listen(watcher) => self.watchers.add(watcher),
                Command::Frame { from, frame } => self.refuse_late(from, *frame),
                // Their askers see that nobody will answer.
                Command::Keep(_)
                | Command::Tell
                | Command::SetActive { .. }
                | Command::Edit { .. }
                | Command::Dismiss { .. }
                | Command::Clear(_)
                | Command::Live(_)
                | Command::Knows { .. }
                | Command::Changed(_)
                | Command::Run(_)
                | Command::StopTurn(_)
                | Command::Add { .. }
                | Command::WhenStable(_)
                | Command::Stop { .. } => {}
            }
        }
    }

    fn refuse_late(&self, from: ConnectionId, frame: ClientFrame) {
        if let ClientFrame::ChatRequest { id, .. } = frame {
            self.refuse_turn(from, id, WireError::from(&ThinkError::Stopping));
        }
    }

    /// Takes the actor out of the map if really nothing is going on; a command that slips in is sent again by its
    /// sender, to a new actor.
    fn retire(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let mut actors = shared.actors();
        let is_quiet =
            self.queue.is_idle() && self.continuation.due().is_none() && self.later.stable.is_empty();
        let may_go = is_quiet && self.watchers.is_empty() && self.commands.is_empty();
        if may_go && let Some(actors) = actors.as_mut() {
            self.commands.close();
            let _mailbox = actors.remove(self.session.id());
        }
        may_go
    }
}

/// Waits until then; for ever if there is no such moment. Cancel-safe.
async fn moment(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// The same by the clock of the day.
async fn reached(clock: &dyn Clock, due: Option<u64>) {
    match due {
        Some(due) => clock.reached(due).await,
        None => std::future::pending().await,
    }
}

/// What the running turn's work gives next; pends while none runs. Cancel-safe.
async fn work(running: &mut Option<Running>) -> Vec<Input> {
    match running {
        Some(running) => running.driver.next().await,
        None => std::future::pending().await,
    }
}
