//! What is known of the tree, which row has the focus, and what is done to it.

use super::glimpse::glimpse;
use super::keys::{Step, step};
use super::outline::{Outline, ROW_PX, Row, window};
use crate::api::Ask;
use crate::browser;
use crate::client::Client;
use crate::context_panel::frame::content::Kept;
use crate::routes;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Div;
use leptos::prelude::*;
use leptos::reactive::owner::ArcStoredValue;
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

/// What is known of a session's tree, on the screen or not. Clones are the same.
#[derive(Clone)]
struct Known {
    session: SessionId,
    outline: ArcRwSignal<Option<Outline>>,
    news: ArcStoredValue<Option<u64>>,
    /// How often it was asked for.
    asked: ArcStoredValue<u64>,
}

impl Known {
    /// What was kept of this session; else nothing, which is kept from now on.
    fn of(session: &SessionId, kept: Kept) -> Self {
        let known = kept.with_value(|kept| kept.as_ref()?.downcast_ref::<Self>().cloned());
        known.filter(|known| known.session == *session).unwrap_or_else(|| {
            let (outline, news) = (ArcRwSignal::new(None), ArcStoredValue::new(None));
            let fresh = Self { session: session.clone(), outline, news, asked: ArcStoredValue::new(0) };
            kept.set_value(Some(Box::new(fresh.clone())));
            fresh
        })
    }

    /// The number of a new question.
    fn ask(&self) -> u64 {
        self.asked.update_value(|asked| *asked += 1);
        self.asked.get_value()
    }

    /// Whether an answer is that to the last question: answers may come in another order than they were asked for, and
    /// the tree is kept.
    fn is_last(&self, question: u64) -> bool {
        self.asked.get_value() == question
    }
}

/// The tree of a session, as far as this tab knows it. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Tree {
    client: Client,
    known: StoredValue<Known>,
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
    /// What is known from the last time that this session's tree was shown.
    pub fn new(client: Client, session: SessionId, kept: Kept) -> Self {
        let known = Known::of(&session, kept);
        let chat = client.current().filter(|chat| *chat.session() == session);
        if let Some(chat) = chat.filter(|_| known.outline.with_untracked(Option::is_none)) {
            let seen = chat.read(glimpse);
            known.outline.set((!seen.nodes.is_empty()).then(|| Outline::new(seen)));
        }
        let outline = RwSignal::from(known.outline.clone());
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
            known: StoredValue::new(known),
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

    /// Reads the tree if anything was told of the messages since it was asked for last.
    pub fn catch_up(self, news: u64) {
        let known = self.known.get_value();
        let before = known.news.try_update_value(|known| known.replace(news)).flatten();
        if before != Some(news) {
            self.load();
        }
    }

    /// The rows are on the screen: what is known already shows where one is.
    pub fn begin(self) {
        if self.outline.with_untracked(Option::is_some) {
            self.show_here();
        }
    }

    /// Reads the tree anew, also for the next time if the tab is left meanwhile.
    fn load(self) {
        let known = self.known.get_value();
        let question = known.ask();
        let ask = Ask::get(format!("/sessions/{}/tree", self.segment()));
        spawn_local(async move {
            let answer = ask.send(self.client).await;
            if !known.is_last(question) {
                return;
            }
            match answer {
                // Straight into its type: a tree of values in between would cost more than all the rest.
                Ok(text) => self.took(&known, serde_json::from_str(&text).unwrap_or_default()),
                Err(refusal) => {
                    known.news.set_value(None);
                    let _left = self.failure.try_set(Some(refusal.error.message));
                }
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
        let here = self.focused.get_untracked();
        let parent = self.at(here).and_then(|(row, _)| self.with(|outline| outline.parent(row.node)));
        let Some(step) = step(&press.key(), &self.rows.read_untracked(), here, parent) else { return };
        press.prevent_default();
        match step {
            Step::Focus(place) => self.focus(place),
            Step::Fold => self.fold(here),
            Step::Go => self.go(here),
            Step::Prune => self.prune(here),
        }
    }

    /// The tree is here. Whoever walks in what was known of it stays where they are.
    fn took(self, known: &Known, tree: SessionTree) {
        let outline = Some(Outline::new(tree));
        let is_first = known.outline.with_untracked(Option::is_none);
        let has_left = self.failure.try_set(None).is_some();
        if known.outline.with_untracked(|known| *known == outline) {
            return;
        }
        let before = if has_left { None } else { self.at(self.focused.get_untracked()) };
        known.outline.set(outline);
        if is_first && !has_left {
            self.show_here();
        }
        if let Some((_, id)) = before {
            self.follow(&id);
        }
    }

    /// The message that was in the order of focus may stand in another row now: the view goes with it.
    fn follow(self, id: &MessageId) {
        let is_it = |outline: &Outline, row: &Row| outline.node(row.node).is_some_and(|node| node.id == *id);
        let find = |outline: &Outline| self.rows.read_untracked().iter().position(|row| is_it(outline, row));
        let Some(place) = self.outline.read_untracked().as_ref().and_then(find) else { return };
        let before = self.focused.get_untracked();
        if browser::is_focused(&id_of(before)) {
            self.focus(place);
        } else if place != before {
            self.focused.set(place);
            let (top, _) = self.seen.get_untracked();
            self.scroll((top + (place as f64 - before as f64) * ROW_PX).max(0.0));
        }
    }

    /// Shows where one is.
    fn show_here(self) {
        let here =
            |outline: &Outline| self.rows.read_untracked().iter().position(|row| outline.is_here(row.node));
        let place = self.outline.try_with_untracked(|outline| outline.as_ref().and_then(here)).flatten();
        self.show(place.unwrap_or_default());
    }

    fn fold(self, place: usize) {
        let Some((row, id)) = self.at(place) else { return };
        if row.is_fork {
            self.folded.update(|folded| {
                let _now_folded = folded.remove(&id) || folded.insert(id);
            });
        }
    }

    fn go(self, place: usize) {
        let Some((_, id)) = self.at(place) else { return };
        let ask = Ask::put(format!("/sessions/{}/active", self.segment()), json!({ "id": id }));
        let address = self.known.with_value(|known| routes::message("", &known.session, &id));
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
            self.scroll((row - height / 2.0).max(0.0));
        }
    }

    /// Moves the window, when the rows are there.
    fn scroll(self, top: f64) {
        let Some(node) = self.node.try_get_untracked().flatten() else { return };
        self.seen.set((top, f64::from(node.client_height())));
        request_animation_frame(move || node.set_scroll_top(top as i32));
    }

    fn segment(self) -> String {
        self.known.try_with_value(|known| routes::segment(&known.session)).unwrap_or_default()
    }
}

/// Id of a row's element.
pub fn id_of(place: usize) -> String {
    format!("tree-row-{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_last_question_is_taken() {
        let page = Owner::new();
        let known = page.with(|| Known::of(&"s".into(), Kept::new(None)));
        let questions = [known.ask(), known.ask()];
        assert_eq!(questions.map(|question| known.is_last(question)), [false, true]);
    }
}
