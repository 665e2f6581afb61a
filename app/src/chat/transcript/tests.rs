//! Scripts of frames and deeds against the transcript they leave on the screen.

use super::*;
use protocol::{ServerFrame, TurnInfo};

mod past;
mod queue;
mod versions;

/// A step of a script.
enum Step<'a> {
    /// The server says this.
    Frame(&'a str),
    /// The socket opened.
    Open,
    /// The socket closed.
    Close,
    /// A person says it under message id and request.
    Say(&'a str, &'a str, &'a str),
    /// A person asks for another answer of the last row.
    Retry(&'a str),
    /// A person stops it.
    Stop,
}
use Step::{Close, Frame, Open, Retry, Say, Stop};

struct Played {
    state: TranscriptState,
    sent: Vec<String>,
}

fn play(start: Transcript, script: &[Step]) -> Played {
    let mut state = TranscriptState::new(start);
    let mut sent = Vec::new();
    for step in script {
        let frames = match step {
            Frame(text) => {
                state.apply(ServerFrame::parse(text).unwrap_or_else(|| panic!("no frame: {text}")))
            }
            Open => {
                state.opened();
                Vec::new()
            }
            Close => {
                state.closed();
                Vec::new()
            }
            Say(text, message, request) => {
                state.send(Words::text(*text), (*message).into(), (*request).into()).into_iter().collect()
            }
            Retry(request) => {
                let last = state.order().pop().expect("a row");
                state.retry(&last, (*request).into()).into_iter().collect()
            }
            Stop => state.stop().into_iter().collect(),
        };
        sent.extend(frames.iter().map(brief));
    }
    Played { state, sent }
}

fn brief(frame: &ClientFrame) -> String {
    match frame {
        ClientFrame::ChatRequest { id, init } => {
            let body = protocol::ChatBody::parse(init).expect("a body");
            let ids: Vec<_> = body.messages.iter().map(|message| message.id.as_str()).collect();
            let verb = if body.trigger.is_some() { "retry" } else { "ask" };
            format!("{verb} {id} {}", ids.join(","))
        }
        ClientFrame::Cancel { id } => format!("cancel {id}"),
        ClientFrame::ResumeAck { id, from_seq } => format!("ack {id} {from_seq:?}"),
        ClientFrame::ResumeRequest { .. } => "resume?".to_owned(),
        ClientFrame::Clear {}
        | ClientFrame::ToolResult(_)
        | ClientFrame::ToolApproval(_)
        | ClientFrame::Messages { .. }
        | ClientFrame::Rpc { .. } => format!("{frame:?}"),
    }
}

fn screen(state: &TranscriptState) -> Vec<String> {
    let rows = state.order();
    let mut lines: Vec<String> = rows.iter().map(|key| line(state, key)).collect();
    lines.extend(state.queue().iter().map(|queued| format!("queue: {}", queued.text)));
    lines
}

fn line(state: &TranscriptState, key: &RowKey) -> String {
    let head = state.head(key).expect("a head");
    let text: Vec<_> = state.parts(key).iter().filter_map(protocol::Part::as_text).collect();
    let who = if head.speaker == Speaker::Person { "you" } else { "model" };
    let mut line = format!("{who}: {}", text.join("|"));
    match head.delivery {
        Delivery::Settled | Delivery::InVain => {}
        Delivery::Unsent => line.push_str(" [unsent]"),
        Delivery::Waiting => line.push_str(" [waiting]"),
        Delivery::Refused(reason) => line.push_str(&format!(" [refused: {reason}]")),
    }
    if let Some(progress) = head.progress {
        line.push_str(&format!(" [{progress:?}]"));
    }
    if let Some(ending) = head.ending {
        line.push_str(&format!(
            " [{:?}{}]",
            ending.status,
            ending.error.map(|e| format!(": {e}")).unwrap_or_default()
        ));
    }
    if head.retry.is_some() {
        line.push_str(" +retry");
    }
    line
}

#[track_caller]
fn check(start: Transcript, script: &[Step], expected_screen: &[&str], expected_sent: &[&str]) {
    let played = play(start, script);
    assert_eq!(screen(&played.state), expected_screen);
    assert_eq!(played.sent, expected_sent);
}

fn user(id: &str, text: &str) -> Message {
    Message::text(id, Role::User, text)
}

fn answer(id: &str, text: &str, status: TurnStatus) -> Message {
    let mut message = Message::text(id, Role::Assistant, text);
    let info = TurnInfo {
        status,
        model: "m".to_owned(),
        started_at: 5,
        finished_at: Some(6),
        error: None,
        usage: None,
    };
    message.set_turn(&info);
    message
}

fn list(messages: &[Message]) -> String {
    ServerFrame::Messages(Transcript { messages: messages.to_vec(), ..Transcript::default() }).to_text()
}

fn chunk(request: &str, seq: u64, body: &str) -> String {
    stream(request, Some(seq), body, "")
}

fn replayed(request: &str, seq: u64, body: &str) -> String {
    stream(request, Some(seq), body, r#","replay":true"#)
}

fn stream(request: &str, seq: Option<u64>, body: &str, more: &str) -> String {
    let body = serde_json::to_string(body).expect("text");
    let seq = seq.map(|seq| format!(r#","seq":{seq}"#)).unwrap_or_default();
    format!(
        r#"{{"type":"cf_agent_use_chat_response","id":"{request}","body":{body},"done":false{seq}{more}}}"#
    )
}

fn done(request: &str) -> String {
    ServerFrame::done(&request.into()).to_text()
}

fn turn(request: &str, status: &str) -> String {
    format!(r#"{{"type":"bough_turn","id":"{request}","status":"{status}"}}"#)
}

const START: &str = r#"{"type":"start","messageId":"a1"}"#;
const OPEN_TEXT: &str = r#"{"type":"text-start","id":"t"}"#;
const IDLE: &str = r#"{"type":"cf_agent_stream_resume_none","reason":"idle"}"#;

fn delta(text: &str) -> String {
    format!(r#"{{"type":"text-delta","id":"t","delta":"{text}"}}"#)
}

fn empty() -> Transcript {
    Transcript::default()
}

#[test]
fn a_turn_from_question_to_stored_answer() {
    let list0 = list(&[]);
    let begun = [Open, Frame(&list0), Say("Hi", "u1", "r1")];
    check(empty(), &begun, &["you: Hi"], &["ask r1 u1"]);
    let (c0, c1, c2, c3) = (
        chunk("r1", 0, START),
        chunk("r1", 1, OPEN_TEXT),
        chunk("r1", 2, &delta("Good ")),
        chunk("r1", 3, &delta("day")),
    );
    let (done, turn) = (done("r1"), turn("r1", "complete"));
    let stored = list(&[user("u1", "Hi"), answer("a1", "Good day", TurnStatus::Complete)]);
    let mut script = Vec::from(begun);
    script.extend([Frame(&c0), Frame(&c1), Frame(&c2)]);
    check(empty(), &script, &["you: Hi", "model: Good  [Writing]"], &["ask r1 u1"]);
    script.extend([Frame(&c3), Frame(&done), Frame(&stored), Frame(&turn)]);
    check(empty(), &script, &["you: Hi", "model: Good day [Complete]"], &["ask r1 u1"]);
}

#[test]
fn rows_keep_their_keys_from_first_chunk_to_stored_message() {
    let list0 = list(&[]);
    let (c0, c1, c2, end) =
        (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("x")), done("r1"));
    let script =
        [Open, Frame(&list0), Say("Hi", "u1", "r1"), Frame(&c0), Frame(&c1), Frame(&c2), Frame(&end)];
    let mut played = play(empty(), &script);
    let before = played.state.order();
    let stored = list(&[user("u1", "Hi"), answer("a1", "x", TurnStatus::Complete)]);
    let _replies = played.state.apply(ServerFrame::parse(&stored).expect("frame"));
    assert_eq!(played.state.order(), before);
}

#[test]
fn a_chunk_that_was_seen_is_not_applied_again() {
    let list0 = list(&[user("u1", "Hi")]);
    let frames = [
        chunk("r1", 0, START),
        chunk("r1", 1, OPEN_TEXT),
        chunk("r1", 2, &delta("one ")),
        replayed("r1", 0, START),
        replayed("r1", 1, OPEN_TEXT),
        replayed("r1", 2, &delta("one ")),
        chunk("r1", 3, &delta("two")),
    ];
    let mut script = vec![Open, Frame(&list0)];
    script.extend(frames.iter().map(|frame| Frame(frame)));
    check(empty(), &script, &["you: Hi", "model: one two [Writing]"], &["resume?"]);
}

#[test]
fn a_reload_in_mid_turn_shows_what_was_stored_until_the_replay_has_caught_up() {
    let start = Transcript {
        messages: vec![user("u1", "Hi")],
        live: Some(Message::text("a1", Role::Assistant, "one two")),
        ..Transcript::default()
    };
    let list0 = list(&[user("u1", "Hi")]);
    let offer = r#"{"type":"cf_agent_stream_resuming","id":"r1"}"#;
    let (c0, c1, c2) =
        (replayed("r1", 0, START), replayed("r1", 1, OPEN_TEXT), replayed("r1", 2, &delta("one ")));
    let c3 = replayed("r1", 3, &delta("two three"));
    let caught_up = stream("r1", None, "", r#","replay":true,"replayComplete":true"#);
    let held = [Open, Frame(&list0), Frame(offer), Frame(offer), Frame(&c0), Frame(&c1), Frame(&c2)];
    check(start.clone(), &held, &["you: Hi", "model: one two [Writing]"], &["resume?", "ack r1 None"]);
    let mut script = Vec::from(held);
    script.extend([Frame(&c3), Frame(&caught_up)]);
    check(start, &script, &["you: Hi", "model: one two three [Writing]"], &["resume?", "ack r1 None"]);
}

#[test]
fn a_turn_that_ends_between_the_offer_of_its_replay_and_the_answer_to_it_stands_there_once() {
    let asked = Transcript { messages: vec![user("u1", "Hi")], ..Transcript::default() };
    let live = Some(Message::text("a1", Role::Assistant, "one two"));
    let list0 = list(&[user("u1", "Hi")]);
    let offer = r#"{"type":"cf_agent_stream_resuming","id":"r1"}"#;
    let stored = list(&[user("u1", "Hi"), answer("a1", "one two three", TurnStatus::Complete)]);
    let (over, told) = (done("r1"), turn("r1", "complete"));
    let (c0, c1, c2) =
        (replayed("r1", 0, START), replayed("r1", 1, OPEN_TEXT), replayed("r1", 2, &delta("one two three")));
    let end = over.replace(r#""done":true"#, r#""done":true,"replay":true"#);
    let replay = [&*c0, &*c1, &*c2, &*end];
    let shown = ["you: Hi", "model: one two three [Complete]"];
    for live in [live, None] {
        let start = Transcript { live, ..asked.clone() };
        let mut script = vec![Open, Frame(&list0), Frame(offer), Frame(&over), Frame(&stored), Frame(&told)];
        check(start.clone(), &script, &shown, &["resume?", "ack r1 None"]);
        script.extend(replay.map(Frame));
        check(start, &script, &shown, &["resume?", "ack r1 None"]);
    }
}

#[test]
fn a_reconnect_resumes_at_the_next_chunk() {
    let list0 = list(&[user("u1", "Hi")]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let offer = r#"{"type":"cf_agent_stream_resuming","id":"r1"}"#;
    let c3 = replayed("r1", 3, &delta(" two"));
    let script = [
        Open,
        Frame(&list0),
        Frame(&c0),
        Frame(&c1),
        Frame(&c2),
        Close,
        Open,
        Frame(&list0),
        Frame(offer),
        Frame(&c3),
    ];
    check(
        empty(),
        &script,
        &["you: Hi", "model: one two [Writing]"],
        &["resume?", "resume?", "ack r1 Some(3)"],
    );
}

#[test]
fn an_answer_that_was_finished_meanwhile_comes_from_the_list() {
    let list0 = list(&[user("u1", "Hi")]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let stored = list(&[user("u1", "Hi"), answer("a1", "one two", TurnStatus::Complete)]);
    let script =
        [Open, Frame(&list0), Frame(&c0), Frame(&c1), Frame(&c2), Close, Open, Frame(&stored), Frame(IDLE)];
    check(empty(), &script, &["you: Hi", "model: one two [Complete]"], &["resume?"]);
}

#[test]
fn an_answer_whose_server_died_is_interrupted_and_kept() {
    let list0 = list(&[user("u1", "Hi")]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let script =
        [Open, Frame(&list0), Frame(&c0), Frame(&c1), Frame(&c2), Close, Open, Frame(&list0), Frame(IDLE)];
    check(empty(), &script, &["you: Hi", "model: one [Interrupted] +retry"], &["resume?", "resume?"]);
}

#[test]
fn what_was_typed_offline_is_sent_once_the_server_has_shown_its_list() {
    let script = [Say("Hi", "u1", "r1")];
    check(empty(), &script, &["you: Hi [unsent]"], &[]);
    let list0 = list(&[]);
    let script = [Say("Hi", "u1", "r1"), Open, Frame(&list0)];
    check(empty(), &script, &["you: Hi"], &["resume?", "ask r1 u1"]);
}

#[test]
fn a_message_lost_with_its_socket_is_sent_again_and_one_that_arrived_is_not() {
    let (nothing, arrived) = (list(&[]), list(&[user("u1", "Hi")]));
    let lost = [Open, Frame(&nothing), Say("Hi", "u1", "r1"), Close, Open, Frame(&nothing)];
    check(empty(), &lost, &["you: Hi"], &["ask r1 u1", "resume?", "ask r1 u1"]);
    let kept = [Open, Frame(&nothing), Say("Hi", "u1", "r1"), Close, Open, Frame(&arrived)];
    check(empty(), &kept, &["you: Hi"], &["ask r1 u1", "resume?"]);
    let over = [Open, Frame(&nothing), Say("Hi", "u1", "r1"), Close, Open, Frame(&arrived), Frame(IDLE)];
    check(empty(), &over, &["you: Hi +retry"], &["ask r1 u1", "resume?"]);
}

#[test]
fn a_queued_message_waits_below_the_answer_before_it() {
    let list0 = list(&[]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let both = list(&[user("u1", "Hi"), user("u2", "And")]);
    let script = [
        Open,
        Frame(&list0),
        Say("Hi", "u1", "r1"),
        Frame(&c0),
        Frame(&c1),
        Frame(&c2),
        Say("And", "u2", "r2"),
        Frame(&both),
    ];
    check(empty(), &script, &["you: Hi", "model: one [Writing]", "queue: And"], &["ask r1 u1", "ask r2 u2"]);
}

#[test]
fn a_refused_message_stays_with_the_reason() {
    let list0 = list(&[]);
    let refusal =
        r#"{"type":"bough_error","id":"r1","code":"busy","message":"64 turns wait already","retry":true}"#;
    let script = [Open, Frame(&list0), Say("Hi", "u1", "r1"), Frame(refusal)];
    check(empty(), &script, &["you: Hi [refused: 64 turns wait already]"], &["ask r1 u1"]);
    let mut played = play(empty(), &script);
    let key = played.state.order().pop().expect("a row");
    assert_eq!(played.state.take_back(&key), Some(Words::text("Hi")));
    assert_eq!(screen(&played.state), [""; 0]);
}

#[test]
fn a_failed_turn_says_why_and_can_be_tried_again() {
    let list0 = list(&[user("u1", "Hi")]);
    let failure = stream("r1", None, "no such model", r#","error":true"#);
    let (end, told) = (done("r1"), turn("r1", "failed"));
    let script = [Open, Frame(&list0), Frame(&failure), Frame(&end)];
    check(empty(), &script, &["you: Hi", "model:  [Failed: no such model] +retry"], &["resume?"]);
    let again = [Open, Frame(&list0), Frame(&failure), Frame(&end), Frame(&list0), Retry("r2")];
    check(empty(), &again, &["you: Hi"], &["resume?", "retry r2 u1"]);
    let single =
        r#"{"type":"cf_agent_use_chat_response","id":"r1","body":"no key","done":true,"error":true}"#;
    check(
        empty(),
        &[Open, Frame(&list0), Frame(single)],
        &["you: Hi", "model:  [Failed: no key] +retry"],
        &["resume?"],
    );
    let unnamed = [Open, Frame(&list0), Frame(&failure), Frame(&end), Frame(&told)];
    check(empty(), &unnamed, &["you: Hi", "model:  [Failed] +retry"], &["resume?"]);
    // It stays where it failed when the talk goes on, with its retry, and is not told once more.
    let list1 = list(&[user("u1", "Hi"), user("u2", "More"), answer("a2", "Yes", TurnStatus::Complete)]);
    let on = [Open, Frame(&list0), Frame(&failure), Frame(&end), Frame(&list1)];
    let rows = ["you: Hi", "model:  [Failed: no such model] +retry", "you: More", "model: Yes [Complete]"];
    check(empty(), &on, &rows, &["resume?"]);
    assert_eq!(play(empty(), &on).state.take_changes().notice, None);
}

#[test]
fn stop_cancels_the_live_request_or_the_one_on_its_way() {
    let list0 = list(&[]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let script = [Open, Frame(&list0), Say("Hi", "u1", "r1"), Frame(&c0), Frame(&c1), Frame(&c2), Stop];
    check(empty(), &script, &["you: Hi", "model: one [Stopping]"], &["ask r1 u1", "cancel r1"]);
    let end = done("r1");
    let ended =
        [Open, Frame(&list0), Say("Hi", "u1", "r1"), Frame(&c0), Frame(&c1), Frame(&c2), Stop, Frame(&end)];
    check(empty(), &ended, &["you: Hi", "model: one [Stopped] +retry"], &["ask r1 u1", "cancel r1"]);
    let early = [Open, Frame(&list0), Say("Hi", "u1", "r1"), Stop, Frame(&end)];
    check(empty(), &early, &["you: Hi +retry"], &["ask r1 u1", "cancel r1"]);
    check(empty(), &[Open, Frame(&list0), Stop], &[], &[]);
}

#[test]
fn stop_before_the_stream_is_known_is_sent_as_soon_as_it_is() {
    let start = Transcript {
        messages: vec![user("u1", "Hi")],
        live: Some(Message::text("a1", Role::Assistant, "one")),
        ..Transcript::default()
    };
    let list0 = list(&[user("u1", "Hi")]);
    let offer = r#"{"type":"cf_agent_stream_resuming","id":"r1"}"#;
    let script = [Stop, Open, Frame(&list0), Frame(offer)];
    check(start, &script, &["you: Hi", "model: one [Stopping]"], &["resume?", "ack r1 None", "cancel r1"]);
}

#[test]
fn a_question_without_an_answer_may_be_asked_again_once_it_is_known_that_nothing_runs() {
    let start = Transcript { messages: vec![user("u1", "Hi")], ..Transcript::default() };
    let list0 = list(&[user("u1", "Hi")]);
    let pending = r#"{"type":"cf_agent_stream_pending","id":"r1"}"#;
    check(start.clone(), &[Open, Frame(&list0)], &["you: Hi"], &["resume?"]);
    check(start.clone(), &[Open, Frame(&list0), Frame(IDLE)], &["you: Hi +retry"], &["resume?"]);
    let waits = [Open, Frame(&list0), Frame(pending)];
    check(start.clone(), &waits, &["you: Hi"], &["resume?"]);
    assert!(play(start.clone(), &waits).state.is_awaited());
    let stopped = [Open, Frame(&list0), Frame(pending), Stop];
    check(start, &stopped, &["you: Hi"], &["resume?", "cancel r1"]);
}

#[test]
fn a_stop_that_was_lost_with_its_socket_is_said_again() {
    let list0 = list(&[user("u1", "Hi")]);
    let (c0, c1, c2) = (chunk("r1", 0, START), chunk("r1", 1, OPEN_TEXT), chunk("r1", 2, &delta("one")));
    let offer = r#"{"type":"cf_agent_stream_resuming","id":"r1"}"#;
    let begun = [
        Open,
        Frame(&list0),
        Frame(&c0),
        Frame(&c1),
        Frame(&c2),
        Close,
        Stop,
        Open,
        Frame(&list0),
        Frame(offer),
    ];
    let sent = ["resume?", "cancel r1", "resume?", "ack r1 Some(3)", "cancel r1"];
    check(empty(), &begun, &["you: Hi", "model: one [Stopping]"], &sent);
}

#[test]
fn without_a_connection_nothing_runs_and_nothing_can_be_stopped() {
    let list0 = list(&[]);
    let script = [Open, Frame(&list0), Close, Say("Hi", "u1", "r1")];
    let mut played = play(empty(), &script);
    assert_eq!((played.state.activity(), played.state.stop()), (Activity::Idle, None));
    let lost = [Open, Frame(&list0), Say("Hi", "u1", "r1"), Close];
    check(empty(), &lost, &["you: Hi [unsent]"], &["ask r1 u1"]);
}

#[test]
fn another_version_hides_the_old_answer_and_a_failure_brings_it_back() {
    let list0 = list(&[user("u1", "Hi"), answer("a0", "old", TurnStatus::CutOff)]);
    let (c0, c1, c2) = (chunk("r2", 0, START), chunk("r2", 1, OPEN_TEXT), chunk("r2", 2, &delta("new")));
    let script =
        [Open, Frame(&list0), Retry("r2"), Frame(&list0), Frame(&c0), Frame(&c1), Frame(&c2), Frame(&list0)];
    check(empty(), &script, &["you: Hi", "model: new [Writing]"], &["retry r2 u1"]);
    let refusal = r#"{"type":"bough_error","id":"r2","code":"busy","message":"full"}"#;
    let refused = [Open, Frame(&list0), Retry("r2"), Frame(refusal)];
    check(empty(), &refused, &["you: Hi", "model: old [CutOff] +retry"], &["retry r2 u1"]);
    assert_eq!(play(empty(), &refused).state.take_changes().notice.as_deref(), Some("full"));
}

#[test]
fn earlier_messages_stay_when_the_list_comes_again() {
    let start = Transcript { messages: vec![user("u2", "b")], earlier: 1, ..Transcript::default() };
    let mut state = TranscriptState::new(start);
    let earlier = Transcript { messages: vec![user("u1", "a")], earlier: 0, ..Transcript::default() };
    assert!(!state.prepend(earlier.clone(), &"u9".into()), "it was asked for on another path");
    assert_eq!((screen(&state), state.earlier()), (vec!["you: b".into()], 1));
    assert!(state.prepend(earlier, &"u2".into()));
    assert_eq!(state.take_changes().order, Shift::Earlier);
    let frame = ServerFrame::Messages(Transcript {
        messages: vec![user("u2", "b"), user("u3", "c")],
        earlier: 1,
        ..Transcript::default()
    });
    let _replies = state.apply(frame);
    assert_eq!(
        (screen(&state), state.earlier()),
        (vec!["you: a".into(), "you: b".into(), "you: c".into()], 0)
    );
}

#[test]
fn versions_are_shown_only_where_there_are_some() {
    let siblings = vec![
        Siblings { id: "a2".into(), ids: vec!["a1".into(), "a2".into()] },
        Siblings { id: "u1".into(), ids: vec!["u1".into()] },
    ];
    let messages = vec![user("u1", "Hi"), answer("a2", "x", TurnStatus::Complete)];
    let state = TranscriptState::new(Transcript { messages, siblings, ..Transcript::default() });
    let versions: Vec<_> =
        state.order().iter().map(|key| state.head(key).and_then(|head| head.versions)).collect();
    assert_eq!(versions, [None, Some(Versions { number: 2, ids: ["a1", "a2"].map(MessageId::from).into() })]);
}
