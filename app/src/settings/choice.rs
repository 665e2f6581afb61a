//! A question with a few answers, of which one holds.

use crate::ui::when::live;
use leptos::prelude::*;

/// The question.
#[component]
pub fn Choice<T: Copy + PartialEq + Send + Sync + 'static>(
    /// What is asked.
    legend: &'static str,
    /// What can be answered.
    answers: Vec<(T, &'static str)>,
    /// What holds.
    #[prop(into)]
    chosen: Signal<T>,
    /// Takes another answer.
    choose: Callback<T>,
) -> impl IntoView {
    let answer = move |(value, label): (T, &'static str)| {
        view! {
            <label class="choice">
                <input
                    type="radio"
                    name=legend
                    prop:checked=live(move || chosen.get() == value)
                    on:change=move |_| choose.run(value)
                />
                {label}
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="setting">
            <legend>{legend}</legend>
            <div class="choices">{answers.into_iter().map(answer).collect::<Vec<_>>()}</div>
        </fieldset>
    }
}
