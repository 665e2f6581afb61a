//! A tool server that is a process, from the configuration to the result in the conversation; and what is handed in.

use crate::support::{Piece, Provider, TestApp, call, chat, kind, user, within};
use serde_json::{Value, json};

const AGENT: &str = "/api/v1/agents/assistant/default";

const SERVER: &str = r##"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) reply '{"tools":[{"name":"erase","description":"Erases.","inputSchema":{"type":"object","required":["path"]}}]}' ;;
    *'"tools/call"'*) reply '{"content":[{"type":"text","text":"erased"}]}' ;;
  esac
done
"##;

#[tokio::test]
async fn a_call_of_a_tool_server_waits_for_consent_and_its_result_reaches_the_model() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("server.sh");
    std::fs::write(&script, SERVER).unwrap();
    let file = format!(
        "[agents.assistant]\nmcp_servers = [{{ name = 'files', command = ['/bin/sh', '{}'], approve = ['erase'] }}]",
        script.display()
    );
    let app = TestApp::asking_with(&provider, &file).await;
    let mut tab = app.tab().await;
    // Told on connecting, or as news when the server is there.
    let is_ready = |frame: &Value| {
        kind(frame) == "cf_agent_mcp_servers" && frame["mcp"]["servers"]["files"]["state"] == json!("ready")
    };
    let _told = tab.until(is_ready).await;
    let (status, agent) = call(&app, "GET", &format!("{AGENT}/agent"), None).await;
    assert_eq!(
        (status, &agent["mcpServers"]),
        (200, &json!([{ "name": "files", "state": "ready", "error": null, "tools": 1 }]))
    );
    let tool = json!({ "name": "files_erase", "description": "Erases.", "source": "mcp" });
    assert!(agent["tools"].as_array().unwrap().contains(&tool), "{agent}");

    provider.play([Piece::Tool("c1", "files_erase", json!({ "path": "/x" }))]);
    tab.send(chat("r1", &[user("u1", "erase it")])).await;
    let _turn = tab.until_turn_ends("r1").await;
    provider.say(["Gone."]);
    let yes = json!({ "type": "cf_agent_tool_approval", "toolCallId": "c1", "approved": true, "autoContinue": true });
    tab.send(yes).await;
    let wait = async {
        while !provider.calls().iter().any(|call| call.body.to_string().contains("erased")) {
            tokio::task::yield_now().await;
        }
    };
    within("the result reaches the model", wait).await;
}

/// A submission once it has ended well.
async fn completed(app: &TestApp, path: &str) -> Value {
    loop {
        let (_, submission) = call(app, "GET", path, None).await;
        if submission["status"] == json!("completed") {
            return submission;
        }
    }
}

#[tokio::test]
async fn what_is_handed_in_is_accepted_at_once_and_told_until_its_end() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["done"]);
    let path = format!("{AGENT}/submissions");
    let body =
        json!({ "messages": [user("u1", "go on")], "idempotencyKey": "k", "metadata": { "from": "cron" } });
    let (status, receipt) = call(&app, "POST", &path, Some(body.clone())).await;
    assert_eq!((status, &receipt["accepted"]), (202, &json!(true)));
    let (status, again) = call(&app, "POST", &path, Some(body)).await;
    assert_eq!((status, &again["accepted"]), (202, &json!(false)));
    let id = receipt["submission"]["id"].as_str().unwrap().to_owned();
    let submission = within("the end", completed(&app, &format!("{path}/{id}"))).await;
    assert_eq!(submission["metadata"], json!({ "from": "cron" }));
    let (_, page) = call(&app, "GET", &format!("{path}?status=completed"), None).await;
    assert_eq!(page, json!({ "submissions": [submission] }));
    for (method, path, body, expected) in [
        ("POST", path.clone(), Some(json!({ "messages": [] })), (400, "bad_request")),
        (
            "POST",
            path.clone(),
            Some(json!({ "messages": [user("u", "x")], "session": "nowhere" })),
            (404, "unknown_session"),
        ),
        ("GET", format!("{path}/nothing"), None, (404, "unknown_submission")),
        ("POST", format!("{path}/nothing/cancel"), None, (404, "unknown_submission")),
        ("DELETE", format!("{path}/nothing"), None, (404, "unknown_submission")),
    ] {
        let (status, problem) = call(&app, method, &path, body).await;
        assert_eq!((status, problem["code"].as_str().unwrap()), expected, "{method} {path}");
    }
    assert_eq!(call(&app, "DELETE", &format!("{path}/{id}"), None).await.0, 204);
}
