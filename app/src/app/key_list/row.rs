//! One line of the list of keys. Its keys are a button: pressed, it takes the next ones.

use crate::app::key_book::{Entry, apple, is_incomplete, judge, keys_of, plain, shown};
use crate::app::keys::Deed;
use crate::browser;
use crate::client::Client;
use crate::ui::when::{When, click, key as on_key, live, memo};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// One line.
#[component]
pub fn KeyRow(entry: Entry) -> impl IntoView {
    let client = Client::expect();
    let now = memo(move || keys_of(entry, &client.keys().read()));
    let problem = RwSignal::new(None::<String>);
    let shown_keys = match entry.deed {
        Some(deed) => changeable(deed, entry, now, problem),
        None => live_keys(now),
    };
    view! {
        <div class="key-row">
            <dt>
                {entry.what}
                {live(move || problem.get().map(|text| view! { <span class="key-problem" role="alert">{text}</span> }.into_any()))}
            </dt>
            <dd>{shown_keys}</dd>
        </div>
    }
}

fn changeable(deed: Deed, entry: Entry, now: Memo<String>, problem: RwSignal<Option<String>>) -> AnyView {
    let client = Client::expect();
    let is_taking = RwSignal::new(false);
    let stop = move || {
        is_taking.set(false);
        problem.set(None);
    };
    let take = move |press: KeyboardEvent| {
        let key = press.key();
        if !is_taking.get_untracked() || key == "Tab" {
            return;
        }
        press.stop_propagation();
        press.prevent_default();
        if key == "Escape" {
            return stop();
        }
        if is_incomplete(&key) {
            return;
        }
        let judged = judge(&browser::key_press(&press, &key), deed, &client.keys().read_untracked());
        match judged {
            Ok(keys) => {
                stop();
                client.bind(deed, Some(keys).filter(|keys| keys != entry.keys));
            }
            Err(told) => problem.set(Some(told)),
        }
    };
    let is_own = memo(move || now.read().as_str() != entry.keys);
    let label = move || format!("{}: {}. Change the keys", entry.what, shown(&now.read(), plain));
    view! {
        <When is=is_own>
            <button type="button" class="text-button" aria-label=format!("Usual keys for: {}", entry.what)
                on:click=click(move |_| client.bind(deed, None))>"Reset"</button>
        </When>
        <button
            type="button"
            class="key-change"
            class:is-taking=live(move || is_taking.get())
            aria-label=live(label)
            on:click=click(move |_| is_taking.set(true))
            on:keydown=on_key(take)
            on:blur=move |_| stop()
        >
            <When is=is_taking><span role="status">"Press the keys; Esc leaves them"</span></When>
            <When is=memo(move || !is_taking.get())>{live_keys(now)}</When>
        </button>
    }
    .into_any()
}

fn live_keys(now: Memo<String>) -> AnyView {
    live(move || {
        let signs = if browser::is_apple() { apple } else { plain };
        let keys = shown(&now.read(), signs);
        Some(
            keys.split(' ')
                .map(|key| view! { <kbd>{key.to_owned()}</kbd> }.into_any())
                .collect::<Vec<_>>()
                .into_any(),
        )
    })
    .into_any()
}
