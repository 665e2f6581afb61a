//! Versions, edits and pins.

use super::*;
use protocol::Siblings;

fn start() -> Transcript {
    let messages = vec![user("u1", "Hi"), answer("a2", "B", TurnStatus::Complete)];
    let siblings = vec![Siblings { id: "a2".into(), ids: vec!["a1".into(), "a2".into(), "a3".into()] }];
    Transcript { messages, siblings, pinned: vec!["u1".into()], ..Transcript::default() }
}

#[test]
fn a_version_knows_its_place_and_its_neighbours() {
    let state = TranscriptState::new(start());
    let heads: Vec<_> = state.order().iter().filter_map(|key| state.head(key)).collect();
    let expected = Versions { number: 2, ids: ["a1", "a2", "a3"].map(MessageId::from).into() };
    assert_eq!((expected.previous(), expected.next()), (Some("a1".into()), Some("a3".into())));
    let got: Vec<_> = heads.iter().map(|head| (head.versions.clone(), head.pin)).collect();
    assert_eq!(got, [(None, Pin::Pinned), (Some(expected), Pin::Loose)]);
}

/// C: an edit is another version, and nothing of the old one is lost where the server refuses.
#[test]
fn an_edited_question_takes_the_place_of_the_old_one() {
    let play_to = |frames: &[String]| {
        let mut state = TranscriptState::new(start());
        state.opened();
        let _replies = state.apply(ServerFrame::parse(&list(&start().messages)).expect("a frame"));
        let first = state.order().remove(0);
        let sent: Vec<_> = state.revise(&first, "Hello".to_owned(), "r2".into()).iter().map(brief).collect();
        assert_eq!(sent, ["ask r2 u1"]);
        for frame in frames {
            let _replies = state.apply(ServerFrame::parse(frame).expect("a frame"));
        }
        screen(&state)
    };
    assert_eq!(play_to(&[]), ["you: Hello"]);
    let listed = list(&[user("u2", "Hello")]);
    assert_eq!(play_to(std::slice::from_ref(&listed)), ["you: Hello"]);
    let (c0, c1, c2) = (chunk("r2", 0, START), chunk("r2", 1, OPEN_TEXT), chunk("r2", 2, &delta("x")));
    let stored = list(&[user("u2", "Hello"), answer("a1", "x", TurnStatus::Complete)]);
    let written = ["you: Hello", "model: x [Writing]"];
    assert_eq!(play_to(&[listed.clone(), c0.clone(), c1.clone(), c2.clone()]), written);
    assert_eq!(play_to(&[c0.clone(), c1.clone(), c2.clone(), listed]), written);
    let over = ["you: Hello", "model: x [Complete]"];
    assert_eq!(play_to(&[c0, c1, c2, done("r2"), stored]), over);
    let refused = r#"{"type":"bough_error","id":"r2","code":"too_large","message":"No.","retry":false}"#;
    assert_eq!(play_to(&[refused.to_owned()]), ["you: Hi", "model: B [Complete]"]);
}

#[test]
fn a_pin_shows_at_once() {
    let mut state = TranscriptState::new(start());
    let key = state.order().remove(1);
    state.pin(&key, Pin::Pinned);
    assert_eq!(state.head(&key).map(|head| head.pin), Some(Pin::Pinned));
    state.pin(&key, Pin::Loose);
    assert_eq!(state.head(&key).map(|head| head.pin), Some(Pin::Loose));
}
