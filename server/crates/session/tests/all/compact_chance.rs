//! Conversations of any course, summarised again and again: what nobody took away is always in the prompt, as itself or in
//! the summary that stands for it.

use crate::support::{Dice, Story};
use async_trait::async_trait;
use protocol::{Message, MessageId};
use serde_json::{Value, json};
use session::{
    BoxError, CompactionError, Outcome, Parent, Pin, Protect, Session, SessionOptions, Summarise,
    SummaryCompaction,
};
use std::collections::BTreeSet;

/// The marks in a text, each a fact that must not be lost.
fn facts(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() > 4 && word.starts_with("fact")).map(str::to_owned).collect()
}

/// Writes down the facts it is shown, and nothing else.
struct Facts;

#[async_trait]
impl Summarise for Facts {
    async fn summarise(&self, prompt: &str) -> Result<String, BoxError> {
        Ok(facts(prompt).into_iter().collect::<Vec<_>>().join(" "))
    }
}

fn message(number: usize, dice: &mut Dice) -> Message {
    let filler = "and so on ".repeat(20 + dice.below(40));
    let text = json!({ "type": "text", "text": format!("fact{number} {filler}") });
    let call = json!({ "type": "tool-read", "toolCallId": format!("call{number}"), "state": "output-available",
        "input": { "path": format!("fact{number}a") }, "output": { "line": format!("fact{number}b") } });
    let is_call = number % 2 == 1 && dice.below(3) == 0;
    let parts: Vec<Value> = if is_call { vec![text, call] } else { vec![text] };
    let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
    serde_json::from_value(json!({ "id": format!("m{number}"), "role": role, "parts": parts })).unwrap()
}

/// All the facts in messages as the model reads them.
fn told(messages: &[Message]) -> BTreeSet<String> {
    facts(&serde_json::to_string(messages).unwrap())
}

async fn nothing_is_lost(session: &Session, course: &[String]) {
    let whole = session.raw_history(None).await.unwrap();
    let read = session.history(None).await.unwrap();
    let lost: BTreeSet<String> = told(&whole.messages).difference(&told(&read.messages)).cloned().collect();
    assert_eq!(lost, BTreeSet::new(), "{course:#?}");
}

/// The pinned messages that are read as themselves.
async fn pinned(session: &Session) -> BTreeSet<MessageId> {
    let pinned: BTreeSet<MessageId> = session.pinned().await.unwrap().into_iter().collect();
    let read = session.history(None).await.unwrap().messages;
    read.into_iter().map(|message| message.id).filter(|id| pinned.contains(id)).collect()
}

/// Takes a deletion back, or makes it final; where there is none, takes the last summary away.
async fn take_back(session: &Session, dice: &mut Dice) -> String {
    let trash = session.trash().await.unwrap();
    if let Some(gone) = trash.get(dice.below(trash.len())) {
        let is_final = dice.below(5) == 0;
        let done = if is_final { session.purge(&gone.id).await } else { session.restore(&gone.id).await };
        assert_eq!(done.unwrap(), Some(gone.count));
        return format!("{} {}", if is_final { "purge" } else { "restore" }, gone.id);
    }
    let Some(last) = session.compactions().await.unwrap().pop() else { return "nothing".to_owned() };
    session.delete_compaction(&last.id).await.unwrap();
    format!("uncover {}", last.id)
}

/// Lives one conversation; how many summaries were stored.
async fn live(seed: u64) -> usize {
    let mut dice = Dice::with_seed(seed);
    let story = Story::begin().await;
    let protect =
        Protect { head: dice.below(3), tail_tokens: 1 + dice.below(200) as u64, min_tail: 1 + dice.below(3) };
    let prompt = 2_000 + dice.below(4_000) as u64;
    let compaction = SummaryCompaction::new(Facts).protect(protect).prompt_tokens(prompt);
    let session = story.session("s").await.with_options(SessionOptions::default().on_compaction(compaction));
    let mut course = vec![format!("seed {seed}, {protect:?}, prompts of {prompt}")];
    let (mut number, mut stored) = (0, 0);
    for _ in 0..70 {
        let ids = session.history_ids(None).await.unwrap();
        let any = ids.get(dice.below(ids.len())).cloned();
        let doing = match (dice.below(12), any) {
            (0..=4, _) | (_, None) => {
                session.append(&message(number, &mut dice), Parent::ActiveLeaf).await.unwrap();
                number += 1;
                format!("append m{}", number - 1)
            }
            (5..=7, _) => {
                let before = pinned(&session).await;
                let outcome = match session.compact(None).await {
                    Err(CompactionError::Failed(error)) => panic!("{error}\n{course:#?}"),
                    outcome => outcome.unwrap(),
                };
                assert_eq!(pinned(&session).await, before, "{course:#?}");
                stored += usize::from(matches!(outcome, Outcome::Stored { .. }));
                format!("compact: {outcome:?}")
            }
            (8, Some(id)) => {
                let pin = if dice.below(2) == 0 { Pin::Pinned } else { Pin::Loose };
                session.set_pinned(&id, pin).await.unwrap();
                format!("{pin:?} {id}")
            }
            (9, Some(id)) => {
                session.append(&message(number, &mut dice), Parent::Under(id.clone())).await.unwrap();
                number += 1;
                format!("append m{} under {id}", number - 1)
            }
            (10, Some(id)) => {
                let going: Vec<MessageId> =
                    ids.iter().skip_while(|other| **other != id).take(1 + dice.below(3)).cloned().collect();
                session.delete(&going).await.unwrap();
                format!("delete {going:?}")
            }
            (_, Some(_)) => take_back(&session, &mut dice).await,
        };
        course.push(doing);
        nothing_is_lost(&session, &course).await;
    }
    assert_eq!(story.manager.examine().await.unwrap(), [], "{course:#?}");
    stored
}

#[tokio::test]
async fn nothing_is_lost_however_often_a_conversation_is_summarised() {
    let mut stored = 0;
    for _ in 0..12 {
        stored += live(Dice::fresh_seed()).await;
    }
    assert!(stored > 12, "{stored} summaries in twelve conversations");
}
