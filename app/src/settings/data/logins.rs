//! Who may be here: this browser, others, and programs.

use super::login_row::LoginRow;
use crate::client::Client;
use crate::ui::list::{List, item, items};
use crate::ui::when::follow;
use leptos::prelude::*;
use protocol::{LoginInfo, LoginList};

#[component]
pub fn Logins() -> impl IntoView {
    let client = Client::expect();
    let known = RwSignal::new(LoginList::default());
    follow(move || client.list_logins(known));
    let row = move |login: LoginInfo| item(login.id.clone(), move || view! { <LoginRow login known/> });
    let each = items(move || known.read().logins.iter().cloned().map(row).collect());
    view! {
        <section class="setting" aria-labelledby="data-logins">
            <h3 id="data-logins">"Signed in"</h3>
            <p class="panel-note">"Browsers in which somebody gave the password, and programs with a token."</p>
            <ul class="shelf">
                <List each/>
            </ul>
        </section>
    }
}
