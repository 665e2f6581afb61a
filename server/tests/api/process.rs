//! The binary itself: what stands in its way is told in one line, and it ends in good order.

use crate::support::{Bough, Provider, Tab, TestApp, chat, user};
use std::path::Path;
use tokio::net::TcpListener;

/// The one line that a refused start says.
async fn complaint(data: &Path, variables: &[(&str, &str)], code: i32) -> String {
    let (got, said) = Bough::refused(data, variables).await;
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("bough: ")).collect();
    assert_eq!((got, lines.len()), (code, 1), "{said}");
    lines[0].to_owned()
}

/// Overwrites the file's format number (`PRAGMA user_version`) with that of a version to come.
fn make_newer(file: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(file).unwrap();
    bytes[60..64].copy_from_slice(&9_999_u32.to_be_bytes());
    std::fs::write(file, &bytes).unwrap();
    bytes
}

#[tokio::test]
async fn a_port_in_use_is_told_with_the_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let data = tempfile::tempdir().unwrap();
    let line = complaint(data.path(), &[("BOUGH_ADDR", &address)], 1).await;
    assert!(line.contains(&address) && line.contains("in use") && line.contains("BOUGH_ADDR"), "{line}");
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_refused() {
    let app = TestApp::start().await;
    let line = complaint(app.data(), &[], 1).await;
    assert!(line.contains(app.data().to_str().unwrap()), "{line}");
    assert_eq!(app.get("/readyz").await.0, 200);
}

#[tokio::test]
async fn data_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").unwrap();
    for data in [file.clone(), file.join("below")] {
        let line = complaint(&data, &[], 1).await;
        assert!(line.contains(data.to_str().unwrap()), "{line}");
    }
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_untouched() {
    let provider = Provider::start().await;
    for name in ["bough.db", "agents/assistant/default.db"] {
        let folder = tempfile::tempdir().unwrap();
        let bough = Bough::start(folder.path(), &provider).await;
        bough.signal("TERM").await;
        assert_eq!(bough.ended().await.0, Some(0));
        let file = folder.path().join(name);
        let bytes = make_newer(&file);
        let line = complaint(folder.path(), &[], 1).await;
        assert!(line.contains(file.to_str().unwrap()) && line.contains("9999"), "{line}");
        assert!(std::fs::read(&file).unwrap() == bytes, "{name} was changed");
    }
}

#[tokio::test]
async fn a_broken_instance_is_told_and_others_work() {
    let app = TestApp::start().await;
    let path = |instance: &str| format!("/api/v1/agents/assistant/{instance}/sessions");
    let broken = app.data().join("agents/assistant/broken.db");
    std::fs::write(&broken, "this is not a database, and long enough to be looked at as one").unwrap();
    let (status, problem) = app.get(&path("broken")).await;
    assert_eq!((status, &problem["code"]), (503, &serde_json::json!("storage")));
    assert!(problem["detail"].as_str().unwrap().contains(broken.to_str().unwrap()), "{problem}");
    assert_eq!(app.get(&path("default")).await.0, 200);
    std::fs::remove_file(&broken).unwrap();
    assert_eq!(app.get(&path("broken")).await.0, 200);
}

#[tokio::test]
async fn a_bad_configuration_ends_with_two() {
    let data = tempfile::tempdir().unwrap();
    let line = complaint(data.path(), &[("BOUGH_MODLE", "a/b")], 2).await;
    assert_eq!(line, "bough: the environment: there is no setting BOUGH_MODLE; did you mean BOUGH_MODEL?");
    let line = complaint(data.path(), &[("BOUGH_ADDR", "0.0.0.0:3000")], 2).await;
    assert!(line.contains("`bough password`") && line.contains("BOUGH_ADDR=127.0.0.1:3000"), "{line}");
    let (code, _) = Bough::run(data.path(), &[], &["--modle", "x"]).await;
    assert_eq!(code, 2);
}

#[tokio::test]
async fn check_prints_the_configuration_without_secrets() {
    let data = tempfile::tempdir().unwrap();
    let variables = [("BOUGH_OPENAI_API_KEY", "sk-secret"), ("BOUGH_MODEL", "openai/m1")];
    let (code, said) = Bough::run(data.path(), &variables, &["check"]).await;
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("model = \"openai/m1\"") && !said.contains("sk-secret"), "{said}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0, "nothing is made");
}

#[tokio::test]
async fn sigterm_and_sigint_close_sockets_with_1012_and_end_in_good_order() {
    let provider = Provider::start().await;
    for signal in ["TERM", "INT"] {
        let data = tempfile::tempdir().unwrap();
        let bough = Bough::start(data.path(), &provider).await;
        let Ok(mut tab) = Tab::open(bough.address, "/agents/assistant/default", &[]).await else { panic!() };
        let _greeting = tab.next().await;
        bough.signal(signal).await;
        assert_eq!(tab.close_code().await.map(|(code, _)| code), Some(1012), "{signal}");
        let (code, said) = bough.ended().await;
        assert_eq!(code, Some(0), "{signal}: {said}");
        assert!(!data.path().join("agents/assistant/default.db-wal").exists(), "the file was closed");
    }
}

/// The value of a series of the exposition.
fn series(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[tokio::test]
async fn what_happens_is_counted_for_this_machine_only() {
    let (provider, folder) = (Provider::start().await, tempfile::tempdir().unwrap());
    std::fs::write(folder.path().join("bough.toml"), "allowed_hosts = [\"bough.example\"]").unwrap();
    let bough = Bough::start(folder.path(), &provider).await;
    let mut tab = Tab::open(bough.address, "/agents/assistant/default", &[]).await.unwrap();
    provider.say(["hello"]);
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _frames = tab.until_turn_ends("r1").await;
    let client = crate::support::client();
    let asked_by =
        |host: String| client.get(format!("http://{}/metrics", bough.address)).header("host", host);
    let answer = asked_by(bough.address.to_string()).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = answer.text().await.unwrap();
    let counts = [
        r#"bough_turns_total{agent="assistant",status="complete"}"#,
        r#"bough_turns_running{agent="assistant"}"#,
        "bough_sockets_open",
        "bough_instances_open",
    ];
    let counts = counts.map(|name| series(&text, name));
    assert_eq!(counts, [Some(1.0), Some(0.0), Some(1.0), Some(1.0)], "{text}");
    assert!(!text.contains("hello"), "{text}");
    // The name that a proxy passes on.
    assert_eq!(asked_by("bough.example".to_owned()).send().await.unwrap().status(), 404);
}
