//! The page's port: what it may ask of the server. The server implements it on top of the engine (used while a page
//! is rendered), the browser over HTTP ([`http::HttpBackend`]), tests as they like. There is no other way in.

pub mod http;
pub mod told;

use async_trait::async_trait;
use protocol::{MessageId, SessionId, SessionInfo, SessionPage, Transcript, WireError};

/// What a page may ask. Given to the page by context as `Arc<dyn Backend>`.
///
/// Every call is a read of the local store. What changes something goes over the JSON API (`crate::api`), since only
/// a person in a browser changes anything.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// The sessions that are neither archived nor in the trash, newest first; with the cursor of an earlier page, those after it.
    async fn sessions(&self, cursor: Option<String>) -> Result<SessionPage, WireError>;

    /// The end of a session's active path, with the answer in motion; none if there is no such session.
    async fn transcript(&self, session: &SessionId) -> Result<Option<Transcript>, WireError>;

    /// The messages of the active path before `before`, as many as one page holds.
    async fn earlier(&self, session: &SessionId, before: &MessageId) -> Result<Transcript, WireError>;

    /// One session's row; none if there is no such session, or it lies in the trash.
    async fn session(&self, session: &SessionId) -> Result<Option<SessionInfo>, WireError>;
}
