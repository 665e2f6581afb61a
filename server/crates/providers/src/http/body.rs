//! The body of an answer, piece by piece.

use super::{Rest, Target, failure};
use bytes::Bytes;
use model::{ErrorClass, ModelError};
use reqwest::Response;
use std::time::Duration;

/// How long a whole error body may take; it is only read for its words.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an error body is read.
const ERROR_BODY_MAX_BYTES: usize = 64 * 1024;

/// A body that is read with a limit on each wait. Dropping it before its end closes the connection.
#[derive(Debug)]
pub(crate) struct Body {
    response: Response,
    /// Who reads what nobody waits for.
    rest: Option<Rest>,
}

impl Body {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, rest: None }
    }

    pub(super) fn with_rest(self, rest: Rest) -> Self {
        Self { rest: Some(rest), ..self }
    }

    /// Everything that is wanted was read.
    pub(crate) fn finish(self) {
        if let Some(rest) = self.rest {
            rest.read(self.response);
        }
    }

    /// The next piece; none at the end. Dropping the future loses nothing.
    pub(crate) async fn piece(
        &mut self,
        target: &Target,
        limit: Duration,
    ) -> Result<Option<Bytes>, ModelError> {
        let piece = tokio::time::timeout(limit, self.response.chunk()).await;
        piece.map_err(|_| target.timeout(limit))?.map_err(|error| failure(target, error))
    }

    /// The whole body, if it is not larger than `max_bytes` and comes within `limit`.
    pub(crate) async fn whole(
        mut self,
        target: &Target,
        limit: Duration,
        max_bytes: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(limit, self.fill(&mut bytes, target, max_bytes)).await;
        read.map_err(|_| target.timeout(limit))??;
        if bytes.len() > max_bytes { Err(too_large(target, max_bytes)) } else { Ok(bytes) }
    }

    /// As much of an error's body as is needed for its words. What cannot be read is left out: the status says enough.
    pub(crate) async fn error_text(mut self, target: &Target) -> String {
        let mut bytes = Vec::new();
        let read = self.fill(&mut bytes, target, ERROR_BODY_MAX_BYTES);
        let _is_whole = matches!(tokio::time::timeout(ERROR_BODY_TIMEOUT, read).await, Ok(Ok(())));
        bytes.truncate(ERROR_BODY_MAX_BYTES);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Reads to the end, or until there is more than `max_bytes`.
    async fn fill(
        &mut self,
        bytes: &mut Vec<u8>,
        target: &Target,
        max_bytes: usize,
    ) -> Result<(), ModelError> {
        while bytes.len() <= max_bytes {
            let piece = self.response.chunk().await.map_err(|error| failure(target, error))?;
            let Some(piece) = piece else { return Ok(()) };
            bytes.extend_from_slice(&piece);
        }
        Ok(())
    }
}

/// The error for an answer beyond a limit of ours.
pub(crate) fn too_large(target: &Target, max_bytes: usize) -> ModelError {
    let text = format!("{} sent more than {max_bytes} bytes at once.", target.label());
    ModelError::new(ErrorClass::Protocol, text)
}
