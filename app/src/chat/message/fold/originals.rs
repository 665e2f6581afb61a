//! The messages that a summary stands for, as they were said; many of them come page by page, the last first.

use super::original::original;
use crate::chat::message::editing::Editing;
use crate::client::Client;
use crate::ui::list::{List, item, items};
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{Message, MessageId, OverlayInfo};

/// Messages that come at a time.
const PAGE: u64 = 40;

/// The messages that a summary stands for.
#[component]
pub fn Originals(editing: Editing, fold: Signal<Option<OverlayInfo>>) -> impl IntoView {
    let client = Client::expect();
    let messages = RwSignal::new(Vec::<Message>::new());
    let note = RwSignal::new(Some("Reading the originals…".to_owned()));
    let missing = Memo::new(move |_| {
        let hidden = fold.with(|fold| fold.as_ref().map_or(0, |fold| fold.hidden));
        hidden.saturating_sub(messages.with(Vec::len) as u64)
    });
    let load = StoredValue::new(move || {
        let Some(fold) = fold.get_untracked() else { return };
        let first = messages.with_untracked(|messages| messages.first().map(|message| message.id.clone()));
        let editing = editing.clone();
        spawn_local(async move {
            let before =
                first.or_else(|| editing.chat.read(|transcript| transcript.first_after(&editing.key)));
            let count = missing.get_untracked().min(PAGE);
            match client.originals(&editing.chat, before.as_ref(), count).await {
                Ok(page) => {
                    let _left = note.try_set(None);
                    let more = from(&fold.from, page.messages);
                    let _left = messages.try_update(|known| drop(known.splice(0..0, more)));
                }
                Err(error) => drop(note.try_set(Some(error.message))),
            }
        });
    });
    follow(move || load.with_value(|load| load()));
    let row = |message: Message| item(message.id.clone(), move || original(message));
    let each = items(move || messages.get().into_iter().map(row).collect());
    view! {
        <div class="originals" role="group" aria-label="The original messages">
            {live(move || note.get().map(|text| view! { <p class="panel-note" role="status">{text}</p> }.into_any()))}
            <When is=Memo::new(move |_| missing.get() > 0 && note.with(Option::is_none))>
                <button type="button" class="text-button" on:click=click(move |_| load.with_value(|load| load()))>
                    {live(move || format!("Show {} more above", missing.get()))}
                </button>
            </When>
            <List each/>
        </div>
    }
}

/// Those from the first message of the range on.
fn from(first: &MessageId, messages: Vec<Message>) -> Vec<Message> {
    let at = messages.iter().position(|message| message.id == *first).unwrap_or(0);
    messages.into_iter().skip(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Role;

    #[test]
    fn what_stands_before_the_range_is_left_out() {
        let all: Vec<Message> = ["a", "b", "c"].map(|id| Message::text(id, Role::User, id)).to_vec();
        assert_eq!(from(&"b".into(), all.clone()), all[1..]);
        assert_eq!(from(&"z".into(), all.clone()), all);
    }
}
