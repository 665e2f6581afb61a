//! The menu of a session; one for the whole list.

use super::deeds::ListDeeds;
use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use crate::ui::menu::{Menu, MenuItem};
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

#[component]
pub fn SessionMenu(deeds: ListDeeds) -> impl IntoView {
    let client = Client::expect();
    let navigate = use_navigate();
    let rename = move || deeds.renamed.set(deeds.chosen.get_untracked());
    let delete = move || {
        let Some(id) = deeds.chosen.get_untracked() else { return };
        if deeds.current.get_untracked().as_ref() == Some(&id) {
            navigate("/", leptos_router::NavigateOptions::default());
        }
        client.delete(&id);
    };
    view! {
        <Menu handle=deeds.menu label="Actions for the chat">
            <MenuItem handle=deeds.menu act=rename>
                <Icon shape=Shape::Pencil/>
                "Rename"
            </MenuItem>
            <MenuItem handle=deeds.menu act=delete>
                <Icon shape=Shape::Bin/>
                "Delete"
            </MenuItem>
        </Menu>
    }
}
