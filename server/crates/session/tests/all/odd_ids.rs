//! Ids with odd characters, through every door that takes one.

use crate::support::{Story, id, kids, path, path_to};
use protocol::limits::ID_MAX_BYTES;
use protocol::{MessageId, SessionId};
use session::{Parent, Pin, Search, Session};
use testkit::user;

/// Different ids, however alike they look to SQL, JSON, addresses or Unicode.
const ODD: [&str; 26] = [
    "a b",
    " a",
    "a ",
    "a'b",
    "a\"b",
    "a\\b",
    "%",
    "_",
    "*",
    "?",
    "..",
    "~",
    "a/b",
    "null",
    "true",
    "1",
    "1.0",
    "1e0",
    "-1",
    "{\"a\":1}",
    "[1]",
    "\u{e9}",
    "e\u{301}",
    "\u{1f600}",
    "\u{200d}",
    "compaction",
];

fn all() -> Vec<String> {
    let mut all: Vec<String> = ODD.iter().map(|odd| (*odd).to_owned()).collect();
    all.extend([
        "A B".to_owned(),
        "Compaction_x".to_owned(),
        "x".repeat(ID_MAX_BYTES),
        "é".repeat(ID_MAX_BYTES / 2),
    ]);
    all
}

fn ids(texts: &[String]) -> Vec<MessageId> {
    texts.iter().map(|text| id(text)).collect()
}

async fn line(session: &Session, texts: &[String]) {
    for (number, text) in texts.iter().enumerate() {
        session.append(&user(text, &format!("word{number}")), Parent::ActiveLeaf).await.unwrap();
    }
}

#[tokio::test]
async fn an_id_of_a_message_is_taken_to_the_letter() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let names = all();
    line(&session, &names).await;
    assert_eq!(path(&session).await, ids(&names));
    for (number, name) in names.iter().enumerate() {
        assert_eq!(path_to(&session, name).await, ids(&names[..=number]), "{name:?}");
        let next: Vec<MessageId> = names.get(number + 1).map(|next| id(next)).into_iter().collect();
        assert_eq!(kids(&session, name).await, next, "{name:?}");
        let page = session.search(&Search::new(&format!("word{number}"))).await.unwrap();
        assert_eq!(
            page.hits.iter().map(|hit| hit.message.clone()).collect::<Vec<_>>(),
            [id(name)],
            "{name:?}"
        );
        let window = session.window(Some(&id(name)), 100).await.unwrap();
        let shown: Vec<MessageId> = window.messages.iter().map(|message| message.id.clone()).collect();
        assert_eq!(shown, ids(&names[..number]), "{name:?}");

        assert!(session.update(&user(name, &format!("new{number}"))).await.unwrap(), "{name:?}");
        assert_eq!(session.get(&id(name)).await.unwrap().unwrap().plain_text(), format!("new{number}"));
        assert!(session.set_pinned(&id(name), Pin::Pinned).await.unwrap());
        assert_eq!(session.pinned().await.unwrap(), [id(name)]);
        assert!(session.set_pinned(&id(name), Pin::Loose).await.unwrap());
        let summary = session.add_compaction("in short", &id(name), &id(name)).await.unwrap();
        assert_eq!(session.history(None).await.unwrap()[number], summary.message());
        let fork = story.manager.fork(session.id(), &id(name), "").await.unwrap();
        assert_eq!(fork.ids.len(), number + 1, "{name:?}");
        assert!(story.manager.purge(&fork.session.id).await.unwrap());
        assert!(session.delete_compaction(&summary.id).await.unwrap());

        assert_eq!(session.delete(&[id(name), id(name)]).await.unwrap(), 1, "{name:?}");
        assert_eq!(path(&session).await.len(), names.len() - 1, "{name:?}");
        assert_eq!(session.restore(&id(name)).await.unwrap(), Some(1), "{name:?}");
        assert_eq!(path(&session).await, ids(&names), "{name:?}");
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
}

#[tokio::test]
async fn an_id_of_a_session_is_taken_to_the_letter() {
    let story = Story::begin().await;
    let names: Vec<String> = all().into_iter().filter(|name| !["~", ".."].contains(&name.as_str())).collect();
    for name in &names {
        line(&story.session(name).await, std::slice::from_ref(name)).await;
    }
    for name in &names {
        let session = story.session(name).await;
        assert_eq!(path(&session).await, ids(std::slice::from_ref(name)), "{name:?}");
        let found = session.search(&Search::new("word0")).await.unwrap();
        assert_eq!(
            found.hits.iter().map(|hit| hit.message.clone()).collect::<Vec<_>>(),
            [id(name)],
            "{name:?}"
        );
        let asked = format!("word0 session:\"{name}\"");
        let is_askable = !name.contains('"') && name.trim() == name;
        if is_askable {
            let found = story.manager.search(&Search::new(&asked)).await.unwrap();
            assert!(found.hits.iter().any(|hit| hit.session.as_str() == name), "{asked}");
        }
        let id = SessionId::from(name.as_str());
        assert!(story.manager.delete(&id).await.unwrap(), "{name:?}");
        assert!(story.manager.session(&id).await.unwrap().is_none(), "{name:?}");
        assert_eq!(story.manager.restore(&id).await.unwrap().unwrap().id, id);
    }
    let listed = story.manager.list(None, 100).await.unwrap().sessions.len();
    assert_eq!(listed, names.len());
    assert_eq!(story.manager.examine().await.unwrap(), []);
}
