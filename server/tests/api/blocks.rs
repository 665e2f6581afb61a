//! The JSON API of context blocks: limits, conflicts, versions, and the frames that tell of writes.

use crate::support::{TestApp, call, chat, kind, user};
use serde_json::{Value, json};

const BLOCKS: &str = "/api/v1/agents/assistant/default/blocks";

#[tokio::test]
async fn a_block_is_made_written_compared_and_taken_back() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    let new = json!({"label": "notes", "description": "What to know", "max_tokens": 50, "content": "one\n"});
    let (status, made) = call(&app, "POST", BLOCKS, Some(new.clone())).await;
    assert_eq!((status, &made["content"], &made["version"]), (201, &json!("one\n"), &json!(1)), "{made}");
    assert_eq!(call(&app, "POST", BLOCKS, Some(new)).await.0, 409);
    let path = format!("{BLOCKS}/notes");
    assert_eq!(call(&app, "GET", &path, None).await, (200, made));

    let (status, written) = call(&app, "PUT", &path, Some(json!({"content": "two\n", "version": 1}))).await;
    assert_eq!((status, &written["version"]), (200, &json!(2)));
    let (status, conflict) = call(&app, "PUT", &path, Some(json!({"content": "three", "version": 1}))).await;
    assert_eq!((status, &conflict["code"], &conflict["current"]), (409, &json!("conflict"), &written));

    let (_, history) = call(&app, "GET", &format!("{path}/history"), None).await;
    let numbers: Vec<&Value> =
        history["versions"].as_array().unwrap().iter().map(|version| &version["version"]).collect();
    assert_eq!(numbers, [&json!(2), &json!(1), &json!(0)]);
    let (_, version) = call(&app, "GET", &format!("{path}/history/1"), None).await;
    assert_eq!((&version["content"], &version["author"]), (&json!("one\n"), &json!({"type": "user"})));
    let (_, diff) = call(&app, "GET", &format!("{path}/diff?from=1&to=2"), None).await;
    assert_eq!(diff, json!({"diff": "--- notes@1\n+++ notes@2\n@@ -1 +1 @@\n-one\n+two\n"}));
    let body = json!({"version": 1, "expected": 2});
    let (status, restored) = call(&app, "POST", &format!("{path}/restore"), Some(body.clone())).await;
    assert_eq!((status, &restored["content"], &restored["version"]), (200, &json!("one\n"), &json!(3)));
    assert_eq!(call(&app, "POST", &format!("{path}/restore"), Some(body)).await.0, 409);

    assert_eq!(call(&app, "DELETE", &path, None).await, (204, Value::Null));
    assert_eq!(call(&app, "GET", &path, None).await.0, 404);
    let frames = tab.drain().await;
    let told: Vec<&Value> =
        frames.iter().filter(|it| kind(it) == "bough_block_changed").map(|it| &it["version"]).collect();
    assert_eq!(told, [&json!(1), &json!(2), &json!(3), &json!(0)]);
}

/// Case E01: every way of writing meets the same limit, with the numbers in the answer.
#[tokio::test]
async fn a_full_block_says_its_numbers() {
    let app = TestApp::start().await;
    let long = "word ".repeat(100);
    let new = |content: &str| Some(json!({"label": "small", "max_tokens": 5, "content": content}));
    let (status, refused) = call(&app, "POST", BLOCKS, new(&long)).await;
    assert_eq!((status, &refused["code"], &refused["max_tokens"]), (422, &json!("too_large"), &json!(5)));
    assert_eq!(call(&app, "GET", &format!("{BLOCKS}/small"), None).await.0, 404, "nothing was made");
    assert_eq!(call(&app, "POST", BLOCKS, new("a")).await.0, 201);
    let path = format!("{BLOCKS}/small");
    let (status, refused) = call(&app, "PUT", &path, Some(json!({"content": long}))).await;
    assert_eq!((status, &refused["max_tokens"]), (422, &json!(5)));
    assert!(refused["tokens"].as_u64().unwrap() > 5, "{refused}");
    assert_eq!(call(&app, "GET", &path, None).await.1["content"], json!("a"));
}

