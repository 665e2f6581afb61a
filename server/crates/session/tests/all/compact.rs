//! Writing summaries: when, for what, and what is said about it.

use crate::support::{Story, chain, id, ids};
use async_trait::async_trait;
use protocol::{Compacted, Message, MessageId, Phase, ServerFrame};
use serde_json::json;
use session::{
    BoxError, Compact, CompactionError, CompactionInput, Declined, Draft, Outcome, Parent, Pin, Protect,
    Session, SessionEvent, SessionOptions, SessionStatus, Start, Summarise, SummaryCompaction, Trigger,
    estimate_message,
};
use std::sync::{Arc, Mutex};
use testkit::{assistant, user};
use tokio::sync::Semaphore;

/// What a scripted compaction does when it is asked.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Nothing,
    Fail,
    /// First message, last message, summary.
    Draft(&'static str, &'static str, &'static str),
}

/// Gives its answers one after the other, the last one again and again.
#[derive(Clone)]
struct Script {
    answers: Arc<[Answer]>,
    /// What it was shown each time.
    seen: Arc<Mutex<Vec<Vec<MessageId>>>>,
    /// How many may answer; the others wait.
    gate: Arc<Semaphore>,
}

impl Script {
    fn of(answers: &[Answer]) -> Self {
        Self { answers: answers.into(), seen: Arc::default(), gate: Arc::new(Semaphore::new(99)) }
    }

    fn closed(answers: &[Answer]) -> Self {
        Self { gate: Arc::new(Semaphore::new(0)), ..Self::of(answers) }
    }

    fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// Waits until it was asked for the first time.
    async fn asked(&self) {
        while self.calls() == 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl Compact for Script {
    async fn compact(&self, input: CompactionInput<'_>) -> Result<Option<Draft>, BoxError> {
        let number = {
            let mut seen = self.seen.lock().unwrap();
            seen.push(input.history.iter().map(|message| message.id.clone()).collect());
            seen.len() - 1
        };
        self.gate.acquire().await?.forget();
        match self.answers[number.min(self.answers.len() - 1)] {
            Answer::Nothing => Ok(None),
            Answer::Fail => Err("the model is asleep".into()),
            Answer::Draft(from, to, summary) => Ok(Some(Draft {
                from: from.into(),
                to: to.into(),
                summary: summary.to_owned(),
                start: Start::default(),
            })),
        }
    }
}

/// Answers prompts with numbered summaries and keeps the prompts.
#[derive(Clone, Default)]
struct Summaries(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Summarise for Summaries {
    async fn summarise(&self, prompt: &str) -> Result<String, BoxError> {
        let mut asked = self.0.lock().unwrap();
        asked.push(prompt.to_owned());
        Ok(format!("S{}", asked.len()))
    }
}

/// What was said, one line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn options(&self) -> SessionOptions {
        let lines = Arc::clone(&self.0);
        SessionOptions::default().observe(move |_, event| lines.lock().unwrap().push(line(event)))
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn line(event: SessionEvent) -> String {
    match event {
        SessionEvent::Status(SessionStatus { phase, token_estimate, compacted, .. }) => {
            let phase = if phase == Phase::Idle { "idle" } else { "compacting" };
            let saved = compacted.map(|saved| format!(" from {}", saved.tokens_before));
            format!("{phase} {token_estimate}{}", saved.unwrap_or_default())
        }
        SessionEvent::Failed(error) => format!("failed: {error}"),
        SessionEvent::Declined(declined) => format!("declined: {declined:?}"),
    }
}

async fn say(session: &Session, message: &Message) {
    session.append(message, Parent::ActiveLeaf).await.unwrap();
}

async fn read(session: &Session) -> String {
    let name = |message: &Message| match message.id.is_overlay() {
        true => format!("<{}>", message.plain_text()),
        false => message.id.to_string(),
    };
    session.history(None).await.unwrap().iter().map(name).collect::<Vec<_>>().join(" ")
}

async fn declined(session: &Session) -> Option<Declined> {
    match session.compact(None).await.unwrap() {
        Outcome::Stored { .. } => None,
        Outcome::Declined(declined) => Some(declined),
    }
}

#[tokio::test]
async fn somebody_must_be_set_up_and_may_find_nothing_to_do() {
    // M1
    let story = Story::begin().await;
    let session = story.default_session().await;
    chain(&session, 10).await;
    assert!(matches!(session.compact(None).await, Err(CompactionError::NotSetUp)));
    for (answer, expected) in [
        (Answer::Nothing, Declined::Nothing),
        (Answer::Draft("c1", "c3", " \n"), Declined::Nothing),
        (Answer::Draft("c1", "zz", "S"), Declined::NotVisible),
        (Answer::Draft("zz", "c3", "S"), Declined::NotVisible),
        (Answer::Draft("c3", "c1", "S"), Declined::NotVisible),
        (Answer::Draft("c1", "c1", "a summary longer than the message"), Declined::NotShorter),
    ] {
        let options = SessionOptions::default().on_compaction(Script::of(&[answer]));
        let session = session.clone().with_options(options);
        assert_eq!(declined(&session).await, Some(expected), "{answer:?}");
        assert_eq!(session.compactions().await.unwrap(), []);
    }
    let empty = story.session("empty").await;
    let options = SessionOptions::default().on_compaction(Script::of(&[Answer::Fail]));
    assert_eq!(declined(&empty.with_options(options)).await, Some(Declined::Nothing));
}

#[tokio::test]
async fn a_new_summary_begins_where_the_first_one_does() {
    // M3
    let story = Story::begin().await;
    let script = Script::of(&[Answer::Draft("c6", "c8", "S2")]);
    let session =
        story.session("s").await.with_options(SessionOptions::default().on_compaction(script.clone()));
    chain(&session, 10).await;
    let first = session.add_compaction("S1", &id("c1"), &id("c4")).await.unwrap();
    let Outcome::Stored { compaction, tokens } = session.compact(None).await.unwrap() else { panic!() };
    let expected = ["c0", first.id.as_str(), "c5", "c6", "c7", "c8", "c9"];
    assert_eq!(script.seen.lock().unwrap()[0], ids(&expected));
    assert_eq!((compaction.from, compaction.to), (id("c1"), id("c8")));
    assert_eq!(read(&session).await, "c0 <S2> c9");
    assert_eq!(session.compactions().await.unwrap().len(), 2);
    // Each line has 7 tokens, each summary 6.
    assert_eq!(tokens, Compacted { tokens_before: 6 * 7 + 6, tokens_after: Some(2 * 7 + 6) });
}

#[tokio::test]
async fn a_prompt_that_outgrows_its_room_is_compacted_by_itself() {
    // A1
    let story = Story::begin().await;
    let script = Script::of(&[Answer::Nothing]);
    let options = SessionOptions::default().on_compaction(script.clone()).compact_after(100);
    let session = story.session("s").await.with_options(options);
    for (message, calls, estimate) in [
        (user("a", &"x".repeat(200)), 0, 54),
        (assistant("b", &"x".repeat(100)), 0, 83),
        (user("c", &"x".repeat(64)), 1, 103),
        (user("c", "again"), 1, 103),
    ] {
        say(&session, &message).await;
        let status = session.status().await.unwrap();
        assert_eq!((script.calls(), status.token_estimate), (calls, estimate));
        assert_eq!((status.phase, status.token_threshold), (Phase::Idle, Some(100)));
    }
    let script = Script::of(&[Answer::Nothing]);
    let options = SessionOptions::default().on_compaction(script.clone()).compact_after(6);
    let session = story.session("equal").await.with_options(options);
    say(&session, &user("a", "hello")).await;
    assert_eq!(script.calls(), 0, "exactly the threshold is not too much");
    session.set_prompt_overhead(1);
    assert_eq!(session.compact_if_over().await.unwrap(), Some(Outcome::Declined(Declined::Nothing)));
}

#[tokio::test]
async fn who_must_be_able_to_stop_it_is_asked_first() {
    let story = Story::begin().await;
    let script = Script::of(&[Answer::Draft("c0", "c8", "S")]);
    let options = SessionOptions::default().on_compaction(script.clone()).compact_after(60);
    let session = story.session("s").await.with_options(options.trigger(Trigger::WhenAsked));
    chain(&session, 10).await;
    assert_eq!(script.calls(), 0);
    assert!(matches!(session.compact_if_over().await.unwrap(), Some(Outcome::Stored { .. })));
    assert_eq!(session.compact_if_over().await.unwrap(), None, "it fits now");
    assert_eq!((script.calls(), read(&session).await.as_str()), (1, "<S> c9"));
}

#[tokio::test]
async fn a_counter_of_ones_own_counts_and_a_failing_summariser_harms_nothing() {
    // A4
    let story = Story::begin().await;
    for (count, calls) in [(f64::NAN, 0), (f64::INFINITY, 0), (-5.0, 0), (10.0, 0), (10.2, 1)] {
        let script = Script::of(&[Answer::Nothing]);
        let options = SessionOptions::default().on_compaction(script.clone()).compact_after(10);
        let name = format!("s{count}");
        let session = story.session(&name).await.with_options(options.count_with(move |_| count));
        say(&session, &user("a", "hello")).await;
        assert_eq!(script.calls(), calls, "{count}");
    }
    let log = Log::default();
    let options = log.options().on_compaction(Script::of(&[Answer::Fail])).compact_after(1);
    let session = story.session("failing").await.with_options(options);
    say(&session, &user("a", "hello there")).await;
    assert_eq!(read(&session).await, "a");
    assert_eq!(session.compactions().await.unwrap(), []);
    let failure = "failed: the summary could not be written: the model is asleep";
    assert_eq!(log.take(), ["idle 7", "compacting 7", failure, "idle 7"]);
    assert!(matches!(session.compact(None).await, Err(CompactionError::Failed(_))));
}

#[tokio::test]
async fn every_change_says_how_large_the_prompt_is() {
    let story = Story::begin().await;
    let log = Log::default();
    let script = Script::of(&[Answer::Draft("a", "b", "S")]);
    let session =
        story.session("s").await.with_options(log.options().on_compaction(script).compact_after(100));
    let long = |name: &str| user(name, &"x".repeat(160));
    let mut expected: Vec<(&str, &[&str])> = Vec::new();
    say(&session, &long("a")).await;
    expected.push(("append", &["idle 44"]));
    say(&session, &long("a")).await;
    expected.push(("append again", &["idle 44"]));
    say(&session, &long("b")).await;
    expected.push(("append", &["idle 88"]));
    say(&session, &long("c")).await;
    expected.push(("compaction", &["idle 132", "compacting 132", "idle 50 from 132"]));
    session.update(&user("c", "")).await.unwrap();
    expected.push(("update", &["idle 10"]));
    let overlay = session.compactions().await.unwrap().remove(0);
    session.set_summary(&overlay.id, "").await.unwrap();
    expected.push(("edit", &["idle 8"]));
    session.delete_compaction(&overlay.id).await.unwrap();
    expected.push(("uncover", &["idle 92"]));
    session.add_compaction("S", &id("a"), &id("a")).await.unwrap();
    expected.push(("cover", &["idle 54"]));
    session.delete(&ids(&["a"])).await.unwrap();
    expected.push(("delete", &["idle 48"]));
    session.clear().await.unwrap();
    expected.push(("clear", &["idle 0"]));
    let said: Vec<&str> = expected.iter().flat_map(|(_, lines)| lines.iter().copied()).collect();
    assert_eq!(log.take(), said);
}

#[tokio::test]
async fn vain_attempts_become_rare_and_are_told_once() {
    let story = Story::begin().await;
    let log = Log::default();
    let script = Script::of(&[Answer::Nothing]);
    let session =
        story.session("s").await.with_options(log.options().on_compaction(script.clone()).compact_after(1));
    for i in 0..20 {
        say(&session, &user(&format!("m{i}"), "hello")).await;
    }
    assert_eq!(script.calls(), 4, "attempts 0, 2, 6 and 14");
    let told = log.take().into_iter().filter(|line| line.starts_with("declined")).collect::<Vec<_>>();
    assert_eq!(told, ["declined: Nothing"]);
    assert_eq!(declined(&session).await, Some(Declined::Nothing), "who asks for it gets it");
}

#[tokio::test]
async fn one_summary_is_written_at_a_time() {
    let story = Story::begin().await;
    let script = Script::closed(&[Answer::Draft("c0", "c8", "S")]);
    let options = SessionOptions::default().on_compaction(script.clone()).compact_after(70);
    let session = story.session("s").await.with_options(options);
    chain(&session, 10).await;
    let (x, y, z) = (user("x", "x"), user("y", "y"), user("z", "z"));
    let others = async {
        script.asked().await;
        say(&session, &y).await;
        say(&session, &z).await;
        let other_handle =
            story.session("s").await.with_options(SessionOptions::default().on_compaction(script.clone()));
        assert_eq!(declined(&other_handle).await, Some(Declined::Running));
        script.gate.add_permits(9);
    };
    tokio::join!(say(&session, &x), others);
    assert_eq!((script.calls(), session.compactions().await.unwrap().len()), (1, 1));
    assert_eq!(read(&session).await, "<S> c9 x y z");
}

/// What becomes of a summary of c1..c8 when something happens while it is written.
async fn meanwhile(change: impl AsyncFnOnce(&Session)) -> (Option<Declined>, Vec<String>) {
    let story = Story::begin().await;
    let log = Log::default();
    let script = Script::closed(&[Answer::Draft("c1", "c8", "S")]);
    let session = story.session("s").await.with_options(log.options().on_compaction(script.clone()));
    chain(&session, 10).await;
    let changing = async {
        script.asked().await;
        change(&session).await;
        script.gate.add_permits(1);
    };
    let (outcome, ()) = tokio::join!(declined(&session), changing);
    let shown = read(&session).await;
    let said = log.take();
    assert!(said.last().unwrap().starts_with("idle"), "{said:?}");
    assert_eq!(session.compactions().await.unwrap().len(), usize::from(outcome.is_none()));
    (outcome, shown.split(' ').map(str::to_owned).collect())
}

#[tokio::test]
async fn a_summary_of_what_changed_meanwhile_is_not_stored() {
    let stored = meanwhile(async |session| say(session, &user("new", "new")).await).await;
    assert_eq!(stored.0, None);
    assert_eq!(stored.1, ["c0", "<S>", "c9", "new"]);
    let elsewhere =
        meanwhile(async |session| assert!(session.update(&user("c9", "edited")).await.unwrap())).await;
    assert_eq!(elsewhere.0, None);

    let edited =
        meanwhile(async |session| assert!(session.update(&user("c4", "edited")).await.unwrap())).await;
    assert_eq!(edited.0, Some(Declined::Changed));
    let deleted =
        meanwhile(async |session| assert_eq!(session.delete(&ids(&["c4"])).await.unwrap(), 1)).await;
    assert_eq!((deleted.0, deleted.1.len()), (Some(Declined::Changed), 9));
    let pinned =
        meanwhile(async |session| assert!(session.set_pinned(&id("c4"), Pin::Pinned).await.unwrap())).await;
    assert_eq!(pinned.0, Some(Declined::Changed));
    let reused = meanwhile(async |session| {
        session.clear().await.unwrap();
        chain(session, 10).await;
    });
    let reused = reused.await;
    assert_eq!((reused.0, reused.1.len()), (Some(Declined::Changed), 10));
}

#[tokio::test]
async fn a_summary_that_somebody_edited_meanwhile_is_not_buried() {
    let story = Story::begin().await;
    let script = Script::closed(&[Answer::Draft("c0", "c8", "S")]);
    let session =
        story.session("s").await.with_options(SessionOptions::default().on_compaction(script.clone()));
    chain(&session, 10).await;
    let old = session.add_compaction("old", &id("c1"), &id("c3")).await.unwrap();
    let editing = async {
        script.asked().await;
        session.set_summary(&old.id, "edited").await.unwrap().unwrap();
        script.gate.add_permits(1);
    };
    let (outcome, ()) = tokio::join!(declined(&session), editing);
    assert_eq!(outcome, Some(Declined::Changed));
    assert_eq!(read(&session).await, "c0 <edited> c4 c5 c6 c7 c8 c9");
}

#[tokio::test]
async fn who_gives_up_leaves_no_trace_but_idle() {
    let story = Story::begin().await;
    let log = Log::default();
    let script = Script::closed(&[Answer::Draft("c1", "c8", "S")]);
    let session = story.session("s").await.with_options(log.options().on_compaction(script.clone()));
    chain(&session, 10).await;
    tokio::select! {
        biased;
        _never = session.compact(None) => panic!("the gate is closed"),
        () = script.asked() => {}
    }
    assert_eq!(log.take(), ["idle 70", "compacting 70", "idle 70"]);
    script.gate.add_permits(9);
    assert_eq!(declined(&session).await, None);
}

#[tokio::test]
async fn repeated_summaries_grow_from_the_first_one() {
    // The iterative worked values of section 6.
    let story = Story::begin().await;
    let summaries = Summaries::default();
    let protect = Protect { tail_tokens: 1, ..Protect::default() };
    let compaction = SummaryCompaction::new(summaries.clone()).protect(protect);
    let session = story.session("s").await.with_options(SessionOptions::default().on_compaction(compaction));
    chain(&session, 10).await;
    session.compact(None).await.unwrap();
    assert_eq!(read(&session).await, "c0 c1 c2 <S1> c8 c9");
    for i in 10..16 {
        say(&session, &user(&format!("c{i}"), &format!("line {i}"))).await;
    }
    session.compact(None).await.unwrap();
    assert_eq!(read(&session).await, "c0 c1 c2 <S2> c14 c15");
    let prompt = summaries.0.lock().unwrap()[1].clone();
    for i in 0..16 {
        assert_eq!(prompt.contains(&format!("line {i}\n")), (8..14).contains(&i), "{i}");
    }
    assert!(prompt.contains("Previous summary:\n\nS1\n"));
    let ends = session.compactions().await.unwrap().into_iter().map(|made| (made.from, made.to));
    assert_eq!(ends.collect::<Vec<_>>(), [(id("c3"), id("c7")), (id("c3"), id("c13"))]);
}

#[tokio::test]
async fn nothing_is_swallowed_that_no_summary_speaks_for() {
    let story = Story::begin().await;
    let summaries = Summaries::default();
    let protect = Protect { tail_tokens: 1, ..Protect::default() };
    let compaction = SummaryCompaction::new(summaries.clone()).protect(protect);
    let session = story.session("s").await.with_options(SessionOptions::default().on_compaction(compaction));
    chain(&session, 12).await;
    session.add_compaction("FIRST", &id("c1"), &id("c3")).await.unwrap();
    session.add_compaction("SECOND", &id("c5"), &id("c6")).await.unwrap();
    session.compact(None).await.unwrap();
    assert_eq!(read(&session).await, "c0 <S1> c10 c11");
    let prompt = summaries.0.lock().unwrap()[0].clone();
    for word in ["FIRST", "SECOND", "line 4\n", "line 7\n", "line 8\n", "line 9\n"] {
        assert!(prompt.contains(word), "{word}");
    }
}

/// A question and an answer that called a tool with a long result.
fn turn(number: usize) -> [Message; 2] {
    let answer = json!({"id": format!("a{number}"), "role": "assistant", "parts": [
        {"type": "tool-read", "toolCallId": format!("k{number}"), "state": "output-available",
            "input": {"path": format!("file {number}")}, "output": "0123456 ".repeat(500)},
        {"type": "text", "text": format!("That was file {number}.")},
    ]});
    [user(&format!("u{number}"), &format!("Read file {number}.")), serde_json::from_value(answer).unwrap()]
}

#[tokio::test]
async fn long_tool_results_are_compacted_once_and_the_prefix_stays() {
    // D01, D08
    let story = Story::begin().await;
    let log = Log::default();
    let summaries = Summaries::default();
    let options =
        log.options().on_compaction(SummaryCompaction::new(summaries.clone())).compact_after(20_000);
    let session = story.session("s").await.with_options(options);
    let mut stored = 0;
    for message in (0..40).flat_map(turn) {
        say(&session, &message).await;
        let count = session.compactions().await.unwrap().len();
        if count > stored {
            stored = count;
            assert!(session.status().await.unwrap().token_estimate < 15_000);
        }
    }
    assert!((2..6).contains(&stored), "{stored}");
    assert!(!log.take().iter().any(|line| line.starts_with("declined") || line.starts_with("failed")));

    session.compact(None).await.unwrap();
    let count = session.compactions().await.unwrap().len();
    let prefix = session.history(None).await.unwrap().messages;
    for i in 0..5 {
        say(&session, &user(&format!("short{i}"), "And?")).await;
        let now = session.history(None).await.unwrap().messages;
        assert_eq!(
            serde_json::to_string(&now[..prefix.len()]).unwrap(),
            serde_json::to_string(&prefix).unwrap()
        );
    }
    assert_eq!(session.compactions().await.unwrap().len(), count);
}

#[tokio::test]
async fn pinned_messages_stay_and_both_sides_of_them_are_summarised() {
    let story = Story::begin().await;
    let compaction = SummaryCompaction::new(Summaries::default());
    let session = story.session("s").await;
    let long = |i: usize| user(&format!("m{i}"), &"x".repeat(4 * 96));
    for i in 0..20 {
        say(&session, &long(i)).await;
    }
    session.set_pinned(&id("m9"), Pin::Pinned).await.unwrap();
    let session =
        session.with_options(SessionOptions::default().on_compaction(compaction).compact_after(1_200));
    say(&session, &long(20)).await;
    assert_eq!(read(&session).await, "m0 m1 m2 <S3> m9 <S2> m17 m18 m19 m20");
    assert_eq!(estimate_message(&long(1)), 100);
    assert_eq!(session.status().await.unwrap().token_estimate, 8 * 100 + 2 * 6);
}

#[tokio::test]
async fn a_pinned_message_is_in_the_way_of_others_summaries() {
    let story = Story::begin().await;
    let script = Script::of(&[Answer::Draft("c3", "c6", "S"), Answer::Draft("c6", "c7", "T")]);
    let session = story.session("s").await.with_options(SessionOptions::default().on_compaction(script));
    chain(&session, 10).await;
    session.add_compaction("old", &id("c1"), &id("c2")).await.unwrap();
    session.set_pinned(&id("c4"), Pin::Pinned).await.unwrap();
    assert_eq!(declined(&session).await, Some(Declined::Pinned));
    assert_eq!(declined(&session).await, None);
    assert_eq!(read(&session).await, "c0 <old> c3 c4 c5 <T> c8 c9", "not from where the first one begins");
}

#[tokio::test]
async fn a_compaction_lets_the_prompt_be_made_anew() {
    let story = Story::begin().await;
    let script =
        Script::of(&[Answer::Draft("c1", "c1", "far too long a summary"), Answer::Draft("c1", "c8", "S")]);
    let session = story.session("s").await.with_options(SessionOptions::default().on_compaction(script));
    chain(&session, 10).await;
    const FROZEN: &str = "cf_agents_frozen_prompts WHERE config_hash = 'hash'";
    story
        .damage("INSERT INTO cf_agents_frozen_prompts (session_id, config_hash, frozen_at, sections) VALUES ('s', 'hash', 0, '[]')")
        .await;
    assert_eq!(declined(&session).await, Some(Declined::NotShorter));
    assert_eq!(story.count(FROZEN).await, 1);
    assert_eq!(declined(&session).await, None);
    assert_eq!(story.count(FROZEN).await, 0);
}

#[test]
fn what_goes_on_is_said_in_the_words_of_the_wire() {
    let status = SessionStatus {
        phase: Phase::Compacting,
        token_estimate: 5,
        token_threshold: Some(4),
        compacted: None,
    };
    for (event, expected) in [
        (
            SessionEvent::Status(status),
            json!({"type": "cf_agent_session", "phase": "compacting", "tokenEstimate": 5, "tokenThreshold": 4}),
        ),
        (SessionEvent::Failed("why".to_owned()), json!({"type": "cf_agent_session_error", "error": "why"})),
        (
            SessionEvent::Declined(Declined::Pinned),
            json!({"type": "cf_agent_session_error", "error": "pinned messages are in the way of a summary"}),
        ),
    ] {
        assert_eq!(serde_json::to_value(ServerFrame::from(event)).unwrap(), expected);
    }
}
