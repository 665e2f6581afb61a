//! Reading the body of a request: bounded, and to its end even where it is too large, so that the client, which is
//! still sending, reads the answer instead of a broken connection.

use crate::error::AppError;
use axum::body::Body;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use futures::StreamExt;
use protocol::{ErrorCode, limits};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// The body of a request.
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = AppError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, AppError> {
        let is_json = is_json(request.headers());
        let bytes =
            read_in_time(request.into_body(), limits::API_BODY_MAX_BYTES, limits::API_BODY_MS).await?;
        if !is_json {
            let error =
                AppError::new(ErrorCode::BadRequest, "the body must be `content-type: application/json`");
            return Err(error.with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let axum::Json(value) = axum::Json::from_bytes(&bytes)?;
        Ok(Self(value))
    }
}

/// [`read`], if it takes no longer than so many milliseconds.
pub(crate) async fn read_in_time(body: Body, limit: usize, most_ms: u64) -> Result<Vec<u8>, AppError> {
    in_time(read(body, limit), most_ms).await
}

/// [`spool`], if it takes no longer than so many milliseconds.
pub(crate) async fn spool_in_time(
    body: Body,
    folder: &Path,
    limit: usize,
    most_ms: u64,
) -> Result<File, AppError> {
    in_time(spool(body, folder, limit), most_ms).await
}

async fn in_time<T>(reading: impl Future<Output = Result<T, AppError>>, most_ms: u64) -> Result<T, AppError> {
    let too_slow = |_| {
        let text = format!("the body did not arrive within {most_ms} ms");
        AppError::new(ErrorCode::BadRequest, text).with_status(StatusCode::REQUEST_TIMEOUT)
    };
    timeout(Duration::from_millis(most_ms), reading).await.map_err(too_slow)?
}

/// The whole body, if it has at most `limit` bytes. Of a larger one, [`limits::API_BODY_DRAIN_MAX_BYTES`] more are read
/// and forgotten.
async fn read(body: Body, limit: usize) -> Result<Vec<u8>, AppError> {
    let mut stream = body.into_data_stream();
    let (mut bytes, mut seen) = (Vec::new(), 0_usize);
    while let Some(piece) = stream.next().await {
        let broken =
            |error| AppError::new(ErrorCode::BadRequest, format!("the body ends too early: {error}"));
        let piece = piece.map_err(broken)?;
        seen = seen.saturating_add(piece.len());
        if seen <= limit {
            bytes.extend_from_slice(&piece);
        } else if seen > limit.saturating_add(limits::API_BODY_DRAIN_MAX_BYTES) {
            break;
        }
    }
    if seen > limit { Err(AppError::body_too_large(limit, "API_BODY_MAX_BYTES")) } else { Ok(bytes) }
}

/// The whole body in a file of its own in `folder`, which goes with its last handle, if it has at most `limit` bytes.
/// Memory does not grow with it, as it would in a system's temporary folder that lies in memory.
async fn spool(body: Body, folder: &Path, limit: usize) -> Result<File, AppError> {
    let unwritable = |error: std::io::Error| {
        AppError::new(ErrorCode::Storage, format!("the file cannot be kept: {error}"))
    };
    let mut file = tokio::fs::File::from_std(tempfile::tempfile_in(folder).map_err(unwritable)?);
    let mut stream = body.into_data_stream();
    let mut seen = 0_usize;
    while let Some(piece) = stream.next().await {
        let broken =
            |error| AppError::new(ErrorCode::BadRequest, format!("the body ends too early: {error}"));
        let piece = piece.map_err(broken)?;
        seen = seen.saturating_add(piece.len());
        if seen > limit.saturating_add(limits::API_BODY_DRAIN_MAX_BYTES) {
            break;
        }
        if seen <= limit {
            file.write_all(&piece).await.map_err(unwritable)?;
        }
    }
    if seen > limit {
        return Err(AppError::body_too_large(limit, "IMPORT_MAX_BYTES"));
    }
    file.flush().await.map_err(unwritable)?;
    Ok(file.into_std().await)
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// A text that is no JSON and one that is not what is wanted are both wrong input.
impl From<JsonRejection> for AppError {
    fn from(rejection: JsonRejection) -> Self {
        Self::new(ErrorCode::BadRequest, rejection.body_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_is_too_large_is_told_the_limit_it_met() {
        let folder = tempfile::tempdir().unwrap();
        let refused = read(Body::from("four"), 3).await.unwrap_err();
        assert_eq!(refused, AppError::body_too_large(3, "API_BODY_MAX_BYTES"));
        let refused = spool(Body::from("four"), folder.path(), 3).await.unwrap_err();
        assert_eq!(refused, AppError::body_too_large(3, "IMPORT_MAX_BYTES"));
        assert_eq!(read(Body::from("four"), 4).await.unwrap(), b"four");
    }
}
