//! Conversations in and out, over the API and by the binary.

use crate::support::{Bough, TestApp, call, client};
use serde_json::{Value, json};

const INSTANCE: &str = "/api/v1/agents/assistant/default";

/// An instance with a named session, a block and a message in the trash.
async fn filled() -> TestApp {
    let app = TestApp::start().await;
    let message = |id: &str, parent: Option<&str>| {
        json!({"id": id, "parent_id": parent, "created_at": 7, "message": {"id": id, "role": "user",
            "parts": [{"type": "text", "text": id}]}})
    };
    let file = json!({"format": "bough", "version": 1, "sessions": [{"id": "s1", "name": "Oaks", "created_at": 5,
        "updated_at": 6, "messages": [message("a", None), message("b", Some("a")), message("c", Some("b"))]}]});
    let (status, report) = call(&app, "POST", &format!("{INSTANCE}/import"), Some(file)).await;
    let expected = json!({"sessions": [{"id": "s1", "name": "Oaks", "status": "imported", "messages": 3}]});
    assert_eq!((status, report), (200, expected));
    assert_eq!(call(&app, "DELETE", &format!("{INSTANCE}/sessions/s1/messages/b"), None).await.0, 200);
    let block = json!({"label": "facts", "content": "oaks are trees"});
    assert_eq!(call(&app, "POST", &format!("{INSTANCE}/blocks"), Some(block)).await.0, 201);
    app
}

fn without_time(mut file: Value) -> Value {
    assert!(file.as_object_mut().unwrap().remove("exported_at").unwrap().is_u64());
    file
}

#[tokio::test]
async fn an_export_is_a_file_with_a_safe_name_and_an_import_makes_the_same_of_it() {
    let app = filled().await;
    let path = format!("{INSTANCE}/export");
    let reply = client().get(app.url(&path)).send().await.unwrap();
    let disposition = reply.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert_eq!(disposition, "attachment; filename=\"bough-assistant-default.json\"");
    assert_eq!(reply.headers()["content-type"], "application/json");
    let file: Value = reply.json().await.unwrap();
    let session = file["sessions"][0].clone();
    assert_eq!((&session["name"], &session["messages"][1]["deletion"]), (&json!("Oaks"), &json!(1)));

    let fresh = TestApp::start().await;
    let mut tab = fresh.greeted_tab().await;
    let (status, report) = call(&fresh, "POST", &format!("{INSTANCE}/import"), Some(file.clone())).await;
    assert_eq!((status, &report["sessions"][0]["status"]), (200, &json!("imported")), "{report}");
    let told = tab.drain().await;
    assert!(told.iter().any(|frame| frame["session"]["id"] == "s1"), "{told:?}");
    let again = call(&fresh, "GET", &path, None).await.1;
    assert_eq!(without_time(again), without_time(file));

    assert_eq!(call(&app, "POST", &format!("{INSTANCE}/sessions"), Some(json!({"id": "s2"}))).await.0, 201);
    let two =
        client().get(app.url(&format!("{path}?session=s1&session=s2&session=s1"))).send().await.unwrap();
    let disposition = two.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert_eq!(disposition, "attachment; filename=\"bough-assistant-default-2-chats.json\"");
    let named: Value = two.json().await.unwrap();
    let ids: Vec<&Value> = named["sessions"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(
        (&named["sessions"][0], ids),
        (&session, vec![&json!("s1"), &json!("s2")]),
        "each of them once"
    );

    let markdown = app.url(&format!("{path}?session=s1&format=markdown"));
    let reply = client().get(markdown).send().await.unwrap();
    let disposition = reply.headers()["content-disposition"].to_str().unwrap().to_owned();
    assert_eq!(disposition, "attachment; filename=\"bough-assistant-default-s1.md\"");
    assert_eq!(reply.text().await.unwrap(), "# Oaks\n\n## You\n\na\n\n## You\n\nc\n");

    let many: Vec<String> = (0..201).map(|number| format!("session=s{number}")).collect();
    for (query, status, code) in [
        ("?session=none", 404, "unknown_session"),
        ("?session=none&format=markdown", 404, "unknown_session"),
        ("?format=markdown", 400, "bad_request"),
        ("?format=pdf", 400, "bad_request"),
        ("?session=s1&session=none", 404, "unknown_session"),
        ("?session=s1&session=s2&format=markdown", 400, "bad_request"),
        (&*format!("?{}", many.join("&")), 422, "too_large"),
    ] {
        let (got, problem) = call(&app, "GET", &format!("{path}{query}"), None).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{query}");
    }
    let (status, problem) =
        call(&app, "POST", &format!("{INSTANCE}/import"), Some(json!({"hello": 1}))).await;
    assert_eq!((status, &problem["code"]), (400, &json!("bad_request")));
}

#[tokio::test]
async fn the_binary_exports_and_imports_while_no_server_runs() {
    let app = filled().await;
    let out = tempfile::tempdir().unwrap();
    let (file, again) = (out.path().join("one.json"), out.path().join("two.json"));
    let (file, again) = (file.to_str().unwrap(), again.to_str().unwrap());
    let (code, said) = Bough::run(app.data(), &[], &["export", file]).await;
    assert_eq!(code, 1);
    assert!(
        said.contains("a server is using") && said.contains("/api/v1/agents/assistant/default/export"),
        "{said}"
    );
    let folder = app.stop().await;
    let (code, said) = Bough::run(folder.path(), &[], &["export", file]).await;
    assert_eq!(code, 0, "{said}");
    let (code, said) = Bough::run(folder.path(), &[], &["export", file]).await;
    assert!(code == 1 && said.contains("exists already"), "{said}");

    let fresh = out.path().join("fresh");
    let (code, said) = Bough::run(&fresh, &[], &["import", file]).await;
    let told = "imported \"Oaks\", 3 messages\nimported \"\", 0 messages\n2 sessions imported, 0 skipped, 0 failed\n";
    assert_eq!((code, &*said), (0, told));
    let (code, said) = Bough::run(&fresh, &[], &["export", again]).await;
    assert_eq!(code, 0, "{said}");
    let read = |path: &str| without_time(serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap());
    assert_eq!(read(file), read(again));

    let (code, said) = Bough::run(&fresh, &[], &["import", again, "--instance", "nonsense"]).await;
    assert!(code == 1 && said.contains("AGENT/INSTANCE"), "{said}");
    std::fs::write(out.path().join("no.json"), "{").unwrap();
    let (code, said) =
        Bough::run(&fresh, &[], &["import", out.path().join("no.json").to_str().unwrap()]).await;
    assert!(code == 1 && said.contains("is no JSON"), "{said}");
}
