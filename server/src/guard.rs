//! Who may call: the checks of `Host`, `Origin` and `Sec-Fetch-Site` in front of everything.
//!
//! They keep out pages of other sites, whether those come by a cross-site request, by a cross-site socket, or by a
//! name that was made to point at this machine (DNS rebinding). Programs that are no browsers send none of these
//! headers but `Host` and are let in.

use crate::config::ListenConfig;
use crate::error::AppError;
use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, HeaderName, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use protocol::ErrorCode;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");

/// What is allowed besides loopback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    address: SocketAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// What a request says about where it comes from and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Claims<'a> {
    /// The host it is addressed to, with its port.
    pub host: Option<&'a str>,
    /// The page it comes from.
    pub origin: Option<&'a str>,
    /// How that page is related to this server.
    pub site: Option<&'a str>,
    /// What it may do.
    pub reach: Reach,
}

/// What a request may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Show a page because a person followed a link.
    Navigate,
    /// Read.
    #[default]
    Read,
    /// Change something, or open a socket.
    Change,
}

/// The layer: refuses with 403 before anything else has looked at the request.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    match guard.judge(Claims::of(&request)) {
        Ok(()) => next.run(request).await,
        Err(reason) => AppError::new(ErrorCode::Forbidden, reason).into_response(),
    }
}

impl Guard {
    /// The rules of a server at `address`.
    pub fn new(listen: &ListenConfig, address: SocketAddr) -> Self {
        Self { address, hosts: listen.allowed_hosts.clone(), origins: listen.allowed_origins.clone() }
    }

    /// Whether a request may pass; if not, why, with the fix.
    ///
    /// # Errors
    /// A sentence for whoever sent it.
    pub fn judge(&self, claims: Claims) -> Result<(), String> {
        let Some(host) = claims.host else { return Err("the request names no host".to_owned()) };
        if !self.knows_host(host) {
            return Err(format!(
                "the host {host:?} is not served here; add it to allowed_hosts to change that"
            ));
        }
        match claims.origin {
            Some("null") if claims.reach == Reach::Change => {
                Err("a page without an origin may not do this".to_owned())
            }
            Some("null") | None => refuse_other_sites(claims),
            Some(origin) if self.knows_origin(origin, host) => Ok(()),
            Some(origin) => {
                Err(format!("the origin {origin:?} may not call; add it to allowed_origins to change that"))
            }
        }
    }

    fn knows_host(&self, host: &str) -> bool {
        let name = without_port(host).to_lowercase();
        is_loopback(host) || self.hosts.contains(&name) || ip(&name).is_some_and(|ip| self.is_at(ip))
    }

    /// Where all addresses of the machine are listened at, each of them is right, and which they are is not known here. A
    /// number cannot be made to point elsewhere, as a name can: whoever is addressed by one is who is meant.
    fn is_at(&self, ip: IpAddr) -> bool {
        self.address.ip().is_unspecified() || ip.to_canonical() == self.address.ip().to_canonical()
    }

    fn knows_origin(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_lowercase();
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let port = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => return self.origins.contains(&origin),
        };
        let host = host.to_lowercase();
        let is_own = authority.trim_end_matches(port) == host.trim_end_matches(port);
        is_own || self.origins.contains(&origin)
    }
}

impl<'a> Claims<'a> {
    fn of(request: &'a Request) -> Self {
        let headers = request.headers();
        let authority = || request.uri().authority().map(|authority| authority.as_str());
        Self {
            // An address that names its host counts more than the header (RFC 9112, section 3.2.2).
            host: authority().or_else(|| only(headers, &HOST)),
            origin: only(headers, &ORIGIN),
            site: text(headers, &SEC_FETCH_SITE),
            reach: reach(request.method(), headers),
        }
    }
}

/// Whether a `Host` means this very machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = without_port(host).to_lowercase();
    let is_named = name == "localhost" || name.ends_with(".localhost");
    is_named || ip(&name).is_some_and(|ip| ip.to_canonical().is_loopback())
}

