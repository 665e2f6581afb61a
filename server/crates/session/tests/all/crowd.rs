//! Everybody at once: messages come while summaries are written, messages go, and the conversation is cleared.

use crate::support::{Story, id, say};
use protocol::MessageId;
use session::{
    BoxError, Parent, Pin, Protect, Session, SessionError, SessionOptions, Summarise, SummaryCompaction,
    apply_overlays,
};
use std::collections::BTreeSet;
use testkit::assistant;
use tokio::task::JoinSet;

/// Answers after others had their turn.
struct Slow;

#[async_trait::async_trait]
impl Summarise for Slow {
    async fn summarise(&self, _prompt: &str) -> Result<String, BoxError> {
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
        Ok("so far".to_owned())
    }
}

async fn append(session: Session, who: usize) {
    for number in 0..20 {
        let text = "a long report about nothing in particular ".repeat(4);
        let message = assistant(&format!("{who}-{number}"), &text);
        session.append(&message, Parent::ActiveLeaf).await.unwrap();
    }
}

/// Lets summaries stand for whatever is there, deletes, pins and takes summaries away; what was looked at may be gone.
async fn meddle(session: Session) {
    for number in 0..20 {
        let path = session.history_ids(None).await.unwrap();
        let (Some(from), Some(to)) = (path.get(number % 5), path.last()) else { continue };
        match session.add_compaction("short", from, to).await {
            Ok(_)
            | Err(
                SessionError::UnknownMessage { .. }
                | SessionError::NotOnePath { .. }
                | SessionError::Pinned(_),
            ) => {}
            Err(other) => panic!("{other}"),
        }
        session.set_pinned(from, Pin::Pinned).await.unwrap();
        session.delete(std::slice::from_ref(to)).await.unwrap();
        session.set_pinned(from, Pin::Loose).await.unwrap();
        if let Some(overlay) = session.compactions().await.unwrap().first() {
            session.delete_compaction(&overlay.id).await.unwrap();
        }
    }
}

async fn clear(session: Session) {
    for _ in 0..4 {
        for _ in 0..40 {
            tokio::task::yield_now().await;
        }
        session.clear().await.unwrap();
    }
}

async fn check(session: &Session) {
    let overlays = session.compactions().await.unwrap();
    for overlay in &overlays {
        let path = session.history_ids(Some(&overlay.to)).await.unwrap();
        assert!(path.contains(&overlay.from), "{overlay:?}");
    }
    let mut reached = BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        let raw = session.raw_history(Some(&leaf)).await.unwrap();
        reached.extend(raw.iter().map(|message| message.id.clone()));
        let read = session.history(Some(&leaf)).await.unwrap();
        assert_eq!(read.messages, apply_overlays(&raw, &overlays));
    }
    assert_eq!(session.message_count().await.unwrap(), reached.len() as u64);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_crowd_leaves_a_conversation_in_order() {
    let story = Story::begin().await;
    let protect = Protect { head: 1, tail_tokens: 60, min_tail: 1 };
    let options = SessionOptions::default()
        .on_compaction(SummaryCompaction::new(Slow).protect(protect))
        .compact_after(300);
    let session = story.session("s").await.with_options(options);
    say(&session, "q").await;
    let mut crowd = JoinSet::new();
    for who in 0..4 {
        crowd.spawn(append(session.clone(), who));
    }
    crowd.spawn(meddle(session.clone()));
    crowd.spawn(clear(session.clone()));
    crowd.join_all().await;

    check(&session).await;
    assert_eq!(story.manager.examine().await.unwrap(), []);
    session.clear().await.unwrap();
    assert_eq!(session.compactions().await.unwrap(), []);
    say(&session, "q").await;
    assert_eq!(session.history_ids(None).await.unwrap(), [id("q")] as [MessageId; 1]);
}
