//! What brings older messages and puts them on the screen in pieces, one with each of its frames, so that scrolling goes
//! on meanwhile.

use super::place::Scroller;
use crate::chat::signals::Chat;
use crate::chat::transcript::pieces;
use crate::client::Client;
use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use protocol::{MessageId, Transcript};

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
        let before = chat.read(|transcript| transcript.first_id());
        let Some(before) = before.filter(|_| is_wanted(self.is_loading, self.count)) else { return };
        self.is_loading.set(true);
        spawn_local(async move {
            let stretch = self.client.earlier(chat.session(), &before).await;
            match stretch.filter(|stretch| !stretch.messages.is_empty()) {
                Some(stretch) => self.put(chat, pieces(stretch), before),
                None => drop(self.is_loading.try_set(false)),
            }
        });
    }

    /// Puts the last piece before what is there, and the others with the frames that follow; then brings more if the
    /// beginning is still near. What was asked for on a path that has become another one is left.
    fn put(self, chat: Chat, mut pieces: Vec<Transcript>, before: MessageId) {
        let Some(piece) = pieces.pop() else {
            let has_left = self.is_loading.try_set(false).is_some();
            if !has_left && self.scroller.position().is_some_and(|position| position.is_near_start()) {
                self.go(chat);
            }
            return;
        };
        let place = self.scroller.position();
        let first = piece.messages.first().map_or_else(|| before.clone(), |message| message.id.clone());
        if !chat.act(|transcript| transcript.prepend(piece, &before)) {
            return self.put(chat, Vec::new(), before);
        }
        spawn_local(async move {
            tick().await;
            self.scroller.keep_place(place);
            request_animation_frame(move || self.put(chat, pieces, first));
        });
    }
}

/// Whether there are some, and none are on their way. No where the chat has left the screen, as it may while this code is
/// on its way.
fn is_wanted(is_loading: RwSignal<bool>, count: Memo<u64>) -> bool {
    is_loading.try_get_untracked() == Some(false) && count.try_get_untracked().is_some_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_brought_to_a_chat_that_has_left_the_screen() {
        let screen = Owner::new();
        let (is_loading, count) = screen.with(|| (RwSignal::new(false), Memo::new(|_| 3_u64)));
        assert!(is_wanted(is_loading, count));
        is_loading.set(true);
        assert!(!is_wanted(is_loading, count));
        is_loading.set(false);
        screen.cleanup();
        assert!(!is_wanted(is_loading, count));
    }
}
