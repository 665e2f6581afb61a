//! Send, and in the same place Stop while an answer is written and nothing is typed.

use super::ComposerDeeds;
use super::field::Field;
use crate::chat::transcript::Activity;
use crate::ui::icon::{Icon, Shape};
use crate::ui::when::{click, live};
use leptos::prelude::*;

/// Send, and in the same place Stop while an answer is written and nothing is typed.
#[component]
pub fn ComposerButtons(
    field: Field,
    deeds: ComposerDeeds,
    #[prop(into)] activity: Signal<Activity>,
) -> impl IntoView {
    let is_stop_shown = Memo::new(move |_| activity.get() != Activity::Idle && !field.can_send());
    view! {
        {live(move || {
            Some(if is_stop_shown.get() { stop_button(&deeds, activity) } else { send_button(&deeds, field) })
        })}
    }
}

fn stop_button(deeds: &ComposerDeeds, activity: Signal<Activity>) -> AnyView {
    let stop = deeds.stop.clone();
    let label = move || if activity.get() == Activity::Stopping { "Stopping" } else { "Stop" };
    view! {
        <button
            type="button"
            class="send is-stop"
            aria-label=live(label)
            title="Stop (Esc)"
            on:click=click(move |_| stop())
        >
            <Icon shape=Shape::Stop/>
        </button>
    }
    .into_any()
}

fn send_button(deeds: &ComposerDeeds, field: Field) -> AnyView {
    let deeds = deeds.clone();
    view! {
        <button
            type="button"
            class="send"
            aria-label="Send"
            disabled=live(move || !field.can_send())
            on:click=click(move |_| field.send(&deeds))
        >
            <Icon shape=Shape::Up/>
        </button>
    }
    .into_any()
}
