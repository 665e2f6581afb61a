//! What is known of the tree, which row has the focus, and what keys and clicks do.

use super::outline::{Outline, ROW_PX, Row, window};
use crate::api::Ask;
use crate::backend::told;
use crate::browser;
use crate::client::Client;
use crate::routes;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use protocol::{MessageId, SessionId, SessionTree};
use serde_json::json;
use std::collections::HashSet;
use std::ops::Range;

/// How high a window is taken to be before anybody has measured it.
const FIRST_HEIGHT_PX: f64 = 1_200.0;

/// Opens an address of the page.
type Open = Box<dyn Fn(&str, NavigateOptions)>;

/// The tree of a session, as far as this tab knows it. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Tree {
    client: Client,
    session: StoredValue<SessionId>,
    outline: RwSignal<Option<Outline>>,
    folded: RwSignal<HashSet<MessageId>>,
    rows: Memo<Vec<Row>>,
    /// Counts the times that rows may have changed.
    edition: Memo<u64>,
    focused: RwSignal<usize>,
    seen: RwSignal<(f64, f64)>,
    /// The rows that can be seen.
    range: Memo<Range<usize>>,
    failure: RwSignal<Option<String>>,
    /// Opens an address of the page.
    open: StoredValue<Open, LocalStorage>,
    /// What scrolls.
    pub node: NodeRef<Div>,
}

impl Tree {
    /// Nothing known yet.
    pub fn new(client: Client, session: SessionId) -> Self {
        let outline = RwSignal::new(None::<Outline>);
        let folded = RwSignal::new(HashSet::new());
        let rows = Memo::new(move |_: Option<&Vec<Row>>| {
            outline.read().as_ref().map(|outline| outline.rows(&folded.read())).unwrap_or_default()
        });
        let edition = Memo::new(move |before: Option<&u64>| {
            outline.track();
            folded.track();
            before.map_or(0, |before| before + 1)
        });
        let seen = RwSignal::new((0.0, FIRST_HEIGHT_PX));
        let range = Memo::new(move |_: Option<&Range<usize>>| {
            let (top, height) = seen.get();
            window(top, height, rows.read().len())
        });
        Self {
            client,
            session: StoredValue::new(session),
            outline,
            folded,
            rows,
            edition,
            focused: RwSignal::new(0),
            seen,
            range,
            failure: RwSignal::new(None),
            open: StoredValue::new_local(Box::new(use_navigate())),
            node: NodeRef::new(),
        }
    }

    /// Reads the tree anew.
    pub fn load(self) {
        let ask = Ask::get(format!("/sessions/{}/tree", self.segment()));
        spawn_local(async move {
            match ask.send(self.client).await {
                Ok(text) => self.took(told::read(&text).unwrap_or_default()),
                Err(refusal) => drop(self.failure.try_set(Some(refusal.error.message))),
            }
        });
    }

    /// What to say above the rows, or instead of them.
    pub fn note(self) -> Option<String> {
        if let Some(failure) = self.failure.get() {
            return Some(failure);
        }
        let outline = self.outline.read();
        match outline.as_ref().map(|outline| outline.tree.nodes.len()) {
            None => Some("Reading the tree…".to_owned()),
            Some(0) => Some("Every branch of this chat will stand here.".to_owned()),
            Some(_) => None,
        }
    }

    /// How high all rows are together, in pixels.
    pub fn height(self) -> f64 {
        self.rows.read().len() as f64 * ROW_PX
    }

    /// The rows that can be seen, with their places, and the edition that they are of.
    pub fn shown(self) -> (u64, Vec<(usize, Row)>) {
        let range = self.range.get();
        let rows = self.rows.read();
        let shown = rows.iter().cloned().enumerate().skip(range.start).take(range.len()).collect();
        (self.edition.get(), shown)
    }

    /// Reads the outline as it is now.
    pub fn with<T>(self, read: impl FnOnce(&Outline) -> Option<T>) -> Option<T> {
        self.outline.read_untracked().as_ref().and_then(read)
    }

    /// Whether a row is the one in the order of focus.
    pub fn is_focused(self, place: usize) -> bool {
        self.focused.get() == place
    }

    /// The rows moved below the window.
    pub fn scrolled(self) {
        if let Some(node) = self.node.get_untracked() {
            self.seen.set((f64::from(node.scroll_top()), f64::from(node.client_height())));
        }
    }

    /// A click goes to a branch, or folds a fork.
    pub fn clicked(self, click: &MouseEvent) {
        let Some(place) = browser::number_at(click, "data-row") else { return };
        self.focused.set(place);
        if browser::number_at(click, "data-fold").is_some() { self.fold(place) } else { self.go(place) }
    }

