//! The layer in front of everything: who is not known gets no further than the sign-in page.

use crate::auth::room::{LOGIN, Room};
use crate::auth::store::Standing;
use crate::auth::token::Digest;
use crate::auth::{Auth, Caller, Exposure, Known};
use crate::error::AppError;
use app::routes::encode;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, SET_COOKIE, UPGRADE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use db::DbError;
use protocol::{ErrorCode, LoginKind, limits};
use std::sync::Arc;

/// What the API wants to be shown (RFC 6750, section 3).
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"bough\"");

/// What is found out about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It may pass.
    Known(Caller),
    /// Nobody who is known asks.
    Unknown,
    /// There is no password that would keep others out, and others can reach this server.
    Unprotected,
}

/// What a request shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// Something that can be a token, or nothing.
    Token(Option<Digest>),
    /// Cookies that can be sign-ins, or none.
    Cookies(Vec<Digest>),
}

/// The layer: nothing behind it is asked by anybody who may not.
pub(crate) async fn check(State(auth): State<Arc<Auth>>, mut request: Request, next: Next) -> Response {
    let room = Room::of(request.uri().path(), &auth.base);
    if room == Room::Open {
        return next.run(request).await;
    }
    let caller = match auth.judge(request.headers()).await {
        Ok(Judgement::Known(caller)) => caller,
        Ok(Judgement::Unknown) => return turn_away(&auth, room, &request),
        Ok(Judgement::Unprotected) => return unprotected().into_response(),
        Err(error) => return unreadable(&error).into_response(),
    };
    let renewed = auth.renew(&caller, request.headers()).await;
    let is_private = Auth::is_needed(&caller);
    let _none = request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    if is_private {
        keep_private(response.headers_mut());
    }
    if let Some(cookie) = renewed {
        give_cookie(response.headers_mut(), cookie);
    }
    response
}

/// Gives a browser its cookie. What carries it must be kept by nobody on the way, even a file that may be otherwise.
fn give_cookie(headers: &mut HeaderMap, cookie: HeaderValue) {
    let _public = headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let _more = headers.append(SET_COOKIE, cookie);
}

impl Auth {
    /// Who asks, by what the request shows.
    pub(super) async fn judge(&self, headers: &HeaderMap) -> Result<Judgement, DbError> {
        let now = self.clock.now_ms();
        let (shown, kind) = match Shown::of(headers, self) {
            Shown::Token(token) => (Vec::from_iter(token), LoginKind::Program),
            Shown::Cookies(cookies) => (cookies, LoginKind::Browser),
        };
        for digest in shown {
            let Standing { has_password, login } = self.logins.standing(Some(&digest), now).await?;
            let Some(login) = login.filter(|login| has_password && login.kind == kind) else { continue };
            let known = Known { id: login.id, digest, seen_at: login.seen_at };
            return Ok(Judgement::Known(match kind {
                LoginKind::Browser => Caller::Person(known),
                LoginKind::Program => Caller::Program(known),
            }));
        }
        let Standing { has_password, .. } = self.logins.standing(None, now).await?;
        Ok(match self.exposure {
            _ if has_password => Judgement::Unknown,
            Exposure::Loopback => Judgement::Known(Caller::Anybody),
            Exposure::Network => Judgement::Unprotected,
        })
    }

    /// Notes once a day that somebody is here; a browser gets its cookie again then, with a longer life.
    async fn renew(&self, caller: &Caller, headers: &HeaderMap) -> Option<HeaderValue> {
        let (Caller::Person(known) | Caller::Program(known)) = caller else { return None };
        let now = self.clock.now_ms();
        if now.saturating_sub(known.seen_at) < limits::LOGIN_RENEW_MS || headers.contains_key(UPGRADE) {
            return None;
        }
        if let Err(error) = self.logins.renew(&known.id, now).await {
            tracing::warn!("a sign-in is not renewed: {error}");
            return None;
        }
        let (scheme, value) = self.cookie.value(headers, &known.digest)?;
        self.cookie.renew(headers, scheme, value)
    }
}

impl Shown {
    /// A token goes before cookies. Where a proxy adds a scheme of its own, cookies count all the same.
    fn of(headers: &HeaderMap, auth: &Auth) -> Self {
        let mut all = headers.get_all(AUTHORIZATION).iter().map(|value| value.to_str().unwrap_or_default());
        let bearer = |text: &str| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| Digest::of_program(token.trim()))
        };
        match (all.next(), all.next()) {
            (Some(one), None) => {
                bearer(one).map_or_else(|| Self::Cookies(auth.cookie.read(headers)), Self::Token)
            }
            (None, _) => Self::Cookies(auth.cookie.read(headers)),
            // Of several, who knows which one a proxy believed.
            (Some(_), Some(_)) => Self::Token(None),
        }
    }
}

/// What somebody unknown gets: the sign-in page where a page was wanted, else a plain no.
fn turn_away(auth: &Auth, room: Room, request: &Request) -> Response {
    let is_reading = request.method() == Method::GET || request.method() == Method::HEAD;
    if room == Room::Page && is_reading && !request.headers().contains_key(UPGRADE) {
        let asked = request.uri().path_and_query().map_or("/", |asked| asked.as_str());
        let next = super::room::next(asked, &auth.base);
        let mut response =
            Redirect::to(&format!("{}{LOGIN}?next={}", auth.base, encode(&next))).into_response();
        keep_private(response.headers_mut());
        return response;
    }
    let text = "sign in, or send `Authorization: Bearer TOKEN` with a token of `bough token add`";
    let mut response = AppError::new(ErrorCode::Unauthorized, text).into_response();
    let _none = response.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
    keep_private(response.headers_mut());
    response
}

fn unprotected() -> AppError {
    let text =
        "other machines can reach this server and no password protects it; set one with `bough password`";
    AppError::new(ErrorCode::Forbidden, text)
}

pub(super) fn unreadable(error: &DbError) -> AppError {
    AppError::new(ErrorCode::Storage, error.to_string())
}

/// What only its reader may see is kept by nobody on the way, nor by the browser for the next one at it.
pub(super) fn keep_private(headers: &mut HeaderMap) {
    let is_public = headers.get(CACHE_CONTROL).is_some_and(|value| value.as_bytes().starts_with(b"public"));
    if !is_public {
        let _none = headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_carries_a_cookie_is_kept_by_nobody_on_the_way() {
        for cached in ["public, max-age=3600", "no-cache"] {
            let mut headers = HeaderMap::from_iter([(CACHE_CONTROL, HeaderValue::from_static(cached))]);
            give_cookie(&mut headers, HeaderValue::from_static("a=b"));
            let all =
                [CACHE_CONTROL, SET_COOKIE].map(|name| headers.get_all(name).iter().collect::<Vec<_>>());
            assert_eq!(all, [["no-store"], ["a=b"]], "{cached}");
        }
    }
}
