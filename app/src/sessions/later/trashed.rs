//! The way back for a chat that lies in the trash, below the words that say that it is gone.

use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::client::shelves::{Shelving, path};
use crate::format;
use crate::sessions::state::title;
use crate::ui::when::{click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::{SessionId, SessionInfo};

/// The way back; nothing where the chat does not lie in the trash. Part of what comes late.
#[component]
pub fn Trashed(
    /// The chat.
    session: SessionId,
    /// It is back. None where it was just deleted: nobody has to look for it then, and every tab hears that it is back.
    back: Option<Callback<()>>,
) -> impl IntoView {
    let client = Client::expect();
    if back.is_none() {
        return button(client, session, back);
    }
    let found = RwSignal::new(None::<SessionInfo>);
    let address = format!("{}?trash=true", path(&session, ""));
    follow(move || {
        let answer = Ask::get(address.clone()).send(client);
        spawn_local(async move {
            // What is not there any more, or cannot be asked for now, has no way back here.
            let row = answer.await.ok().and_then(|text| told::read::<SessionInfo>(&text));
            let _left = found.try_set(row);
        });
    });
    live(move || found.get().map(|row| shown(client, &row, back))).into_any()
}

fn button(client: Client, id: SessionId, back: Option<Callback<()>>) -> AnyView {
    let restore = click(move |_| client.bring_back_here(&id, back));
    let label = Shelving::Restore.label();
    view! { <button type="button" class="button is-main" on:click=restore>{label}</button> }.into_any()
}

fn shown(client: Client, row: &SessionInfo, back: Option<Callback<()>>) -> AnyView {
    let offset = client.utc_offset_minutes().get_untracked();
    let day = row.deleted_at.map(|since| format!(", deleted {}", format::day(since, offset)));
    let name = title(Some(row));
    view! {
        <p dir="auto" class="trashed">
            <bdi>{format!("“{name}”")}</bdi>
            {format!(" is in the trash{}.", day.unwrap_or_default())}
        </p>
        {button(client, row.id.clone(), back)}
    }
    .into_any()
}
