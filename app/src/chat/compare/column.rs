//! One version in its column: what it says, how it was made, and the button that keeps it.

use super::stored::Stored;
use crate::chat::part::PartView;
use crate::chat::signals::{Chat, PartSlot, RowSignals};
use crate::chat::transcript::Activity;
use crate::client::Client;
use crate::format;
use crate::ui::list::{List, item, items};
use crate::ui::when::{When, click, live, memo};
use leptos::prelude::*;
use protocol::{MessageId, TurnInfo};

/// One version.
#[component]
pub fn Column(
    /// Its chat.
    chat: Chat,
    /// Which.
    id: MessageId,
    /// Its number, from 1.
    number: usize,
    /// Keeps it.
    keep: Callback<MessageId>,
) -> impl IntoView {
    let client = Client::expect();
    let row = row_memo(&chat, &id);
    let is_away = Signal::derive(move || row.with(Option::is_none));
    let stored = Stored::follow(client, &chat, &id, is_away);
    let status = chat.status();
    let is_busy = memo(move || status.with(|status| status.activity != Activity::Idle));
    let made = move || {
        let turn = match row.get() {
            Some(row) => row.0.head.with(|head| head.turn.clone()),
            None => stored.turn(),
        };
        turn.map(|turn| facts(client, &turn)).unwrap_or_default()
    };
    let said = move || Some(row.get().map_or_else(|| stored.view(), |row| row_view(&row.0)));
    let id = StoredValue::new(id);
    let busy_title = "Wait for the answers, or stop them";
    view! {
        <article class="version-column" tabindex="0" data-version=number.to_string() aria-label=format!("Version {number}")>
            <header class="version-head">
                <h3>{format!("Version {number}")}</h3>
                <When is=memo(move || !is_away.get())><span class="tag">"Shown now"</span></When>
                <span class="facts">{live(made)}</span>
            </header>
            <div class="version-body">{live(said)}</div>
            <footer class="version-foot">
                <button
                    type="button"
                    class="button"
                    disabled=live(move || is_busy.get())
                    title=live(move || if is_busy.get() { busy_title } else { "" })
                    on:click=click(move |_| keep.run(id.get_value()))
                >
                    "Keep this one"
                </button>
            </footer>
        </article>
    }
}

/// The signals of a row, told apart by what they are of.
#[derive(Clone)]
struct Shown(RowSignals);

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        self.0.parts == other.0.parts
    }
}

/// The row that shows a version, where one does.
fn row_memo(chat: &Chat, id: &MessageId) -> Memo<Option<Shown>> {
    let (chat, id) = (chat.clone(), id.clone());
    let (order, status) = (chat.order(), chat.status());
    memo(move || {
        order.track();
        status.track();
        let key = chat.read(|transcript| transcript.row_of(&id))?;
        chat.row(&key).map(Shown)
    })
}

fn row_view(row: &RowSignals) -> AnyView {
    let (head, parts) = (Signal::from(row.head.clone()), row.parts.clone());
    let part = move |slot: PartSlot| item(&slot.key, move || view! { <PartView head part=slot.part/> });
    let each = items(move || parts.get().into_iter().map(part).collect());
    view! { <List each/> }.into_any()
}

fn facts(client: Client, turn: &TurnInfo) -> String {
    let mut facts = vec![client.model_name(&turn.model)];
    facts.extend(turn.usage.map(|usage| format::tokens(usage.output_tokens)));
    facts.extend(turn.finished_at.map(|end| format::duration(end.saturating_sub(turn.started_at))));
    facts.join(" · ")
}
