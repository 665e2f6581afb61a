//! The page of one session: finds it, or says kindly that it is not there.

mod broken;
mod opening;

use super::absent::Absent;
use super::signals::Chat;
use super::view::ChatView;
use crate::app::SessionsResource;
use crate::backend::told::Told;
use crate::client::Client;
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
    view! {
        <When is=is_removed>
            <Absent what="This chat was deleted."/>
        </When>
        <When is=Memo::new(move |_| !is_removed.get())>
            <Transition fallback=|| view! { <Opening/> }>
                {move || Suspend::new(async move {
                    let _failure = sessions.load(client).await;
                    show(opened.await.0)
                })}
            </Transition>
        </When>
    }
}

fn show((id, transcript): Opened) -> AnyView {
    match transcript {
        Ok(Some(transcript)) => view! { <ChatView chat=Chat::new(id, transcript)/> }.into_any(),
        Ok(None) => {
            status::not_found();
            view! { <Absent what="There is no chat at this address. It may have been deleted."/> }.into_any()
        }
        Err(error) => {
            status::unavailable();
            view! { <Broken text=error.message/> }.into_any()
        }
    }
}
