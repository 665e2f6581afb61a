//! One version of a block: who, when, what it changed, and the way back to it.

use super::deeds::Memory;
use super::diff;
use crate::client::Client;
use crate::format;
use crate::ui::when::click;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Author, BlockVersion};

/// Who wrote, in words.
pub fn author(author: &Author) -> &'static str {
    match author {
        Author::User => "You",
        Author::Model { .. } => "The model",
        Author::Setup => "Set-up",
        Author::Outside => "From outside",
    }
}

/// The version.
#[component]
pub fn VersionRow(
    memory: Memory,
    label: StoredValue<String>,
    version: BlockVersion,
    before: Option<u64>,
) -> impl IntoView {
    let client = Client::expect();
    let number = version.version;
    let who = author(&version.author);
    let at = version.written_at;
    let when = move || {
        format!(
            "{} {}",
            format::day(at, client.utc_offset_minutes().get()),
            format::clock(at, client.utc_offset_minutes().get())
        )
    };
    let shown = RwSignal::new(None);
    let show = move |_| {
        if shown.read_untracked().is_some() {
            return shown.set(None);
        }
        spawn_local(async move {
            let diff = memory.diff(label.get_value(), before.unwrap_or_default(), number).await;
            let _left = shown.try_set(Some(diff.unwrap_or_else(|failure| failure)));
        });
    };
    let line =
        |(kind, text): (diff::LineKind, String)| view! { <span class=kind.class()>{text}</span> }.into_any();
    let restore = move |_| memory.restore(label.get_value(), number);
    view! {
        <li class="version">
            <span class="version-who">{who}</span>
            <span class="version-when">{when}</span>
            {before.map(|_| view! {
                <button type="button" class="text-button" aria-expanded=move || shown.read().is_some().to_string() on:click=click(show)>
                    "Changes"
                </button>
            }.into_any())}
            <button type="button" class="text-button" aria-label=format!("Restore version {number}") on:click=click(restore)>"Restore"</button>
            {move || shown.get().map(|text| view! {
                <div class="diff" tabindex="0" role="group" aria-label="Changes">
                    {diff::lines(&text).into_iter().map(line).collect::<Vec<_>>()}
                </div>
            }.into_any())}
        </li>
    }
}
