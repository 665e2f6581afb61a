//! Calls that a person has agreed to and that nobody has run yet. Pure.

use protocol::{Message, Part, ToolCall, ToolState};

const PASSED: &str = "A person agreed, but the conversation went on before the tool ran. It did not run.";

/// What a call of this kind looks like in a stored message.
pub(crate) const AGREED_MARK: &str = "\"approval-responded\"";

fn is_agreed(call: &ToolCall) -> bool {
    call.state == ToolState::ApprovalResponded
}

/// Whether the message holds any.
pub(crate) fn has_agreed(message: &Message) -> bool {
    message.parts.iter().filter_map(Part::as_tool).any(|tool| is_agreed(&tool.call))
}

/// Ends them as failed, since nothing will run them any more; whether there was any.
pub(crate) fn close_agreed(message: &mut Message) -> bool {
    let calls = message.parts.iter_mut().filter_map(Part::as_tool_mut).map(|tool| &mut tool.call);
    let mut is_changed = false;
    for call in calls.filter(|call| is_agreed(call)) {
        call.state = ToolState::OutputError;
        call.error_text = Some(PASSED.to_owned());
        is_changed = true;
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn only_what_was_agreed_to_ends_and_says_that_it_did_not_run() {
        let approval = json!({ "id": "q", "approved": true });
        let states = ["input-streaming", "input-available", "approval-requested", "output-available"];
        let settled = states.into_iter().chain(["output-error", "output-denied"]);
        for (state, expected) in
            settled.map(|state| (state, None)).chain([("approval-responded", Some(PASSED))])
        {
            let call = json!({ "type": "tool-x", "toolCallId": "c", "state": state, "input": {}, "approval": approval });
            let message = json!({ "id": "m", "role": "assistant", "parts": [call] });
            let mut message: Message = serde_json::from_value(message).unwrap();
            let before = message.clone();
            assert_eq!(serde_json::to_string(&message).unwrap().contains(AGREED_MARK), expected.is_some());
            assert_eq!(
                (has_agreed(&message), close_agreed(&mut message)),
                (expected.is_some(), expected.is_some())
            );
            let Some(text) = expected else {
                assert_eq!(message, before, "{state}");
                continue;
            };
            let call = serde_json::to_value(&message.parts[0]).unwrap();
            let told = ["state", "errorText", "approval"].map(|field| call[field].clone());
            assert_eq!(told, [json!("output-error"), Value::from(text), approval.clone()]);
            assert!(!has_agreed(&message));
        }
    }
}
