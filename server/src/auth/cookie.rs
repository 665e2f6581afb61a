//! The cookie of a sign-in: its name, reading it, writing it. Pure.

use crate::auth::token::{Digest, Token};
use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, HeaderValue};
use protocol::limits;

/// Browsers let no page that came without TLS write a cookie of this name.
const SECURE_PREFIX: &str = "__Secure-";

/// What the cookies of this server are called. Cookies do not heed ports, so the name has the server's port and path in
/// it: two servers on one host do not disturb each other. The port is the one the browser speaks of, as several containers
/// listen at the same one inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieName {
    port: u16,
    base: String,
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
        Self { port, base: base.to_owned() }
    }

    fn plain(&self, headers: &HeaderMap) -> String {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let told = host.and_then(|host| host.rsplit_once(':')?.1.parse().ok());
        let port: u16 = told.unwrap_or(self.port);
        format!("bough_login_{port}{}", self.base.replace('/', "+"))
    }

    /// What a browser shows of its sign-in, once or, where another path or a parent domain set one of this name too,
    /// several times. What no token can be is left out.
    pub fn read(&self, headers: &HeaderMap) -> Vec<Digest> {
        let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let plain = self.plain(headers);
        let own = pairs.filter(|(name, _)| name.strip_prefix(SECURE_PREFIX).unwrap_or(name) == plain);
        own.filter_map(|(_, value)| Digest::of_browser(value)).take(limits::LOGIN_COOKIES_MAX).collect()
    }

    /// The text with which the browser signed in, to give it again with a longer life.
    pub(super) fn value<'a>(&self, headers: &'a HeaderMap, digest: &Digest) -> Option<(Scheme, &'a str)> {
        let texts = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let plain = self.plain(headers);
        pairs.find_map(|(name, value)| {
            let (scheme, name) = match name.strip_prefix(SECURE_PREFIX) {
                Some(name) => (Scheme::Https, name),
                None => (Scheme::Http, name),
            };
            let is_it = name == plain && Digest::of_browser(value).as_ref() == Some(digest);
            is_it.then_some((scheme, value))
        })
    }

    /// The header that signs a browser in.
    pub fn give(&self, headers: &HeaderMap, scheme: Scheme, token: &Token) -> Option<HeaderValue> {
        self.write(&self.plain(headers), scheme, (token.expose(), limits::LOGIN_MS / 1_000))
    }

    /// The same for a token that the browser has.
    pub(super) fn renew(&self, headers: &HeaderMap, scheme: Scheme, value: &str) -> Option<HeaderValue> {
        self.write(&self.plain(headers), scheme, (value, limits::LOGIN_MS / 1_000))
    }

    /// The headers that make a browser forget. One that came without TLS heeds the first only.
    pub fn take(&self, headers: &HeaderMap) -> impl Iterator<Item = HeaderValue> {
        let plain = self.plain(headers);
        [Scheme::Http, Scheme::Https]
            .into_iter()
            .filter_map(move |scheme| self.write(&plain, scheme, ("", 0)))
    }

    fn write(&self, plain: &str, scheme: Scheme, (value, seconds): (&str, u64)) -> Option<HeaderValue> {
        let path = if self.base.is_empty() { "/" } else { &self.base };
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
            CookieName::new(80, base)
                .give(&HeaderMap::new(), scheme, &token)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        };
        let rest = "Max-Age=2592000; HttpOnly; SameSite=Lax";
        assert_eq!(given("", Scheme::Http), format!("bough_login_80={value}; Path=/; {rest}"));
        assert_eq!(
            given("/a/b", Scheme::Https),
            format!("__Secure-bough_login_80+a+b={value}; Path=/a/b; {rest}; Secure")
        );
        let taken: Vec<_> = CookieName::new(80, "").take(&HeaderMap::new()).collect();
        assert_eq!(
            taken,
            [
                "bough_login_80=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
                "__Secure-bough_login_80=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
            ]
        );
    }
    #[test]
    fn servers_that_listen_at_one_port_in_containers_have_cookies_of_their_own() {
        let name = CookieName::new(3000, "");
        let token = Token::for_browser().unwrap();
        for (host, port) in [
            (Some("nas:8080"), 8080),
            (Some("192.168.1.7:8081"), 8081),
            (Some("[2001:db8::1]:8082"), 8082),
            (Some("[2001:db8::1]"), 3000),
            (Some("chat.example"), 3000),
            (Some("nas:99999"), 3000),
            (Some("nas:"), 3000),
            (None, 3000),
        ] {
            let mut headers: HeaderMap =
                host.into_iter().map(|host| (HOST, HeaderValue::from_static(host))).collect();
            let given = name.give(&headers, Scheme::Http, &token).unwrap();
            let pair = format!("bough_login_{port}={}", token.expose());
            assert!(given.to_str().unwrap().starts_with(&format!("{pair};")), "{host:?} {given:?}");
            let other = "A".repeat(43);
            let cookies = format!("bough_login_1={other}; {pair}");
            let _none = headers.insert(COOKIE, HeaderValue::try_from(cookies).unwrap());
            assert_eq!(name.read(&headers), [token.digest()], "{host:?}");
            assert_eq!(name.value(&headers, &token.digest()), Some((Scheme::Http, token.expose())));
            let taken = name.take(&headers).next().unwrap();
            assert!(taken.to_str().unwrap().starts_with(&format!("bough_login_{port}=;")), "{taken:?}");
        }
    }
}
