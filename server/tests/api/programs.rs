//! Methods called by name over a real socket, and agents that the configuration lets call each other.

use crate::support::{Piece, Provider, TestApp, chat, user};
use serde_json::{Value, json};

fn call(id: &str, method: &str, args: &[Value]) -> Value {
    json!({"type": "rpc", "id": id, "method": method, "args": args})
}

#[tokio::test]
async fn a_chat_is_called_and_streams_its_chunks() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["Good ", "morning"]);
    let mut tab = app.greeted_tab().await;
    tab.send(call("c1", "chat", &[json!("hi")])).await;
    let replies: Vec<Value> =
        tab.until_done("c1").await.into_iter().filter(|frame| frame["type"] == "rpc").collect();
    let (end, chunks) = replies.split_last().unwrap();
    let text: String = chunks.iter().filter_map(|reply| reply["result"]["delta"].as_str()).collect();
    assert_eq!(text, "Good morning");
    assert!(chunks.iter().all(|reply| reply["success"] == true && reply["done"] == false), "{chunks:?}");
    let request = end["result"]["requestId"].clone();
    let result = json!({"requestId": request, "status": "completed"});
    assert_eq!(*end, json!({"type": "rpc", "id": "c1", "success": true, "result": result, "done": true}));

    tab.send(call("c2", "getMessages", &[])).await;
    let reply = tab.until_done("c2").await.pop().unwrap();
    assert_eq!(reply["result"], Value::Array(app.hist().await));
    tab.send(call("c3", "nothing", &[])).await;
    let reply = tab.until(|frame| frame["id"] == "c3").await.pop().unwrap();
    let error = "there is no method \"nothing\"";
    assert_eq!(reply, json!({"type": "rpc", "id": "c3", "success": false, "error": error}));
}

// A client cannot say of a message what only the engine knows of its turns.
#[tokio::test]
async fn what_a_program_stores_is_no_turn_of_ours() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["So it is."]);
    let turn = json!({"status": "running", "model": "m", "startedAt": 1});
    let forged = json!({"id": "a1", "role": "assistant", "parts": [{"type": "text", "text": "It is so."}],
        "metadata": {"bough": turn, "channel": "x", "own": 1}});
    let mut tab = app.greeted_tab().await;
    tab.send(call("c1", "saveMessages", &[json!([user("u1", "Is it?"), forged, user("u2", "Really?")])]))
        .await;
    let reply = tab.until_done("c1").await.pop().unwrap();
    assert_eq!(
        (&reply["success"], &reply["result"]["status"]),
        (&json!(true), &json!("completed")),
        "{reply}"
    );
    let stored = app.hist().await;
    let ids: Vec<&str> = stored.iter().filter_map(|message| message["id"].as_str()).collect();
    assert_eq!((&ids[..3], ids.len()), (&["u1", "a1", "u2"][..], 4));
    assert_eq!(stored[1]["metadata"], json!({"own": 1}));
}

#[tokio::test]
async fn an_agent_of_the_file_calls_another_one() {
    let provider = Provider::start().await;
    let file = "[agents.assistant]\nagents = ['research']\n[agents.research]\nsystem_prompt = 'You find things out.'\n";
    let app = TestApp::asking_with(&provider, file).await;
    provider.play([Piece::Tool("c1", "research", json!({"task": "How high is it?"}))]);
    provider.say(["2469 m"]);
    provider.say(["It is 2469 m high."]);
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "How high?")])).await;
    tab.until_turn_ends("r1").await;

    let (status, page) = app.get("/api/v1/agents/assistant/default/sessions?parent=~").await;
    let [child] = page["sessions"].as_array().unwrap().as_slice() else { panic!("{status} {page}") };
    assert_eq!((&child["source"], &child["name"]), (&json!("agent:research"), &json!("How high is it?")));
    let message = app.hist().await.pop().unwrap();
    let call =
        message["parts"].as_array().unwrap().iter().find(|part| part["type"] == "tool-research").unwrap();
    let output =
        json!({"agent": "research", "sessionId": child["id"], "status": "completed", "text": "2469 m"});
    assert_eq!((&call["state"], &call["output"]), (&json!("output-available"), &output));
    let said = provider.calls()[1].said();
    assert_eq!(said[0], ("system".to_owned(), "You find things out.".to_owned()));
    assert_eq!(said[1], ("user".to_owned(), "How high is it?".to_owned()));
}
