//! The sessions: pinned ones, then by day.

mod group;
mod list_end;

use super::deeds::ListDeeds;
use super::outline::{Group, groups as laid_out};
use crate::app::SessionsResource;
use crate::client::Client;
use crate::ui::list::{List, item, items};
use group::SessionGroup;
use leptos::prelude::*;
use list_end::ListEnd;

#[component]
pub fn SessionGroups(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let sessions = SessionsResource::expect();
    let (list, now, offset) = (client.sessions(), client.now(), client.utc_offset_minutes());
    let groups =
        Memo::new(move |_| list.with(|list| laid_out(list, &deeds.folded.read(), now.get(), offset.get())));
    let row = move |group: Group| {
        item(group.heading.label(), move || view! { <SessionGroup group=group.clone() groups deeds/> })
    };
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let failure = sessions.load(client).await;
                let empty_note = failure.map_or_else(|| "Your chats will stand here.".to_owned(), |error| error.message);
                view! {
                    <List each=items(move || groups.get().into_iter().map(row).collect())/>
                    <ListEnd empty_note/>
                }
                .into_any()
            })}
        </Transition>
    }
}
