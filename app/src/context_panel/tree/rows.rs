//! The rows of the outline that can be seen.

use super::deeds::{Tree, id_of};
use super::outline::{Outline, ROW_PX, Row, speaker, status};
use crate::ui::list::{List, item, items};
use crate::ui::when::live;
use leptos::prelude::*;

/// The rows. They are few, whatever the tree's size, and one that stays in view while others come and go stays itself.
#[component]
pub fn Rows(tree: Tree) -> impl IntoView {
    let rows = move || {
        let (edition, shown) = tree.shown();
        let row = move |(place, row)| {
            let build = move || tree.with(|outline| row_view(tree, outline, place, &row));
            item(format!("{edition}-{place}"), build)
        };
        shown.into_iter().map(row).collect()
    };
    view! { <List each=items(rows)/> }
}

fn row_view(tree: Tree, outline: &Outline, place: usize, row: &Row) -> Option<AnyView> {
    let node = outline.node(row.node)?;
    let (is_here, is_on_path) = (outline.is_here(row.node), outline.is_on_path(row.node));
    let expanded = row.is_fork.then(|| (row.hidden == 0).to_string());
    let marks: Vec<String> = [
        node.is_pinned.then(|| "pinned".to_owned()),
        status(node).map(str::to_owned),
        (row.hidden > 0).then(|| format!("{} folded", row.hidden)),
        is_here.then(|| "you are here".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let fold = row.is_fork.then(|| {
        let sign = if row.hidden > 0 { "▸" } else { "▾" };
        view! { <span class="tree-fold" data-fold=place.to_string() aria-hidden="true">{sign}</span> }
            .into_any()
    });
    let who = speaker(&node.role).to_owned();
    let style = format!("top:{}px;--depth:{}", place as f64 * ROW_PX, row.depth.min(12));
    let row = view! {
        <div
            id=id_of(place)
            class="tree-row"
            class:is-here=is_here
            class:is-on-path=is_on_path
            role="treeitem"
            attr:aria-level=(row.depth + 1).to_string()
            aria-expanded=expanded
            aria-selected=is_here.to_string()
            tabindex=live(move || if tree.is_focused(place) { "0" } else { "-1" })
            data-row=place.to_string()
            style=style
        >
            <span class="tree-node" aria-hidden="true"></span>
            <span class="tree-who">{who}</span>
            <span class="tree-text" dir="auto">{node.preview.clone()}</span>
            <span class="tree-marks">{marks.join(" · ")}</span>
            {fold}
        </div>
    };
    Some(row.into_any())
}
