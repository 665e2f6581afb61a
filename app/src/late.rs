//! Parts of the page that nobody sees before they act, in one file that is fetched as soon as the page is awake: by the
//! time somebody acts, it is there.

use crate::chat::answer_bar::gauge::Gauge;
use crate::chat::answer_bar::models::Models;
use crate::context_panel::frame::edge::PanelEdge;
use crate::sessions::deeds::ListDeeds;
use crate::sessions::later::SidebarLater;
use crate::sessions::later::key_sheet::KeySheet;
use crate::sessions::later::trashed::Trashed;
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
    /// The edge of the panel.
    PanelEdge,
    /// The list of keys.
    Keys,
    /// The name of a session in a field.
    NameField(SessionId, Memo<String>, ListDeeds),
    /// The models that can be chosen, for a session or for one that is yet to be made.
    Models(Option<SessionId>, Signal<String>),
    /// How full the context of a session is.
    Gauge(SessionId),
    /// The way back for a session that lies in the trash, and what follows when it is back.
    Trashed(SessionId, Option<Callback<()>>),
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
        Part::PanelEdge => ViewFn::from(|| view! { <PanelEdge/> }),
        Part::Keys => ViewFn::from(|| view! { <KeySheet/> }),
        Part::NameField(id, name, deeds) => {
            ViewFn::from(move || view! { <NameField id=id.clone() name deeds/> })
        }
        Part::Models(session, model) => {
            ViewFn::from(move || view! { <Models session=session.clone() model/> })
        }
        Part::Trashed(session, back) => {
            ViewFn::from(move || view! { <Trashed session=session.clone() back/> })
        }
        Part::Gauge(session) => ViewFn::from(move || view! { <Gauge session=session.clone()/> }),
    })
}
