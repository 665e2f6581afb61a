//! How an answer is told of that ended where nobody looks. Nothing is asked of the browser before somebody
//! wants it.

use super::choice::Choice;
use crate::boot::prefs::Alert;
use crate::client::Client;
use crate::sessions::later::alerts::{Permission, ask_permission, chime};
use crate::ui::when::live;
use leptos::prelude::*;

#[component]
pub fn AlertChoice() -> impl IntoView {
    let client = Client::expect();
    let prefs = client.prefs();
    let problem = RwSignal::new(None::<&'static str>);
    let refused = move |alert: Alert, answer: Permission| {
        let Some(told) = words(answer) else { return };
        let _left = problem.try_set(Some(told));
        let rest = if alert.has_sound() { Alert::Sound } else { Alert::None };
        client.prefer(&|prefs| prefs.alert = rest);
    };
    let choose = Callback::new(move |alert: Alert| {
        problem.set(None);
        client.prefer(&|prefs| prefs.alert = alert);
        if alert.has_sound() {
            chime();
        }
        if alert.has_notice() {
            ask_permission(move |answer| refused(alert, answer));
        }
    });
    let told = move || {
        problem.get().map(|text| view! { <p class="form-problem" role="alert">{text}</p> }.into_any())
    };
    view! {
        <Choice
            legend="When an answer ends in a tab you do not see"
            answers=vec![
                (Alert::None, "Nothing"),
                (Alert::Notice, "Show a notice"),
                (Alert::Sound, "Play a sound"),
                (Alert::Both, "Both"),
            ]
            chosen=Signal::derive(move || prefs.read().alert)
            choose
        />
        {live(told)}
    }
}

fn words(answer: Permission) -> Option<&'static str> {
    match answer {
        Permission::Granted => None,
        Permission::Refused => {
            Some("The browser does not let this page show notices; its settings can change that.")
        }
        Permission::Missing => Some("This browser shows no notices for this page; it may need https."),
    }
}
