//! The page's root: what all share, the frame, the routes and the keys that work everywhere.

pub mod global_keys;
pub mod key_book;
pub mod key_list;
pub mod keys;
mod no_such_page;

use crate::backend::told::Told;
use crate::chat::new_chat::NewChatPage;
use crate::chat::page::SessionPage;
use crate::client::Client;
use crate::context_panel::frame::PanelFrame;
use crate::late::{Late, Part};
use crate::markdown::painter::Painter;
use crate::palette::Palette;
use crate::sessions::sidebar::Sidebar;
use crate::settings::SettingsPage;
use crate::ui::toast::ToastRegion;
use crate::ui::when::follow;
use global_keys::GlobalKeys;
use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::{SsrMode, path};
use no_such_page::NoSuchPage;
use protocol::{SessionPage as Page, WireError};

/// The first page of the list of sessions, asked for once and needed in several places.
#[derive(Clone, Copy)]
pub struct SessionsResource(Resource<Told<Result<Page, WireError>>>);

impl SessionsResource {
    fn provide(client: Client) {
        provide_context(Self(Resource::new(
            || (),
            move |()| async move { Told(client.first_sessions().await) },
        )));
    }

    /// The one of this page.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Waits for the list and hands it to the page. Why it did not come, if it did not.
    pub async fn load(self, client: Client) -> Option<WireError> {
        match self.0.await.0 {
            Ok(page) => {
                client.sessions().update(|sessions| sessions.load(page));
                None
            }
            Err(error) => Some(error),
        }
    }
}

/// The page. Needs [`crate::Boot`] and `Arc<dyn Backend>` as context on the server.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    let client = Client::provide();
    SessionsResource::provide(client);
    Painter::provide(client.base());
    follow(move || client.wake());
    view! {
        <Title formatter=|text| format!("{text} · Bough")/>
        <Router base=client.base()>
            <GlobalKeys/>
            <div class="app">
                <a class="skip-link" href="#main" rel="external">"Skip to the chat"</a>
                <Sidebar/>
                <main id="main" class="main" tabindex="-1">
                    <FlatRoutes fallback=NoSuchPage>
                        <Route path=path!("/") view=NewChatPage ssr=SsrMode::Async/>
                        <Route path=path!("/s/:id") view=SessionPage ssr=SsrMode::Async/>
                        <Route path=path!("/settings/:section") view=SettingsPage ssr=SsrMode::Async/>
                    </FlatRoutes>
                </main>
                <PanelFrame/>
            </div>
            <Palette/>
            <Late part=Part::Keys/>
            <ToastRegion toasts=client.toasts()/>
        </Router>
    }
}