    /// A key walks, folds, goes to a branch, or prunes.
    pub fn pressed(self, press: &KeyboardEvent) {
        let (here, last) = (self.focused.get_untracked(), self.rows.read_untracked().len().saturating_sub(1));
        match press.key().as_str() {
            "ArrowDown" => self.focus((here + 1).min(last)),
            "ArrowUp" => self.focus(here.saturating_sub(1)),
            "Home" => self.focus(0),
            "End" => self.focus(last),
            "ArrowLeft" => self.fold_or_rise(here),
            "ArrowRight" => self.unfold_or_enter(here, last),
            "Enter" | " " => self.go(here),
            "Delete" => self.prune(here),
            _ => return,
        }
        press.prevent_default();
    }

    fn took(self, tree: SessionTree) {
        let _left = self.failure.try_set(None);
        let is_first = self.outline.try_with_untracked(Option::is_none) == Some(true);
        let _left = self.outline.try_set(Some(Outline::new(tree)));
        if is_first {
            let here = |outline: &Outline| {
                self.rows.read_untracked().iter().position(|row| outline.is_here(row.node))
            };
            let place = self.outline.try_with_untracked(|outline| outline.as_ref().and_then(here)).flatten();
            self.show(place.unwrap_or_default());
        }
    }

    fn fold(self, place: usize) {
        let Some((row, id)) = self.at(place) else { return };
        if row.is_fork {
            self.folded.update(|folded| {
                let _now_folded = folded.remove(&id) || folded.insert(id);
            });
        }
    }

    fn fold_or_rise(self, place: usize) {
        let Some((row, _)) = self.at(place) else { return };
        if row.is_fork && row.hidden == 0 {
            return self.fold(place);
        }
        let parent = self.outline.read_untracked().as_ref().and_then(|outline| outline.parent(row.node));
        let above = self.rows.read_untracked().iter().position(|row| Some(row.node) == parent);
        if let Some(above) = above {
            self.focus(above);
        }
    }

    fn unfold_or_enter(self, place: usize, last: usize) {
        match self.at(place) {
            Some((row, _)) if row.hidden > 0 => self.fold(place),
            Some(_) => self.focus((place + 1).min(last)),
            None => {}
        }
    }

    fn go(self, place: usize) {
        let Some((_, id)) = self.at(place) else { return };
        let ask = Ask::put(format!("/sessions/{}/active", self.segment()), json!({ "id": id }));
        let address = self.session.with_value(|session| routes::message("", session, &id));
        spawn_local(async move {
            match ask.send(self.client).await {
                Ok(_) => {
                    self.load();
                    self.open.with_value(|open| open(&address, NavigateOptions::default()));
                }
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }

    /// Moves a message and all below it to the trash, with a way back.
    fn prune(self, place: usize) {
        let Some((row, id)) = self.at(place) else { return };
        let below = self.outline.read_untracked().as_ref().map_or(0, |outline| outline.below(row.node));
        let path = format!("/sessions/{}/messages/{}", self.segment(), routes::encode(id.as_str()));
        let note = match below {
            0 => "Message deleted".to_owned(),
            1 => "Message deleted, with the one below it".to_owned(),
            _ => format!("Message deleted, with {below} below it"),
        };
        let answer = Ask::delete(format!("{path}?subtree=true")).send(self.client);
        let restore = move || self.act(Ask::post(format!("{path}/restore"), json!({})));
        spawn_local(async move {
            match answer.await {
                Ok(_) => {
                    self.load();
                    self.client.toasts().offer(&note, "Undo", restore);
                }
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }

    fn act(self, ask: Ask) {
        spawn_local(async move {
            match ask.send(self.client).await {
                Ok(_) => self.load(),
                Err(refusal) => self.client.toasts().fail(&refusal.error.message),
            }
        });
    }

    fn at(self, place: usize) -> Option<(Row, MessageId)> {
        let row = self.rows.read_untracked().get(place).cloned()?;
        let outline = self.outline.read_untracked();
        let id = outline.as_ref()?.node(row.node)?.id.clone();
        Some((row, id))
    }

    fn focus(self, place: usize) {
        self.show(place);
        request_animation_frame(move || browser::focus(&id_of(place)));
    }

    /// Puts a row in the order of focus, and into the window.
    fn show(self, place: usize) {
        let _left = self.focused.try_set(place);
        let Some(node) = self.node.try_get_untracked().flatten() else { return };
        let (top, height) = (f64::from(node.scroll_top()), f64::from(node.client_height()));
        let row = place as f64 * ROW_PX;
        if row < top || row + ROW_PX > top + height {
            let next = (row - height / 2.0).max(0.0);
            self.seen.set((next, height));
            request_animation_frame(move || node.set_scroll_top(next as i32));
        }
    }

    fn segment(self) -> String {
        self.session.try_with_value(routes::segment).unwrap_or_default()
    }
}

/// Id of a row's element.
pub fn id_of(place: usize) -> String {
    format!("tree-row-{place}")
}
