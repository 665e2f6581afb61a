//! The message that the address names, if it names one.

use super::place::Scroller;
use crate::chat::later::{Extra, extra};
use crate::chat::signals::Chat;
use crate::ui::when::live;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use protocol::MessageId;

/// The message that the address names. The server shows nothing in its place.
#[component]
pub fn Sought(chat: Chat, scroller: Scroller) -> impl IntoView {
    let query = use_query_map();
    let wanted = Memo::new(move |_| query.with(|query| query.get("m")).filter(|id| !id.is_empty()));
    live(move || wanted.get().map(|id| extra(Extra::Seek(chat.clone(), scroller, MessageId::new(id)))))
}
