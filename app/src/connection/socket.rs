//! The browser's socket: connects, reads, writes, and asks [`Link`] about everything else.
//!
//! One task per tab owns the socket for the life of the page. The rest of the page speaks to it by [`Command`]s through
//! a bounded queue; what it hears goes to a [`Listener`].

use super::link::{Link, LinkAction, LinkEvent, LinkState};
use crate::browser;
use futures::channel::mpsc;
use futures::future::poll_fn;
use futures::{FutureExt, SinkExt, Stream, StreamExt};
use gloo_net::websocket::futures::WebSocket;
use gloo_net::websocket::{Message, State, WebSocketError};
use gloo_timers::future::TimeoutFuture;
use leptos::ev;
use leptos::prelude::{window_event_listener, window_event_listener_untyped};
use leptos::task::spawn_local;
use protocol::{ClientFrame, ServerFrame, SessionId};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Commands that may wait for the task; it takes them as fast as they come, so this is never reached by hand.
const COMMANDS_MAX: usize = 256;
/// How long a socket may take to say its first word.
const CONNECT_TIMEOUT_MS: u64 = 10_000;
/// How long a doubtful socket may take to give a sign of life.
const PROBE_TIMEOUT_MS: u64 = 4_000;
/// The server closes a socket with this code only when its session is gone.
const CLOSE_NORMAL: u16 = 1000;
/// The server closes a socket with this code when whoever opened it may no longer be here.
const CLOSE_POLICY: u16 = 1008;

/// What the page wants of its socket.
#[derive(Debug, Clone)]
pub enum Command {
    /// Speak about this session from now on.
    Open(SessionId),
    /// Send this, if the socket is open about that session.
    Send(SessionId, ClientFrame),
    /// Something happened to the tab.
    Tell(LinkEvent),
}

/// Who hears what the socket says. All calls come from the browser's one thread.
pub trait Listener: 'static {
    /// The state of the link changed.
    fn link(&self, state: LinkState);
    /// The socket about this session is open.
    fn opened(&self, session: &SessionId);
    /// It is closed.
    fn closed(&self, session: &SessionId);
    /// It said this.
    fn frame(&self, session: &SessionId, frame: ServerFrame);
}

/// Starts the task. The way to speak to it; `path` is the socket's address without its query.
pub fn start(path: String, session: SessionId, listener: impl Listener) -> mpsc::Sender<Command> {
    let (sender, commands) = mpsc::channel(COMMANDS_MAX);
    listen_to_tab(&sender);
    let driver = Driver {
        path,
        session,
        listener: Box::new(listener),
        commands,
        link: Link::default(),
        socket: None,
        timer: None,
        awaits_sign: false,
    };
    spawn_local(driver.run());
    sender
}

struct Driver {
    path: String,
    session: SessionId,
    listener: Box<dyn Listener>,
    commands: mpsc::Receiver<Command>,
    link: Link,
    socket: Option<Pin<Box<WebSocket>>>,
    /// The next thing that time brings: the end of a wait, or of our patience.
    timer: Option<TimeoutFuture>,
    /// The socket has not spoken since it was opened or asked; when time is up it counts as closed.
    awaits_sign: bool,
}

enum Input {
    Command(Option<Command>),
    Said(String),
    /// The server let go of the session: it is gone.
    Gone,
    /// The server lets whoever is here no longer be here.
    SignedOut,
    Closed,
    TimeUp,
}

