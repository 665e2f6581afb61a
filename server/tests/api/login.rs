//! Who gets in: nobody unknown, by whatever address; people by the password, programs by a token.

use crate::support::{Bough, Tab, TestApp, call, within};
use serde_json::{Value, json};
use server::application::{Application, StartError};
use server::auth::configured::Unprotected;
use std::path::Path;

const PASSWORD: &str = "correct horse";
const GUARDED: [(&str, &str); 2] = [("BOUGH_MODEL", "builtin/guide"), ("BOUGH_PASSWORD", PASSWORD)];
const SESSIONS: &str = "/api/v1/agents/assistant/default/sessions";
const SOCKET: &str = "/agents/assistant/default";

/// What a call of somebody with these headers gives.
struct Answer {
    status: u16,
    location: String,
    cookies: Vec<String>,
    headers: reqwest::header::HeaderMap,
    text: String,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn problem(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    /// What a browser would send back.
    fn cookie(&self) -> String {
        self.cookies.iter().map(|cookie| cookie.split(';').next().unwrap()).collect::<Vec<_>>().join("; ")
    }
}

async fn ask(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    send(app, (method, path), headers, "").await
}

async fn send(app: &TestApp, (method, path): (&str, &str), headers: &[(&str, &str)], body: &str) -> Answer {
    let mut request = app.client.request(method.parse().unwrap(), app.url(path)).body(body.to_owned());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = within(path, request.send()).await.unwrap();
    let headers = response.headers().clone();
    let texts = |name: &str| headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned());
    Answer {
        status: response.status().as_u16(),
        location: texts("location").next().unwrap_or_default(),
        cookies: texts("set-cookie").collect(),
        headers: headers.clone(),
        text: response.text().await.unwrap(),
    }
}

/// Sends the form of the sign-in page.
async fn sign_in(app: &TestApp, headers: &[(&str, &str)], body: &str) -> Answer {
    send(app, ("POST", "/login"), headers, body).await
}

/// The cookie of somebody who gave the password.
async fn signed_in(app: &TestApp) -> String {
    let answer = sign_in(app, &[], "password=correct+horse").await;
    assert_eq!((answer.status, &*answer.location), (303, "/"), "{}", answer.text);
    answer.cookie()
}

async fn status_with(app: &TestApp, headers: &[(&str, &str)]) -> u16 {
    ask(app, "GET", SESSIONS, headers).await.status
}

async fn token(data: &Path, name: &str) -> String {
    let (code, said) = Bough::run(data, &[], &["token", "add", name]).await;
    assert_eq!(code, 0, "{said}");
    said.trim_end().to_owned()
}

