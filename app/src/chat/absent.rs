//! A page that says that something is not there.

use super::header::ChatHeader;
use crate::client::Client;
use crate::routes;
use leptos::prelude::*;
use leptos_meta::Title;

/// What is not there, and a way on.
#[component]
pub fn Absent(
    /// One sentence.
    what: &'static str,
    /// The way back, where there is one.
    #[prop(optional)]
    way_back: Option<AnyView>,
) -> impl IntoView {
    let home = routes::new_chat(&Client::expect().base());
    view! {
        <Title text="Not found"/>
        <ChatHeader title="Not found".to_owned()/>
        <div class="empty">
            <p class="empty-lead">{what}</p>
            {way_back}
            <a class="button is-main" href=home>"Start a new chat"</a>
        </div>
    }
}
