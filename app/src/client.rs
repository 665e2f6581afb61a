//! What all corners of the page share: the server's facts, the list of sessions, the link, and the session that is
//! looked at. Made once by the page's root; lives as long as the page.

mod chats;
mod folds;
mod listener;
pub mod logins;
mod memory;
pub mod messages;
mod places;
mod sessions;
pub mod several;
pub mod shelves;
mod wishes;

use crate::app::keys::Binding;
use crate::backend::Backend;
use crate::backend::http::HttpBackend;
use crate::boot::prefs::Prefs;
use crate::boot::{Boot, Theme};
use crate::browser;
use crate::chat::signals::Chat;
use crate::chat::transcript::{RowKey, Words};
use crate::connection::link::LinkState;
use crate::connection::socket::Command;
use crate::context_panel::Panel;
use crate::format;
use crate::sessions::state::SessionList;
use crate::ui::toast::Toasts;
use async_trait::async_trait;
use futures::channel::mpsc;
use leptos::prelude::*;
use protocol::{
    ErrorCode, FIRST_LISTED, MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError,
};
use std::sync::Arc;
use std::time::Duration;

/// How often the page looks at the clock, to notice that a day is over.
const CLOCK_INTERVAL: Duration = Duration::from_secs(30);

/// The reader's time.
#[derive(Clone, Copy)]
struct ReaderClock {
    now: RwSignal<u64>,
    utc_offset_minutes: RwSignal<i32>,
}

/// How the reader wants the page.
#[derive(Clone, Copy)]
struct Wishes {
    theme: RwSignal<Theme>,
    prefs: RwSignal<Prefs>,
    /// Keys that take the place of the usual ones.
    keys: RwSignal<Vec<Binding>>,
    /// The answer that the model which is about to be chosen shall give once more.
    again: StoredValue<Option<(Chat, RowKey)>>,
}

/// A chat that is yet to begin.
#[derive(Clone, Copy)]
struct Beginning {
    /// The model that answers unless a session says otherwise.
    usual: RwSignal<String>,
    /// What was typed before its session existed.
    first_words: StoredValue<Option<(SessionId, Words)>>,
    /// The model that was chosen for it.
    model: RwSignal<Option<String>>,
}

/// The page's shared state. Copying is cheap; all copies are the same page.
#[derive(Clone, Copy)]
pub struct Client {
    boot: StoredValue<Boot>,
    backend: StoredValue<Arc<dyn Backend>>,
    sessions: RwSignal<SessionList>,
    link: RwSignal<LinkState>,
    wishes: Wishes,
    clock: ReaderClock,
    panel: Panel,
    toasts: Toasts,
    /// The session that is looked at.
    current: StoredValue<Option<Chat>>,
    /// Sessions that were deleted elsewhere while they were looked at here.
    removed: RwSignal<Option<SessionId>>,
    beginning: Beginning,
    socket: StoredValue<Option<mpsc::Sender<Command>>>,
}

impl Client {
    /// Makes the shared state of a page and gives it to all below. What it shows first is what [`Boot`] says, on both
    /// sides.
    pub fn provide() -> Self {
        let boot = use_context::<Boot>().or_else(|| if is_browser() { browser::boot() } else { None });
        let boot = boot.unwrap_or_else(|| Boot::new("", "", 0));
        let backend = use_context::<Arc<dyn Backend>>().unwrap_or_else(|| fallback(&boot));
        let client = Self {
            backend: StoredValue::new(backend),
            sessions: RwSignal::new(SessionList::default()),
            link: RwSignal::new(LinkState::Starting),
            wishes: Wishes {
                theme: RwSignal::new(boot.theme),
                prefs: RwSignal::new(boot.prefs),
                keys: RwSignal::new(Vec::new()),
                again: StoredValue::new(None),
            },
            clock: ReaderClock {
                now: RwSignal::new(boot.now),
                utc_offset_minutes: RwSignal::new(boot.utc_offset_minutes),
            },
            panel: Panel::new(boot.panel),
            toasts: Toasts::new(),
            current: StoredValue::new(None),
            removed: RwSignal::new(None),
            beginning: Beginning {
                usual: RwSignal::new(boot.model.clone()),
                first_words: StoredValue::new(None),
                model: RwSignal::new(None),
            },
            socket: StoredValue::new(None),
            boot: StoredValue::new(boot),
        };
        provide_context(client);
        client
    }