/// Every address of the API, as its own description names them, with all methods.
async fn described(app: &TestApp, cookie: &str) -> Vec<(String, String)> {
    let answer = ask(app, "GET", "/api/v1/openapi.json", &[("cookie", cookie)]).await;
    let document = answer.problem();
    let paths = document["paths"].as_object().unwrap();
    let rows = paths.iter().flat_map(|(path, item)| {
        let path = path.replace(['{', '}'], "");
        item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    rows.collect()
}

#[tokio::test]
async fn whoever_is_unknown_gets_no_further_than_the_sign_in_page() {
    let app = TestApp::with(&GUARDED, "").await;
    let cookie = signed_in(&app).await;
    let mut api = described(&app, &cookie).await;
    assert!(api.len() > 60, "{}", api.len());
    let more = ["/api/v1/openapi.json", "/api/", "/api/v2/x", "/agents/a/b/get-messages", SOCKET, "/metrics"];
    api.extend(
        more.into_iter()
            .flat_map(|path| ["GET", "POST", "HEAD", "OPTIONS"].map(|it| (it.to_owned(), path.to_owned()))),
    );
    for path in ["/logout", "/", "/s/x", "/nowhere", "/favicon.ico"] {
        api.extend(["POST", "PUT", "DELETE", "PATCH"].map(|it| (it.to_owned(), path.to_owned())));
    }
    for (method, path) in &api {
        let answer = ask(&app, method, path, &[]).await;
        let challenge = answer.header("www-authenticate");
        assert_eq!((answer.status, challenge), (401, "Bearer realm=\"bough\""), "{method} {path}");
        if method != "HEAD" {
            assert_eq!(answer.problem()["code"], json!("unauthorized"), "{method} {path}");
        }
    }
    for page in
        ["/", "/s/~", "/s/a.css", "/settings/data", "/nowhere", "/favicon.ico", "//x", "/pkg", "/login/x"]
    {
        let answer = ask(&app, "GET", page, &[]).await;
        assert_eq!(answer.status, 303, "{page}");
        assert!(answer.location.starts_with("/login?next=%2F"), "{page}: {}", answer.location);
        assert_eq!((answer.header("cache-control"), &*answer.text), ("no-store", ""), "{page}");
    }
    for (open, status) in [("/healthz", 200), ("/readyz", 200), ("/login", 200)] {
        assert_eq!(ask(&app, "GET", open, &[]).await.status, status, "{open}");
    }
    // What is missing in an open folder is told in a plain answer: the page that says so shows the list of chats.
    for missing in
        ["/pkg/none.css", "/pkg/none", "/pkg/", "/fonts/none.woff2", "/fonts/none", "/fonts/", "/fonts/s/~"]
    {
        let answer = ask(&app, "GET", missing, &[]).await;
        assert_eq!(
            (answer.status, answer.text.contains("<html")),
            (404, false),
            "{missing}: {}",
            answer.text
        );
    }
    let refused = Tab::open(app.address, SOCKET, &[]).await.err().unwrap();
    assert_eq!((refused.0, &refused.1["code"]), (401, &json!("unauthorized")));
}

#[tokio::test]
async fn the_page_is_left_with_the_password_and_not_without() {
    let app = TestApp::with(&GUARDED, "").await;
    let page = ask(&app, "GET", "/login?next=/s/x%3Fm%3D1", &[("cookie", "bough_theme=dark")]).await;
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
    assert_eq!(page.header("referrer-policy"), "same-origin");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
    for part in [
        "value=\"/s/x?m=1\"",
        "data-theme=\"dark\"",
        "action=\"/login\"",
        "method=\"post\"",
        "type=\"password\"",
    ] {
        assert!(page.text.contains(part), "{part} in {}", page.text);
    }
    assert!(!page.text.contains("<script") && !page.text.contains("role=\"alert\""), "{}", page.text);

    let wrong = sign_in(&app, &[], "password=Correct+horse&next=/s/%22%3E%3Cb%3E").await;
    assert_eq!((wrong.status, wrong.cookies.len()), (401, 0));
    assert!(
        wrong.text.contains("That is not the password.") && !wrong.text.contains("<b>"),
        "{}",
        wrong.text
    );

    let right = sign_in(&app, &[], "password=correct+horse&next=%2Fs%2Fx%3Fm%3D1").await;
    assert_eq!((right.status, &*right.location, right.cookies.len()), (303, "/s/x?m=1", 1));
    let port = app.address.port();
    let (name, rest) = right.cookies[0].split_once('=').unwrap();
    assert_eq!(name, format!("bough_login_{port}"));
    assert!(rest.ends_with("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax"), "{rest}");
    let cookie = right.cookie();
    let home = ask(&app, "GET", "/", &[("cookie", &cookie)]).await;
    assert_eq!((home.status, home.header("cache-control")), (200, "no-store"));
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 200);
    // Whoever is in needs no page.
    let again = ask(&app, "GET", "/login?next=//evil.example", &[("cookie", &cookie)]).await;
    assert_eq!((again.status, &*again.location), (303, "/"));

    let out = ask(&app, "POST", "/logout", &[("cookie", &cookie)]).await;
    assert_eq!((out.status, &*out.location, out.cookies.len()), (303, "/login", 2));
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 401);
}