#[tokio::test]
async fn what_cannot_be_done_to_blocks_is_a_problem_with_a_code() {
    let app = TestApp::start().await;
    let rows = [
        ("GET", "/none", None, 404, "unknown_block"),
        ("PUT", "/none", Some(json!({"content": "x"})), 404, "unknown_block"),
        ("DELETE", "/none", None, 404, "unknown_block"),
        ("GET", "/none/history", None, 404, "unknown_block"),
        ("GET", "/none/history/1", None, 404, "unknown_block"),
        ("GET", "/none/history/x", None, 400, "bad_request"),
        ("GET", "/none/diff?from=1", None, 400, "bad_request"),
        ("GET", "?session=none", None, 404, "unknown_session"),
        ("DELETE", "/none?session=none", None, 404, "unknown_session"),
        ("POST", "", Some(json!({"content": "no label"})), 400, "bad_request"),
        ("POST", "", Some(json!({"label": "a\nb"})), 400, "bad_request"),
        ("POST", "", Some(json!({"label": "x", "colour": "red"})), 400, "bad_request"),
        ("POST", "", Some(json!({"label": "x", "scope": "outside"})), 400, "bad_request"),
        ("POST", "", Some(json!({"label": "x", "content": "x".repeat(300_000)})), 422, "too_large"),
        ("POST", "", Some(json!({"label": "x", "content": "x".repeat(5_000_000)})), 413, "too_large"),
    ];
    for (method, path, body, status, code) in rows {
        let (got, problem) = call(&app, method, &format!("{BLOCKS}{path}"), body).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{method} {path}: {problem}");
    }
}

#[tokio::test]
async fn blocks_of_a_session_are_its_own_and_a_fork_carries_them() {
    let app = TestApp::start().await;
    let sessions = "/api/v1/agents/assistant/default/sessions";
    let _made = call(&app, "POST", sessions, Some(json!({"id": "s1"}))).await;
    let own = format!("{BLOCKS}?session=s1");
    let _made = call(&app, "POST", &own, Some(json!({"label": "mine", "content": "x"}))).await;
    let shared = json!({"label": "ours", "content": "y", "scope": "agent"});
    let _made = call(&app, "POST", &own, Some(shared)).await;
    let (status, forked) =
        call(&app, "POST", &format!("{sessions}/s1/fork"), Some(json!({"name": "copy"}))).await;
    assert_eq!((status, &forked["parent_session_id"]), (201, &json!("s1")));
    let copy = forked["id"].as_str().unwrap();
    let seen = async |label: &str, session: &str| {
        let (_, block) = call(&app, "GET", &format!("{BLOCKS}/{label}?session={session}"), None).await;
        block["content"].as_str().map(str::to_owned)
    };
    assert_eq!(
        [seen("mine", "s1").await, seen("mine", copy).await, seen("mine", "~").await],
        [Some("x".to_owned()), Some("x".to_owned()), None]
    );
    assert_eq!(seen("ours", "~").await.as_deref(), Some("y"));
}

#[tokio::test]
async fn the_prompt_is_refreshed_and_skills_are_listed() {
    let app = TestApp::start().await;
    let _made = call(&app, "POST", BLOCKS, Some(json!({"label": "notes", "content": "oak"}))).await;
    let refresh = "/api/v1/agents/assistant/default/sessions/~/prompt/refresh";
    let (status, prompt) = call(&app, "POST", refresh, None).await;
    assert_eq!(status, 200, "{prompt}");
    assert!(prompt["sections"].to_string().contains("oak"), "{prompt}");
    let skills = "/api/v1/agents/assistant/default/skills";
    assert_eq!(call(&app, "GET", skills, None).await, (200, json!({"skills": []})));
    let body = json!({"label": "none", "key": "none"});
    assert_eq!(
        call(&app, "POST", &format!("{skills}/unload"), Some(body)).await,
        (200, json!({"skills": []}))
    );
}

/// The built-in model writes to the memory that `assistant` has without any configuration, and everybody sees it.
#[tokio::test]
async fn the_built_in_model_remembers() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "remember that I drink tea")])).await;
    tab.until_turn_ends("r1").await;
    let (_, block) = call(&app, "GET", &format!("{BLOCKS}/memory"), None).await;
    assert_eq!((&block["content"], &block["scope"]), (&json!("- I drink tea\n"), &json!("agent")), "{block}");
}
