//! The message that the address names, if it names one.

use super::place::Scroller;
use crate::chat::later::{Extra, extra};
use crate::chat::signals::Chat;
use crate::ui::when::{live, memo};
use leptos::prelude::*;
use leptos_router::hooks::use_url;
use protocol::MessageId;

/// The message that the address names. The server shows nothing in its place.
#[component]
pub fn Sought(chat: Chat, scroller: Scroller) -> impl IntoView {
    let url = use_url();
    let wanted = memo(move || url.with(|url| url.search_params().get("m")).filter(|id| !id.is_empty()));
    live(move || wanted.get().map(|id| extra(Extra::Seek(chat.clone(), scroller, MessageId::new(id)))))
}
