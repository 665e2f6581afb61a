//! The JSON API of sessions, and the frames that keep every page's list true.

use crate::support::{Frame, Provider, TestApp, call, chat, kind, user};
use serde_json::{Value, json};

const SESSIONS: &str = "/api/v1/agents/assistant/default/sessions";

fn names(page: &Value) -> Vec<&str> {
    page["sessions"].as_array().unwrap().iter().map(|session| session["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_session_is_made_renamed_deleted_and_taken_back() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    let (status, made) = call(&app, "POST", SESSIONS, Some(json!({"name": "Trees"}))).await;
    assert_eq!((status, &made["name"]), (201, &json!("Trees")));
    let id = made["id"].as_str().unwrap();
    let path = format!("{SESSIONS}/{id}");
    assert_eq!(call(&app, "GET", &path, None).await, (200, made.clone()));

    let (status, renamed) = call(&app, "PATCH", &path, Some(json!({"name": "  Oaks "}))).await;
    assert_eq!((status, &renamed["name"]), (200, &json!("Oaks")));
    assert_eq!(call(&app, "DELETE", &path, None).await, (204, Value::Null));
    assert_eq!(names(&call(&app, "GET", SESSIONS, None).await.1), Vec::<&str>::new());
    assert_eq!(call(&app, "GET", &path, None).await.0, 404);
    let (status, thrown) = call(&app, "GET", &format!("{path}?trash=true"), None).await;
    assert_eq!((status, &thrown["name"], thrown["deleted_at"].is_u64()), (200, &json!("Oaks"), true));
    let (status, restored) = call(&app, "POST", &format!("{path}/restore"), None).await;
    assert_eq!((status, &restored["name"]), (200, &json!("Oaks")));
    assert_eq!(names(&call(&app, "GET", SESSIONS, None).await.1), ["Oaks"]);
    assert_eq!(call(&app, "GET", &format!("{path}?trash=true"), None).await.0, 404);

    let told: Vec<(String, Value)> = tab.drain().await.iter().map(news).collect();
    let changed = |name: &str| ("bough_session_changed".to_owned(), json!(name));
    let removed = ("bough_session_removed".to_owned(), json!(id));
    assert_eq!(told, [changed("Trees"), changed("Oaks"), removed, changed("Oaks")]);
}

fn news(frame: &Frame) -> (String, Value) {
    let subject = if frame.get("session").is_some() { &frame["session"]["name"] } else { &frame["id"] };
    (kind(frame).to_owned(), subject.clone())
}

#[tokio::test]
async fn what_cannot_be_done_is_a_problem_with_a_code() {
    let app = TestApp::start().await;
    let made = call(&app, "POST", SESSIONS, Some(json!({"id": "s1"}))).await;
    assert_eq!(made.0, 201);
    let long = "x".repeat(201);
    let huge = "x".repeat(3 * 1024 * 1024);
    let rows = [
        ("GET", format!("{SESSIONS}/none"), None, 404, "unknown_session"),
        ("PATCH", format!("{SESSIONS}/none"), Some(json!({"name": "x"})), 404, "unknown_session"),
        ("DELETE", format!("{SESSIONS}/none"), None, 404, "unknown_session"),
        ("POST", format!("{SESSIONS}/none/restore"), None, 404, "unknown_session"),
        ("GET", format!("{SESSIONS}/none/messages"), None, 404, "unknown_session"),
        (
            "GET",
            "/agents/assistant/default/get-messages?session=none".to_owned(),
            None,
            404,
            "unknown_session",
        ),
        ("GET", "/api/v1/agents/nobody/default/sessions".to_owned(), None, 404, "unknown_agent"),
        ("GET", "/api/v1/agents/assistant/a%2Fb/sessions".to_owned(), None, 404, "unknown_agent"),
        ("GET", "/api/v1/agents/assistant/default/nothing".to_owned(), None, 404, "not_found"),
        ("PUT", SESSIONS.to_owned(), None, 405, "unknown_method"),
        ("POST", SESSIONS.to_owned(), Some(json!({"id": "s1"})), 409, "conflict"),
        ("POST", SESSIONS.to_owned(), Some(json!({"name": 7})), 400, "bad_request"),
        ("POST", SESSIONS.to_owned(), Some(json!({"name": huge})), 413, "too_large"),
        ("PATCH", format!("{SESSIONS}/s1"), Some(json!({"name": long})), 422, "too_large"),
        ("GET", format!("{SESSIONS}?cursor=nonsense"), None, 400, "bad_request"),
        ("GET", format!("{SESSIONS}?limit=many"), None, 400, "bad_request"),
        ("GET", "/agents/assistant/default".to_owned(), None, 426, "bad_request"),
    ];
    for (method, path, body, status, code) in rows {
        let (got, problem) = call(&app, method, &path, body).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{method} {path}: {problem}");
        assert_eq!(problem["status"], json!(status), "{problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
    }
}

#[tokio::test]
async fn the_list_is_read_page_by_page() {
    let app = TestApp::start().await;
    for number in 0..5 {
        let _made = call(&app, "POST", SESSIONS, Some(json!({"name": format!("s{number}")}))).await;
    }
    let mut seen = Vec::new();
    let mut path = format!("{SESSIONS}?limit=2");
    loop {
        let (_, page) = call(&app, "GET", &path, None).await;
        seen.extend(names(&page).into_iter().map(str::to_owned));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("{SESSIONS}?limit=2&cursor={cursor}");
    }
    assert_eq!(seen, ["s4", "s3", "s2", "s1", "s0"]);
}

#[tokio::test]
async fn a_transcript_is_read_in_windows_and_the_default_session_is_a_tilde() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    for number in 0..3 {
        provider.say([format!("a{number}")]);
        let id = format!("r{number}");
        tab.send(chat(&id, &[user(&format!("u{number}"), &format!("q{number}"))])).await;
        let _turn = tab.until_turn_ends(&id).await;
    }
    let text = |transcript: &Value| -> Vec<String> {
        let messages = transcript["messages"].as_array().unwrap();
        crate::support::hist_text(messages).into_iter().map(|(_, text)| text).collect()
    };
    let (status, last) = call(&app, "GET", &format!("{SESSIONS}/~/messages?limit=2"), None).await;
    assert_eq!(
        (status, text(&last), &last["earlier"]),
        (200, vec!["q2".to_owned(), "a2".to_owned()], &json!(4))
    );
    let before = last["messages"][0]["id"].as_str().unwrap();
    let (_, earlier) =
        call(&app, "GET", &format!("{SESSIONS}/~/messages?limit=3&before={before}"), None).await;
    assert_eq!(
        (text(&earlier), &earlier["earlier"]),
        (vec!["a0".to_owned(), "q1".to_owned(), "a1".to_owned()], &json!(1))
    );
}

#[tokio::test]
async fn instances_do_not_see_each_other() {
    let app = TestApp::start().await;
    let other = "/api/v1/agents/assistant/other/sessions";
    let _made = call(&app, "POST", SESSIONS, Some(json!({"name": "mine"}))).await;
    assert_eq!(names(&call(&app, "GET", other, None).await.1), Vec::<&str>::new());
    let files = ["bough.db", "agents/assistant/default.db", "agents/assistant/other.db"];
    assert!(files.iter().all(|file| app.data().join(file).is_file()));
}

#[tokio::test]
async fn numbers_of_a_session_shape_its_answers_from_the_next_call_on() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    let path = format!("{SESSIONS}/~");
    let chosen = json!({"temperature": 0.5, "topP": 0.75, "maxOutputTokens": 9, "seed": 7});
    for (id, sampling) in [("r1", &chosen), ("r2", &Value::Null)] {
        let (status, info) = call(&app, "PATCH", &path, Some(json!({ "sampling": sampling }))).await;
        assert_eq!((status, info.get("sampling").unwrap_or(&Value::Null)), (200, sampling));
        provider.say(["ok"]);
        tab.send(chat(id, &[user(id, "q")])).await;
        let _turn = tab.until_turn_ends(id).await;
    }
    let told = |body: &Value| ["temperature", "top_p", "max_tokens", "seed"].map(|key| body[key].clone());
    let told: Vec<_> = provider.calls().iter().map(|call| told(&call.body)).collect();
    let shaped: Vec<_> = told.iter().filter(|told| **told != [const { Value::Null }; 4]).collect();
    assert_eq!(shaped, [&[json!(0.5), json!(0.75), json!(9), json!(7)]]);
    assert_eq!(told.last(), Some(&[const { Value::Null }; 4]));
    for wrong in [json!({"temperature": 3}), json!({"topP": 2}), json!({"maxOutputTokens": 0})] {
        let (status, problem) = call(&app, "PATCH", &path, Some(json!({ "sampling": wrong }))).await;
        assert_eq!((status, &problem["code"]), (400, &json!("bad_request")));
    }
}
