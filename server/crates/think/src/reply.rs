//! An answer from outside to one call of a stored message. Pure; the first answer wins.

use protocol::{Approval, ApprovalId, Message, Part, ToolCall, ToolCallId, ToolMove, ToolResult, ToolState};
use serde_json::Value;

/// What somebody outside says about a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Output(Value),
    Failed(String),
    Approved,
    Denied,
}

const FAILED: &str = "The tool failed and gave no reason.";

impl Reply {
    pub(crate) fn of_result(result: ToolResult) -> Self {
        match result.state {
            Some(ToolState::OutputError) => {
                Self::Failed(result.error_text.unwrap_or_else(|| FAILED.to_owned()))
            }
            _ => Self::Output(result.output),
        }
    }

    fn as_move(&self) -> ToolMove {
        match self {
            Self::Output(_) => ToolMove::Output,
            Self::Failed(_) => ToolMove::Fail,
            Self::Approved => ToolMove::Approve,
            Self::Denied => ToolMove::Deny,
        }
    }
}

/// Applies a reply; false if there is no such call, or it is not waiting for one: nothing was changed then.
pub(crate) fn apply(message: &mut Message, id: &ToolCallId, reply: &Reply) -> bool {
    let mut calls = message.parts.iter_mut().filter_map(Part::as_tool_mut).map(|tool| &mut tool.call);
    let Some(call) = calls.find(|call| call.tool_call_id == *id) else { return false };
    if call.state.is_terminal() || call.state == ToolState::InputStreaming {
        return false;
    }
    let Some(state) = call.state.after(reply.as_move()) else { return false };
    call.state = state;
    note(call, reply);
    true
}

fn note(call: &mut ToolCall, reply: &Reply) {
    match reply {
        Reply::Output(output) => {
            call.output = Some(output.clone());
            call.preliminary = Some(false);
        }
        Reply::Failed(text) => call.error_text = Some(text.clone()),
        Reply::Approved => set_approved(call, Some(true)),
        Reply::Denied => set_approved(call, Some(false)),
    }
}

fn set_approved(call: &mut ToolCall, approved: Option<bool>) {
    let id = ApprovalId::new(call.tool_call_id.as_str());
    let asked =
        call.approval.take().unwrap_or(Approval { id, approved: None, reason: None, descriptor: None });
    call.approval = Some(Approval { approved, ..asked });
}

/// Whether any call of the message still waits for somebody outside.
pub(crate) fn is_waiting(message: &Message) -> bool {
    message.parts.iter().filter_map(Part::as_tool).any(|tool| tool.call.state.is_waiting())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(state: &str) -> Message {
        let call = json!({ "type": "tool-x", "toolCallId": "c1", "state": state, "input": {} });
        serde_json::from_value(json!({ "id": "m", "role": "assistant", "parts": [call] })).unwrap()
    }

    /// From a state, a reply: the state after it, or none if nothing may change.
    fn check(from: &str, reply: &Reply, expected: Option<ToolState>) {
        let (mut changed, before) = (message(from), message(from));
        let is_changed = apply(&mut changed, &"c1".into(), reply);
        let state = changed.parts[0].as_tool().map(|tool| tool.call.state);
        match expected {
            Some(_) => assert_eq!((is_changed, state), (true, expected), "{from} {reply:?}"),
            None => assert_eq!((is_changed, &changed), (false, &before), "{from} {reply:?}"),
        }
    }

    #[test]
    fn the_first_answer_wins_and_only_waiting_calls_take_one() {
        use ToolState::{ApprovalResponded, OutputAvailable, OutputDenied, OutputError};
        let (output, failed) = (Reply::Output(json!(1)), Reply::Failed("no".into()));
        for from in ["input-available", "approval-requested", "approval-responded"] {
            check(from, &output, Some(OutputAvailable));
            check(from, &failed, Some(OutputError));
        }
        for from in ["input-available", "approval-requested"] {
            check(from, &Reply::Approved, Some(ApprovalResponded));
            check(from, &Reply::Denied, Some(OutputDenied));
        }
        check("approval-responded", &Reply::Denied, None);
        for from in ["input-streaming", "output-available", "output-error", "output-denied"] {
            for reply in [&output, &failed, &Reply::Approved, &Reply::Denied] {
                check(from, reply, None);
            }
        }
    }

    // TK-068: the approval keeps its id.
    #[test]
    fn an_approval_keeps_its_id() {
        let mut message = message("approval-requested");
        let call = &mut message.parts[0].as_tool_mut().unwrap().call;
        call.approval = Some(Approval { id: "q7".into(), approved: None, reason: None, descriptor: None });
        assert!(apply(&mut message, &"c1".into(), &Reply::Approved));
        let approval = message.parts[0].as_tool().unwrap().call.approval.clone().unwrap();
        assert_eq!((approval.id.as_str(), approval.approved), ("q7", Some(true)));
    }

    #[test]
    fn an_unknown_call_changes_nothing() {
        assert!(!apply(&mut message("input-available"), &"other".into(), &Reply::Approved));
    }
}
