//! What can be done with a summary: write it anew, read what it stands for, take it away.

use super::originals::Originals;
use super::summary_field::SummaryField;
use crate::chat::message::editing::Editing;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{When, click, live};
use leptos::prelude::*;
use protocol::OverlayInfo;

/// What can be done with a summary.
#[component]
pub fn FoldBody(editing: Editing, fold: Signal<Option<OverlayInfo>>) -> impl IntoView {
    let client = Client::expect();
    let is_unfolded = RwSignal::new(false);
    let words = editing.words;
    let is_edited = Memo::new(move |_| words.with(Option::is_some));
    let this = StoredValue::new(editing);
    let undo = move || {
        if let Some(fold) = fold.get_untracked() {
            this.with_value(|editing| client.unfold(&editing.chat, &fold.id));
        }
    };
    let button = |label, shape, act: Box<dyn Fn()>| {
        view! {
            <button type="button" class="text-button is-strong" on:click=click(move |_| act())>
                <Icon shape/>
                {label}
            </button>
        }
        .into_any()
    };
    let originals = move || if is_unfolded.get() { "Hide the originals" } else { "Show the originals" };
    view! {
        <When is=is_edited>
            <SummaryField editing=this.get_value() fold/>
        </When>
        <When is=Memo::new(move |_| !is_edited.get())>
            <div class="fold-deeds">
                <button
                    type="button"
                    class="text-button is-strong"
                    aria-expanded=live(move || is_unfolded.get().to_string())
                    on:click=click(move |_| is_unfolded.update(|open| *open = !*open))
                >
                    <Icon shape=Shape::Unfold/>
                    {live(originals)}
                </button>
                {button("Edit the summary", Shape::Pencil, Box::new(move || this.with_value(Editing::open)))}
                {button("Undo the summary", Shape::Retry, Box::new(undo))}
            </div>
        </When>
        <When is=is_unfolded>
            <Originals editing=this.get_value() fold/>
        </When>
    }
}
