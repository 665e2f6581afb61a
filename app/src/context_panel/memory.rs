//! The Memory tab: every context block whole, what it is for, how full it is, and everything a person may do with it.

mod block;
mod block_deeds;
mod conflict;
mod deeds;
pub mod diff;
mod edit;
mod editor;
mod history;
mod meter;
mod new_block;
mod notice;
mod skills;
mod version;

use crate::client::Client;
use crate::ui::when::follow;
use block::BlockCard;
use deeds::Memory;
use leptos::prelude::*;
use new_block::NewBlock;
use notice::FrozenNotice;
use protocol::SessionId;
use skills::Skills;

/// The Memory tab of one session.
#[component]
pub fn MemoryTab(session: SessionId) -> impl IntoView {
    let client = Client::expect();
    let memory = Memory::new(client, session);
    let news = client.panel().block_news;
    follow(move || {
        news.track();
        memory.load();
    });
    let labels = Memo::new(move |_| memory.labels());
    let note = move || {
        memory
            .note()
            .map(|(text, role)| view! { <p class="panel-note" role=role dir="auto">{text}</p> }.into_any())
    };
    view! {
        <FrozenNotice memory/>
        {note}
        <For each=move || labels.get() key=|label| label.clone() let:label>
            <BlockCard memory label/>
        </For>
        <Skills memory/>
        <NewBlock memory/>
    }
}
