//! The sign-in page: a form that works without script, and what comes of it.

use crate::auth::cookie::Scheme;
use crate::auth::door::{Judgement, keep_private, unreadable};
use crate::auth::guesses::Wait;
use crate::auth::password::is_right;
use crate::auth::peer::{self, Peer};
use crate::auth::room::{self, LOGIN};
use crate::auth::store::NewLogin;
use crate::auth::token::Token;
use crate::auth::{Auth, Caller, SignedIn, device};
use crate::error::AppError;
use crate::http::{Query, read_in_time};
use crate::ssr::Pages;
use crate::state::AppState;
use app::{Boot, LoginWords};
use axum::Form;
use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request, State};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, ORIGIN, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE,
    USER_AGENT,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{Html, IntoResponse, Redirect, Response};
use leptos::IntoView;
use leptos::prelude::{Owner, RenderHtml};
use protocol::{ErrorCode, limits};
use serde::Deserialize;
use std::sync::{Arc, PoisonError};

/// Nothing runs on this page. The style attribute of its root carries the reader's widths and sizes.
const POLICY: &str = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self'; \
                      font-src 'self'; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Where the page leads to.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct NextQuery {
    next: String,
}

/// What the form says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LoginForm {
    password: String,
    next: String,
}

/// What came of a password.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It was the one.
    SignedIn(Token),
    /// It was not.
    Wrong,
    /// There were too many wrong ones before.
    TooEarly(Wait),
    /// Too many wait to have theirs compared.
    Busy,
    /// There is none to be given.
    NotNeeded,
}

/// The page.
pub(crate) async fn show(
    State(state): State<AppState>,
    Query(query): Query<NextQuery>,
    request: Request,
) -> Result<Response, AppError> {
    let auth = &state.auth;
    let next = room::next(&query.next, &auth.base);
    match auth.judge(request.headers()).await.map_err(|error| unreadable(&error))? {
        Judgement::Known(_) => Ok(Redirect::to(&next).into_response()),
        Judgement::Unknown | Judgement::Unprotected => {
            Ok(page(&state, request.headers(), next, (StatusCode::OK, None)))
        }
    }
}

/// What the form is sent to.
pub(crate) async fn sign_in(State(state): State<AppState>, request: Request) -> Result<Response, AppError> {
    let (parts, body) = request.into_parts();
    let body = read_in_time(body, limits::LOGIN_FORM_MAX_BYTES, limits::LOGIN_FORM_MS).await?;
    let form = form_of(body).await;
    let auth = &state.auth;
    let next = room::next(&form.next, &auth.base);
    let address = peer::address(parts.extensions.get::<Peer>().copied(), &parts.headers);
    let again = |status, error: String| page(&state, &parts.headers, next.clone(), (status, Some(error)));
    let outcome = auth.try_password((form.password, address), &parts.headers).await?;
    Ok(match outcome {
        Outcome::SignedIn(token) => {
            auth.tell();
            let mut response = Redirect::to(&next).into_response();
            if let Some(cookie) = auth.cookie.give(&parts.headers, scheme(&parts.headers), &token) {
                let _more = response.headers_mut().append(SET_COOKIE, cookie);
            }
            keep_private(response.headers_mut());
            response
        }
        Outcome::NotNeeded => Redirect::to(&next).into_response(),
        Outcome::Wrong => again(StatusCode::UNAUTHORIZED, "That is not the password.".to_owned()),
        Outcome::TooEarly(Wait(wait_ms)) => {
            let seconds = wait_ms.div_ceil(1_000);
            let mut response = again(StatusCode::TOO_MANY_REQUESTS, too_early(seconds));
            let _none = response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
            response
        }
        Outcome::Busy => {
            again(StatusCode::SERVICE_UNAVAILABLE, "Too many people sign in just now. Try again.".to_owned())
        }
    })
}

