//! The page on which a chat begins: nothing but a field, and a few first words for whoever has none.

mod welcome;

use super::answer_bar::AnswerBar;
use super::composer::{Composer, ComposerDeeds};
use super::composer_state::{draft_key, files_key};
use super::header::ChatHeader;
use super::link_banner::LinkBanner;
use super::transcript::{Activity, Words};
use crate::app::SessionsResource;
use crate::browser;
use crate::client::Client;
use crate::routes;
use crate::ui::when::{follow, memo};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_navigate;
use protocol::{ErrorCode, WireError};
use std::sync::Arc;
use welcome::Welcome;

/// The page on which a chat begins. The server shows it whole.
#[component]
pub fn NewChatPage() -> impl IntoView {
    let client = Client::expect();
    let sessions = SessionsResource::expect();
    follow(move || client.listen_to_none());
    let returned = RwSignal::new(None);
    let is_beginning = RwSignal::new(false);
    let begin = beginner(client, is_beginning, returned);
    let deeds = ComposerDeeds {
        send: Arc::new(begin.clone()),
        stop: Arc::new(|| {}),
        said: Arc::new(Vec::new),
        edit: Arc::new(|_, _| false),
    };
    let say = move |text: String| begin(Words::text(text));
    let key = draft_key(&client.instance(), None);
    let model = memo(move || client.next_model().get().unwrap_or_else(|| client.model().get()));
    view! {
        <Title text="New chat"/>
        <ChatHeader title="New chat".to_owned()/>
        <LinkBanner/>
        <Transition>
            {move || Suspend::new(async move {
                sessions.load(client).await.filter(is_lasting).map(blocked).into_any()
            })}
        </Transition>
        <Welcome model=client.model().get_untracked() say/>
        <AnswerBar session=None model/>
        <Composer
            deeds
            activity=Signal::stored(Activity::Idle)
            is_unconfirmed=is_beginning
            draft_key=key
            returned
        />
    }
}

/// Whether nothing can be begun until somebody has looked after the server. The sidebar says other failures.
fn is_lasting(error: &WireError) -> bool {
    error.code == ErrorCode::Storage
}

/// Stands where the field would invite to type what could not be kept; the style hides what follows it.
fn blocked(error: WireError) -> impl IntoView {
    view! {
        <div class="empty blocked" role="alert">
            <p class="empty-lead">"Nothing can be stored right now."</p>
            <p dir="auto">{error.message}</p>
        </div>
    }
}

/// Makes a session for the first words and goes there.
fn beginner(
    client: Client,
    is_beginning: RwSignal<bool>,
    returned: RwSignal<Option<Words>>,
) -> impl Fn(Words) -> bool + Clone + Send + Sync + 'static {
    let navigate = use_navigate();
    move |words: Words| {
        if is_beginning.get_untracked() {
            return false;
        }
        is_beginning.set(true);
        let navigate = navigate.clone();
        client.begin(words, move |begun| match begun {
            Ok(id) => {
                let key = draft_key(&client.instance(), None);
                browser::store(&files_key(&key), "");
                browser::store(&key, "");
                navigate(&routes::session("", &id), leptos_router::NavigateOptions::default());
            }
            Err(words) => {
                let _still_there = is_beginning.try_set(false);
                let _still_there = returned.try_set(Some(words));
            }
        });
        true
    }
}
