//! The outline: every branch at a glance, whatever is in a row.

use crate::support::{Story, answer, id, say};
use protocol::{Message, Role, SessionTree, TreeNode, TurnInfo, TurnStatus};
use serde_json::json;
use session::{Parent, Pin};

fn node(name: &str, parent: Option<&str>, role: Role, preview: &str) -> TreeNode {
    let (id, parent_id) = (id(name), parent.map(id));
    TreeNode {
        id,
        parent_id,
        role,
        preview: preview.to_owned(),
        created_at: 1_000,
        status: None,
        is_pinned: false,
    }
}

#[tokio::test]
async fn an_outline_shows_all_branches_in_the_order_they_were_stored() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    assert_eq!(session.tree().await.unwrap(), SessionTree::default());

    say(&session, "q").await;
    answer(&session, "r1", "q").await;
    let call = json!({ "type": "tool-add", "toolCallId": "c", "state": "input-available", "input": {} });
    let blank = json!({ "type": "text", "text": " \n " });
    let mut called = testkit::message("r2", "assistant", &json!([blank, call]));
    let (status, model) = (TurnStatus::Stopped, "m".to_owned());
    let started_at = 1;
    called.set_turn(&TurnInfo { status, model, started_at, finished_at: None, error: None, usage: None });
    session.append(&called, Parent::Under(id("q"))).await.unwrap();
    session
        .append(&Message::text("u2", Role::User, "  two\n lines "), Parent::Under(id("r1")))
        .await
        .unwrap();
    session.set_pinned(&id("r1"), Pin::Pinned).await.unwrap();
    story.damage("UPDATE assistant_messages SET content = '{' WHERE id = 'q'").await;

    let texts = session.get(&id("r1")).await.unwrap().unwrap().plain_text();
    let nodes = vec![
        node("q", None, Role::User, ""),
        TreeNode { is_pinned: true, ..node("r1", Some("q"), Role::Assistant, &texts) },
        TreeNode { status: Some(TurnStatus::Stopped), ..node("r2", Some("q"), Role::Assistant, "tool-add") },
        node("u2", Some("r1"), Role::User, "two lines"),
    ];
    assert_eq!(session.tree().await.unwrap(), SessionTree { nodes, active_leaf: Some(id("u2")) });
}
