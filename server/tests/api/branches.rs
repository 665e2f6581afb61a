//! The JSON API of a session's tree, of its messages, of its place in the list, and of search and models.

use crate::support::{Piece, Provider, TestApp, call, chat, user};
use serde_json::{Value, json};

const INSTANCE: &str = "/api/v1/agents/assistant/default";
const SESSIONS: &str = "/api/v1/agents/assistant/default/sessions";

/// Two questions and their answers in the default session.
async fn talked() -> (Provider, TestApp) {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    for number in 1..=2 {
        provider.say([format!("answer{number}")]);
        let id = format!("r{number}");
        tab.send(chat(&id, &[user(&format!("u{number}"), &format!("question{number}"))])).await;
        let _turn = tab.until_turn_ends(&id).await;
    }
    (provider, app)
}

fn texts(transcript: &Value) -> Vec<String> {
    let messages = transcript["messages"].as_array().unwrap();
    crate::support::hist_text(messages).into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn the_tree_is_shown_forked_pruned_and_cleared() {
    let (_provider, app) = talked().await;
    let (status, tree) = call(&app, "GET", &format!("{SESSIONS}/~/tree"), None).await;
    let nodes = tree["nodes"].as_array().unwrap();
    let previews: Vec<&Value> = nodes.iter().map(|node| &node["preview"]).collect();
    assert_eq!(
        (status, previews),
        (200, vec![&json!("question1"), &json!("answer1"), &json!("question2"), &json!("answer2")])
    );
    assert_eq!((&nodes[2]["parent_id"], &tree["active_leaf"]), (&nodes[1]["id"], &nodes[3]["id"]));
    let [answer1, question2] = [&nodes[1]["id"], &nodes[2]["id"]];

    let body = Some(json!({"at": answer1, "name": "early"}));
    let (status, fork) = call(&app, "POST", &format!("{SESSIONS}/~/fork"), body).await;
    assert_eq!((status, &fork["name"], &fork["message_count"]), (201, &json!("early"), &json!(2)));
    let (status, refused) =
        call(&app, "POST", &format!("{SESSIONS}/~/fork"), Some(json!({"at": "none"}))).await;
    assert_eq!((status, &refused["code"]), (404, &json!("unknown_message")));

    let raw = format!("{SESSIONS}/~/messages?raw=true&limit=1&leaf={}", answer1.as_str().unwrap());
    let (_, early) = call(&app, "GET", &raw, None).await;
    assert_eq!((texts(&early), &early["earlier"]), (vec!["answer1".to_owned()], &json!(1)));

    let path = format!("{SESSIONS}/~/messages/{}?subtree=true", question2.as_str().unwrap());
    let (status, left) = call(&app, "DELETE", &path, None).await;
    assert_eq!((status, texts(&left)), (200, vec!["question1".to_owned(), "answer1".to_owned()]));
    assert_eq!(call(&app, "DELETE", &path, None).await.0, 404);
    assert_eq!(call(&app, "POST", &format!("{SESSIONS}/~/clear"), None).await.0, 204);
    assert_eq!(call(&app, "GET", &format!("{SESSIONS}/~/tree"), None).await.1, json!({"nodes": []}));
}

#[tokio::test]
async fn a_deleted_message_is_listed_restored_and_purged_and_every_page_is_told() {
    let (_provider, app) = talked().await;
    let mut tab = app.greeted_tab().await;
    let (_, before) = call(&app, "GET", &format!("{SESSIONS}/~/messages"), None).await;
    let (_, tree) = call(&app, "GET", &format!("{SESSIONS}/~/tree"), None).await;
    let path = format!("{SESSIONS}/~/messages/u2");
    let (status, left) = call(&app, "DELETE", &format!("{path}?subtree=true"), None).await;
    assert_eq!((status, texts(&left)), (200, vec!["question1".to_owned(), "answer1".to_owned()]));
    let told = tab.drain().await;
    assert!(told.iter().any(|frame| frame["type"] == "cf_agent_chat_messages"), "{told:?}");
    let (status, trash) = call(&app, "GET", &format!("{SESSIONS}/~/trash"), None).await;
    let [row] = trash["messages"].as_array().unwrap().as_slice() else { panic!("{trash}") };
    assert!(row["deletedAt"].is_u64());
    assert_eq!(
        (status, &row["id"], &row["role"], &row["preview"], &row["count"]),
        (200, &json!("u2"), &json!("user"), &json!("question2"), &json!(2))
    );

    let (status, back) = call(&app, "POST", &format!("{path}/restore"), None).await;
    assert_eq!((status, back), (200, before));
    assert_eq!(call(&app, "GET", &format!("{SESSIONS}/~/tree"), None).await.1, tree);
    let told = tab.drain().await;
    assert!(told.iter().any(|frame| frame["type"] == "cf_agent_chat_messages"), "{told:?}");
    assert_eq!(call(&app, "POST", &format!("{path}/restore"), None).await.0, 404);

    let purge = format!("{SESSIONS}/~/trash/u2");
    let (status, problem) = call(&app, "DELETE", &purge, None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_message")));
    let _deleted = call(&app, "DELETE", &format!("{INSTANCE}/messages/u2?session=~"), None).await;
    assert_eq!(call(&app, "DELETE", &purge, None).await.0, 204);
    assert_eq!(call(&app, "GET", &format!("{SESSIONS}/~/trash"), None).await.1, json!({"messages": []}));
    assert_eq!(call(&app, "POST", &format!("{INSTANCE}/messages/u2/restore"), None).await.0, 404);
    let (status, problem) = call(&app, "GET", &format!("{SESSIONS}/none/trash"), None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_session")));
}

#[tokio::test]
async fn a_message_is_pinned_by_both_addresses() {
    let (_provider, app) = talked().await;
    let pinned =
        async || call(&app, "GET", &format!("{SESSIONS}/~/messages"), None).await.1["pinned"].clone();
    assert_eq!(call(&app, "POST", &format!("{SESSIONS}/~/messages/u1/pin"), None).await.0, 204);
    assert_eq!(pinned().await, json!(["u1"]));
    assert_eq!(call(&app, "POST", &format!("{INSTANCE}/messages/u1/unpin?session=~"), None).await.0, 204);
    assert_eq!(pinned().await, Value::Null);
    let (status, problem) = call(&app, "POST", &format!("{INSTANCE}/messages/none/pin"), None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_message")));
    let (status, problem) =
        call(&app, "POST", &format!("{INSTANCE}/messages/u1/pin?session=none"), None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_session")));
}

#[tokio::test]
async fn sessions_move_between_shelves_and_every_page_is_told() {
    let app = TestApp::start().await;
    for id in ["s1", "s2"] {
        let _made = call(&app, "POST", SESSIONS, Some(json!({"id": id}))).await;
    }
    let mut tab = app.greeted_tab().await;
    let on = async |shelf: &str| {
        let (_, page) = call(&app, "GET", &format!("{SESSIONS}?shelf={shelf}"), None).await;
        let ids: Vec<Value> =
            page["sessions"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
        Value::from(ids)
    };
    let mut told = Vec::new();
    for (verb, mark, is_set) in
        [("pin", "pinned_at", true), ("unpin", "pinned_at", false), ("archive", "archived_at", true)]
    {
        let (status, info) = call(&app, "POST", &format!("{SESSIONS}/s1/{verb}"), None).await;
        assert_eq!((status, info[mark].is_u64()), (200, is_set), "{verb}: {info}");
        told.push(info);
    }
    assert_eq!([on("open").await, on("archived").await], [json!(["s2"]), json!(["s1"])]);
    let news: Vec<Value> = tab.drain().await.iter().map(|frame| frame["session"].clone()).collect();
    assert_eq!(news, told);
    assert_eq!(call(&app, "POST", &format!("{SESSIONS}/s1/unarchive"), None).await.0, 200);

    let (status, refused) = call(&app, "POST", &format!("{SESSIONS}/s1/purge"), None).await;
    assert_eq!((status, &refused["code"]), (409, &json!("conflict")));
    assert_eq!(call(&app, "DELETE", &format!("{SESSIONS}/s1"), None).await.0, 204);
    assert_eq!([on("open").await, on("trash").await], [json!(["s2"]), json!(["s1"])]);
    assert_eq!(call(&app, "POST", &format!("{SESSIONS}/s1/purge"), None).await.0, 204);
    assert_eq!(on("trash").await, json!([]));
    assert_eq!(call(&app, "POST", &format!("{SESSIONS}/s1/purge"), None).await.0, 404);
    for verb in ["pin", "unpin", "archive", "unarchive", "clear", "fork", "compact", "compact-and-split"] {
        let body = Some(json!({}));
        let (status, problem) = call(&app, "POST", &format!("{SESSIONS}/none/{verb}"), body).await;
        assert_eq!((status, &problem["code"]), (404, &json!("unknown_session")), "{verb}");
    }
}

#[tokio::test]
async fn a_sessions_model_is_chosen_and_left_to_the_agent_again() {
    let app = TestApp::start().await;
    let _made = call(&app, "POST", SESSIONS, Some(json!({"id": "s1", "name": "n"}))).await;
    let path = format!("{SESSIONS}/s1");
    let rows = [
        (json!({"model": "builtin/guide"}), 200, json!("builtin/guide")),
        (json!({"name": "other"}), 200, json!("builtin/guide")),
        (json!({"model": null}), 200, Value::Null),
        (json!({"model": "nobody/x"}), 404, Value::Null),
        (json!({}), 400, Value::Null),
        (json!({"nmae": "x"}), 400, Value::Null),
    ];
    for (body, status, model) in rows {
        let (got, info) = call(&app, "PATCH", &path, Some(body.clone())).await;
        assert_eq!((got, &info["model"]), (status, &model), "{body}: {info}");
    }
    let (_, usage) = call(&app, "GET", &format!("{path}/usage"), None).await;
    assert_eq!(usage, json!({"input_tokens": 0, "output_tokens": 0, "estimated_cost": 0.0}));
}

#[tokio::test]
async fn messages_are_found_and_models_listed() {
    let (_provider, app) = talked().await;
    let found = async |query: &str| {
        let (status, page) = call(&app, "GET", &format!("{INSTANCE}/search?{query}"), None).await;
        assert_eq!(status, 200, "{page}");
        page["hits"].as_array().unwrap().iter().map(|hit| hit["role"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(found("q=question1").await, [json!("user")]);
    assert_eq!(found("q=question1&session=~").await, [json!("user")]);
    assert_eq!(found("q=answer1%20role:user").await, Vec::<Value>::new());
    // Case F01: no text is an error.
    assert_eq!(found("q=foo:bar%20wrong-book%20%22").await, Vec::<Value>::new());
    for query in ["", "q=x&cursor=nonsense", "q=x&limit=many"] {
        assert_eq!(call(&app, "GET", &format!("{INSTANCE}/search?{query}"), None).await.0, 400, "{query}");
    }
    let (status, models) = call(&app, "GET", &format!("{INSTANCE}/models"), None).await;
    assert_eq!((status, &models["default"]), (200, &json!("openai/m1")));
    let names: Vec<&Value> =
        models["models"].as_array().unwrap().iter().map(|model| &model["name"]).collect();
    assert!(names.contains(&&json!("openai/m1")) && names.contains(&&json!("builtin/guide")), "{models}");
}

/// Long answers, and short summaries of them.
fn talkative(request: &Value) -> Vec<Piece> {
    let is_summary = request.to_string().to_lowercase().contains("summar");
    vec![Piece::Text(if is_summary { "They talked.".to_owned() } else { "long answer ".repeat(500) })]
}

// A client that shows a summary may name it as what its message follows: that is the last message it stands for.
#[tokio::test]
async fn a_message_may_follow_a_summary() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.answer(talkative);
    let mut tab = app.greeted_tab().await;
    for turn in 0..6 {
        let id = format!("r{turn}");
        tab.send(chat(&id, &[user(&format!("u{turn}"), "more")])).await;
        let _turn = tab.until_turn_ends(&id).await;
    }
    let (status, made) = call(&app, "POST", &format!("{SESSIONS}/~/compact"), None).await;
    assert_eq!((status, &made["status"]), (200, &json!("compacted")), "{made}");
    let (overlay, last) = (&made["overlay"]["id"], &made["overlay"]["to"]);
    let ask = |id: &str, messages: Value, parent: Option<&Value>| {
        let mut body = json!({"messages": messages});
        if let Some(parent) = parent {
            body["parentId"] = parent.clone();
        }
        let init = json!({"method": "POST", "body": body.to_string()});
        json!({"type": "cf_agent_use_chat_request", "id": id, "init": init})
    };
    let shown = app.hist().await;
    let summary = shown.iter().find(|message| message["id"] == *overlay).expect("the summary is shown");
    tab.send(ask("below", json!([user("v1", "from there")]), Some(&summary["id"]))).await;
    let _turn = tab.until_turn_ends("below").await;
    let parent_of = async |id: &str| {
        let nodes = app.tree().await;
        nodes.iter().find(|node| node["id"] == id).unwrap_or_else(|| panic!("{id}"))["parent_id"].clone()
    };
    assert_eq!(parent_of("v1").await, *last);
    let path = app.hist().await;
    let after: Vec<&Value> =
        path.iter().skip_while(|message| message["id"] != summary["id"]).skip(1).collect();
    assert_eq!(
        (&after[0]["id"], after.len()),
        (&json!("v1"), 2),
        "the later messages are on the other branch"
    );

    // A list that ends in the summary and a new message goes on where the conversation is.
    let leaf = path.last().unwrap()["id"].clone();
    tab.send(ask("on", json!([summary, user("w1", "on")]), None)).await;
    let _turn = tab.until_turn_ends("on").await;
    assert_eq!(parent_of("w1").await, leaf);
}

#[tokio::test]
async fn a_conversation_goes_on_from_its_summary() {
    let (provider, app) = talked().await;
    let (status, reply) = call(&app, "POST", &format!("{SESSIONS}/~/compact"), None).await;
    assert_eq!((status, &reply["status"]), (200, &json!("nothing")), "{reply}");
    assert!(!reply["reason"].as_str().unwrap().is_empty());
    provider.say(["they talked"]);
    let body = Some(json!({"name": "next"}));
    let (status, split) = call(&app, "POST", &format!("{SESSIONS}/~/compact-and-split"), body).await;
    assert_eq!((status, &split["name"]), (201, &json!("next")), "{split}");
    let (_, list) = call(&app, "GET", &format!("{SESSIONS}/~/compactions"), None).await;
    assert_eq!(list, json!({"compactions": []}));
    for (method, body) in [("PATCH", Some(json!({"summary": "x"}))), ("DELETE", None)] {
        let (status, problem) = call(&app, method, &format!("{SESSIONS}/~/compactions/none"), body).await;
        assert_eq!((status, &problem["code"]), (404, &json!("unknown_message")), "{method}");
    }
}

#[tokio::test]
async fn a_message_gets_a_version_and_the_branch_is_changed_back() {
    let (_provider, app) = talked().await;
    let mut tab = app.greeted_tab().await;
    let body = json!({"parts": [{"type": "text", "text": "question3"}]});
    let path = format!("{SESSIONS}/~/messages/u2");
    let (status, edited) = call(&app, "PATCH", &path, Some(body.clone())).await;
    assert_eq!((status, &edited["message"]["role"]), (200, &json!("user")), "{edited}");
    let id = edited["message"]["id"].clone();
    assert_ne!(id, json!("u2"));
    let (_, now) = call(&app, "GET", &format!("{SESSIONS}/~/messages"), None).await;
    assert_eq!(texts(&now), ["question1", "answer1", "question3"]);
    assert_eq!(now["siblings"], json!([{"id": id, "ids": ["u2", id]}]));

    let active = format!("{SESSIONS}/~/active");
    let (status, back) = call(&app, "PUT", &active, Some(json!({"id": "u2"}))).await;
    assert_eq!((status, texts(&back).join(" ")), (200, "question1 answer1 question2 answer2".to_owned()));
    let told = tab.drain().await;
    let told = told.iter().filter(|frame| frame["type"] == "cf_agent_chat_messages").count();
    assert_eq!(told, 2, "the edit and the change of branch");

    let none = format!("{SESSIONS}/~/messages/none");
    let rows = [
        ("PUT", active.as_str(), json!({"id": "none"}), 404, "unknown_message"),
        ("PUT", active.as_str(), json!({}), 400, "bad_request"),
        (
            "PUT",
            "/api/v1/agents/assistant/default/sessions/none/active",
            json!({"id": "u2"}),
            404,
            "unknown_session",
        ),
        ("PATCH", none.as_str(), body, 404, "unknown_message"),
        ("PATCH", path.as_str(), json!({"parts": "text"}), 400, "bad_request"),
    ];
    for (method, path, body, status, code) in rows {
        let (got, problem) = call(&app, method, path, Some(body)).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{method} {path}: {problem}");
    }
}

#[tokio::test]
async fn a_branch_is_not_changed_while_a_turn_runs() {
    let (provider, app) = talked().await;
    let mut tab = app.greeted_tab().await;
    provider.play([Piece::Text("slow".to_owned()), Piece::Hold]);
    tab.send(chat("r3", &[user("u3", "question3")])).await;
    let _begun = tab.until(|frame| frame["type"] == "cf_agent_use_chat_response").await;
    let (status, busy) = call(&app, "PUT", &format!("{SESSIONS}/~/active"), Some(json!({"id": "u1"}))).await;
    assert_eq!((status, &busy["code"]), (409, &json!("busy")), "{busy}");
    provider.release();
    let _turn = tab.until_turn_ends("r3").await;
    assert_eq!(call(&app, "PUT", &format!("{SESSIONS}/~/active"), Some(json!({"id": "u1"}))).await.0, 200);
}

#[tokio::test]
async fn the_next_request_is_shown() {
    let (_provider, app) = talked().await;
    let (status, report) = call(&app, "GET", &format!("{SESSIONS}/~/prompt"), None).await;
    assert_eq!((status, &report["model"]), (200, &json!("openai/m1")), "{report}");
    // What the engine adds for the provider's sake has no id.
    let stored = report["history"].as_array().unwrap().iter().filter(|piece| piece["id"].is_string());
    let stored: Vec<&Value> = stored.map(|piece| &piece["text"]).collect();
    assert_eq!(stored, [&json!("question1"), &json!("answer1"), &json!("question2"), &json!("answer2")]);
    let (status, problem) = call(&app, "GET", &format!("{SESSIONS}/none/prompt"), None).await;
    assert_eq!((status, &problem["code"]), (404, &json!("unknown_session")));
}
