//! Draws pieces of a text for the page: colours for code, MathML for formulas, SVG for diagrams.
//!
//! Absences that hold: nothing here waits, reads a file or asks a network; no piece costs more than its limits in
//! `protocol::limits`; no defect in drawing one piece is felt by another. All of it is work for a blocking thread.

mod code;
mod diagram;
mod maths;

use code::Painter;
use moka::sync::Cache;
use protocol::{Drawing, RenderKind, RenderPiece, limits};
use pulldown_latex::config::DisplayMode;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Draws pieces, and remembers what it has drawn. Making one is cheap; the grammars are unpacked when the first code
/// comes.
#[derive(Debug)]
pub struct Renderer {
    painter: Painter,
    drawn: Cache<RenderPiece, Drawing>,
}

impl Default for Renderer {
    /// A renderer that has drawn nothing.
    fn default() -> Self {
        Self::new(Duration::from_millis(limits::RENDER_CODE_MS))
    }
}

impl Renderer {
    /// A renderer that works on one block of code for at most `code_budget`.
    pub fn new(code_budget: Duration) -> Self {
        let drawn = Cache::builder()
            .max_capacity(u64::from(limits::RENDER_CACHE_MAX_BYTES))
            .weigher(|piece: &RenderPiece, drawing: &Drawing| weight(piece, drawing))
            .build();
        Self { painter: Painter::new(code_budget), drawn }
    }

    /// The drawing of a piece. What cannot be drawn is a [`Drawing::Problem`], code in a language that is not known has
    /// no runs.
    pub fn draw(&self, piece: &RenderPiece) -> Drawing {
        if let Some(drawn) = self.drawn.get(piece) {
            return drawn;
        }
        // The libraries below are other people's parsers fed by a model.
        let drawing = catch_unwind(AssertUnwindSafe(|| self.fresh(piece)));
        let drawing =
            drawing.unwrap_or_else(|_| Fresh::Final(Drawing::Problem("this cannot be drawn".to_owned())));
        match drawing {
            Fresh::Final(drawing) => {
                self.drawn.insert(piece.clone(), drawing.clone());
                drawing
            }
            Fresh::InHaste(drawing) => drawing,
        }
    }

    fn fresh(&self, piece: &RenderPiece) -> Fresh {
        Fresh::Final(match piece.kind {
            RenderKind::Code => {
                let painted = self.painter.runs(&piece.language, &piece.text);
                let drawing = Drawing::Runs(painted.runs);
                return if painted.is_in_time { Fresh::Final(drawing) } else { Fresh::InHaste(drawing) };
            }
            RenderKind::Maths => {
                let mode = if piece.display { DisplayMode::Block } else { DisplayMode::Inline };
                maths::mathml(&piece.text, mode).map_or_else(Drawing::Problem, Drawing::Mathml)
            }
            RenderKind::Diagram => diagram::svg(&piece.text).map_or_else(Drawing::Problem, Drawing::Svg),
        })
    }
}

/// A drawing that was just made.
enum Fresh {
    /// It would be the same again.
    Final(Drawing),
    /// The time was short, as it is while grammars are read for the first time; it is not remembered.
    InHaste(Drawing),
}

/// The problem of a source that is longer than `max` bytes.
fn too_long(what: &str, bytes: usize, max: usize) -> String {
    format!("{what} of {bytes} bytes is not drawn; the limit is {max}")
}

fn weight(piece: &RenderPiece, drawing: &Drawing) -> u32 {
    let drawn = match drawing {
        Drawing::Runs(runs) => size_of_val(runs.as_slice()),
        Drawing::Mathml(text) | Drawing::Svg(text) | Drawing::Problem(text) => text.len(),
    };
    u32::try_from(piece.text.len() + drawn + size_of::<RenderPiece>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
