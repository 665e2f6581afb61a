//! What can be done with a change of memory that the model made: look at it, and take it back while nothing was written
//! since. Whatever else became of the block is said.

use crate::chat::memory_write::{Fate, MemoryWrite};
use crate::client::Client;
use crate::context_panel::memory::diff::{LineKind, lines};
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The change that is shown.
#[derive(Clone, PartialEq)]
struct Shown {
    from: u64,
    to: u64,
    diff: String,
}

/// One card. Copying is cheap.
#[derive(Clone, Copy)]
struct Card {
    client: Client,
    write: StoredValue<MemoryWrite>,
    /// None before it is known.
    fate: RwSignal<Option<Fate>>,
    shown: RwSignal<Option<Shown>>,
}

/// The deeds, and the change where it is wanted.
#[component]
pub fn MemoryDeeds(write: MemoryWrite) -> impl IntoView {
    let client = Client::expect();
    let card = Card {
        client,
        fate: RwSignal::new(None),
        shown: RwSignal::new(None),
        write: StoredValue::new(write.clone()),
    };
    let news = client.panel().block_news;
    follow(move || {
        news.track();
        spawn_local(card.look());
    });
    let of_write = (write.previous, write.version);
    let fate = move || Some(fate_view(card, card.fate.get()?));
    view! {
        <div class="memory-deeds">
            {card.diff_button(of_write, ("View diff", "Hide diff"))}
            {live(fate)}
        </div>
        <When is=Memo::new(move |_| card.shown.with(Option::is_some))>
            <div class="diff" tabindex="0" role="group" aria-label="What changed">
                {live(move || card.shown.with(|shown| shown.as_ref().map(|shown| diff_view(&shown.diff))))}
            </div>
        </When>
    }
}

fn fate_view(card: Card, fate: Fate) -> AnyView {
    match fate {
        Fate::Latest => view! {
            <button type="button" class="text-button is-strong" on:click=click(move |_| spawn_local(card.undo()))>
                <Icon shape=Shape::Retry/>
                "Undo"
            </button>
        }
        .into_any(),
        Fate::Undone => view! { <span class="memory-fate" role="status">"Undone"</span> }.into_any(),
        Fate::Gone => view! { <span class="memory-fate">"The block is gone"</span> }.into_any(),
        Fate::Changed(now) => {
            let since = (card.write.with_value(|write| write.version), now);
            view! {
                <span class="memory-fate" role="status">"The block has changed since"</span>
                {card.diff_button(since, ("View what changed since", "Hide what changed since"))}
            }
            .into_any()
        }
    }
}

fn diff_view(diff: &str) -> AnyView {
    let line = |(kind, text): (LineKind, String)| view! { <span class=kind.class()>{text}</span> };
    lines(diff).into_iter().map(line).collect::<Vec<_>>().into_any()
}

impl Card {
    /// A button that shows the change between two versions, or hides it.
    fn diff_button(self, (from, to): (u64, u64), labels: (&'static str, &'static str)) -> AnyView {
        let is_open = Memo::new(move |_| {
            self.shown.with(|shown| shown.as_ref().is_some_and(|shown| (shown.from, shown.to) == (from, to)))
        });
        let toggle = move |_| match is_open.get_untracked() {
            true => self.shown.set(None),
            false => spawn_local(self.show(from, to)),
        };
        view! {
            <button
                type="button"
                class="text-button is-strong"
                aria-expanded=live(move || is_open.get().to_string())
                on:click=click(toggle)
            >
                {live(move || if is_open.get() { labels.1 } else { labels.0 })}
            </button>
        }
        .into_any()
    }

    async fn show(self, from: u64, to: u64) {
        let Some(label) = self.write.try_with_value(|write| write.label.clone()) else { return };
        match self.client.memory_diff(&label, from, to).await {
            Ok(diff) => drop(self.shown.try_set(Some(Shown { from, to, diff }))),
            Err(error) => self.client.toasts().fail(&error.message),
        }
    }

    /// Asks what has become of the write; where that cannot be told, nothing is offered.
    async fn look(self) {
        let Some(write) = self.write.try_get_value() else { return };
        if let Ok(fate) = self.client.memory_fate(&write).await {
            let _left = self.fate.try_set(Some(fate));
        }
    }

    async fn undo(self) {
        let Some(write) = self.write.try_get_value() else { return };
        match self.client.undo_memory(&write).await {
            // Whoever wrote meanwhile has told no page yet.
            Err(refusal) if refusal.status == 409 => {}
            Err(refusal) => return self.client.toasts().fail(&refusal.error.message),
            Ok(()) => {}
        }
        self.look().await;
    }
}
