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
pub(crate) async fn list(State(state): State<AppState>, Agent(engine): Agent) -> Json<ModelList> {
    let list = state.models.list().await;
    // Only now: listing may have told what an unnamed model is.
    Json(ModelList { default: engine.spec().usual_model(), ..list })
}
