//! What handlers may take: everything here is shared by all requests and cheap to clone.

use crate::assets::Assets;
use crate::auth::Auth;
use crate::drawings::Drawings;
use crate::instances::Instances;
use crate::models::Models;
use crate::open_files::Room;
use crate::ssr::Pages;
use axum::extract::FromRef;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The state of the router.
#[derive(Clone)]
pub(crate) struct AppState {
    /// Who may be here.
    pub(crate) auth: Arc<Auth>,
    /// The open agent instances.
    pub(crate) instances: Arc<Instances>,
    /// The models that can be chosen.
    pub(crate) models: Arc<Models>,
    /// How pages are rendered.
    pub(crate) pages: Arc<Pages>,
    /// What draws code, formulas and diagrams.
    pub(crate) drawings: Drawings,
    /// The page's files.
    pub(crate) assets: Arc<Assets>,
    /// One token for each open socket; the server waits for them when it stops.
    pub(crate) sockets: TaskTracker,
    /// How many connections there may be.
    pub(crate) room: Room,
    /// Cancelled once, when the server begins to stop.
    pub(crate) stopping: CancellationToken,
    /// What has been counted; none if another server of this process counts.
    pub(crate) recorder: Option<PrometheusHandle>,
}

impl FromRef<AppState> for Arc<Pages> {
    fn from_ref(state: &AppState) -> Self {
        Arc::clone(&state.pages)
    }
}

impl FromRef<AppState> for Drawings {
    fn from_ref(state: &AppState) -> Self {
        state.drawings.clone()
    }
}