#[tokio::test]
async fn cookies_are_secure_behind_tls_and_stay_below_the_base_path() {
    let variables =
        [GUARDED[0], GUARDED[1], ("BOUGH_BASE_PATH", "/a/b"), ("BOUGH_ALLOWED_HOSTS", "chat.example")];
    let app = TestApp::with(&variables, "").await;
    let login =
        |headers| send(&app, ("POST", "/a/b/login"), headers, "password=correct+horse&next=/elsewhere");
    let port = app.address.port();
    let secure = format!("__Secure-bough_login_{port}+a+b=");
    for headers in [
        &[("host", "chat.example"), ("origin", "https://chat.example")][..],
        &[("host", "chat.example"), ("x-forwarded-proto", "https")],
    ] {
        let answer = login(headers).await;
        assert_eq!((answer.status, &*answer.location), (303, "/a/b/"), "{}", answer.text);
        let cookie = &answer.cookies[0];
        assert!(cookie.starts_with(&secure) && cookie.contains("; Path=/a/b;"), "{cookie}");
        assert!(cookie.ends_with("; Secure"), "{cookie}");
        let sessions = ask(&app, "GET", &format!("/a/b{SESSIONS}"), &[("cookie", &answer.cookie())]).await;
        assert_eq!(sessions.status, 200);
    }
    for outside in ["/", "/login", "/healthz", "/a/bc"] {
        let answer = ask(&app, "GET", outside, &[]).await;
        assert_eq!((answer.status, &*answer.location), (303, "/a/b/login?next=%2Fa%2Fb%2F"), "{outside}");
    }
}

#[tokio::test]
async fn what_is_shown_twice_or_in_the_wrong_place_lets_nobody_in() {
    let app = TestApp::with(&GUARDED, "").await;
    let cookie = signed_in(&app).await;
    let (name, secret) = cookie.split_once('=').unwrap();
    let token = token(app.data(), "ci").await;
    let bearer = format!("Bearer {token}");
    let as_cookie = format!("{name}={token}");
    let as_bearer = format!("Bearer {secret}");
    let other_path = format!("{name}={}; {cookie}", "A".repeat(43));
    for (headers, expected) in [
        (&[("cookie", &*cookie)][..], 200),
        (&[("authorization", &*bearer)], 200),
        (&[("authorization", &*format!("bearer  {token} "))], 200),
        // A proxy with a login of its own, and a cookie that another path or a parent domain set.
        (&[("authorization", "Basic Ym86Ym8="), ("cookie", &*cookie)], 200),
        (&[("cookie", &*other_path)], 200),
        (&[("authorization", "Bearer wrong"), ("cookie", &*cookie)], 401),
        (&[("authorization", &*bearer), ("authorization", "Bearer wrong")], 401),
        (&[("authorization", "Basic Ym86Ym8="), ("authorization", &*bearer)], 401),
        (&[("authorization", &*token)], 401),
        (&[("authorization", &*as_bearer)], 401),
        (&[("cookie", &*as_cookie)], 401),
        (&[("x-authorization", &*bearer)], 401),
        (&[("cookie", &*format!("{name}x={secret}"))], 401),
        (&[("cookie", &*format!("{name}={secret}x"))], 401),
    ] {
        assert_eq!(status_with(&app, headers).await, expected, "{headers:?}");
    }
    let in_query = ask(&app, "GET", &format!("{SESSIONS}?token={token}&access_token={token}"), &[]).await;
    assert_eq!(in_query.status, 401);
    let Ok(_tab) = Tab::open(app.address, SOCKET, &[("authorization", &bearer)]).await else {
        panic!("a program")
    };
    // A program looks after nobody's sign-ins.
    let listed = ask(&app, "GET", "/api/v1/logins", &[("authorization", &bearer)]).await;
    assert_eq!((listed.status, &listed.problem()["code"]), (403, &json!("forbidden")));
}

#[tokio::test]
async fn other_sites_sign_nobody_in_or_out() {
    let app = TestApp::with(&GUARDED, "").await;
    let cookie = signed_in(&app).await;
    for headers in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
        let login = sign_in(&app, &[headers], "password=correct+horse").await;
        assert_eq!((login.status, login.cookies.len()), (403, 0), "{headers:?}");
        let logout = ask(&app, "POST", "/logout", &[("cookie", &cookie), headers]).await;
        assert_eq!(logout.status, 403, "{headers:?}");
    }
    assert_eq!(ask(&app, "GET", "/logout", &[("cookie", &cookie)]).await.status, 405);
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 200);
}

#[tokio::test]
async fn a_sign_in_is_new_each_time_and_the_one_before_ends() {
    let app = TestApp::with(&GUARDED, "").await;
    let planted = format!("bough_login_{}={}", app.address.port(), "A".repeat(43));
    let first = sign_in(&app, &[("cookie", &planted)], "password=correct+horse").await.cookie();
    assert_ne!(first, planted);
    assert_eq!(status_with(&app, &[("cookie", &planted)]).await, 401);
    let mut tab =
        Tab::open(app.address, SOCKET, &[("cookie", &first)]).await.unwrap_or_else(|_| panic!("no tab"));
    let second = sign_in(&app, &[("cookie", &first)], "password=correct+horse").await.cookie();
    assert_eq!(status_with(&app, &[("cookie", &first)]).await, 401);
    assert_eq!(status_with(&app, &[("cookie", &second)]).await, 200);
    assert_eq!(tab.close_code().await, Some((1008, "sign in again".to_owned())));
}