impl Driver {
    async fn run(mut self) {
        self.connect();
        loop {
            match poll_fn(|context| self.poll(context)).await {
                Input::Command(None) => return,
                Input::Command(Some(command)) => self.obey(command).await,
                Input::Said(text) => self.hear(&text),
                Input::Gone => self.lose(),
                Input::SignedOut => self.sign_out(),
                Input::Closed => self.close(),
                Input::TimeUp if self.awaits_sign => self.close(),
                Input::TimeUp => self.tell(LinkEvent::TimeUp).await,
            }
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Input> {
        if let Poll::Ready(command) = self.commands.poll_next_unpin(context) {
            return Poll::Ready(Input::Command(command));
        }
        if let Some(socket) = &mut self.socket
            && let Poll::Ready(said) = socket.as_mut().poll_next(context)
        {
            return Poll::Ready(match said {
                Some(Ok(Message::Text(text))) => Input::Said(text),
                Some(Ok(Message::Bytes(_))) => Input::Said(String::new()),
                Some(Err(WebSocketError::ConnectionClose(event))) if event.code == CLOSE_NORMAL => {
                    Input::Gone
                }
                Some(Err(WebSocketError::ConnectionClose(event))) if event.code == CLOSE_POLICY => {
                    Input::SignedOut
                }
                Some(Err(_)) | None => Input::Closed,
            });
        }
        if let Some(timer) = &mut self.timer
            && timer.poll_unpin(context).is_ready()
        {
            self.timer = None;
            return Poll::Ready(Input::TimeUp);
        }
        Poll::Pending
    }

    async fn obey(&mut self, command: Command) {
        match command {
            // Also for the session that it speaks about already: whoever asks needs the list that a new socket begins with.
            Command::Open(session) => {
                self.drop_socket();
                self.session = session;
                self.tell(LinkEvent::Moved).await;
            }
            Command::Send(session, frame) if session == self.session => self.send(&frame).await,
            Command::Send(..) => {}
            Command::Tell(event) => self.tell(event).await,
        }
    }

    async fn tell(&mut self, event: LinkEvent) {
        match self.decide(event) {
            LinkAction::None => {}
            LinkAction::Connect => self.connect(),
            LinkAction::Wait(wait_ms) => self.time(wait_ms),
            LinkAction::Probe => {
                self.awaits_sign = true;
                self.time(PROBE_TIMEOUT_MS);
                self.send(&ClientFrame::ResumeRequest { probe_id: None }).await;
            }
        }
    }

    fn decide(&mut self, event: LinkEvent) -> LinkAction {
        let before = self.link.state();
        let action = self.link.on(event, browser::now_ms(), browser::random());
        if self.link.state() != before {
            self.listener.link(self.link.state());
        }
        action
    }

    fn connect(&mut self) {
        let session = crate::routes::encode(self.session.as_str());
        let window = crate::backend::http::FIRST_WINDOW;
        let url = browser::socket_url(&format!("{}?session={session}&window={window}", self.path));
        match WebSocket::open(&url) {
            Ok(socket) => {
                self.socket = Some(Box::pin(socket));
                self.awaits_sign = true;
                self.time(CONNECT_TIMEOUT_MS);
            }
            Err(_) => self.close(),
        }
    }

    fn hear(&mut self, text: &str) {
        if self.awaits_sign {
            self.awaits_sign = false;
            self.timer = None;
        }
        if !matches!(self.link.state(), LinkState::Live { .. }) {
            let _none = self.decide(LinkEvent::Opened);
            self.listener.opened(&self.session);
        }
        if let Some(frame) = ServerFrame::parse(text) {
            self.listener.frame(&self.session, frame);
        }
    }

    /// Ends with the session; what the tab does next is the listener's to say.
    fn lose(&mut self) {
        self.drop_socket();
        self.listener.frame(&self.session, ServerFrame::SessionRemoved { id: self.session.clone() });
    }

    fn sign_out(&mut self) {
        self.drop_socket();
        let _none = self.decide(LinkEvent::SignedOut);
    }

    fn close(&mut self) {
        self.drop_socket();
        if let LinkAction::Wait(wait_ms) = self.decide(LinkEvent::Closed) {
            self.time(wait_ms);
        }
    }

    fn drop_socket(&mut self) {
        if let Some(socket) = self.socket.take() {
            let_go(socket);
        }
        self.timer = None;
        self.awaits_sign = false;
        self.listener.closed(&self.session);
    }

    async fn send(&mut self, frame: &ClientFrame) {
        let Some(socket) = &mut self.socket else { return };
        // A closed socket swallows this; what matters is sent again when the server's list shows that it is missing.
        let _sent = socket.send(Message::Text(frame.to_text())).await;
    }

    fn time(&mut self, wait_ms: u64) {
        self.timer = Some(TimeoutFuture::new(u32::try_from(wait_ms).unwrap_or(u32::MAX)));
    }
}

/// Closes a socket. Browsers complain of one that is closed before it is open, so such a one goes after its first word,
/// or when it cannot be opened.
fn let_go(mut socket: Pin<Box<WebSocket>>) {
    if matches!(socket.state(), State::Connecting) {
        spawn_local(async move {
            let _first = socket.next().await;
        });
    }
}

/// Tells the task what happens to the tab.
fn listen_to_tab(sender: &mpsc::Sender<Command>) {
    let tell = |event: LinkEvent| {
        let sender = sender.clone();
        move || drop(sender.clone().try_send(Command::Tell(event)))
    };
    let (shown, hidden) = (tell(LinkEvent::Shown), tell(LinkEvent::Hidden));
    let _for_ever = window_event_listener_untyped("visibilitychange", move |_| {
        if browser::is_hidden() { hidden() } else { shown() }
    });
    let online = tell(LinkEvent::Online);
    let _for_ever = window_event_listener(ev::online, move |_| online());
}