fn ip(name: &str) -> Option<IpAddr> {
    name.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Other sites' pages may link here, and nothing else. Reads of theirs without an `Origin` are images, scripts and
/// the like, which must neither be answered nor open an agent's file.
fn refuse_other_sites(claims: Claims) -> Result<(), String> {
    let is_foreign = claims.site.is_some_and(|site| site == "cross-site" || site == "same-site");
    if is_foreign && claims.reach != Reach::Navigate {
        return Err("pages of other sites may not call".to_owned());
    }
    Ok(())
}

fn reach(method: &Method, headers: &HeaderMap) -> Reach {
    let is_read = method == Method::GET || method == Method::HEAD || method == Method::OPTIONS;
    if !is_read || headers.contains_key(UPGRADE) {
        Reach::Change
    } else if text(headers, &SEC_FETCH_MODE) == Some("navigate") {
        Reach::Navigate
    } else {
        Reach::Read
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The text of a header that may stand there once; of several, who knows which one another reader believes.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    if headers.get_all(name).iter().count() > 1 { Some("?") } else { text(headers, name) }
}

/// A header's text; one that is no text counts as one that matches nothing.
fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard {
            address: "127.0.0.1:3000".parse().unwrap(),
            hosts: vec!["chat.example".to_owned()],
            origins: vec!["https://friend.example".to_owned(), "app://desktop".to_owned()],
        }
    }

    /// What becomes of a request.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Fate {
        Passes,
        Stops,
    }
    use Fate::{Passes, Stops};

    #[track_caller]
    fn check(claims: Claims, expected: Fate) {
        let verdict = guard().judge(claims);
        let fate = if verdict.is_ok() { Passes } else { Stops };
        assert_eq!(fate, expected, "{claims:?}: {verdict:?}");
    }

    #[test]
    fn hosts_must_be_loopback_or_listed() {
        let host = |host: &str, fate| check(Claims { host: Some(host), ..Claims::default() }, fate);
        for name in
            ["localhost:3000", "LOCALHOST", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000", "a.localhost:1"]
        {
            host(name, Passes);
        }
        host("chat.example", Passes);
        host("Chat.Example:443", Passes);
        for name in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:3000", "10.0.0.1", "", "[::2]"]
        {
            host(name, Stops);
        }
        check(Claims::default(), Stops);
    }

    #[test]
    fn origins_must_be_the_host_or_listed() {
        let origin = |host: &str, origin: &str, fate| {
            let claims =
                Claims { host: Some(host), origin: Some(origin), reach: Reach::Change, ..Claims::default() };
            check(claims, fate);
        };
        origin("localhost:3000", "http://localhost:3000", Passes);
        origin("chat.example", "https://chat.example", Passes);
        origin("chat.example:443", "https://chat.example", Passes);
        origin("chat.example", "https://chat.example:443", Passes);
        origin("localhost:3000", "https://friend.example", Passes);
        origin("localhost:3000", "app://desktop", Passes);
        origin("localhost:3000", "http://localhost:4000", Stops);
        origin("localhost:3000", "http://127.0.0.1:3000", Stops);
        origin("localhost:3000", "http://evil.example", Stops);
        origin("localhost:3000", "null", Stops);
        origin("localhost:3000", "", Stops);
        origin("localhost:3000", "?", Stops);
        origin("localhost:3000", "app://other", Stops);
    }

    #[test]
    fn a_server_at_all_addresses_is_called_by_any_number_and_by_allowed_names() {
        let judge = |address: &str, host: &str| {
            let guard = Guard { address: address.parse().unwrap(), ..guard() };
            guard.judge(Claims { host: Some(host), ..Claims::default() }).is_ok()
        };
        for (host, at_all, at_one) in [
            ("192.168.1.7:3000", true, true),
            ("192.168.1.8:3000", true, false),
            ("203.0.113.9", true, false),
            ("[2001:db8::1]:3000", true, false),
            ("[::ffff:192.168.1.7]:3000", true, true),
            ("0.0.0.0:3000", true, false),
            ("localhost:3000", true, true),
            ("chat.example", true, true),
            ("evil.example", false, false),
            ("192.168.1.7.evil.example", false, false),
            ("192.168.1.7.", false, false),
            ("0xc0a80107", false, false),
            ("3232235783", false, false),
            ("192.168.263", false, false),
            ("", false, false),
            ("?", false, false),
        ] {
            for (address, expected) in
                [("0.0.0.0:3000", at_all), ("[::]:3000", at_all), ("192.168.1.7:3000", at_one)]
            {
                assert_eq!(judge(address, host), expected, "{host} at {address}");
            }
        }
    }

    #[test]
    fn other_sites_may_link_and_nothing_else() {
        let site = |site: &str, reach: Reach, fate| {
            check(Claims { host: Some("localhost"), site: Some(site), reach, origin: None }, fate);
        };
        site("cross-site", Reach::Navigate, Passes);
        site("cross-site", Reach::Read, Stops);
        site("same-site", Reach::Read, Stops);
        site("cross-site", Reach::Change, Stops);
        site("same-origin", Reach::Change, Passes);
        site("none", Reach::Read, Passes);
    }

    #[test]
    fn a_page_without_an_origin_may_read_itself_and_change_nothing() {
        let null = |reach, fate| {
            check(Claims { host: Some("localhost"), origin: Some("null"), site: None, reach }, fate);
        };
        null(Reach::Read, Passes);
        null(Reach::Change, Stops);
    }
}
