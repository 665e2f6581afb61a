//! The sessions of one heading.

use crate::sessions::deeds::ListDeeds;
use crate::sessions::outline::{Entry, Group};
use crate::sessions::row::SessionRow;
use crate::ui::list::{List, item, items};
use leptos::prelude::*;

/// The sessions of one heading. The heading is the key, so the rows are looked up anew when they change; a row whose
/// place among its family changes is made anew.
#[component]
pub fn SessionGroup(group: Group, groups: Memo<Vec<Group>>, deeds: ListDeeds) -> impl IntoView {
    let heading = group.heading;
    let rows = Memo::new(move |_| {
        groups.with(|groups| {
            groups.iter().find(|group| group.heading == heading).map(|group| group.rows.clone())
        })
    });
    let row = move |entry: Entry| {
        let key = format!("{}/{}/{}", entry.id, entry.depth, entry.is_parent);
        item(key, move || view! { <SessionRow entry=entry.clone() deeds/> })
    };
    let each = items(move || rows.get().unwrap_or_default().into_iter().map(row).collect());
    let id = format!("group-{heading:?}");
    let labelled_by = id.clone();
    view! {
        <section class="session-group" aria-labelledby=labelled_by>
            <h2 id=id>{heading.label()}</h2>
            <ul>
                <List each/>
            </ul>
        </section>
    }
}
