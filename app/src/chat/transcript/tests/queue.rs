//! Messages that wait for the answer before them.

use super::*;

/// Two messages wait; the first answer is being written.
fn two_wait() -> Played {
    let (list0, c0) = (list(&[]), chunk("r1", 0, START));
    let script = [
        Open,
        Frame(&list0),
        Say("Hi", "u1", "r1"),
        Frame(&c0),
        Say("And", "u2", "r2"),
        Say("Then", "u3", "r3"),
    ];
    play(empty(), &script)
}

fn told(state: &mut TranscriptState, frame: &str) {
    let _replies = state.apply(ServerFrame::parse(frame).expect("a frame"));
}

#[test]
fn a_message_that_is_taken_out_is_cancelled_and_then_removed() {
    let mut state = two_wait().state;
    assert_eq!(screen(&state), ["you: Hi", "model:  [Waiting]", "queue: And", "queue: Then"]);
    let key = state.queue().remove(0).key;
    let (words, frame) = state.unqueue(&key).expect("it waits");
    assert_eq!((words, brief(&frame)), (Words::text("And"), "cancel r2".to_owned()));
    // The server still lists it, since it was accepted.
    told(&mut state, &list(&[user("u1", "Hi"), user("u2", "And"), user("u3", "Then")]));
    assert_eq!(screen(&state), ["you: Hi", "model:  [Waiting]", "queue: Then"]);
    assert_eq!(state.take_changes().discarded, []);
    told(&mut state, &done("r2"));
    assert_eq!(state.take_changes().discarded, [MessageId::from("u2")]);
    assert_eq!(state.unqueue(&key), None);
}

#[test]
fn a_message_whose_turn_had_begun_stays() {
    let mut state = two_wait().state;
    let key = state.queue().remove(0).key;
    let _taken = state.unqueue(&key);
    told(&mut state, &done("r1"));
    told(&mut state, &list(&[user("u1", "Hi"), answer("a1", "", TurnStatus::Complete), user("u2", "And")]));
    told(&mut state, &chunk("r2", 0, START));
    assert!(screen(&state).contains(&"you: And".to_owned()), "{:?}", screen(&state));
    assert_eq!(state.take_changes().discarded, []);
}

#[test]
fn files_come_before_the_text_and_come_back_with_it() {
    let file = protocol::FilePart {
        media_type: "image/png".to_owned(),
        url: "data:image/png;base64,AA==".to_owned(),
        filename: Some("a.png".to_owned()),
        provider_metadata: None,
        extra: protocol::Extra::new(),
    };
    let words = Words { text: "Look".to_owned(), files: vec![file] };
    let message = Message { parts: words.clone().parts(), ..Message::text("u", Role::User, "") };
    assert_eq!(Words::of(&message), words);
    assert_eq!(Words { text: String::new(), ..words }.parts().len(), 1);
}
