//! The entries that the model can load, and those it has before it.

use super::deeds::Memory;
use crate::ui::when::click;
use leptos::prelude::*;
use protocol::SkillInfo;

/// The skills; nothing where there are none.
#[component]
pub fn Skills(memory: Memory) -> impl IntoView {
    let skills = memory.skills();
    let row = move |skill: SkillInfo| {
        let loaded = skill.clone();
        let unload = skill.is_loaded.then(|| {
            view! {
                <button type="button" class="text-button" aria-label=format!("Unload {}", skill.key) on:click=click(move |_| memory.unload(&loaded))>
                    "Unload"
                </button>
            }
            .into_any()
        });
        view! {
            <li class="skill">
                <span class="skill-key">{skill.key}</span>
                <span class="skill-what" dir="auto">{skill.description}</span>
                {unload}
            </li>
        }
        .into_any()
    };
    view! {
        {move || {
            let list = skills.get();
            (!list.is_empty()).then(|| view! {
                <section class="block" aria-label="Skills">
                    <header class="block-head"><h3>"Skills"</h3></header>
                    <ul class="skills">{list.into_iter().map(row).collect::<Vec<_>>()}</ul>
                </section>
            }.into_any())
        }}
    }
}