#[tokio::test]
async fn sign_ins_are_listed_and_ended_with_their_sockets() {
    let app = TestApp::with(&GUARDED, "").await;
    let phone = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0";
    let other = sign_in(&app, &[("user-agent", phone)], "password=correct+horse").await.cookie();
    let cookie = signed_in(&app).await;
    let mut tab =
        Tab::open(app.address, SOCKET, &[("cookie", &other)]).await.unwrap_or_else(|_| panic!("no tab"));
    let listed = ask(&app, "GET", "/api/v1/logins", &[("cookie", &cookie)]).await.problem();
    let logins = listed["logins"].as_array().unwrap();
    let rows: Vec<_> =
        logins.iter().map(|it| (it["kind"].clone(), it["name"].clone(), it["is_this"].clone())).collect();
    let expected = [("A browser", json!(true)), ("Firefox on Android", Value::Null)];
    assert_eq!(rows, expected.map(|(name, is_this)| (json!("browser"), json!(name), is_this)));
    assert!(!listed.to_string().contains(other.split_once('=').unwrap().1));
    let path = format!("/api/v1/logins/{}", logins[1]["id"].as_str().unwrap());
    assert_eq!(ask(&app, "DELETE", &path, &[("cookie", &cookie)]).await.status, 204);
    assert_eq!(tab.close_code().await, Some((1008, "sign in again".to_owned())));
    assert_eq!(status_with(&app, &[("cookie", &other)]).await, 401);
    assert_eq!(ask(&app, "DELETE", &path, &[("cookie", &cookie)]).await.status, 404);
}

#[tokio::test]
async fn guesses_wait_and_large_forms_are_refused() {
    let app = TestApp::with(&GUARDED, "").await;
    for _ in 0..5 {
        assert_eq!(sign_in(&app, &[], "password=wrong").await.status, 401);
    }
    let early = sign_in(&app, &[], "password=correct+horse").await;
    assert_eq!((early.status, early.cookies.len()), (429, 0));
    assert!(early.text.contains("Too many wrong passwords."), "{}", early.text);
    let seconds: u64 = early.header("retry-after").parse().unwrap();
    assert!((1..=2).contains(&seconds), "{seconds}");
    // A proxy on this machine tells who it is; others do not wait for the one who guessed.
    let elsewhere = [("x-forwarded-for", "198.51.100.7")];
    assert_eq!(sign_in(&app, &elsewhere, "password=correct+horse").await.status, 303);
    let large = format!("password={}", "x".repeat(100_000));
    assert_eq!(sign_in(&app, &elsewhere, &large).await.status, 413);
}

#[tokio::test]
async fn a_password_of_the_configuration_stays_and_a_new_one_signs_all_out() {
    let app = TestApp::with(&GUARDED, "").await;
    let cookie = signed_in(&app).await;
    let app = app.restart(&GUARDED).await;
    let cookie =
        cookie.replace(cookie.split('=').next().unwrap(), &format!("bough_login_{}", app.address.port()));
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 200);
    // Without the key it is still the password.
    let app = app.restart(&GUARDED[..1]).await;
    assert_eq!(status_with(&app, &[]).await, 401);
    let app = app.restart(&[GUARDED[0], ("BOUGH_PASSWORD", "another horse")]).await;
    let cookie =
        cookie.replace(cookie.split('=').next().unwrap(), &format!("bough_login_{}", app.address.port()));
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 401);
    assert_eq!(sign_in(&app, &[], "password=correct+horse").await.status, 401);
}

