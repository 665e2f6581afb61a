//! A text of markdown on the screen: finished blocks are built once, only the open one is built again.

use super::document::{Block, Document};
use super::drawings::Drawings;
use super::kept::Home;
use super::painter::Growing;
use super::parse::{Definitions, nodes};
use super::render::views;
use crate::ui::list::{List, item, items};
use crate::ui::when::{follow, live};
use leptos::prelude::*;
use leptos::reactive::owner::ArcStoredValue;

#[derive(Clone)]
struct Slot {
    id: u64,
    block: ArcRwSignal<Block>,
}

#[derive(Clone)]
struct Blocks {
    document: ArcStoredValue<Document>,
    definitions: ArcStoredValue<Definitions>,
    slots: ArcRwSignal<Vec<Slot>>,
}

impl Blocks {
    fn new(first: &Growing) -> Self {
        let blocks = Self {
            document: ArcStoredValue::new(Document::default()),
            definitions: ArcStoredValue::new(Definitions::new()),
            slots: ArcRwSignal::new(Vec::new()),
        };
        blocks.show(first);
        blocks
    }

    /// Shows the text as it is now.
    fn show(&self, now: &Growing) {
        let mut document = self.document.write_value();
        document.set(&now.text, now.growth);
        self.definitions.set_value(document.definitions().clone());
        let old = self.slots.get_untracked();
        let mut known = old.iter();
        let slots: Vec<Slot> = document.blocks().map(|block| slot(known.next(), block)).collect();
        if !old.iter().map(|slot| slot.id).eq(slots.iter().map(|slot| slot.id)) {
            self.slots.set(slots);
        }
    }
}

/// Blocks never move, so the slot at the same place is the same block or one of another text.
fn slot(known: Option<&Slot>, block: &Block) -> Slot {
    match known.filter(|known| known.id == block.id) {
        Some(known) => {
            if known.block.with_untracked(|old| old != block) {
                known.block.set(block.clone());
            }
            known.clone()
        }
        None => Slot { id: block.id, block: ArcRwSignal::new(block.clone()) },
    }
}

/// A text of markdown. The server shows it whole.
#[component]
pub fn MarkdownText(
    /// The text as it grows.
    #[prop(into)]
    source: Signal<Growing>,
    /// What the server draws; none on the server itself.
    drawings: Option<Drawings>,
) -> impl IntoView {
    if let Some(drawings) = drawings {
        provide_context(drawings);
    }
    let blocks = source.with_untracked(Blocks::new);
    let (slots, definitions) = (blocks.slots.clone(), blocks.definitions.clone());
    let row = move |slot: Slot| {
        let definitions = definitions.clone();
        item(slot.id, move || block_view(slot, definitions))
    };
    let each = items(move || slots.get().into_iter().map(&row).collect());
    follow(move || source.with(|now| blocks.show(now)));
    view! {
        <div class="prose">
            <List each/>
        </div>
    }
}

fn block_view(slot: Slot, definitions: ArcStoredValue<Definitions>) -> AnyView {
    Home::provide();
    let build = move || {
        slot.block.with(|block| {
            definitions.with_value(|known| views(nodes(&block.source, block.growth, known)).into_any())
        })
    };
    live(move || Some(build())).into_any()
}
