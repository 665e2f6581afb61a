//! The quiet banner of a lost connection.

mod banner;

use crate::client::Client;
use crate::ui::when::{When, memo};
use banner::Banner;
use leptos::prelude::*;

/// Says that the connection is lost, and when the next try comes. Nothing on the server.
#[component]
pub fn LinkBanner() -> impl IntoView {
    let client = Client::expect();
    let link = client.link();
    let is_lost = memo(move || link.get().is_lost());
    view! {
        <div class="banner-place" role="status">
            <When is=is_lost>
                <Banner/>
            </When>
        </div>
    }
}