/// Ends the sign-in that asks.
pub(crate) async fn sign_out(
    State(state): State<AppState>,
    SignedIn(known): SignedIn,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let auth = &state.auth;
    let _was_there = auth.end(&known.id).await?;
    let mut response = Redirect::to(&format!("{}{LOGIN}", auth.base)).into_response();
    for cookie in auth.cookie.take(&headers) {
        let _more = response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

impl Auth {
    async fn try_password(
        &self,
        (typed, address): (String, std::net::IpAddr),
        headers: &HeaderMap,
    ) -> Result<Outcome, AppError> {
        let Some(hash) = self.logins.password().await.map_err(|error| unreadable(&error))? else {
            return Ok(Outcome::NotNeeded);
        };
        let Ok(_waiting) = Arc::clone(&self.waiting).try_acquire_owned() else { return Ok(Outcome::Busy) };
        if let Err(wait) = self.guess(|guesses, now| guesses.begin(address, now)) {
            return Ok(Outcome::TooEarly(wait));
        }
        // A closed semaphore is one that nobody closes.
        let Ok(place) = Arc::clone(&self.checks).acquire_owned().await else { return Ok(Outcome::Busy) };
        let compared = hash.clone();
        let compared = tokio::task::spawn_blocking(move || {
            let _place = place;
            is_right(&typed, &compared)
        });
        let compared =
            compared.await.map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
        match compared {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(%address, "somebody gave a wrong password");
                return Ok(Outcome::Wrong);
            }
            Err(error) => {
                self.guess(|guesses, _| guesses.take_back(address));
                return Err(AppError::new(ErrorCode::Storage, format!("the stored password: {error}")));
            }
        }
        self.guess(|guesses, _| guesses.forgive(address));
        self.admit(&hash, headers).await
    }

    /// Makes the sign-in. The one that this browser had before ends with it.
    async fn admit(&self, hash: &str, headers: &HeaderMap) -> Result<Outcome, AppError> {
        let token =
            Token::for_browser().map_err(|error| AppError::new(ErrorCode::Internal, error.to_string()))?;
        let (digest, id) = (token.digest(), self.ids.new_id());
        let user_agent = headers.get(USER_AGENT).and_then(|text| text.to_str().ok()).unwrap_or_default();
        let name = device::name(user_agent);
        if let Ok(Judgement::Known(Caller::Person(before))) = self.judge(headers).await {
            let _was_there = self.end(&before.id).await?;
        }
        let login = NewLogin { id: &id, digest: &digest, name: &name, now: self.clock.now_ms() };
        let is_in = self.logins.sign_in(&login, hash).await.map_err(|error| unreadable(&error))?;
        Ok(if is_in { Outcome::SignedIn(token) } else { Outcome::Wrong })
    }

    fn guess<T>(&self, with: impl FnOnce(&mut super::Guesses, u64) -> T) -> T {
        let now = self.clock.now_ms();
        with(&mut self.guesses.lock().unwrap_or_else(PoisonError::into_inner), now)
    }
}

/// The fields of the form; what cannot be read is an empty one.
async fn form_of(body: Vec<u8>) -> LoginForm {
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = Method::POST;
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    let _none = request.headers_mut().insert(CONTENT_TYPE, form);
    Form::from_request(request, &()).await.map(|Form(form)| form).unwrap_or_default()
}

fn page(
    state: &AppState,
    headers: &HeaderMap,
    next: String,
    (status, error): (StatusCode, Option<String>),
) -> Response {
    let pages = Arc::<Pages>::from_ref(state);
    let cookies = headers.get(COOKIE).and_then(|text| text.to_str().ok()).unwrap_or_default();
    let boot: Boot = pages.boot.clone().with_cookies(cookies);
    let words = LoginWords { next, error };
    let html =
        Owner::new().with(|| app::login_page(pages.options.clone(), boot, words).into_view().to_html());
    let mut response = (status, [(CONTENT_SECURITY_POLICY, POLICY)], Html(html)).into_response();
    let headers = response.headers_mut();
    // With the policy of all other pages browsers would say that the form comes from nowhere.
    let _none = headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    let _html = headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    keep_private(headers);
    response
}

fn scheme(headers: &HeaderMap) -> Scheme {
    let is_of_tls = |origin: &HeaderValue| origin.as_bytes().starts_with(b"https://");
    if headers.get(ORIGIN).is_some_and(is_of_tls) || peer::is_https(headers) {
        Scheme::Https
    } else {
        Scheme::Http
    }
}

fn too_early(seconds: u64) -> String {
    match seconds {
        0 | 1 => "Too many wrong passwords. Try again in a second.".to_owned(),
        2..120 => format!("Too many wrong passwords. Try again in {seconds} seconds."),
        _ => format!("Too many wrong passwords. Try again in {} minutes.", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_form_that_cannot_be_read_is_an_empty_one() {
        for (body, password, next) in [
            (&b"password=a+b%26%C3%A9&next=%2Fs%2F1"[..], "a b&é", "/s/1"),
            (b"next=/", "", "/"),
            (b"password=a&password=b", "", ""),
            (b"password=a b{}|", "a b{}|", ""),
            (b"password=%FF", "\u{fffd}", ""),
            (b"\xff", "", ""),
            (b"{\"password\":\"a\"}", "", ""),
            (b"", "", ""),
        ] {
            let form = form_of(body.to_vec()).await;
            assert_eq!((&*form.password, &*form.next), (password, next), "{body:?}");
        }
    }

    #[test]
    fn waits_are_told_in_words() {
        let told =
            [1, 2, 119, 120, 900].map(|seconds| too_early(seconds).replace("Too many wrong passwords. ", ""));
        let rest = ["a second", "2 seconds", "119 seconds", "2 minutes", "15 minutes"];
        assert_eq!(told, rest.map(|rest| format!("Try again in {rest}.")));
    }
}
