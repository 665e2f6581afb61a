//! Drawing what the browser does not draw itself: colours of code, formulas, diagrams.

use super::Json;
use crate::drawings::Drawings;
use crate::error::AppError;
use axum::extract::State;
use protocol::{Drawing, ErrorCode, Pieces, RenderPiece, limits};

/// Draw code, formulas and diagrams
///
/// What cannot be drawn is answered as a `problem` in its place. Lengths of runs are bytes of UTF-8.
#[utoipa::path(post, path = "/render", request_body = Pieces<RenderPiece>,
    responses((status = 200, body = Pieces<Drawing>)))]
pub(crate) async fn draw(
    State(drawings): State<Drawings>,
    Json(asked): Json<Pieces<RenderPiece>>,
) -> Result<axum::Json<Pieces<Drawing>>, AppError> {
    if asked.pieces.len() > limits::RENDER_PIECES_MAX {
        return Err(AppError::too_many_pieces(asked.pieces.len()));
    }
    let drawn = drawings.draw(asked.pieces).await;
    let drawn = drawn.ok_or_else(|| AppError::new(ErrorCode::ShuttingDown, "the server is stopping"))?;
    Ok(axum::Json(Pieces { pieces: drawn }))
}
