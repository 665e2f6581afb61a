//! What can be done with a change of memory that the model made: look at it, and take it back.

use crate::chat::memory_write::MemoryWrite;
use crate::client::Client;
use crate::context_panel::memory::diff::{LineKind, lines};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::WireError;

/// The two deeds, and the change where it is wanted.
#[component]
pub fn MemoryDeeds(write: MemoryWrite) -> impl IntoView {
    let client = Client::expect();
    let diff = RwSignal::new(None::<String>);
    let is_undone = RwSignal::new(false);
    let write = StoredValue::new(write);
    let failed = move |error: WireError| client.toasts().fail(&error.message);
    let look = move |_| {
        if diff.with_untracked(Option::is_some) {
            return diff.set(None);
        }
        spawn_local(async move {
            match client.memory_diff(&write.get_value()).await {
                Ok(text) => drop(diff.try_set(Some(text))),
                Err(error) => failed(error),
            }
        });
    };
    let previous = write.with_value(|write| write.previous);
    let undo = previous.map(|previous| {
        let undo = click(move |_| {
            spawn_local(async move {
                match client.undo_memory(&write.get_value(), previous).await {
                    Ok(()) => drop(is_undone.try_set(true)),
                    Err(error) => failed(error),
                }
            });
        });
        view! {
            <button type="button" class="text-button is-strong" disabled=live(move || is_undone.get()) on:click=undo>
                <Icon shape=Shape::Retry/>
                {live(move || if is_undone.get() { "Undone" } else { "Undo" })}
            </button>
        }
        .into_any()
    });
    let label = move || if diff.with(Option::is_some) { "Hide the change" } else { "View diff" };
    view! {
        <div class="memory-deeds">
            <button type="button" class="text-button is-strong" on:click=click(look)>{live(label)}</button>
            {undo}
        </div>
        <When is=Memo::new(move |_| diff.with(Option::is_some))>
            <div class="diff" tabindex="0" role="group" aria-label="What changed">
                {live(move || Some(shown(diff)))}
            </div>
        </When>
    }
}

fn shown(diff: RwSignal<Option<String>>) -> AnyView {
    let line = |(kind, text): (LineKind, String)| view! { <span class=kind.class()>{text}</span> };
    let lines = diff.with(|diff| lines(diff.as_deref().unwrap_or_default()));
    lines.into_iter().map(line).collect::<Vec<_>>().into_any()
}
