//! A block of code: its language, buttons that wrap and copy it, and its text, in colours once it is whole.

use super::colours::strokes;
use super::document::Growth;
use super::drawings::drawing_at;
use super::pieces::code_piece;
use super::render::spelt;
use crate::ui::copy::CopyButton;
use crate::ui::when::{click, live};
use leptos::html::{Pre, custom};
use leptos::prelude::*;
use protocol::{Drawing, Run};

/// A block of code. The server shows it without colours; they come when it is near the view, and move nothing.
#[component]
pub fn CodeBlock(
    /// What the fence says; may be empty.
    language: String,
    /// The code.
    text: String,
    /// Whether more of it may come.
    growth: Growth,
) -> impl IntoView {
    let place = NodeRef::<Pre>::new();
    let drawing = drawing_at(code_piece(&language, &text, growth), place);
    let label = if language.is_empty() { "text".to_owned() } else { language };
    let name = format!("Code, {label}");
    let is_wrapped = RwSignal::new(false);
    // While it grows it is built again and again, and would forget that it is wrapped.
    let wrap = (growth == Growth::Complete && is_wide(&text)).then(|| wrap_button(is_wrapped));
    let source = text.clone();
    // What grows has no colours and is only added to.
    let body = match growth {
        Growth::Open => text.into_any(),
        Growth::Complete => live(move || Some(coloured_by(drawing, &text))).into_any(),
    };
    view! {
        <div class="code-block" class:is-wrapped=live(move || is_wrapped.get()) dir="ltr">
            <div class="code-bar">
                <span class="code-language">{label}</span>
                {wrap}
                <CopyButton what="code" text=Callback::new(move |()| source.clone())/>
            </div>
            <pre node_ref=place tabindex="0" role="group" aria-label=name>
                <code>{body}</code>
            </pre>
        </div>
    }
}

/// Columns that fit beside each other on a narrow screen.
const NARROW_COLUMNS: usize = 40;

/// Whether some screen is too narrow for a line of it.
fn is_wide(text: &str) -> bool {
    text.lines().any(|line| line.chars().nth(NARROW_COLUMNS).is_some())
}

fn wrap_button(is_wrapped: RwSignal<bool>) -> AnyView {
    let pressed = move || if is_wrapped.get() { "true" } else { "false" };
    view! {
        <button
            type="button"
            class="text-button"
            aria-label="Wrap long lines"
            aria-pressed=live(pressed)
            title="Wrap long lines"
            on:click=click(move |_| is_wrapped.update(|is| *is = !*is))
        >
            <svg
                class="icon"
                viewBox="0 0 20 20"
                fill="none"
                stroke="currentColor"
                stroke-width="1.5"
                stroke-linecap="round"
                stroke-linejoin="round"
                aria-hidden="true"
            >
                <path d="M3 5h14M3 10h11a3 3 0 0 1 0 6h-4m2-2-2 2 2 2M3 16h2"></path>
            </svg>
        </button>
    }
    .into_any()
}

fn coloured_by(drawing: Signal<Option<Drawing>>, text: &str) -> AnyView {
    drawing.with(|drawing| match drawing {
        Some(Drawing::Runs(runs)) => coloured(text, runs),
        Some(Drawing::Mathml(_) | Drawing::Svg(_) | Drawing::Problem(_)) | None => coloured(text, &[]),
    })
}

fn coloured(text: &str, runs: &[Run]) -> AnyView {
    let strokes = strokes(text, runs);
    let views = strokes.into_iter().map(|stroke| {
        let text = stroke.text.to_owned().into_any();
        match stroke.class {
            Some(class) => custom(spelt("span")).attr("class", Some(class)).child(text).into_any(),
            None => text,
        }
    });
    views.collect::<Vec<AnyView>>().into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_wide_where_a_line_is() {
        assert!(!is_wide(&"a\n".repeat(50)));
        assert!(!is_wide(&"é".repeat(NARROW_COLUMNS)));
        assert!(is_wide(&format!("a\n{}\nb", "é".repeat(NARROW_COLUMNS + 1))));
    }
}
