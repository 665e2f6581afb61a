//! A server that is a process.

use crate::support::{call, names, ready, soon, start, state, tool, until};
use futures::FutureExt;
use mcp::{McpServers, Target};
use serde_json::json;
use think::ToolSource;

const SERVER: &str = r##"
# A tool server of builtins only. Its tools are named after what they do.
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
say() { reply '{"content":[{"type":"text","text":"'"$1"'"}]}'; }
tool() { printf '{"name":"%s","description":"Does %s.","inputSchema":{"type":"object"}}' "$1" "$1"; }
changed() { printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'; }
more=
while read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) reply '{"tools":['"$(tool echo),$(tool die),$(tool silent),$(tool garbage),$(tool grow),$(tool fail)$more"']}' ;;
    *'notifications/cancelled'*) more=,$(tool cancelled); changed ;;
    *'"name":"echo"'*) say "home=${HOME-none} secret=${SECRET-none} path=${PATH:+some}" ;;
    *'"name":"garbage"'*) printf 'what is this\n{"half":\n[]\n'; say survived ;;
    *'"name":"grow"'*) more=,$(tool grown); changed; say grew ;;
    *'"name":"fail"'*) reply '{"content":[{"type":"text","text":"no such file"}],"isError":true}' ;;
    *'"name":"die"'*) exit 1 ;;
  esac
done
"##;

fn shell(script: &str) -> McpServers {
    start(Target::Command(["/bin/sh", "-c", script].map(str::to_owned).to_vec()))
}

#[tokio::test]
async fn tools_are_listed_named_and_called_without_our_variables() {
    let servers = shell(SERVER);
    ready(&servers).await;
    let listed = ["test_echo", "test_die", "test_silent", "test_garbage", "test_grow", "test_fail"];
    assert_eq!(names(&servers), listed);
    let asking: Vec<bool> = servers.tools().iter().map(|tool| tool.needs_approval()).collect();
    assert_eq!(asking, [false, true, false, false, false, false]);
    let expected = json!({
        "name": "test_echo", "description": "Does echo.", "parameters": { "type": "object" },
    });
    assert_eq!(serde_json::to_value(tool(&servers, "test_echo").spec()).unwrap(), expected);
    // The shell gives itself a PATH where it has none; HOME is what it was given.
    let said = call(&servers, "test_echo").await.unwrap();
    assert!(said.as_str().unwrap().starts_with("home=/home/x secret=none"), "{said}");
    assert_eq!(call(&servers, "test_fail").await, Err("no such file".to_owned()));

    let told = servers.describe().unwrap();
    assert_eq!(
        told["servers"],
        json!({ "test": {
            "name": "test", "server_url": "stdio:/bin/sh", "auth_url": null, "state": "ready",
            "error": null, "instructions": null, "capabilities": null,
        } })
    );
    assert_eq!(
        told["tools"][0],
        json!({
            "serverId": "test", "name": "test_echo", "description": "Does echo.",
            "inputSchema": { "type": "object" },
        })
    );
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn a_server_that_dies_in_mid_call_fails_the_call_and_comes_back() {
    let servers = shell(SERVER);
    ready(&servers).await;
    let failed = call(&servers, "test_die").await.unwrap_err();
    assert!(failed.contains("test"), "{failed}");
    // Its tools were gone for a moment; the new process has them all again.
    until(&servers, "another process", |servers| *servers.changes().borrow() >= 3).await;
    ready(&servers).await;
    assert_eq!(call(&servers, "test_garbage").await, Ok(json!("survived")));
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn garbage_on_the_line_is_passed_over() {
    let servers = shell(SERVER);
    ready(&servers).await;
    assert_eq!(call(&servers, "test_garbage").await, Ok(json!("survived")));
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn a_changed_list_is_read_again() {
    let servers = shell(SERVER);
    ready(&servers).await;
    assert_eq!(call(&servers, "test_grow").await, Ok(json!("grew")));
    until(&servers, "the new tool", |servers| names(servers).contains(&"test_grown".to_owned())).await;
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn a_tool_that_is_none_is_left_out_and_told_and_the_others_work() {
    let broken = concat!(
        r#"$(tool echo),{\"name\":\"bare\"},17,{\"name\":\"large\",\"description\":\""#,
        r#"$(printf '%070000d' 0)\",\"inputSchema\":{}},$(tool fail)"#
    );
    let script = SERVER.replace("$(tool echo),$(tool die)", broken);
    assert_ne!(script, SERVER);
    let servers = shell(&script);
    ready(&servers).await;
    let listed = ["test_echo", "test_fail", "test_silent", "test_garbage", "test_grow", "test_fail_2"];
    assert_eq!(names(&servers), listed);
    let told = servers.describe().unwrap()["servers"]["test"]["error"].clone();
    let told = told.as_str().unwrap();
    for part in [
        "3 of its tools left out: bare: missing field `inputSchema`; #3: ",
        "; large: 700",
        "MCP_SPEC_MAX_BYTES",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(call(&servers, "test_echo").await.is_ok());
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn the_server_hears_of_a_call_that_is_dropped() {
    let servers = shell(SERVER);
    ready(&servers).await;
    let mut silent = tool(&servers, "test_silent").run(json!({}));
    // One look sends the request; a call after it shows that it has arrived.
    assert!(silent.as_mut().now_or_never().is_none());
    call(&servers, "test_echo").await.unwrap();
    drop(silent);
    let heard = |servers: &McpServers| names(servers).contains(&"test_cancelled".to_owned());
    until(&servers, "the news", heard).await;
    soon("the end", servers.stop()).await;
}

#[tokio::test]
async fn what_cannot_be_started_or_says_nonsense_has_failed_and_has_no_tools() {
    for (words, problem) in [
        (vec!["/nowhere/at/all"], "/nowhere/at/all cannot be started"),
        (vec!["/bin/sh", "-c", "echo nonsense; exit 3"], ""),
    ] {
        let servers = start(Target::Command(words.into_iter().map(str::to_owned).collect()));
        until(&servers, "the failure", |servers| state(servers) == json!("failed")).await;
        let told = servers.describe().unwrap()["servers"]["test"]["error"].clone();
        assert!(told.as_str().unwrap().contains(problem), "{told}");
        assert_eq!(names(&servers), Vec::<String>::new());
        soon("the end", servers.stop()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let servers = shell("while read -r line; do :; done");
    // The clock runs ahead while nothing happens, so this takes no time and no patience.
    servers.changes().changed().await.unwrap();
    assert_eq!(state(&servers), json!("failed"));
    let told = servers.describe().unwrap()["servers"]["test"]["error"].clone();
    assert_eq!(told, "no answer within 30 s (MCP_CONNECT_MS)");
    servers.stop().await;
}
