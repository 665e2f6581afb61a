//! A path as text is the path as messages, written down.

use crate::support::{Story, answer, chain, id, path};
use protocol::{Message, MessageId, Role};
use serde_json::{Value, json};
use session::{LeftOut, Parent, Session};

/// What both ways of reading give, summaries without the time of the reading.
async fn both(session: &Session, left_out: Option<LeftOut>) -> (Value, Value) {
    let history = session.history(None).await.unwrap();
    let text = session.history_text(left_out).await.unwrap();
    assert_eq!(text.broken, history.broken);
    let mut messages = history.messages;
    messages.retain(|message| !left_out.is_some_and(|left_out| (left_out.is_one)(message)));
    (serde_json::from_slice(&text.json).unwrap(), serde_json::to_value(messages).unwrap())
}

#[tokio::test]
async fn it_says_the_same_over_summaries_branches_and_broken_rows() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    assert_eq!(both(&session, None).await, (json!([]), json!([])));
    chain(&session, 3_000).await;
    answer(&session, "other", "c2500").await;
    session.set_active(&id("c2999")).await.unwrap();
    session.add_compaction("the \"middle\"", &id("c40"), &id("c1999")).await.unwrap();
    let (text, messages) = both(&session, None).await;
    assert_eq!((text.as_array().unwrap().len(), text), (1_041, messages));
    story
        .damage(
            "UPDATE assistant_messages SET content = '{\"half' WHERE id IN ('c0', 'c2100', 'c2999'); \
             UPDATE assistant_messages SET content = replace(content, 'line 7', '\\ud83d') WHERE id = 'c7'; \
             UPDATE assistant_messages SET content = replace(content, '\"parts\"', ' \"parts\" ') WHERE id = 'c9'; \
             UPDATE assistant_messages SET content = replace(content, 'c11', 'c12') WHERE id = 'c11'",
        )
        .await;
    let (text, messages) = both(&session, None).await;
    assert_eq!(text, messages);
    assert_eq!(text.as_array().unwrap().len(), 1_041 - 5);
    assert_eq!(path(&session).await.len(), 3_000);
}

#[tokio::test]
async fn what_is_to_be_left_out_is_looked_at_and_nothing_else() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    for (name, text) in [("a", "plain"), ("b", "mark"), ("c", "the mark"), ("d", "plain")] {
        session.append(&Message::text(name, Role::Assistant, text), Parent::ActiveLeaf).await.unwrap();
    }
    let is_one = |message: &Message| message.plain_text() == "mark" || message.plain_text() == "plain";
    let left_out = Some(LeftOut { mark: "mark", is_one });
    let text = session.history_text(left_out).await.unwrap();
    let told: Vec<Message> = serde_json::from_slice(&text.json).unwrap();
    let names: Vec<MessageId> = told.into_iter().map(|message| message.id).collect();
    assert_eq!(names, ["a", "c", "d"].map(id));
}
