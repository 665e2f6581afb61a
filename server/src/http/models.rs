//! The models that can be chosen.

use super::Agent;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use protocol::ModelList;

/// All models that can be chosen just now
///
/// Asks every provider; one that does not answer in time lists nothing.
#[utoipa::path(get, path = "/models", responses((status = 200, body = ModelList)))]
pub(crate) async fn list(State(state): State<AppState>, _agent: Agent) -> Json<ModelList> {
    Json(state.models.list().await)
}
