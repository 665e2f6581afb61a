//! Where a folded message goes in a list.

use crate::fold::{feed, message};
use protocol::{Accumulator, Message, Role};
use serde_json::json;

fn texts(messages: &[Message]) -> Vec<(String, String)> {
    messages.iter().map(|message| (message.id.to_string(), message.plain_text())).collect()
}

fn check(seed: Accumulator, list: &[(&str, Role, &str)], expected: &[(&str, &str)]) {
    let mut fold = seed;
    let _applied = feed(&mut fold, &json!([{ "type": "text-delta", "id": "t", "delta": "new" }]));
    let mut messages: Vec<Message> =
        list.iter().map(|(id, role, text)| Message::text(*id, role.clone(), *text)).collect();
    fold.merge_into(&mut messages);
    let expected: Vec<_> = expected.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    assert_eq!(texts(&messages), expected);
}

#[test]
fn a_message_replaces_itself_or_goes_to_the_end() {
    let fold = || Accumulator::new(Some("m1".into()));
    check(
        fold(),
        &[("u1", Role::User, "hi"), ("m1", Role::Assistant, "old")],
        &[("u1", "hi"), ("m1", "new")],
    );
    check(
        fold(),
        &[("m1", Role::Assistant, "old"), ("u2", Role::User, "hi")],
        &[("m1", "new"), ("u2", "hi")],
    );
    check(fold(), &[("m0", Role::Assistant, "old")], &[("m0", "old"), ("m1", "new")]);
    check(fold(), &[], &[("m1", "new")]);
    check(Accumulator::new(None), &[("m0", Role::Assistant, "old")], &[("m0", "old")]);
}

#[test]
fn a_continuation_goes_over_the_last_answer_and_keeps_its_name() {
    let fold = || Accumulator::continuing(&message(json!([])));
    let list = [("a0", Role::Assistant, "0"), ("a1", Role::Assistant, "1"), ("u2", Role::User, "2")];
    check(fold(), &list, &[("a0", "0"), ("a1", "new"), ("u2", "2")]);
    check(fold(), &[("u2", Role::User, "2")], &[("u2", "2"), ("m1", "new")]);
    check(
        fold(),
        &[("m1", Role::Assistant, "x"), ("a1", Role::Assistant, "1")],
        &[("m1", "new"), ("a1", "1")],
    );
}
