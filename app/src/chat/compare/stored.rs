//! A version that no row shows: as the server has it, asked for again until it is whole.

use crate::chat::part::part_view;
use crate::chat::signals::Chat;
use crate::chat::transcript::Speaker;
use crate::client::Client;
use crate::ui::list::{List, item, items};
use crate::ui::when::follow;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Message, MessageId, Part, TurnInfo, TurnStatus};

/// What is known of a version. Copying is cheap.
#[derive(Clone, Copy)]
pub struct Stored {
    message: RwSignal<Option<Message>>,
}

impl Stored {
    /// Asks for it now, and with each change of the chat for as long as it is not whole.
    pub fn follow(client: Client, chat: &Chat, id: &MessageId, is_wanted: Signal<bool>) -> Self {
        let message = RwSignal::new(None::<Message>);
        let (chat, id, order) = (chat.clone(), id.clone(), chat.order());
        follow(move || {
            order.track();
            let is_whole = message.with_untracked(|message| message.as_ref().is_some_and(is_over));
            if !is_wanted.get() || is_whole {
                return;
            }
            let (chat, id) = (chat.clone(), id.clone());
            spawn_local(async move {
                let found = client.stored_message(&chat, &id).await;
                let _left = message.try_set(found);
            });
        });
        Self { message }
    }

    /// How its turn went.
    pub fn turn(self) -> Option<TurnInfo> {
        self.message.with(|message| message.as_ref().and_then(Message::turn))
    }

    /// Its parts; nothing while it is on its way.
    pub fn view(self) -> AnyView {
        let message = self.message.get();
        let Some(message) = message else {
            return view! { <p class="panel-note" role="status">"On its way…"</p> }.into_any();
        };
        let speaker = Speaker::of(&message.role);
        let parts: Vec<(usize, Part)> = message.parts.into_iter().enumerate().collect();
        let is_held = Signal::derive(|| false);
        let row = move |(place, part): (usize, Part)| {
            item(place, move || part_view(speaker, ArcRwSignal::new(part), is_held))
        };
        let each = items(move || parts.clone().into_iter().map(row).collect());
        view! { <List each/> }.into_any()
    }
}

fn is_over(message: &Message) -> bool {
    message.turn().is_none_or(|turn| turn.status != TurnStatus::Running)
}
