//! What an address is to somebody who is not signed in. Pure.
//!
//! Whatever is not named here is closed. Addresses are compared as they came: the router does not decode them either, so
//! that nothing which is spelt otherwise can be open here and something else there.

use protocol::limits;

/// The sign-in page, below the base path.
pub const LOGIN: &str = "/login";
/// The end of a sign-in.
pub const LOGOUT: &str = "/logout";

/// Open single addresses: the signs of life, the sign-in page, and what every browser asks for by itself.
const OPEN: [&str; 5] = ["/healthz", "/readyz", LOGIN, "/favicon.svg", "/robots.txt"];
/// Open folders, with files of the build only: styles, scripts, fonts.
const OPEN_FOLDERS: [&str; 2] = ["/pkg/", "/fonts/"];
/// Addresses of programs, which want no page.
const PROGRAMS: [&str; 4] = ["/api/", "/agents/", "/metrics", LOGOUT];

/// What an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// For everybody.
    Open,
    /// A page: who may not see it is led to the sign-in page.
    Page,
    /// Anything else: who may not is told so.
    Closed,
}

impl Room {
    /// Of a path, on a server below `base`.
    pub fn of(path: &str, base: &str) -> Self {
        let Some(path) = path.strip_prefix(base).filter(|path| path.is_empty() || path.starts_with('/'))
        else {
            return Self::Page;
        };
        let is_file = || OPEN_FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.contains("..");
        if OPEN.contains(&path) || is_file() {
            Self::Open
        } else if PROGRAMS.iter().any(|begin| path.starts_with(begin)) {
            Self::Closed
        } else {
            Self::Page
        }
    }
}

/// Where to go after signing in: an address of ours that was asked for, else the first page. Nothing that a browser could
/// take for another host, another path of this host, or the sign-in page again.
pub fn next(asked: &str, base: &str) -> String {
    let first = || format!("{base}/");
    let path = asked.split(['?', '#']).next().unwrap_or_default();
    let Some(inside) = path.strip_prefix(base) else { return first() };
    let is_of_address = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    let is_dots = |part: &str| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == "." || part == ".."
    };
    let is_ours = inside.starts_with('/') && !inside.starts_with("//") && !inside.split('/').any(is_dots);
    let is_page = Room::of(path, base) == Room::Page;
    if asked.bytes().all(is_of_address) && is_ours && is_page && asked.len() <= limits::LOGIN_NEXT_MAX_BYTES {
        asked.to_owned()
    } else {
        first()
    }
}

#[cfg(test)]
mod tests {
    use super::Room::{Closed, Open, Page};
    use super::*;

    #[test]
    fn what_is_not_named_is_closed() {
        for (path, expected) in [
            ("/healthz", Open),
            ("/login", Open),
            ("/favicon.svg", Open),
            ("/pkg/bough.css", Open),
            ("/fonts/inter.woff2", Open),
            ("/", Page),
            ("", Page),
            ("/s/0192", Page),
            ("/s/x.css", Page),
            ("/settings/data", Page),
            ("/healthz/", Page),
            ("//healthz", Page),
            ("/HEALTHZ", Page),
            ("/login/x", Page),
            ("/pkg", Page),
            ("/pkg/../api/v1/x", Page),
            ("/%70kg/x", Page),
            ("/metrics", Closed),
            ("/logout", Closed),
            ("/api/v1/openapi.json", Closed),
            ("/api/x.css", Closed),
            ("/agents/assistant/default", Closed),
            ("/agents/a/favicon.svg", Closed),
        ] {
            assert_eq!(Room::of(path, ""), expected, "{path}");
            assert_eq!(Room::of(&format!("/a/b{path}"), "/a/b"), expected, "/a/b{path}");
        }
        for outside in ["/", "/healthz", "/a", "/a/bc/healthz", "/a/b2"] {
            assert_eq!(Room::of(outside, "/a/b"), Page, "{outside}");
        }
    }

    #[test]
    fn signing_in_leads_to_addresses_of_ours_only() {
        let long = format!("/s/{}", "x".repeat(limits::LOGIN_NEXT_MAX_BYTES));
        for ours in ["/", "/s/0192?m=a%26b", "/settings/data", "/s/x#y", "/s/%C3%A9", "/s/a?u=//b"] {
            assert_eq!(next(ours, ""), ours);
            assert_eq!(next(&format!("/chat{ours}"), "/chat"), format!("/chat{ours}"));
        }
        for foreign in [
            "",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\/evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "/s/\r\nset-cookie: a=b",
            "/../x",
            "/s/%2e%2E/x",
            "/./x",
            "/é",
            "/s/\"><b>",
            "/login",
            "/login?next=/login",
            "/logout",
            "/api/v1/openapi.json",
            &long,
        ] {
            assert_eq!(next(foreign, ""), "/", "{foreign:?}");
            assert_eq!(next(foreign, "/chat"), "/chat/", "{foreign:?}");
            let below = format!("/chat{foreign}");
            assert_eq!(next(&below, "/chat"), "/chat/", "{below:?}");
        }
        for outside in ["/", "/chat", "/chatter/x", "/other/s/1"] {
            assert_eq!(next(outside, "/chat"), "/chat/", "{outside}");
        }
    }
}
