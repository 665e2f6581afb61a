//! Files of the page: from the site's folder, in the compressed form made by the build where the browser takes it,
//! with the caching that fits their names. Whatever is not there is a plain 404, never a page.

use crate::config::SiteConfig;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::path::PathBuf;
use tower::ServiceExt;
use tower_http::services::ServeDir;

/// A file whose name has its content's hash in it can never change.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Others are asked for again after an hour; the answer is mostly "not modified".
const FOR_A_WHILE: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// Shortest part of a name that is taken for a hash.
const HASH_MIN_CHARS: usize = 16;

/// The folder files come from.
#[derive(Debug, Clone)]
pub struct Assets {
    root: PathBuf,
    /// Path of the front end's own files, `/pkg`.
    pkg: String,
}

impl Assets {
    /// The files of a site.
    pub fn new(site: &SiteConfig) -> Self {
        Self { root: site.root.clone(), pkg: format!("/{}", site.pkg_dir.trim_matches('/')) }
    }

    /// Whether a path is one of files: below the front end's folder, or its last part has an extension.
    pub fn is_file(&self, path: &str) -> bool {
        path.strip_prefix(&self.pkg).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || has_extension(path)
    }

    /// The file at the request's path.
    pub async fn file(&self, request: Request) -> Response {
        serve(self.root.clone(), request).await
    }
}

fn has_extension(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    last.rsplit_once('.').is_some_and(|(name, extension)| !name.is_empty() && !extension.is_empty())
}

async fn serve(folder: PathBuf, request: Request) -> Response {
    let caching = if has_hash(request.uri().path()) { FOREVER } else { FOR_A_WHILE };
    let files =
        ServeDir::new(folder).append_index_html_on_directories(false).precompressed_br().precompressed_gzip();
    let mut response = match files.oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    };
    if response.status() == StatusCode::NOT_FOUND {
        return missing();
    }
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        let _none = response.headers_mut().insert(CACHE_CONTROL, caching);
    }
    response
}

fn missing() -> Response {
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    let no_store = HeaderValue::from_static("no-store");
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, text), (CACHE_CONTROL, no_store)], "not found\n").into_response()
}

/// Whether a file's name carries its content's hash, as in `bough.AbCdEf0123456789abcdef.wasm`.
fn has_hash(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_hash_char = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_hash = |part: &str| part.len() >= HASH_MIN_CHARS && part.bytes().all(is_hash_char);
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() >= 3 && parts.iter().rev().skip(1).take(parts.len() - 2).any(|part| is_hash(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_extensions_or_a_folder_of_their_own() {
        let assets = Assets { root: PathBuf::new(), pkg: "/pkg".to_owned() };
        let check = |path: &str, expected: bool| assert_eq!(assets.is_file(path), expected, "{path}");
        check("/pkg", true);
        check("/pkg/none", true);
        check("/pkgs/none", false);
        check("/favicon.svg", true);
        check("/fonts/inter.woff2", true);
        check("/s/0192", false);
        check("/.well-known", false);
        check("/a.b/c", false);
        check("/x.", false);
        check("/", false);
    }

    #[test]
    fn only_names_with_hashes_are_kept_forever() {
        let check = |path: &str, expected: bool| assert_eq!(has_hash(path), expected, "{path}");
        check("/bough.0hB_Zk2-Qe1LrTyUiOpAsd.wasm", true);
        check("/bough.0hB_Zk2-Qe1LrTyUiOpAsd.css", true);
        check("/bough.css", false);
        check("/bough.min.js", false);
        check("/aVeryLongNameWithoutAnyHash.js", false);
        check("/snippets/some-crate/inline0.js", false);
    }
}
