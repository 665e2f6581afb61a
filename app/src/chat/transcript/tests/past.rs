//! A session that is opened in its middle.

use super::*;

fn window(numbers: std::ops::Range<u64>, earlier: u64) -> Transcript {
    let messages = numbers.map(|number| user(&format!("m{number}"), &number.to_string())).collect();
    Transcript { messages, earlier, ..Transcript::default() }
}

fn ids(state: &TranscriptState) -> String {
    let said = |key: &RowKey| state.message(key).map(Message::plain_text).unwrap_or_default();
    state.order().iter().map(said).collect::<Vec<_>>().join(" ")
}

fn seen(state: &TranscriptState) -> (String, u64, Option<(usize, u64)>) {
    (ids(state), state.earlier(), state.gap().map(|gap| (gap.at, gap.count)))
}

#[test]
fn a_stretch_stands_apart_until_the_messages_between_are_here() {
    let mut state = TranscriptState::new(window(90..93, 90));
    let check = |state: &TranscriptState, shown: &str, earlier: u64, gap: Option<(usize, u64)>| {
        assert_eq!(seen(state), (shown.to_owned(), earlier, gap));
    };
    state.show_around(window(40..42, 40));
    check(&state, "40 41 90 91 92", 40, Some((2, 48)));
    assert_eq!((state.first_id(), state.before_gap()), (Some("m40".into()), Some("m41".into())));
    state.show_around(window(41..44, 41));
    check(&state, "40 41 42 43 90 91 92", 40, Some((4, 46)));
    assert!(state.prepend(window(38..40, 38), &"m40".into()));
    check(&state, "38 39 40 41 42 43 90 91 92", 38, Some((6, 46)));
    state.show_around(window(20..21, 20));
    check(&state, "20 90 91 92", 20, Some((1, 69)));
    let keys = state.order();
    state.show_around(window(20..91, 20));
    assert_eq!((state.order().len(), state.gap()), (73, None));
    assert!(keys.iter().all(|key| state.order().contains(key)), "rows stay themselves");
}

#[test]
fn a_stretch_that_meets_the_end_is_part_of_it() {
    let mut state = TranscriptState::new(window(5..8, 5));
    state.show_around(window(2..6, 2));
    assert_eq!(seen(&state), ("2 3 4 5 6 7".to_owned(), 2, None));
}

#[test]
fn the_servers_list_keeps_the_stretch_on_the_same_path_and_drops_it_on_another() {
    let list = |window: &Transcript| ServerFrame::Messages(window.clone());
    let mut state = TranscriptState::new(window(90..93, 90));
    state.opened();
    state.show_around(window(40..42, 40));
    let _replies = state.apply(list(&window(90..94, 90)));
    assert_eq!(seen(&state), ("40 41 90 91 92 93".to_owned(), 40, Some((2, 48))));
    let other = Transcript { messages: vec![user("x", "x")], earlier: 3, ..Transcript::default() };
    let _replies = state.apply(list(&other));
    assert_eq!(seen(&state), ("x".to_owned(), 3, None));
}
