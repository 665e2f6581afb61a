//! What the server tells of something, as a section shows it: that it is asked, what it answered, or why it did not.

use crate::api::Ask;
use crate::backend::told;
use crate::client::Client;
use crate::ui::when::{Live, live};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;

/// Asks for what lies at a path of the API, and shows it by `shown`; `waiting` is said until it is there.
pub fn answer<T>(path: &str, waiting: &'static str, shown: fn(&T) -> AnyView) -> Live<Option<AnyView>>
where
    T: DeserializeOwned + Default + Send + Sync + 'static,
{
    let found = RwSignal::new(None::<Result<T, String>>);
    let asked = Ask::get(path.to_owned()).send(Client::expect());
    spawn_local(async move {
        let text = asked.await.map_err(|refusal| refusal.error.message);
        let _left = found.try_set(Some(text.map(|text| told::read(&text).unwrap_or_default())));
    });
    live(move || {
        Some(match &*found.read() {
            None => view! { <p class="panel-note" role="status">{waiting}</p> }.into_any(),
            Some(Err(problem)) => {
                view! { <p class="panel-note" role="alert">{problem.clone()}</p> }.into_any()
            }
            Some(Ok(found)) => shown(found),
        })
    })
}