#[tokio::test]
async fn a_password_is_set_and_removed_beside_a_running_server() {
    let app = TestApp::start().await;
    assert_eq!(ask(&app, "GET", "/login?next=/s/x", &[]).await.location, "/s/x");
    assert_eq!(ask(&app, "GET", "/api/v1/logins", &[]).await.status, 409);
    let mut tab = app.greeted_tab().await;
    let (code, said) = Bough::fed(app.data(), &["password"], b"short\n").await;
    assert_eq!((code, &*said), (1, "bough: a password has at least 8 characters (PASSWORD_MIN_CHARS)\n"));
    let (code, said) = Bough::fed(app.data(), &["password"], b"correct horse\n").await;
    assert_eq!((code, said.contains("The password is set.")), (0, true), "{said}");
    assert_eq!(status_with(&app, &[]).await, 401);
    // Whoever was in without one is not any more, which the server finds out by itself.
    assert_eq!(tab.close_code().await, Some((1008, "sign in again".to_owned())));
    let cookie = signed_in(&app).await;
    let (code, said) = Bough::run(app.data(), &[], &["check"]).await;
    assert_eq!((code, said.contains("a password is set by `bough password`")), (0, true), "{said}");
    let (code, said) = Bough::run(app.data(), &[GUARDED[1]], &["password"]).await;
    assert!(code == 1 && said.contains("the configuration gives the password"), "{said}");
    let (code, _) = Bough::run(app.data(), &[], &["password", "--remove"]).await;
    assert_eq!((code, status_with(&app, &[]).await), (0, 200));
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 200);
    assert_eq!(call(&app, "POST", "/logout", None).await.0, 409);
}

#[tokio::test]
async fn tokens_are_made_listed_and_taken_back_beside_a_running_server() {
    let app = TestApp::with(&GUARDED, "").await;
    let run = |arguments: &'static [&'static str]| Bough::run(app.data(), &[], arguments);
    assert_eq!(run(&["token", "list"]).await, (0, "There are no tokens.\n".to_owned()));
    let token = token(app.data(), "ci").await;
    let bearer = format!("Bearer {token}");
    assert_eq!(status_with(&app, &[("authorization", &bearer)]).await, 200);
    let (code, said) = run(&["token", "add", "ci"]).await;
    assert!(code == 1 && said.contains("there is a token \"ci\" already"), "{said}");
    assert_eq!(run(&["token", "list"]).await, (0, "ci\n".to_owned()));
    assert_eq!(run(&["token", "remove", "ci"]).await.0, 0);
    assert_eq!(status_with(&app, &[("authorization", &bearer)]).await, 401);
    let (code, said) = run(&["token", "remove", "ci"]).await;
    assert!(code == 1 && said.contains("there is no token \"ci\""), "{said}");
    let stored = std::fs::read(app.data().join("bough.db")).unwrap();
    let holds = |text: &str| stored.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!holds(&token) && !holds(PASSWORD), "only what is left of them by hashing is kept");
}

#[tokio::test]
async fn other_machines_need_a_password_and_numbers_are_no_trick() {
    let folder = tempfile::tempdir().unwrap();
    let everywhere = ("BOUGH_ADDR", "0.0.0.0:0");
    let config = |variables: &[(&str, &str)]| crate::support::config(folder.path(), variables);
    let refused = Application::build(config(&[GUARDED[0], everywhere])).await.err().unwrap();
    assert!(matches!(refused, StartError::Unprotected(Unprotected::Exposed(_))), "{refused}");
    let (code, said) = Bough::run(folder.path(), &[everywhere], &["check"]).await;
    assert!(
        code == 1 && said.contains("no password is set") && said.contains("refusing to listen"),
        "{said}"
    );

    let app = TestApp::with(&[GUARDED[0], GUARDED[1], everywhere], "").await;
    for (host, expected) in
        [("192.168.1.7:3000", 401), ("[2001:db8::1]", 401), ("localhost", 401), ("evil.example", 403)]
    {
        assert_eq!(status_with(&app, &[("host", host)]).await, expected, "{host}");
    }
    let host = ("host", "192.168.1.7:3000");
    let cookie = sign_in(&app, &[host], "password=correct+horse").await.cookie();
    assert!(cookie.starts_with("bough_login_3000="), "{cookie}");
    assert_eq!(status_with(&app, &[host, ("cookie", &cookie)]).await, 200);
    // Where the password is removed under it, nobody is let in any more.
    let (code, said) = Bough::run(app.data(), &[everywhere], &["password", "--remove"]).await;
    assert!(code == 0 && said.contains("nobody is let in at 0.0.0.0:0"), "{said}");
    assert_eq!(status_with(&app, &[("cookie", &cookie)]).await, 403);
}
