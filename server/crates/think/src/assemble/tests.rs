//! Which messages a prompt holds, in which form, and where each of them comes from.

use super::*;
use protocol::Role;
use serde_json::json;

fn calls(id: &str, count: usize) -> Message {
    let call = |n| {
        json!({ "type": "tool-add", "toolCallId": format!("{id}{n}"), "state": "output-available",
                "input": {}, "output": n })
    };
    let parts = (0..count).flat_map(|n| [json!({ "type": "step-start" }), call(n)]).collect::<Vec<_>>();
    testkit::message(id, "assistant", &json!(parts))
}

fn output(id: &str, tool: &str, output: &str) -> Message {
    let call = json!({ "type": format!("tool-{tool}"), "toolCallId": id, "state": "output-available",
                       "input": {}, "output": output });
    testkit::message(id, "assistant", &json!([call]))
}

fn text(id: &str, role: Role) -> Message {
    Message::text(id, role, "text")
}

fn material<'a>(path: &'a [Message], so_far: Option<&'a Message>) -> Material<'a> {
    Material { system: "", path, so_far, tools: &[], pruning: Pruning::OldCalls }
}

fn call_ids(material: &Material<'_>) -> Vec<String> {
    let request = assemble(material).unwrap().request;
    request.messages.iter().flat_map(ModelMessage::tool_call_ids).map(ToString::to_string).collect()
}

#[test]
fn old_calls_are_pruned_and_the_running_turns_own_are_not() {
    let mut path = vec![text("u1", Role::User), calls("old", 1)];
    path.extend([text("u2", Role::User), text("a2", Role::Assistant), text("u3", Role::User)]);
    let now = calls("now", 3);
    let pruned = material(&path, Some(&now));
    let own = ["now0", "now0", "now1", "now1", "now2", "now2"];
    assert_eq!(call_ids(&pruned), own);
    let whole = Material { pruning: Pruning::Nothing, ..pruned };
    assert_eq!(call_ids(&whole), [&["old0", "old0"], &own[..]].concat());
}

#[test]
fn nothing_to_say_is_no_request() {
    assert_eq!(assemble(&material(&[], None)), None);
    let mut empty = text("u1", Role::User);
    empty.parts = vec![Part::StepStart];
    assert_eq!(assemble(&material(&[empty], None)), None);
}

#[test]
fn an_empty_system_prompt_is_none() {
    let path = [text("u1", Role::User)];
    let blank = Material { system: "  ", ..material(&path, None) };
    assert_eq!(assemble(&blank).unwrap().request.system, None);
}

// D06: a list begins and ends as providers want it, and each message says where it comes from.
#[test]
fn each_message_of_a_request_says_where_it_comes_from() {
    let path = [text("a1", Role::Assistant), text("u1", Role::User), calls("a2", 1)];
    let so_far = calls("now", 1);
    let assembled = assemble(&material(&path, Some(&so_far))).unwrap();
    let kinds: Vec<&str> = assembled.request.messages.iter().map(kind).collect();
    assert_eq!(kinds, ["user", "assistant", "user", "assistant", "tool", "assistant", "tool"]);
    let (a2, now) = (Some(2), Some(3));
    assert_eq!(assembled.origins, [None, Some(0), Some(1), a2, a2, now, now]);
    let assembled = assemble(&material(&path[..1], None)).unwrap();
    assert_eq!(assembled.origins, [None, Some(0), None], "an opening and a nudge");
}

fn kind(message: &ModelMessage) -> &'static str {
    match message {
        ModelMessage::User(_) => "user",
        ModelMessage::Assistant(_) => "assistant",
        ModelMessage::Tool(_) => "tool",
    }
}

#[test]
fn old_outputs_are_cut_but_not_what_was_loaded() {
    let long = "word ".repeat(400);
    let mut path = vec![output("x", "fetch", &long), output("y", LOAD_TOOL, &long)];
    path.extend(["1", "2", "3", "4"].map(|id| text(id, Role::User)));
    let fitted = fit(path.clone());
    let size = |message: &Message| {
        message.parts[0].as_tool().unwrap().call.output.as_ref().unwrap().to_string().len()
    };
    assert!(size(&fitted[0]) < 600, "{}", size(&fitted[0]));
    assert_eq!(fitted[1..], path[1..]);
}
