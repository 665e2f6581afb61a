//! A session on the screen: header, transcript, composer.

use super::answer_bar::AnswerBar;
use super::header::ChatHeader;
use super::later::{Extra, extra};
use super::link_banner::LinkBanner;
use super::rows::Rows;
use super::scroller::TranscriptScroller;
use super::session_composer::SessionComposer;
use super::signals::Chat;
use super::spoken_news::SpokenNews;
use crate::client::Client;
use crate::sessions::state::title;
use crate::ui::when::{follow, live, memo};
use leptos::prelude::*;
use leptos_meta::Title;
use protocol::Awaited;

/// A session. The server shows it whole, at its end.
#[component]
pub fn ChatView(
    /// The session.
    chat: Chat,
) -> impl IntoView {
    let client = Client::expect();
    attach(client, &chat);
    let id = chat.session().clone();
    let session = memo(move || client.sessions().with(|sessions| sessions.get(&id).cloned()));
    let name = Memo::new(move |_| title(session.read().as_ref()));
    let page_title = Memo::new(move |_| {
        let is_waiting = session.read().as_ref().and_then(|it| it.waiting) == Some(Awaited::Approval);
        format!("{}{}", if is_waiting { "Waits for you · " } else { "" }, name.read())
    });
    let model = memo(move || {
        session
            .read()
            .as_ref()
            .and_then(|session| session.model.clone())
            .unwrap_or_else(|| client.model().get())
    });
    let (rows, session_id, compared) = (chat.clone(), chat.session().clone(), chat.clone());
    let compare = move || {
        let what = compared.compared().get();
        what.map(|what| extra(Extra::Compare(compared.clone(), what)))
    };
    view! {
        {live(move || Some(title_of(page_title)))}
        <ChatHeader title=name/>
        <LinkBanner/>
        <TranscriptScroller chat=chat.clone()>
            <Rows chat=rows/>
        </TranscriptScroller>
        {live(compare)}
        <SpokenNews chat=chat.clone()/>
        <AnswerBar session=Some(session_id) model/>
        <SessionComposer chat/>
    }
}

/// What the window is called. A view of its own for each chat: one that is only given another text would never
/// take the last one back.
fn title_of(name: Memo<String>) -> AnyView {
    // The server writes the title when this view, and all it remembers, may be gone already.
    let first = name.get_untracked();
    view! { <Title text=move || name.try_get().unwrap_or_else(|| first.clone())/> }.into_any()
}

/// Ties the session to the socket for as long as it is on the screen.
fn attach(client: Client, chat: &Chat) {
    let here = chat.clone();
    follow(move || client.attach(here.clone()));
    let session = chat.session().clone();
    on_cleanup(move || client.detach(&session));
    let notice = chat.notice();
    follow(move || {
        if let Some(text) = notice.get() {
            client.toasts().fail(&text);
        }
    });
}
