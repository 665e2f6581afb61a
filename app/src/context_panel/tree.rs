//! The Tree tab: every branch of the session as an outline that keys can walk; Enter goes to a branch.

mod deeds;
mod glimpse;
mod keys;
mod outline;
mod rows;

use crate::client::Client;
use crate::context_panel::frame::content::Kept;
use crate::ui::when::{click, follow, key, live};
use deeds::Tree;
use leptos::prelude::*;
use protocol::SessionId;
use rows::Rows;

/// The Tree tab of one session.
#[component]
pub fn TreeTab(
    session: SessionId,
    /// Where the tree is kept while another tab is shown.
    kept: Kept,
) -> impl IntoView {
    let client = Client::expect();
    let tree = Tree::new(client, session, kept);
    let news = client.panel().message_news;
    follow(move || tree.begin());
    follow(move || tree.catch_up(news.get()));
    let note =
        move || tree.note().map(|text| view! { <p class="panel-note" role="status">{text}</p> }.into_any());
    let height = move || format!("height:{}px", tree.height());
    view! {
        {live(note)}
        <div
            class="tree"
            role="tree"
            aria-label="Branches"
            node_ref=tree.node
            on:scroll=move |_| tree.scrolled()
            on:click=click(move |click| tree.clicked(&click))
            on:keydown=key(move |press| tree.pressed(&press))
        >
            <div class="tree-rows" role="presentation" style=live(height)>
                <Rows tree/>
            </div>
        </div>
    }
}
