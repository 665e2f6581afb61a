//! Marks chats whose answer nobody has looked at in this browser. Each tab writes what it shows; the others hear of it.

use crate::browser;
use crate::client::Client;
use crate::sessions::deeds::ListDeeds;
use crate::sessions::seen::Seen;
use crate::ui::when::follow;
use leptos::ev;
use leptos::prelude::*;

/// Keeps the marks up to date for as long as the sidebar stands.
pub fn watch(client: Client, deeds: ListDeeds) {
    let key = format!("bough.seen.{}", client.instance());
    let read = {
        let key = key.clone();
        move || Seen::parse(&browser::load(&key).unwrap_or_default(), browser::now_ms())
    };
    let seen = RwSignal::new(read());
    browser::store(&key, &seen.with_untracked(Seen::to_text));
    let is_watched = RwSignal::new(!browser::is_hidden());
    let shown = window_event_listener(ev::visibilitychange, move |_| is_watched.set(!browser::is_hidden()));
    let heard = {
        let key = key.clone();
        window_event_listener(ev::storage, move |event| {
            if event.key().as_ref() == Some(&key) {
                seen.set(read());
            }
        })
    };
    on_cleanup(move || {
        shown.remove();
        heard.remove();
    });
    follow(move || {
        let looked_at = deeds.current.get().filter(|_| is_watched.get());
        let list = client.sessions().read();
        let session = looked_at.and_then(|id| list.get(&id)).filter(|session| !session.is_running);
        let is_news =
            session.is_some_and(|session| seen.try_maybe_update(|seen| (seen.look(session), ())).is_some());
        if is_news {
            browser::store(&key, &seen.with_untracked(Seen::to_text));
        }
    });
    follow(move || {
        let (list, seen) = (client.sessions().read(), seen.read());
        let fresh: Vec<_> = list.open().into_iter().filter(|session| seen.is_unread(session)).collect();
        let fresh: Vec<_> = fresh.into_iter().map(|session| session.id.clone()).collect();
        if *deeds.unread.read_untracked() != fresh {
            deeds.unread.set(fresh);
        }
    });
}
