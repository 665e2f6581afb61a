//! The way to a message that an address names: it is brought here, comes into view, and is marked.

use super::place::Scroller;
use crate::browser;
use crate::chat::signals::Chat;
use crate::client::Client;
use crate::ui::when::{When, follow};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{ErrorCode, MessageId};

/// Frames of the screen in which the row is looked for, and those in which it is held in its place while what stands
/// around it is laid out.
const LOOK_FRAMES: u32 = 120;
const HOLD_FRAMES: u32 = 6;

const GONE: &str = "The message at this address is no longer in this chat.";

/// What is shown while a message is looked for.
#[component]
pub fn Seek(chat: Chat, scroller: Scroller, message: MessageId) -> impl IntoView {
    let client = Client::expect();
    let is_looking = RwSignal::new(true);
    follow(move || {
        let (chat, message) = (chat.clone(), message.clone());
        spawn_local(async move {
            match client.reach(&chat, &message).await {
                Ok(()) => show(scroller, message, LOOK_FRAMES),
                Err(error) if error.code == ErrorCode::UnknownMessage => client.toasts().fail(GONE),
                Err(error) => client.toasts().fail(&error.message),
            }
            let _left = is_looking.try_set(false);
        });
    });
    view! {
        <When is=is_looking>
            <p class="seeking" role="status">"Looking for the message…"</p>
        </When>
    }
}

fn show(scroller: Scroller, message: MessageId, frames: u32) {
    if browser::mark_row(message.as_str()) {
        scroller.pulled_up();
        hold(message, HOLD_FRAMES);
    } else if frames > 0 {
        request_animation_frame(move || show(scroller, message, frames - 1));
    }
}

fn hold(message: MessageId, frames: u32) {
    browser::center_row(message.as_str());
    if frames > 0 {
        request_animation_frame(move || hold(message, frames - 1));
    }
}
