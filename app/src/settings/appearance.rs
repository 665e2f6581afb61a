//! How the page looks and what sends a message. Every choice holds at once, in this browser.

use super::alerts::AlertChoice;
use super::choice::Choice;
use crate::boot::Theme;
use crate::boot::prefs::{Density, Motion, Prefs, QuestionPlace, SendKey};
use crate::client::Client;
use leptos::prelude::*;

#[component]
pub fn AppearanceSection() -> impl IntoView {
    let client = Client::expect();
    let prefs = client.prefs();
    let change = move |change: &dyn Fn(&mut Prefs)| client.prefer(change);
    view! {
        <h2>"Appearance"</h2>
        <Choice
            legend="Theme"
            answers=vec![(Theme::System, "As the system"), (Theme::Light, "Light"), (Theme::Dark, "Dark")]
            chosen=client.theme()
            choose=Callback::new(move |theme| client.choose_theme(theme))
        />
        <Choice
            legend="Density"
            answers=vec![(Density::Comfortable, "Comfortable"), (Density::Compact, "Compact")]
            chosen=Signal::derive(move || prefs.read().density)
            choose=Callback::new(move |density| change(&|prefs| prefs.density = density))
        />
        <Choice
            legend="Motion"
            answers=vec![(Motion::System, "As the system"), (Motion::Still, "Nothing moves")]
            chosen=Signal::derive(move || prefs.read().motion)
            choose=Callback::new(move |motion| change(&|prefs| prefs.motion = motion))
        />
        <Choice
            legend="Send a message with"
            answers=vec![(SendKey::Enter, "Enter"), (SendKey::CommandEnter, "Ctrl or Command with Enter")]
            chosen=Signal::derive(move || prefs.read().send)
            choose=Callback::new(move |send| change(&|prefs| prefs.send = send))
        />
        <Choice
            legend="A new question stands"
            answers=vec![(QuestionPlace::End, "At the end"), (QuestionPlace::Top, "At the top, its answer below")]
            chosen=Signal::derive(move || prefs.read().question)
            choose=Callback::new(move |question| change(&|prefs| prefs.question = question))
        />
        <AlertChoice/>
    }
}
