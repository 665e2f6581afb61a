//! A formula in a text: as the server sets it, or as it was written.

use super::drawings::drawing_at;
use super::formula::{Formula, Place};
use super::pieces::formula_piece;
use crate::ui::when::live;
use leptos::html::Span;
use leptos::prelude::*;
use protocol::Drawing;

/// A formula. The server shows its source.
#[component]
pub fn FormulaText(
    /// The formula.
    formula: Formula,
) -> impl IntoView {
    let place = NodeRef::<Span>::new();
    let drawing = drawing_at(formula_piece(&formula), place);
    let class = if formula.place == Place::Own { "formula is-own" } else { "formula" };
    let body = move || {
        drawing.with(|drawing| match drawing {
            Some(Drawing::Mathml(markup)) => set(markup),
            Some(Drawing::Problem(problem)) => wrong(&formula.written, problem),
            Some(Drawing::Runs(_) | Drawing::Svg(_)) | None => written(&formula.written),
        })
    };
    view! { <span class=class dir="ltr" node_ref=place>{live(move || Some(body()))}</span> }
}

/// The one place where markup from the server is taken as such: it went through an allow-list of MathML there.
fn set(markup: &str) -> AnyView {
    view! { <span inner_html=markup.to_owned()></span> }.into_any()
}

fn written(text: &str) -> AnyView {
    view! { <span class="formula-source">{text.to_owned()}</span> }.into_any()
}

fn wrong(text: &str, problem: &str) -> AnyView {
    let why = format!("This formula cannot be set: {problem}");
    view! {
        <span class="formula-source is-wrong" title=why.clone()>{text.to_owned()}</span>
        <span class="sr-only">{why}</span>
    }
    .into_any()
}
