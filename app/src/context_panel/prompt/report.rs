//! The prompt, taken apart.

use super::changed::{Change, changes};
use super::look::Look;
use super::piece::Piece;
use super::shares::{Share, room, shares};
use crate::format;
use leptos::prelude::*;
use protocol::{PieceKind, PromptChanges, PromptPiece, PromptReport, PromptSection, PromptTool, Usage};

/// The prompt: a bar by part, then system, history and tools.
#[component]
pub fn Report(report: PromptReport, before: Look) -> impl IntoView {
    let since =
        before.until(Look::of(&report)).map(|text| view! { <p class="panel-note">{text}</p> }.into_any());
    let parts = shares(&report);
    let bar = |share: &Share| {
        let style = format!("width:{}%", share.per_mille as f64 / 10.0);
        view! { <span class=share.class style=style></span> }.into_any()
    };
    let legend = |share: &Share| {
        view! { <li class=share.class>{share.label}" "<span>{format::tokens(share.tokens)}</span></li> }
            .into_any()
    };
    let total = match room(&report) {
        Some(room) => format!("{} of {}", format::tokens(report.total_tokens), format::tokens(room)),
        None => format::tokens(report.total_tokens),
    };
    view! {
        <div class="prompt-bar" aria-hidden="true">{parts.iter().map(bar).collect::<Vec<_>>()}</div>
        <ul class="prompt-legend">{parts.iter().map(legend).collect::<Vec<_>>()}</ul>
        <p class="panel-note">{format!("The next call to {} sends about {total}.", report.model)}</p>
        {report.last_usage.map(|usage| view! { <p class="panel-note">{usage_text(usage)}</p> }.into_any())}
        {since}
        {report.changed.as_ref().map(changed)}
        {group("System", report.system.into_iter().map(section).collect())}
        {group("History", report.history.into_iter().map(message).collect())}
        {group("Tools", report.tools.into_iter().map(tool).collect())}
    }
}

/// What the agent's own code made of the last call. It is not asked before there is a call, so of the next
/// one nothing can be said.
fn changed(changed: &PromptChanges) -> AnyView {
    let change = |Change { what, text }| match text {
        Some(text) => view! { <Piece name=what mark="" size=String::new() text/> }.into_any(),
        None => view! { <p class="piece is-line" dir="auto">{what}</p> }.into_any(),
    };
    view! {
        <section class="pieces is-changed" aria-label="Changed by the agent">
            <h3>"Changed by the agent in the last call"</h3>
            {changes(changed).into_iter().map(change).collect::<Vec<_>>()}
        </section>
    }
    .into_any()
}

fn group(name: &'static str, pieces: Vec<AnyView>) -> Option<AnyView> {
    let is_empty = pieces.is_empty();
    (!is_empty).then(|| {
        view! { <section class="pieces" aria-label=name><h3>{name}</h3>{pieces}</section> }.into_any()
    })
}

fn section(section: PromptSection) -> AnyView {
    let name = if section.label.is_empty() { "Instructions".to_owned() } else { section.label };
    view! { <Piece name mark="" size=format::tokens(section.tokens) text=section.text/> }.into_any()
}

fn message(piece: PromptPiece) -> AnyView {
    let mark = match piece.kind {
        PieceKind::Whole => "",
        PieceKind::Overlay => "summary",
        PieceKind::Truncated => "shortened",
        PieceKind::Added => "added",
    };
    let start: String = piece.text.chars().take(60).collect();
    view! { <Piece name=format!("{}: {start}", piece.role) mark size=format::tokens(piece.tokens) text=piece.text/> }
        .into_any()
}

fn tool(tool: PromptTool) -> AnyView {
    let schema = serde_json::to_value(&tool.spec).map(|spec| format!("{spec:#}")).unwrap_or_default();
    view! { <Piece name=tool.spec.name mark="" size=format::tokens(tool.tokens) text=schema/> }.into_any()
}

fn usage_text(usage: Usage) -> String {
    let cached = usage.cached_tokens.map(|cached| format!(", {cached} of it cached")).unwrap_or_default();
    format!(
        "The last call read {}{cached} and wrote {}.",
        format::tokens(usage.input_tokens),
        format::tokens(usage.output_tokens)
    )
}
