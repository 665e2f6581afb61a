//! What brings older messages and puts them on the screen in pieces, one with each of its frames, so that scrolling goes
//! on meanwhile.

use super::place::Scroller;
use crate::chat::signals::Chat;
use crate::chat::transcript::pieces;
use crate::client::Client;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use protocol::Transcript;

/// What leads to older messages. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Way {
    /// Who is asked.
    pub client: Client,
    /// Where they go.
    pub scroller: Scroller,
    /// Whether some are on their way.
    pub is_loading: RwSignal<bool>,
    /// How many there are.
    pub count: Memo<u64>,
}

impl Way {
    /// Brings some of them.
    pub fn go(self, chat: Chat) {
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
