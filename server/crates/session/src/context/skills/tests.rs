//! What a conversation says about its skills.

use super::*;
use serde_json::json;

fn call(tool: &str, key: &str, output: &str) -> Value {
    json!({ "type": format!("tool-{tool}"), "toolCallId": "c", "state": "output-available",
            "input": { "label": "guides", "key": key }, "output": output })
}

fn message(role: &str, parts: &[Value]) -> Message {
    testkit::message("m", role, &json!(parts))
}

fn brew() -> SkillRef {
    SkillRef::new("guides", "brew")
}

#[test]
fn only_contents_count_as_loaded() {
    let failed = json!({ "type": "tool-load_context", "toolCallId": "c", "state": "output-error",
                         "input": { "label": "guides", "key": "brew" }, "errorText": "x" });
    let dynamic = json!({ "type": "dynamic-tool", "toolName": "load_context", "toolCallId": "c",
                          "state": "output-available", "input": { "label": "guides", "key": "brew" },
                          "output": "B" });
    let load = |output: &str| call(LOAD, "brew", output);
    for (parts, expected) in [
        (vec![load("B")], true),
        (vec![dynamic], true),
        (vec![load("")], true),
        (vec![load("Not found: milk")], true),
        (vec![load("\nError: how to read them")], true),
        (vec![load("Not found: brew")], false),
        (vec![load("Error: no such store")], false),
        (vec![load("[skill unloaded: brew]")], false),
        (vec![failed], false),
        (vec![call("other", "brew", "B")], false),
        (vec![load("B"), call(UNLOAD, "brew", &unloaded(&brew()))], false),
        (
            vec![load("B"), call(UNLOAD, "brew", "Skill \"brew\" is not currently loaded in \"guides\".")],
            true,
        ),
        (vec![load("B"), call(UNLOAD, "brew", &unloaded(&brew())), load("B")], true),
    ] {
        let expected = if expected { BTreeSet::from([brew()]) } else { BTreeSet::new() };
        assert_eq!(loaded_skills(&[message("assistant", &parts)]), expected, "{parts:?}");
        assert_eq!(loaded_skills(&[message("user", &parts)]), BTreeSet::new(), "people load nothing");
    }
}

#[test]
fn a_content_that_reads_like_a_failure_is_set_off() {
    for (content, expected) in [
        ("B", "B"),
        ("Not found: milk", "Not found: milk"),
        ("Not found: brew", "\nNot found: brew"),
        ("Error: and how to read it", "\nError: and how to read it"),
        ("[skill unloaded: brew]", "\n[skill unloaded: brew]"),
    ] {
        let output = loaded(&brew(), content.to_owned());
        assert_eq!(output, expected);
        assert!(is_content(&brew(), &output), "{output:?}");
    }
}

#[test]
fn reclaiming_takes_every_copy_of_one_skill() {
    let parts = |first: &str, last: &str| {
        [call(LOAD, "brew", first), call(LOAD, "milk", "M"), call(LOAD, "brew", last), call("x", "brew", "B")]
    };
    let mut with_copies = message("assistant", &parts("B", "B again"));
    let mark = "[skill unloaded: brew]";
    assert!(reclaim_skill(&mut with_copies, &brew()));
    assert_eq!(with_copies, message("assistant", &parts(mark, mark)));
    assert!(!reclaim_skill(&mut with_copies, &brew()), "nothing is left to take");
    assert_eq!(loaded_skills(&[with_copies]), BTreeSet::from([SkillRef::new("guides", "milk")]));
}

#[test]
fn a_skill_is_listed_on_one_line() {
    for (description, expected) in
        [(None, "- brew"), (Some(""), "- brew"), (Some(" a\n- b "), "- brew: a - b")]
    {
        assert_eq!(line("brew", description), expected);
        let read = expected.strip_prefix("- brew: ");
        assert_eq!(listed(expected), Some(("brew", read)));
    }
    assert_eq!(listed("no list"), None);
}
