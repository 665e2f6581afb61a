//! The way to older messages, where there are any: they come by themselves as somebody scrolls up, and by a button. They
//! are put on the screen in pieces, one with each of its frames, so that scrolling goes on meanwhile.

use super::place::Scroller;
use crate::chat::signals::Chat;
use crate::chat::transcript::pieces;
use crate::client::Client;
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use protocol::Transcript;

/// The way to older messages, where there are any.
#[component]
pub fn Earlier(chat: Chat, scroller: Scroller) -> impl IntoView {
    let status = chat.status();
    let count = Memo::new(move |_| status.with(|status| status.earlier));
    let way = Way { client: Client::expect(), scroller, is_loading: RwSignal::new(false), count };
    let (near, pressed) = (chat.clone(), chat);
    // Once each time that the beginning comes near, so what does not arrive is not asked for again and again.
    follow(move || {
        if scroller.is_near_start.get() {
            way.go(near.clone());
        }
    });
    let label = move || {
        let noun = if count.get() == 1 { "message" } else { "messages" };
        if way.is_loading.get() {
            "Loading…".to_owned()
        } else {
            format!("Show earlier · {} {noun}", count.get())
        }
    };
    view! {
        <When is=Memo::new(move |_| count.get() > 0)>
            <button type="button" class="earlier" on:click=click({
                let chat = pressed.clone();
                move |_| way.go(chat.clone())
            })>
                {live(label)}
            </button>
        </When>
    }
}

/// What leads to older messages. Copying is cheap.
#[derive(Clone, Copy)]
struct Way {
    client: Client,
    scroller: Scroller,
    is_loading: RwSignal<bool>,
    /// How many there are.
    count: Memo<u64>,
}

impl Way {
    /// Brings some of them.
    fn go(self, chat: Chat) {
        if self.is_loading.get_untracked() || self.count.get_untracked() == 0 {
            return;
        }
        self.is_loading.set(true);
        spawn_local(async move {
            let stretch = self.client.earlier(&chat).await;
            match stretch.filter(|stretch| !stretch.messages.is_empty()) {
                Some(stretch) => self.put(chat, pieces(stretch)),
                None => drop(self.is_loading.try_set(false)),
            }
        });
    }

    /// Puts the last piece before what is there, and the others with the frames that follow; then brings more if the
    /// beginning is still near. Pieces of a path that has become another one are left.
    fn put(self, chat: Chat, mut pieces: Vec<Transcript>) {
        let Some(piece) = pieces.pop() else {
            let has_left = self.is_loading.try_set(false).is_some();
            if !has_left && self.scroller.position().is_some_and(|position| position.is_near_start()) {
                self.go(chat);
            }
            return;
        };
        let before = self.scroller.position();
        let first = piece.messages.first().map(|message| message.id.clone());
        chat.act(|transcript| transcript.prepend(piece));
        let goes_on = move || {
            let is_same = chat.read(|transcript| transcript.first_id()) == first;
            self.put(chat, if is_same { pieces } else { Vec::new() });
        };
        spawn_local(async move {
            tick().await;
            self.scroller.keep_place(before);
            request_animation_frame(goes_on);
        });
    }
}
