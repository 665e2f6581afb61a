//! The page of one session: finds it, or says kindly that it is not there.

mod broken;
mod opening;

use super::absent::Absent;
use super::signals::Chat;
use super::view::ChatView;
use crate::app::SessionsResource;
use crate::backend::told::Told;
use crate::client::Client;
use crate::late::{Late, Part};
use crate::routes;
use crate::status;
use crate::ui::when::{When, memo};
use broken::Broken;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use opening::Opening;
use protocol::{SessionId, Transcript, WireError};

/// What became of the attempt to open a session.
type Opened = (SessionId, Result<Option<Transcript>, WireError>);

/// The page of one session.
#[component]
pub fn SessionPage() -> impl IntoView {
    let client = Client::expect();
    let sessions = SessionsResource::expect();
    let params = use_params_map();
    let session =
        Memo::new(move |_| params.with(|params| routes::session_of(&params.get("id").unwrap_or_default())));
    let opened = Resource::new(
        move || session.get(),
        move |id| async move {
            let transcript = client.transcript(id.clone()).await;
            client.know(&id).await;
            Told((id, transcript))
        },
    );
    let is_removed =
        memo(move || client.removed().with(|removed| removed.as_ref() == Some(&*session.read())));
    // Every tab hears that a chat is back; where it was never opened there is nothing yet to show.
    let again = Callback::new(move |()| opened.refetch());
    let removed = move || session.with_untracked(|id| gone("This chat was deleted.", id, None));
    view! {
        <When is=is_removed>{removed()}</When>
        <When is=Memo::new(move |_| !is_removed.get())>
            <Transition fallback=|| view! { <Opening/> }>
                {move || Suspend::new(async move {
                    let _failure = sessions.load(client).await;
                    show(opened.await.0, again)
                })}
            </Transition>
        </When>
    }
}

/// A chat that is not there, with the way back where it lies in the trash.
fn gone(what: &'static str, id: &SessionId, back: Option<Callback<()>>) -> AnyView {
    let way_back = view! { <Late part=Part::Trashed(id.clone(), back)/> }.into_any();
    view! { <Absent what way_back/> }.into_any()
}

fn show((id, transcript): Opened, again: Callback<()>) -> AnyView {
    match transcript {
        Ok(Some(transcript)) => view! { <ChatView chat=Chat::new(id, transcript)/> }.into_any(),
        Ok(None) => {
            status::not_found();
            gone("There is no chat at this address. It may have been deleted.", &id, Some(again))
        }
        Err(error) => {
            status::unavailable();
            view! { <Broken text=error.message/> }.into_any()
        }
    }
}
