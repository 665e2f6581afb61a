//! Parts of the page that nobody sees before they act, in one file that is fetched as soon as the page is awake: by the
//! time somebody acts, it is there.

use crate::sessions::deeds::ListDeeds;
use crate::sessions::later::SidebarLater;
use crate::sessions::row::name_field::NameField;
use crate::ui::lazy::{Fetched, Later, fetch};
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use protocol::SessionId;

/// Which part.
#[derive(Clone)]
pub enum Part {
    /// What the sidebar can do besides being read.
    Sidebar(ListDeeds),
    /// The name of a session in a field.
    NameField(SessionId, Memo<String>, ListDeeds),
}

/// A part that comes later. Nothing on the server.
#[component]
pub fn Late(
    /// Which.
    part: Part,
) -> impl IntoView {
    view! { <Later fetch=fetch(move || build(part.clone()))/> }
}

#[wasm_split(late, wasm_split_path = leptos::wasm_split, fallible)]
fn build(part: Part) -> Fetched {
    Ok(match part {
        Part::Sidebar(deeds) => ViewFn::from(move || view! { <SidebarLater deeds/> }),
        Part::NameField(id, name, deeds) => {
            ViewFn::from(move || view! { <NameField id=id.clone() name deeds/> })
        }
    })
}
