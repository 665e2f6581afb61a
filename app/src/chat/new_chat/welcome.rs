//! What this is, and a few first words for whoever has none.

use crate::ui::logo::Logo;
use crate::ui::when::click;
use leptos::prelude::*;

/// First words that the built-in guide answers at once.
const GUIDE_WORDS: [(&str, &str); 3] = [
    ("help", "What can you do?"),
    ("markdown", "Show me how text looks"),
    ("reasoning", "Think before you answer"),
];

/// First words for a language model.
const MODEL_WORDS: [(&str, &str); 3] = [
    ("Explain how a backup differs from a snapshot.", "Explain a backup and a snapshot"),
    ("Help me plan a week of simple dinners.", "Plan a week of dinners"),
    ("Write a polite letter to my landlord about a broken heater.", "Write a letter"),
];

/// What this is, and first words.
#[component]
pub fn Welcome(model: String, say: impl Fn(String) -> bool + Clone + Send + Sync + 'static) -> impl IntoView {
    let is_guide = model == "builtin/guide";
    let lead = if is_guide {
        "You are talking to the built-in guide. It is a small set of rules, not a language model: it shows what Bough \
         can do on a machine without a key or a network."
    } else {
        "Every answer is kept, every version can be reached, and nothing is hidden."
    };
    let words = if is_guide { GUIDE_WORDS } else { MODEL_WORDS };
    let chips = words.map(|(text, label)| {
        let say = say.clone();
        let say = move |_| {
            let _was_taken = say(text.to_owned());
        };
        view! {
            <li>
                <button type="button" class="suggestion" on:click=click(say)>{label}</button>
            </li>
        }
    });
    view! {
        <div class="welcome">
            <Logo/>
            <h2>"What shall we work on?"</h2>
            <p class="empty-lead">{lead}</p>
            <ul class="suggestions">{chips.into_iter().collect_view()}</ul>
        </div>
    }
}
