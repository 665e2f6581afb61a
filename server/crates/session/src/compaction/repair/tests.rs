//! Which calls and results are orphans.

use super::{RESULT_GONE, sanitize_tool_pairs};
use serde_json::{Value, json};
use testkit::{message, user};

fn call(id: &str, state: &str, more: &Value) -> Value {
    let mut part = json!({"type": "tool-t", "toolCallId": id, "state": state});
    part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    part
}

#[test]
fn results_without_a_call_go_and_messages_that_held_nothing_else_too() {
    let result = |id: &str| json!({"type": "tool-result", "toolCallId": id, "result": 1});
    let asked = message("a", "assistant", &json!([call("k", "input-available", &json!({}))]));
    let kept = message("r", "tool", &json!([result("k")]));
    let sent = vec![
        user("u", "u"),
        asked.clone(),
        message(
            "r",
            "tool",
            &json!([result("k"), result("lost"), call("lost", "output-available", &json!({"output": 1}))]),
        ),
        message("x", "tool", &json!([result("lost")])),
        message("e", "user", &json!([])),
    ];
    assert_eq!(sanitize_tool_pairs(sent), [user("u", "u"), asked, kept]);
}

#[test]
fn only_a_finished_call_without_a_result_gets_one() {
    for (part, is_repaired) in [
        (call("k", "output-available", &json!({})), true),
        (call("k", "output-available", &json!({"output": null})), false),
        (call("k", "output-available", &json!({"output": 1})), false),
        (call("k", "output-error", &json!({"errorText": "e"})), false),
        (call("k", "output-denied", &json!({})), false),
        (call("k", "input-streaming", &json!({})), false),
        (call("k", "input-available", &json!({"input": {}})), false),
        (call("k", "approval-requested", &json!({})), false),
        (call("k", "approval-responded", &json!({})), false),
    ] {
        let sent = message("a", "assistant", &json!([part]));
        let mut expected = sent.clone();
        if is_repaired {
            let repaired = call("k", "output-error", &json!({"errorText": RESULT_GONE}));
            expected = message("a", "assistant", &json!([repaired]));
        }
        assert_eq!(sanitize_tool_pairs(vec![sent]), [expected], "{part}");
    }
    let elsewhere = vec![
        message("a", "assistant", &json!([call("k", "output-available", &json!({}))])),
        message("r", "tool", &json!([{"type": "tool-result", "toolCallId": "k", "result": 1}])),
    ];
    assert_eq!(sanitize_tool_pairs(elsewhere.clone()), elsewhere);
}
