//! The sessions of a shelf.

use super::shelf::Shelf;
use super::shelf_row::ShelfRow;
use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::routes;
use crate::ui::list::{List, item, items};
use crate::ui::when::{When, click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionInfo, SessionPage};

/// Sessions that are asked for at once.
const PAGE: usize = 50;

/// What is known of a shelf.
#[derive(Clone, Default)]
struct Known {
    sessions: Vec<SessionInfo>,
    cursor: Option<String>,
    note: Option<String>,
}

#[component]
pub fn ShelfList(shelf: Shelf) -> impl IntoView {
    let client = Client::expect();
    let known = RwSignal::new(Known { note: Some("Looking…".to_owned()), ..Known::default() });
    // Whatever changes in the list of sessions may have come from here or gone here.
    follow(move || {
        client.sessions().track();
        load(client, shelf, known, None);
    });
    let row =
        move |session: SessionInfo| item(session.id.clone(), move || view! { <ShelfRow shelf session/> });
    let each = items(move || known.read().sessions.iter().cloned().map(row).collect());
    let has_more = Memo::new(move |_| known.read().cursor.is_some());
    let more = move |_| load(client, shelf, known, known.read_untracked().cursor.clone());
    let heading = format!("data-{}", shelf.name());
    let labelled_by = heading.clone();
    let note =
        move || known.read().note.clone().map(|note| view! { <p class="panel-note">{note}</p> }.into_any());
    view! {
        <section class="setting" aria-labelledby=labelled_by>
            <h3 id=heading>{shelf.label()}</h3>
            {live(note)}
            <ul class="shelf">
                <List each/>
            </ul>
            <When is=has_more>
                <button type="button" class="text-button" on:click=click(more)>"Show more"</button>
            </When>
        </section>
    }
}

/// Asks for the first sessions of the shelf, or for those after a cursor.
fn load(client: Client, shelf: Shelf, known: RwSignal<Known>, after: Option<String>) {
    let cursor =
        after.as_ref().map(|cursor| format!("&cursor={}", routes::encode(cursor))).unwrap_or_default();
    let ask = Ask::get(format!("/sessions?shelf={}&limit={PAGE}{cursor}", shelf.name()));
    spawn_local(async move {
        let answer = ask.send(client).await.map_err(|refusal| refusal.error.message);
        let page = answer.map(|text| told::read::<SessionPage>(&text).unwrap_or_default());
        let _left = known.try_update(|known| match page {
            Err(problem) => known.note = Some(problem),
            Ok(page) => {
                if after.is_none() {
                    known.sessions.clear();
                }
                known.sessions.extend(page.sessions);
                known.cursor = page.next_cursor;
                known.note = known.sessions.is_empty().then(|| shelf.empty_note().to_owned());
            }
        });
    });
}
