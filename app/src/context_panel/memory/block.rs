//! One block: what it is for, its text whole, how full it is, and what can be done with it.

use super::block_deeds::BlockDeeds;
use super::deeds::Memory;
use super::edit::Edit;
use super::editor::Editor;
use super::history::History;
use super::meter::{Meter, tags};
use crate::browser;
use crate::ui::when::{When, follow};
use leptos::prelude::*;
use protocol::ContextBlock;

/// The block.
#[component]
pub fn BlockCard(memory: Memory, label: String) -> impl IntoView {
    let name = label.clone();
    let label = StoredValue::new(label);
    let block = Memo::new(move |_| memory.block(&label.get_value()));
    let edit = RwSignal::new(None::<Edit>);
    let is_history_open = RwSignal::new(false);
    let is_edited = Memo::new(move |_| edit.read().is_some());
    follow(move || {
        let version = block.get().map(|block| block.version).unwrap_or_default();
        if is_edited.get_untracked() {
            edit.update(|edit| edit.as_mut().into_iter().for_each(|edit| edit.block_is_at(version)));
        }
    });
    let head_tags = move || {
        let tag = |text| view! { <span class="tag">{text}</span> }.into_any();
        block.get().map(|block| tags(&block).into_iter().map(tag).collect::<Vec<_>>())
    };
    let heading = format!("block-{name}");
    let labelled_by = heading.clone();
    let card = format!("block-card-{name}");
    let id = card.clone();
    // The field had the focus, and is gone: the focus goes back to the button that opened it.
    follow_end(is_edited, move || browser::focus_in(&card, ".block-deeds button"));
    view! {
        <section class="block" id=id aria-labelledby=labelled_by>
            <header class="block-head">
                <h3 id=heading dir="auto">{name}</h3>
                {head_tags}
            </header>
            {move || block.get().and_then(|block| block.description).map(|text| view! { <p class="block-what" dir="auto">{text}</p> }.into_any())}
            {move || if is_edited.get() {
                view! { <Editor memory label edit/> }.into_any()
            } else {
                view! { <div class="block-text" dir="auto">{move || block.get().map(|block| shown(&block))}</div> }.into_any()
            }}
            {move || block.get().map(|block| meter(&Meter::of(&block)))}
            <When is=Memo::new(move |_| !is_edited.get())>
                <BlockDeeds memory block edit is_history_open/>
            </When>
            <When is=is_history_open>
                <History memory label/>
            </When>
        </section>
    }
}

/// Does something whenever a time ends in which something held.
fn follow_end(is: Memo<bool>, act: impl Fn() + 'static) {
    let was = StoredValue::new(false);
    follow(move || {
        let (before, now) = (was.get_value(), is.get());
        was.set_value(now);
        if before && !now {
            act();
        }
    });
}

/// What stands in the card: the text, or why there is none.
fn shown(block: &ContextBlock) -> String {
    match &block.problem {
        Some(problem) => problem.clone(),
        None if block.content.is_empty() => "(empty)".to_owned(),
        None => block.content.clone(),
    }
}

fn meter(meter: &Meter) -> AnyView {
    let bar = meter.percent.map(|percent| {
        let fill = format!("width:{percent}%");
        view! {
            <span class="gauge" role="meter" aria-label="How full" aria-valuemin="0" aria-valuemax="100" aria-valuenow=percent.to_string() aria-valuetext=meter.text.clone()>
                <span style=fill></span>
            </span>
        }
        .into_any()
    });
    view! { <div class="meter" class:is-nearly-full=meter.is_nearly_full>{bar}<span>{meter.text.clone()}</span></div> }.into_any()
}
