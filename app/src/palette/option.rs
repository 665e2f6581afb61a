//! One thing that the palette offers.

use super::choices::Choice;
use leptos::prelude::*;
use protocol::SnippetPiece;

/// What an option shows.
pub fn option_view(choice: &Choice) -> AnyView {
    let piece = |piece: &SnippetPiece| {
        let text = piece.text.clone();
        if piece.is_match {
            view! { <mark>{text}</mark> }.into_any()
        } else {
            view! { <span>{text}</span> }.into_any()
        }
    };
    let snippet = match choice {
        Choice::Message(hit) => {
            let pieces = hit.snippet.iter().map(piece).collect::<Vec<_>>();
            Some(view! { <span class="palette-snippet" dir="auto">{pieces}</span> }.into_any())
        }
        Choice::NewChat
        | Choice::Panel(_)
        | Choice::Settings(_)
        | Choice::Look(_)
        | Choice::SignOut
        | Choice::Chat(..) => None,
    };
    view! {
        <span class="palette-name" dir="auto">{choice.label()}</span>
        <span class="palette-kind">{choice.kind()}</span>
        {snippet}
    }
    .into_any()
}
