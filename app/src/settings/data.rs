//! The data: everything as a file and back, what was put aside or thrown away, what is wrong with the store, and who is
//! signed in to it.

mod doctor;
mod findings;
mod import;
mod login_row;
mod logins;
mod report;
mod shelf;
mod shelf_list;
mod shelf_row;

use crate::client::Client;
use crate::ui::icon::{Icon, Shape};
use doctor::Doctor;
use import::Import;
use leptos::prelude::*;
use logins::Logins;
use shelf::Shelf;
use shelf_list::ShelfList;

#[component]
pub fn DataSection() -> impl IntoView {
    let client = Client::expect();
    let export = |format: &str| format!("{}/export?format={format}", client.api());
    view! {
        <h2>"Data"</h2>
        <section class="setting" aria-labelledby="data-export">
            <h3 id="data-export">"Export"</h3>
            <p class="panel-note">
                "Everything of this agent: every branch, summary, memory block with its history, and what was used. The JSON can be imported again."
            </p>
            <div class="setting-row">
                <a class="quiet-button" href=export("json") download="" rel="external"><Icon shape=Shape::Down/>"Everything as JSON"</a>
                <a class="quiet-button" href=export("markdown") download="" rel="external"><Icon shape=Shape::Down/>"Everything as Markdown"</a>
            </div>
        </section>
        <Import/>
        <ShelfList shelf=Shelf::Archive/>
        <ShelfList shelf=Shelf::Trash/>
        <Doctor/>
        {client.is_signed_in().then(|| view! { <Logins/> })}
    }
}
