//! A part of the page whose code comes only when it is first wanted.
//!
//! The code of such a part stands behind a function marked `#[wasm_split(MODULE, wasm_split_path = leptos::wasm_split,
//! fallible)]`; all functions of one MODULE come in one file. The function gives a [`ViewFn`], so that what is built
//! belongs to the place where it is shown, not to the task that fetched it.

use crate::ui::when::{click, follow, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::SplitLoaderError;
use std::future::Future;
use std::pin::Pin;

/// What a fetch gives: a part, ready to be built.
pub type Fetched = Result<ViewFn, SplitLoaderError>;

/// Brings the code of a part, in boxes so that all parts share one type.
pub type Fetch = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Fetched>>> + Send + Sync>;

/// Makes a [`Fetch`] of a split function.
pub fn fetch<F: Future<Output = Fetched> + 'static>(part: impl Fn() -> F + Send + Sync + 'static) -> Fetch {
    Box::new(move || Box::pin(part()))
}

/// How far a part has come.
#[derive(Clone)]
enum Arrival {
    Coming,
    Here(ViewFn),
    Failed,
}

/// A part whose code is fetched when this is first shown. The server shows nothing in its place, and neither does the
/// browser until the code is there, so it stands only where nothing is shown before somebody acts. What does not
/// arrive can be asked for again; the rest of the page lives on.
#[component]
pub fn Later(
    /// Brings the code.
    fetch: Fetch,
) -> impl IntoView {
    let arrival = RwSignal::new(Arrival::Coming);
    let fetch = StoredValue::new(fetch);
    let ask = move || {
        arrival.set(Arrival::Coming);
        let coming = fetch.with_value(|fetch| fetch());
        spawn_local(async move {
            let next = coming.await.map_or(Arrival::Failed, Arrival::Here);
            // The place may have left the screen in the meantime.
            let _left = arrival.try_set(next);
        });
    };
    follow(ask);
    view! {
        {live(move || match arrival.get() {
            Arrival::Coming => None,
            Arrival::Here(part) => Some(part.run()),
            Arrival::Failed => Some(view! {
                <p class="not-here" role="alert">
                    "This part did not arrive. "
                    <button type="button" class="text-button" on:click=click(move |_| ask())>"Try again"</button>
                </p>
            }
            .into_any()),
        })}
    }
}
