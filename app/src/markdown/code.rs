//! A block of code: its language, a button that copies it, and its text.

use crate::ui::copy::CopyButton;
use leptos::prelude::*;

/// A block of code. The server shows the same; the button works once the page is alive.
#[component]
pub fn CodeBlock(
    /// What the fence says; may be empty.
    language: String,
    /// The code.
    text: String,
) -> impl IntoView {
    let label = if language.is_empty() { "text".to_owned() } else { language };
    let name = format!("Code, {label}");
    let source = text.clone();
    view! {
        <div class="code-block" dir="ltr">
            <div class="code-bar">
                <span>{label}</span>
                <CopyButton what="code" text=Callback::new(move |()| source.clone())/>
            </div>
            <pre tabindex="0" role="group" aria-label=name>
                <code>{text}</code>
            </pre>
        </div>
    }
}
