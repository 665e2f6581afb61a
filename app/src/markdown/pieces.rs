//! Which pieces of a text the server draws. Pure.

use super::document::Growth;
use super::formula::{Formula, Place};
use protocol::{RenderKind, RenderPiece, limits};

/// What a fence says where a diagram follows.
const DIAGRAM: &str = "mermaid";

/// Whether a block of code is meant to be seen as a diagram.
pub fn is_diagram(language: &str) -> bool {
    language.eq_ignore_ascii_case(DIAGRAM)
}

/// A block of code as a piece; none while more of it may come, and where there is nothing to draw.
pub fn code_piece(language: &str, text: &str, growth: Growth) -> Option<RenderPiece> {
    let may = !language.is_empty() && text.len() <= limits::RENDER_CODE_MAX_BYTES;
    let piece = RenderPiece { language: language.to_owned(), ..piece(RenderKind::Code, text) };
    (may && is_whole(text, growth)).then_some(piece)
}

/// A diagram as a piece; none while more of it may come. One that is too long has its problem told by the server.
pub fn diagram_piece(text: &str, growth: Growth) -> Option<RenderPiece> {
    let may = text.len() <= limits::API_BODY_MAX_BYTES / 4;
    (may && is_whole(text, growth)).then(|| piece(RenderKind::Diagram, text))
}

/// A formula as a piece; none while more of it may come.
pub fn formula_piece(formula: &Formula) -> Option<RenderPiece> {
    let is_whole = formula.growth == Growth::Complete;
    let display = formula.place == Place::Own;
    is_whole.then(|| RenderPiece { display, ..piece(RenderKind::Maths, &formula.source) })
}

fn is_whole(text: &str, growth: Growth) -> bool {
    growth == Growth::Complete && !text.trim().is_empty()
}

fn piece(kind: RenderKind, text: &str) -> RenderPiece {
    RenderPiece { kind, language: String::new(), display: false, text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i04_code_is_drawn_when_its_end_has_come() {
        let code = RenderPiece { language: "rust".to_owned(), ..piece(RenderKind::Code, "fn") };
        assert_eq!(code_piece("rust", "fn", Growth::Complete), Some(code));
        assert_eq!(diagram_piece("pie", Growth::Complete), Some(piece(RenderKind::Diagram, "pie")));
        assert_eq!(code_piece("rust", "fn", Growth::Open), None);
        assert_eq!(diagram_piece("pie", Growth::Open), None);
        assert!(is_diagram("Mermaid") && !is_diagram("mermaids"));
    }

    #[test]
    fn nothing_is_asked_where_there_is_nothing_to_draw() {
        assert_eq!(code_piece("", "fn", Growth::Complete), None);
        assert_eq!(code_piece("rust", " \n", Growth::Complete), None);
        assert_eq!(diagram_piece(" \n", Growth::Complete), None);
        let long = "x".repeat(limits::RENDER_CODE_MAX_BYTES + 1);
        assert_eq!(code_piece("rust", &long, Growth::Complete), None);
    }

    #[test]
    fn a_formula_is_drawn_as_it_stands() {
        let formula =
            |place, growth| Formula { source: "x".to_owned(), written: "$x$".to_owned(), place, growth };
        let drawn = |place, growth| formula_piece(&formula(place, growth)).map(|piece| piece.display);
        assert_eq!(drawn(Place::Line, Growth::Complete), Some(false));
        assert_eq!(drawn(Place::Own, Growth::Complete), Some(true));
        assert_eq!(drawn(Place::Own, Growth::Open), None);
    }
}
