//! A diagram: its picture once the server has drawn it, or its source; what is wrong with it where it cannot be drawn.

use super::document::Growth;
use super::drawings::drawing_at;
use super::pieces::diagram_piece;
use crate::ui::copy::CopyButton;
use crate::ui::when::{click, live};
use leptos::html::Div;
use leptos::prelude::*;
use protocol::Drawing;
use web_sys::js_sys::encode_uri_component;

/// A diagram. The server shows its source. The picture is an image, in which no script runs and nothing is fetched.
#[component]
pub fn Diagram(
    /// Its source.
    text: String,
    /// Whether more of it may come.
    growth: Growth,
) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    let drawing = drawing_at(diagram_piece(&text, growth), place);
    let has_picture = Memo::new(move |_| drawing.with(|drawing| matches!(drawing, Some(Drawing::Svg(_)))));
    let shows_source = RwSignal::new(false);
    let source = text.clone();
    let body = move || {
        drawing.with(|drawing| match drawing {
            Some(Drawing::Svg(svg)) if !shows_source.get() => picture(svg, &text),
            Some(Drawing::Svg(_) | Drawing::Runs(_) | Drawing::Mathml(_)) | None => code(&text),
            Some(Drawing::Problem(problem)) => [code(&text), why_not(problem)].into_any(),
        })
    };
    view! {
        <div class="code-block diagram" node_ref=place dir="ltr">
            <div class="code-bar">
                <span class="code-language">"mermaid"</span>
                {live(move || has_picture.get().then(|| source_button(shows_source)))}
                <CopyButton what="code" text=Callback::new(move |()| source.clone())/>
            </div>
            {live(move || Some(body()))}
        </div>
    }
}

fn source_button(shows_source: RwSignal<bool>) -> AnyView {
    let pressed = move || if shows_source.get() { "true" } else { "false" };
    view! {
        <button
            type="button"
            class="text-button"
            aria-pressed=live(pressed)
            on:click=click(move |_| shows_source.update(|shows| *shows = !*shows))
        >
            "Source"
        </button>
    }
    .into_any()
}

fn code(text: &str) -> AnyView {
    view! {
        <pre tabindex="0" role="group" aria-label="Code, mermaid">
            <code>{text.to_owned()}</code>
        </pre>
    }
    .into_any()
}

fn picture(svg: &str, text: &str) -> AnyView {
    let address = format!("data:image/svg+xml,{}", String::from(encode_uri_component(svg)));
    view! {
        <div class="diagram-sheet">
            <img src=address alt=name(text) width=width(svg)/>
        </div>
    }
    .into_any()
}

fn why_not(problem: &str) -> AnyView {
    view! { <p class="diagram-problem">"This diagram cannot be drawn: " {problem.to_owned()}</p> }.into_any()
}

/// How wide the picture is by itself, in pixels, as its view box says. It gives no other width, and would be blown up to
/// that of the page.
fn width(svg: &str) -> Option<String> {
    let (_, rest) = svg.split_once("viewBox=\"")?;
    let (numbers, _) = rest.split_once('"')?;
    let width: f64 = numbers.split_whitespace().nth(2)?.parse().ok()?;
    (width.is_finite() && width > 0.0).then(|| width.ceil().to_string())
}

/// What the picture is called: a diagram, and of which kind.
fn name(text: &str) -> String {
    let kind: String = text.trim_start().chars().take_while(|char| char.is_alphanumeric()).collect();
    if kind.is_empty() { "Diagram".to_owned() } else { format!("Diagram: {kind}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_as_wide_as_its_view_box() {
        let check = |svg: &str, expected: Option<&str>| assert_eq!(width(svg).as_deref(), expected, "{svg}");
        check("<svg width=\"100%\" viewBox=\"-8 -8 120.5 60\">", Some("121"));
        check("<svg>", None);
        check("<svg viewBox=\"0 0 x 1\">", None);
        check("<svg viewBox=\"0 0 -1 1\">", None);
        check("<svg viewBox=\"0 0 inf 1\">", None);
    }

    #[test]
    fn a_picture_says_what_it_is() {
        assert_eq!(name("\n flowchart LR\n A --> B"), "Diagram: flowchart");
        assert_eq!(name("stateDiagram-v2"), "Diagram: stateDiagram");
        assert_eq!(name("%% x"), "Diagram");
    }
}
