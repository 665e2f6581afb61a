//! What the binary does besides serving.

use crate::support::{Bough, Provider, TestApp, call};
use serde_json::json;
use std::path::Path;

const SESSIONS: &str = "/api/v1/agents/assistant/default/sessions";

async fn run(data: &Path, arguments: &[&str]) -> (i32, String) {
    Bough::run(data, &[], arguments).await
}

/// A data folder with one named session.
async fn kept() -> tempfile::TempDir {
    let app = TestApp::start().await;
    let made = call(&app, "POST", SESSIONS, Some(json!({"id": "s1", "name": "Oaks"}))).await;
    assert_eq!(made.0, 201);
    app.stop().await
}

async fn names(folder: tempfile::TempDir) -> (tempfile::TempDir, Vec<String>) {
    let bough = Bough::start(folder.path(), &Provider::start().await).await;
    let client = crate::support::client();
    let page = client.get(format!("http://{}{SESSIONS}", bough.address)).send().await.unwrap();
    let page: serde_json::Value = page.json().await.unwrap();
    let sessions = page["sessions"].as_array().unwrap();
    let names = sessions.iter().map(|session| session["name"].as_str().unwrap().to_owned()).collect();
    bough.signal("TERM").await;
    assert_eq!(bough.ended().await.0, Some(0));
    (folder, names)
}

#[tokio::test]
async fn the_doctor_finds_nothing_in_sound_data_and_names_what_is_broken() {
    let folder = kept().await;
    let (code, said) = run(folder.path(), &["doctor"]).await;
    assert_eq!((code, &*said), (0, "2 databases, nothing is wrong\n"));
    std::fs::write(folder.path().join("agents/assistant/empty.db"), "").unwrap();
    let (code, said) = run(folder.path(), &["doctor", "--repair"]).await;
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("empty.db is damaged") && said.contains("remove it to begin anew"), "{said}");
    let (code, said) = run(&folder.path().join("none"), &["doctor"]).await;
    assert!(code == 1 && said.contains("there is no data at") && said.contains("none"), "{said}");
    assert!(!folder.path().join("none").exists());
}

#[tokio::test]
async fn a_backup_is_made_beside_a_running_server_and_taken_back_from_a_stopped_one() {
    let app = TestApp::start().await;
    let _made = call(&app, "POST", SESSIONS, Some(json!({"id": "s1", "name": "Oaks"}))).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let target = elsewhere.path().join("monday");
    let path = target.to_str().unwrap();
    let (code, said) = run(app.data(), &["backup", path]).await;
    assert_eq!((code, said), (0, format!("2 databases copied to {path}\n")));
    let (code, said) = run(app.data(), &["backup", path]).await;
    assert!(code == 1 && said.contains("exists already"), "{said}");
    let one = elsewhere.path().join("one.db");
    let one = one.to_str().unwrap();
    assert_eq!(run(app.data(), &["backup", one, "--instance", "assistant/default"]).await.0, 0);

    let _renamed = call(&app, "PATCH", &format!("{SESSIONS}/s1"), Some(json!({"name": "Elms"}))).await;
    for command in [&["restore", path][..], &["doctor"]] {
        let (code, said) = run(app.data(), command).await;
        assert!(code == 1 && said.contains("a server is using") && said.contains("stop it first"), "{said}");
    }
    let folder = app.stop().await;
    let (folder, before) = names(folder).await;
    assert_eq!(before, ["Elms"]);
    let (code, said) = run(folder.path(), &["restore", path]).await;
    assert!(code == 0 && said.contains("default.db restored; the old one is"), "{said}");
    let (folder, after) = names(folder).await;
    assert_eq!(after, ["Oaks"]);

    let empty = tempfile::tempdir().unwrap();
    assert_eq!(run(empty.path(), &["restore", one, "--instance", "assistant/default"]).await.0, 0);
    assert_eq!(names(empty).await.1, ["Oaks"]);
    let (code, said) = run(folder.path(), &["restore", elsewhere.path().to_str().unwrap()]).await;
    assert!(code == 1 && said.contains("holds no database"), "{said}");
}

#[tokio::test]
async fn the_doctor_is_asked_over_the_api() {
    let app = TestApp::start().await;
    let doctor = "/api/v1/agents/assistant/default/doctor";
    assert_eq!(call(&app, "GET", doctor, None).await, (200, json!({"findings": []})));
    assert_eq!(call(&app, "POST", &format!("{doctor}/repair"), None).await, (200, json!({"findings": []})));
}

#[tokio::test]
async fn a_malformed_endpoint_is_a_bad_configuration() {
    let data = tempfile::tempdir().unwrap();
    for command in ["serve", "check"] {
        let variables = [("BOUGH_OPENAI_BASE_URL", "http://[broken")];
        let (code, said) = Bough::run(data.path(), &variables, &[command]).await;
        assert!(code == 2 && said.starts_with("bough: "), "{said}");
    }
}

#[tokio::test]
async fn an_endpoint_without_a_named_model_gives_its_first_one() {
    let provider = Provider::start().await;
    let app = TestApp::with(&[("BOUGH_OPENAI_BASE_URL", &provider.base_url)], "").await;
    let (_, models) = app.get("/api/v1/agents/assistant/default/models").await;
    assert_eq!(models["default"], json!("openai/m1"));
}

#[tokio::test]
async fn the_usual_model_is_the_one_of_the_agent() {
    let provider = Provider::start().await;
    let app = TestApp::asking_with(&provider, "[agents.assistant]\nmodel = 'openai/m2'\n").await;
    let (_, models) = app.get("/api/v1/agents/assistant/default/models").await;
    assert_eq!(models["default"], json!("openai/m2"));
}
