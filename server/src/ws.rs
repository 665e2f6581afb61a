//! Sockets: everything that can be refused is refused before the upgrade, with a status and a reason.

mod codec;
mod connection;

use crate::auth::Caller;
use crate::error::AppError;
use crate::http::{Agent, Query};
use crate::state::AppState;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use protocol::{ErrorCode, SessionId, limits};
use serde::Deserialize;
use think::ConnectOptions;

/// What the address of a socket says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SocketQuery {
    /// The session; absent means the default one.
    session: SessionId,
    /// How many messages of the transcript are wanted; absent means all.
    window: Option<usize>,
}

/// A socket of an agent instance, bound to one session.
pub(crate) async fn open(
    State(state): State<AppState>,
    Agent(engine): Agent,
    Query(query): Query<SocketQuery>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, AppError> {
    let (mut parts, _body) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &state)
        .await
        .map_err(|rejection| no_upgrade(&rejection))?;
    // Counted before it is asked for a place, so that many who come together do not all find the last one.
    let alive = state.sockets.token();
    if state.sockets.len() > state.room.sockets {
        return Err(AppError::new(ErrorCode::Busy, state.room.no_socket()));
    }
    let connection = engine.connect(&query.session, ConnectOptions { window: query.window }).await?;
    let upgrade = upgrade
        .read_buffer_size(limits::SOCKET_READ_BUFFER_BYTES)
        .write_buffer_size(limits::SOCKET_WRITE_BUFFER_BYTES)
        .max_message_size(limits::SOCKET_MESSAGE_MAX_BYTES)
        .max_frame_size(limits::SOCKET_MESSAGE_MAX_BYTES)
        .on_failed_upgrade(|error| tracing::debug!("a socket could not be opened: {error}"));
    Ok(upgrade.on_upgrade(move |socket| async move {
        connection::serve(socket, connection, state.auth.ended(&caller)).await;
        drop((alive, engine));
    }))
}

fn no_upgrade(rejection: &WebSocketUpgradeRejection) -> AppError {
    let text = format!("this address is a socket: {rejection}");
    AppError::new(ErrorCode::BadRequest, text).with_status(StatusCode::UPGRADE_REQUIRED)
}
