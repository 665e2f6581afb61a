//! The sessions of one heading.

use crate::sessions::deeds::ListDeeds;
use crate::sessions::row::SessionRow;
use crate::sessions::state::Group;
use crate::ui::list::{List, item, items};
use leptos::prelude::*;
use protocol::SessionId;

/// The sessions of one heading. The heading is the key, so the ids are looked up anew when they change.
#[component]
pub fn SessionGroup(group: Group, groups: Memo<Vec<Group>>, deeds: ListDeeds) -> impl IntoView {
    let age = group.age;
    let ids = Memo::new(move |_| {
        groups.with(|groups| groups.iter().find(|group| group.age == age).map(|group| group.ids.clone()))
    });
    let row = move |id: SessionId| item(id.clone(), move || view! { <SessionRow id=id.clone() deeds/> });
    let each = items(move || ids.get().unwrap_or_default().into_iter().map(row).collect());
    let heading = format!("group-{age:?}");
    let labelled_by = heading.clone();
    view! {
        <section class="session-group" aria-labelledby=labelled_by>
            <h2 id=heading>{age.label()}</h2>
            <ul>
                <List each/>
            </ul>
        </section>
    }
}
