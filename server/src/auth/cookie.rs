//! The cookie of a sign-in: its name, reading it, writing it. Pure.

use crate::auth::token::{Digest, Token};
use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use protocol::limits;

/// Browsers let no page that came without TLS write a cookie of this name.
const SECURE_PREFIX: &str = "__Secure-";

/// What the cookies of this server are called. Cookies do not heed ports, so the name has the server's port and path in
/// it: two servers on one host do not disturb each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieName {
    plain: String,
    path: String,
}

/// How the browser reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Readable on its way.
    Http,
    /// Through TLS, which a proxy in front may have ended.
    Https,
}

impl CookieName {
    /// Of the server at this port, below this base path.
    pub fn new(port: u16, base: &str) -> Self {
        let path = if base.is_empty() { "/" } else { base };
        Self { plain: format!("bough_login_{port}{}", base.replace('/', "+")), path: path.to_owned() }
    }

    /// What a browser shows of its sign-in, once or, where another path or a parent domain set one of this name too,
    /// several times. What no token can be is left out.
    pub fn read(&self, headers: &HeaderMap) -> Vec<Digest> {
        let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let own = pairs.filter(|(name, _)| name.strip_prefix(SECURE_PREFIX).unwrap_or(name) == self.plain);
        own.filter_map(|(_, value)| Digest::of_browser(value)).take(limits::LOGIN_COOKIES_MAX).collect()
    }

    /// The text with which the browser signed in, to give it again with a longer life.
    pub(super) fn value<'a>(&self, headers: &'a HeaderMap, digest: &Digest) -> Option<(Scheme, &'a str)> {
        let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find_map(|(name, value)| {
            let (scheme, name) = match name.strip_prefix(SECURE_PREFIX) {
                Some(name) => (Scheme::Https, name),
                None => (Scheme::Http, name),
            };
            let is_it = name == self.plain && Digest::of_browser(value).as_ref() == Some(digest);
            is_it.then_some((scheme, value))
        })
    }

    /// The header that signs a browser in.
    pub fn give(&self, scheme: Scheme, token: &Token) -> Option<HeaderValue> {
        self.write(scheme, token.expose(), limits::LOGIN_MS / 1_000)
    }

    /// The same for a token that the browser has.
    pub(super) fn renew(&self, scheme: Scheme, value: &str) -> Option<HeaderValue> {
        self.write(scheme, value, limits::LOGIN_MS / 1_000)
    }

    /// The headers that make a browser forget. One that came without TLS heeds the first only.
    pub fn take(&self) -> impl Iterator<Item = HeaderValue> {
        [Scheme::Http, Scheme::Https].into_iter().filter_map(|scheme| self.write(scheme, "", 0))
    }

    fn write(&self, scheme: Scheme, value: &str, seconds: u64) -> Option<HeaderValue> {
        let Self { plain, path } = self;
        let (prefix, secure) = match scheme {
            Scheme::Http => ("", ""),
            Scheme::Https => (SECURE_PREFIX, "; Secure"),
        };
        let text = format!(
            "{prefix}{plain}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
        );
        HeaderValue::try_from(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookies: &[&str]) -> HeaderMap {
        cookies.iter().map(|text| (COOKIE, HeaderValue::try_from(*text).unwrap())).collect()
    }

    #[test]
    fn cookies_of_other_servers_and_paths_are_not_ours() {
        let (a, b) = ("A".repeat(43), "B".repeat(43));
        let name = CookieName::new(3000, "");
        let check = |cookies: &[&str], expected: &[&str]| {
            let expected: Vec<_> = expected.iter().filter_map(|text| Digest::of_browser(text)).collect();
            assert_eq!(name.read(&headers(cookies)), expected, "{cookies:?}");
        };
        check(&[], &[]);
        check(&[&format!("a=b; bough_login_3000={a}; c")], &[&a]);
        check(&[&format!("__Secure-bough_login_3000={a}")], &[&a]);
        check(&[&format!("bough_login_3000={a}; bough_login_3000={b}")], &[&a, &b]);
        check(&[&format!("bough_login_3000={a}"), &format!("bough_login_3000={b}")], &[&a, &b]);
        check(&[&format!("bough_login_3000=broken; bough_login_3000={b}")], &[&b]);
        check(&[&format!("bough_login_3001={a}; xbough_login_3000={a}; bough_login_3000+chat={a}")], &[]);
        check(&[&format!("bough_login_3000=\"{a}\"; bough_login_3000 ={a}; BOUGH_LOGIN_3000={a}")], &[]);
        let many = format!("bough_login_3000={a};").repeat(100);
        assert_eq!(name.read(&headers(&[&many])).len(), limits::LOGIN_COOKIES_MAX);
    }

    #[test]
    fn a_cookie_stays_on_its_path_and_out_of_reach_of_scripts() {
        let token = Token::for_browser().unwrap();
        let value = token.expose();
        let given = |base: &str, scheme| {
            CookieName::new(80, base).give(scheme, &token).unwrap().to_str().unwrap().to_owned()
        };
        let rest = "Max-Age=2592000; HttpOnly; SameSite=Lax";
        assert_eq!(given("", Scheme::Http), format!("bough_login_80={value}; Path=/; {rest}"));
        assert_eq!(
            given("/a/b", Scheme::Https),
            format!("__Secure-bough_login_80+a+b={value}; Path=/a/b; {rest}; Secure")
        );
        let taken: Vec<_> = CookieName::new(80, "").take().collect();
        assert_eq!(
            taken,
            [
                "bough_login_80=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
                "__Secure-bough_login_80=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
            ]
        );
    }
}
