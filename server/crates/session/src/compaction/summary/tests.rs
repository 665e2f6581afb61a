//! The whole way from a path to a draft, with a scripted summariser.

use super::{Compact, CompactionInput, Draft, Protect, Start, Summarise, SummaryCompaction};
use crate::context::BoxError;
use crate::tokens::{estimate_message, estimate_text};
use async_trait::async_trait;
use protocol::Message;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use testkit::{assistant, user};

/// Answers with its lines, one after the other, and keeps what it was asked.
#[derive(Clone)]
struct Script(Arc<Mutex<(Vec<&'static str>, Vec<String>)>>);

impl Script {
    fn of(answers: &[&'static str]) -> Self {
        Self(Arc::new(Mutex::new((answers.iter().rev().copied().collect(), Vec::new()))))
    }

    fn asked(&self) -> Vec<String> {
        self.0.lock().unwrap().1.clone()
    }
}

#[async_trait]
impl Summarise for Script {
    async fn summarise(&self, prompt: &str) -> Result<String, BoxError> {
        let (answers, asked) = &mut *self.0.lock().unwrap();
        asked.push(prompt.to_owned());
        answers.pop().map(str::to_owned).ok_or_else(|| "nobody answers".into())
    }
}

const ONES: Protect = Protect { head: 1, tail_tokens: 1, min_tail: 1 };

async fn compact(
    compaction: &SummaryCompaction<Script>,
    history: &[Message],
    room: Option<u64>,
) -> Result<Option<Draft>, String> {
    let tokens: Vec<u64> = history.iter().map(estimate_message).collect();
    let input = CompactionInput { history, tokens: &tokens, pinned: &HashSet::new(), room };
    compaction.compact(input).await.map_err(|error| error.to_string())
}

fn draft(from: &str, to: &str, summary: &str) -> Result<Option<Draft>, String> {
    Ok(Some(Draft { from: from.into(), to: to.into(), summary: summary.to_owned(), start: Start::Here }))
}

fn named(names: &[&str]) -> Vec<Message> {
    names.iter().map(|name| user(name, name)).collect()
}

#[tokio::test]
async fn a_short_conversation_asks_nobody() {
    // F1
    let script = Script::of(&["never"]);
    let compaction = SummaryCompaction::new(script.clone());
    for count in [5, 6, 7] {
        let history = named(&["a", "b", "c", "d", "e", "f", "g"][..count]);
        assert_eq!(compact(&compaction, &history, None).await, Ok(None));
    }
    assert_eq!(script.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn the_middle_is_summarised_and_the_ends_are_not_shown() {
    // F3
    let script = Script::of(&[" The middle. \n"]);
    let compaction = SummaryCompaction::new(script.clone()).protect(ONES);
    let history =
        [user("h", "HEADWORD"), assistant("m", "MIDWORD"), user("n", "MIDTWO"), user("t", "TAILWORD")];
    assert_eq!(compact(&compaction, &history, None).await, draft("m", "n", " The middle. \n"));
    let prompt = &script.asked()[0];
    for word in ["Topic", "Key Points", "Current State", "Open Items", "MIDWORD", "MIDTWO"] {
        assert!(prompt.contains(word), "{word}");
    }
    assert!(!prompt.contains("HEADWORD") && !prompt.contains("TAILWORD"));
}

#[tokio::test]
async fn a_blank_answer_is_none_and_an_error_is_one() {
    let history = named(&["a", "b", "c"]);
    let blank = SummaryCompaction::new(Script::of(&[" \n"])).protect(ONES);
    assert_eq!(compact(&blank, &history, None).await, Ok(None));
    let failing = SummaryCompaction::new(Script::of(&[])).protect(ONES);
    assert_eq!(compact(&failing, &history, None).await, Err("nobody answers".to_owned()));
}

#[tokio::test]
async fn all_earlier_summaries_go_into_the_new_one() {
    let script = Script::of(&["both and more"]);
    let compaction = SummaryCompaction::new(script.clone()).protect(ONES);
    let mut history = named(&["head", "compaction_1", "between", "compaction_2", "after", "tail"]);
    history[1] = assistant("compaction_1", "EARLIER ONE");
    history[3] = assistant("compaction_2", "EARLIER TWO");
    assert_eq!(compact(&compaction, &history, None).await, draft("compaction_1", "after", "both and more"));
    let prompt = &script.asked()[0];
    assert!(prompt.contains("Previous summary:\n\nEARLIER ONE\n\nEARLIER TWO\n"), "{prompt}");
    assert!(prompt.ends_with("[user]\nbetween\n---\n[user]\nafter\n"), "{prompt}");
}

#[tokio::test]
async fn what_is_too_long_for_one_prompt_takes_several() {
    let script = Script::of(&["one", "two", "three"]);
    let compaction = SummaryCompaction::new(script.clone()).protect(ONES).prompt_tokens(1_000);
    let long = |id: &str| user(id, &id.repeat(1_800));
    let history = [user("h", "h"), long("x"), long("y"), long("z"), user("t", "t")];
    assert_eq!(compact(&compaction, &history, None).await, draft("x", "z", "three"));
    let asked = script.asked();
    assert!(
        asked[1].contains("Previous summary:\n\none\n") && asked[2].contains("Previous summary:\n\ntwo\n")
    );
    assert!(asked.iter().all(|prompt| estimate_text(prompt) < 1_000 + 400));
}

#[tokio::test]
async fn earlier_summaries_that_are_too_long_are_summarised_like_messages() {
    let script = Script::of(&["one", "two"]);
    let compaction = SummaryCompaction::new(script.clone()).protect(ONES).prompt_tokens(1_000);
    let summary = assistant("compaction_1", &"s".repeat(2_400));
    let history = [user("h", "h"), summary, user("new", "NEW"), user("t", "t")];
    assert_eq!(compact(&compaction, &history, None).await, draft("compaction_1", "new", "two"));
    let asked = script.asked();
    assert!(asked[0].contains("[summary of earlier messages]\nsss") && asked[1].contains("NEW"));
}

#[tokio::test]
async fn no_more_is_hidden_than_the_prompts_have_shown() {
    let answers = ["s"; 40];
    let script = Script::of(&answers);
    let compaction = SummaryCompaction::new(script.clone()).protect(ONES).prompt_tokens(1_000);
    let history: Vec<Message> = (0..50).map(|i| user(&format!("m{i}"), &"x".repeat(2_000))).collect();
    assert_eq!(compact(&compaction, &history, None).await, draft("m1", "m32", "s"));
    assert_eq!(script.asked().len(), 32);
}

#[tokio::test]
async fn a_known_room_bounds_the_end_the_summary_and_the_effort() {
    let message = |i: usize| user(&format!("m{i}"), &"x".repeat(4 * (1_000 - 4)));
    let history: Vec<Message> = (0..30).map(message).collect();
    // Without a room the last 20 stay; in a room of 20,000 the last 8.
    for (room, to) in [(None, "m9"), (Some(20_000), "m21"), (Some(1_000_000), "m9")] {
        let script = Script::of(&["s"; 3]);
        let result = compact(&SummaryCompaction::new(script.clone()), &history, room).await;
        if room == Some(1_000_000) {
            assert_eq!((result, script.asked().len()), (Ok(None), 0), "not worth it");
            continue;
        }
        assert_eq!(result, draft("m3", to, "s"));
        let size = if room.is_some() { "~3800 " } else { "~1400 " };
        assert!(script.asked()[0].contains(size), "{room:?}");
    }
}

#[test]
fn a_summary_that_is_too_long_is_clipped_between_characters() {
    for (text, max, expected) in [("short", 10, 5), (&"x".repeat(100), 10, 40), (&"漢".repeat(100), 10, 10)]
    {
        assert_eq!(super::clipped(text, max).chars().count(), expected, "{text}");
    }
}
