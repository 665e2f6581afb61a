//! Random stories with summaries: what the store reads is what the pure rule says, nothing gets lost, and the size of
//! the prompt is always known.

use crate::support::Story;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::{Message, MessageId};
use session::{Compaction, Parent, Pin, Recall, Session, apply_overlays, estimate_messages};
use std::collections::BTreeSet;
use testkit::{assistant, user};

#[derive(Debug, Clone)]
enum Step {
    Append,
    AppendUnder(usize),
    AppendUnderOverlay(usize),
    /// Among the messages of the active path, or of the whole session.
    Cover(usize, usize),
    CoverAnywhere(usize, usize),
    EditSummary(usize),
    Uncover(usize),
    Update(usize, usize),
    Delete(Vec<usize>),
    SetActive(usize),
    Pin(usize),
    Clear,
}

fn step() -> impl Strategy<Value = Step> {
    let any = any::<usize>;
    prop_oneof![
        12 => Just(Step::Append),
        3 => any().prop_map(Step::AppendUnder),
        1 => any().prop_map(Step::AppendUnderOverlay),
        6 => (any(), any()).prop_map(|(from, to)| Step::Cover(from, to)),
        1 => (any(), any()).prop_map(|(from, to)| Step::CoverAnywhere(from, to)),
        1 => any().prop_map(Step::EditSummary),
        1 => any().prop_map(Step::Uncover),
        2 => (any(), 0..300_usize).prop_map(|(at, length)| Step::Update(at, length)),
        3 => vec(any(), 1..4).prop_map(Step::Delete),
        2 => any().prop_map(Step::SetActive),
        1 => any().prop_map(Step::Pin),
        1 => Just(Step::Clear),
    ]
}

fn pick<T: Clone>(list: &[T], number: usize) -> Option<T> {
    Some(list[number.checked_rem(list.len())?].clone())
}

/// All messages of the session, found from its leaves.
async fn reachable(session: &Session) -> Vec<MessageId> {
    let mut all = BTreeSet::new();
    for leaf in session.leaves().await.unwrap() {
        all.extend(session.history_ids(Some(&leaf)).await.unwrap());
    }
    all.into_iter().collect()
}

async fn take(step: &Step, number: usize, session: &Session) {
    let (all, overlays) = (reachable(session).await, session.compactions().await.unwrap());
    let name = format!("m{number}");
    let new = if number.is_multiple_of(2) { user(&name, &name) } else { assistant(&name, &name.repeat(9)) };
    let some = |number: &usize| pick(&all, *number);
    match step {
        Step::Append => drop(session.append(&new, Parent::ActiveLeaf).await.unwrap()),
        Step::AppendUnder(at) => {
            let parent = some(at).map_or(Parent::Root, Parent::Under);
            session.append(&new, parent).await.unwrap();
        }
        Step::AppendUnderOverlay(at) => {
            let Some(overlay) = pick(&overlays, *at) else { return };
            let appended = session.append(&new, Parent::Under(overlay.id)).await.unwrap();
            assert_eq!(appended.parent, Some(overlay.to));
        }
        Step::Cover(from, to) => {
            let path = session.history_ids(None).await.unwrap();
            let (Some(from), Some(to)) = (pick(&path, *from), pick(&path, *to)) else { return };
            let _maybe_pinned = session.add_compaction(&name.repeat(3), &from, &to).await;
        }
        Step::CoverAnywhere(from, to) => {
            let (Some(from), Some(to)) = (some(from), some(to)) else { return };
            let _maybe_refused = session.add_compaction(&name, &from, &to).await;
        }
        Step::EditSummary(at) => {
            let Some(overlay) = pick(&overlays, *at) else { return };
            session.set_summary(&overlay.id, &name.repeat(20)).await.unwrap().unwrap();
        }
        Step::Uncover(at) => {
            let Some(overlay) = pick(&overlays, *at) else { return };
            assert!(session.delete_compaction(&overlay.id).await.unwrap());
        }
        Step::Update(at, length) => {
            let Some(id) = some(at) else { return };
            assert!(session.update(&user(id.as_str(), &"x".repeat(*length))).await.unwrap());
        }
        Step::Delete(list) => {
            let ids: Vec<MessageId> = list.iter().filter_map(some).collect();
            session.delete(&ids).await.unwrap();
        }
        Step::SetActive(at) => {
            let Some(id) = some(at) else { return };
            session.set_active(&id).await.unwrap().unwrap();
        }
        Step::Pin(at) => {
            let Some(id) = some(at) else { return };
            assert!(session.set_pinned(&id, Pin::Pinned).await.unwrap());
        }
        Step::Clear => drop(session.clear().await.unwrap()),
    }
}

/// Compares one path with what the rule makes of it.
async fn compare(session: &Session, leaf: Option<&MessageId>, overlays: &[Compaction]) -> Vec<Message> {
    let raw = session.raw_history(leaf).await.unwrap().messages;
    let expected = apply_overlays(&raw, overlays);
    assert_eq!(session.history(leaf).await.unwrap().messages, expected, "{leaf:?}");
    assert_eq!(session.token_estimate(leaf).await.unwrap(), estimate_messages(&expected), "{leaf:?}");
    expected
}

/// Pages of the active path, put together from the end.
async fn pages(session: &Session, size: usize) -> Vec<Message> {
    let mut all = Vec::new();
    let mut before: Option<MessageId> = None;
    loop {
        let page = session.window(before.as_ref(), size).await.unwrap();
        let Some(first) = page.messages.first() else { return all };
        before = Some(first.id.clone());
        all = [page.messages, all].concat();
        if page.earlier == 0 {
            return all;
        }
    }
}

async fn tell(steps: &[Step]) {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let recall = Recall::default();
    for (number, step) in steps.iter().enumerate() {
        take(step, number, &session).await;
        let overlays = session.compactions().await.unwrap();
        let shown = compare(&session, None, &overlays).await;
        // What is remembered from before the step changes nothing.
        assert_eq!(session.recalled_history(None, &recall).await.unwrap().messages, shown);
        assert_eq!(recall.count(), shown.iter().filter(|message| !message.id.is_overlay()).count());
        let all = reachable(&session).await;
        assert_eq!(session.message_count().await.unwrap(), all.len() as u64);
        for overlay in &overlays {
            let path = session.history_ids(Some(&overlay.to)).await.unwrap();
            assert!(path.contains(&overlay.from), "{overlay:?}");
        }
        assert_eq!(pages(&session, 1 + number % 4).await, shown);
        let recent = session.recent_history(500, 2).await.unwrap();
        assert!(shown.ends_with(&recent.messages));
        assert_eq!(recent.is_truncated, recent.messages.len() < shown.len());
    }
    let overlays = session.compactions().await.unwrap();
    let all = reachable(&session).await;
    for id in &all {
        compare(&session, Some(id), &overlays).await;
    }
    for overlay in overlays {
        session.delete_compaction(&overlay.id).await.unwrap();
    }
    for id in &all {
        let raw = session.raw_history(Some(id)).await.unwrap();
        assert_eq!(session.history(Some(id)).await.unwrap(), raw);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_read_is_what_the_rule_says(steps in vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(tell(&steps));
    }
}
