//! The page's port: what it may ask of the server. The server implements it on top of the engine (used while a page
//! is rendered), the browser over HTTP ([`http::HttpBackend`]), tests as they like. There is no other way in.

pub mod http;
pub mod told;

use async_trait::async_trait;
use protocol::{MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};

/// What a page may ask. Given to the page by context as `Arc<dyn Backend>`.
///
/// Every call is a read of the local store or one small change of it; none of them waits for a model.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// The sessions, newest first; with the cursor of an earlier page, those after it.
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError>;

    /// The end of a session's active path, with the answer in motion; none if there is no such session.
    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError>;

    /// The messages of the active path before `before`, as many as one page holds.
    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError>;

    /// A new, empty session.
    async fn create_session(&self, name: Option<String>) -> Result<SessionInfo, WireError>;

    /// Gives a session another name.
    async fn rename(&self, session: &SessionId, name: String) -> Result<SessionInfo, WireError>;

    /// Moves a session to the trash.
    async fn delete(&self, session: &SessionId) -> Result<(), WireError>;

    /// Takes a session back out of the trash.
    async fn restore(&self, session: &SessionId) -> Result<SessionInfo, WireError>;
}
