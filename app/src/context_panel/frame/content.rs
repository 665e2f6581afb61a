//! What the chosen tab shows.

use crate::client::Client;
use crate::context_panel::layout::Tab;
use crate::context_panel::memory::MemoryTab;
use crate::context_panel::prompt::PromptTab;
use crate::context_panel::tree::TreeTab;
use crate::routes;
use crate::ui::lazy::{Fetched, Later, fetch};
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use leptos_router::hooks::use_location;
use protocol::SessionId;
use std::any::Any;

/// What the chosen tab shows; made anew for each session. Nothing on the server, and nothing while nobody sees it.
#[component]
pub fn Content() -> impl IntoView {
    let client = Client::expect();
    let panel = client.panel();
    let path = use_location().pathname;
    let session = Memo::new(move |_| routes::session_at(&path.read(), &client.base()));
    let shown = RwSignal::new(None);
    let kept = Kept::new(None);
    follow(move || {
        let layout = panel.layout.get();
        let is_seen = layout.is_open || panel.drawer.get();
        let next = is_seen.then(|| (layout.tab, session.get()));
        if shown.read_untracked() != next {
            shown.set(next);
        }
    });
    view! {
        {live(move || {
            let (tab, session) = shown.get()?;
            let session = session.unwrap_or_default();
            Some(view! { <Later fetch=fetch(move || tab_content(tab, session.clone(), kept))/> }.into_any())
        })}
    }
}

/// What a tab keeps for the next time that it is shown, whatever that is.
pub type Kept = StoredValue<Option<Box<dyn Any + Send + Sync>>>;

#[wasm_split(panel, wasm_split_path = leptos::wasm_split, fallible)]
fn tab_content(tab: Tab, session: SessionId, kept: Kept) -> Fetched {
    Ok(match tab {
        Tab::Memory => ViewFn::from(move || view! { <MemoryTab session=session.clone()/> }),
        Tab::Tree => ViewFn::from(move || view! { <TreeTab session=session.clone() kept/> }),
        Tab::Prompt => ViewFn::from(move || view! { <PromptTab session=session.clone()/> }),
    })
}