    /// The shared state of this page.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Path the product lives under.
    pub fn base(self) -> String {
        self.boot.with_value(|boot| boot.base.clone())
    }

    /// Name of the agent instance.
    pub fn instance(self) -> String {
        self.boot.with_value(|boot| boot.instance.clone())
    }

    /// Path of the JSON API.
    pub fn api(self) -> String {
        self.boot.with_value(Boot::api)
    }

    /// Whether somebody signed in to see this page.
    pub fn is_signed_in(self) -> bool {
        self.boot.with_value(|boot| boot.is_signed_in)
    }

    /// The panel beside the chat.
    pub fn panel(self) -> Panel {
        self.panel
    }

    /// The model that answers unless a session says otherwise.
    pub fn model(self) -> RwSignal<String> {
        self.beginning.usual
    }

    /// What a model is called for short.
    pub fn model_name(self, model: &str) -> String {
        self.boot.with_value(|boot| format::model(model, &boot.endpoint))
    }

    /// What a model is called in full: `provider/model`.
    pub fn whole_model_name(self, model: String) -> String {
        if model == FIRST_LISTED { self.model_name(&model) } else { model }
    }

    /// The way to data.
    pub fn backend(self) -> Arc<dyn Backend> {
        self.backend.get_value()
    }

    /// What the socket is at.
    pub fn link(self) -> RwSignal<LinkState> {
        self.link
    }

    /// The chosen theme.
    pub fn theme(self) -> RwSignal<Theme> {
        self.wishes.theme
    }

    /// How the reader wants the page.
    pub fn prefs(self) -> RwSignal<Prefs> {
        self.wishes.prefs
    }

    /// Keys that the reader chose.
    pub fn keys(self) -> RwSignal<Vec<Binding>> {
        self.wishes.keys
    }

    /// The model that was chosen for the chat that is yet to begin.
    pub fn next_model(self) -> RwSignal<Option<String>> {
        self.beginning.model
    }

    /// Now, to within half a minute.
    pub fn now(self) -> RwSignal<u64> {
        self.clock.now
    }

    /// The reader's offset from UTC: what the server knew, then what the browser says.
    pub fn utc_offset_minutes(self) -> RwSignal<i32> {
        self.clock.utc_offset_minutes
    }

    /// Short notes at the edge of the page.
    pub fn toasts(self) -> Toasts {
        self.toasts
    }

    /// Chooses a theme.
    pub fn choose_theme(self, theme: Theme) {
        self.wishes.theme.set(theme);
        browser::set_theme(theme, &self.base());
    }

    /// Wakes the page up, after hydration: its clock and the sign that it is alive.
    pub fn wake(self) {
        let offset = browser::utc_offset_minutes();
        browser::remember_offset(offset, &self.base());
        self.clock.utc_offset_minutes.set(offset);
        self.clock.now.set(browser::now_ms());
        set_interval(move || self.clock.now.set(browser::now_ms()), CLOCK_INTERVAL);
        browser::mark_hydrated();
    }
}

fn fallback(boot: &Boot) -> Arc<dyn Backend> {
    if is_browser() { Arc::new(HttpBackend::new(boot)) } else { Arc::new(NoBackend) }
}

/// Stands in while the route list is made, when nobody asks for data.
struct NoBackend;

fn absent<T>() -> Result<T, WireError> {
    Err(WireError::new(ErrorCode::Internal, "This page was rendered without a server behind it."))
}

#[async_trait]
impl Backend for NoBackend {
    async fn sessions(&self, _cursor: Option<String>) -> Result<SessionPage, WireError> {
        absent()
    }
    async fn transcript(&self, _session: &SessionId) -> Result<Option<Transcript>, WireError> {
        absent()
    }
    async fn earlier(&self, _session: &SessionId, _before: &MessageId) -> Result<Transcript, WireError> {
        absent()
    }
    async fn session(&self, _session: &SessionId) -> Result<Option<SessionInfo>, WireError> {
        absent()
    }
}
