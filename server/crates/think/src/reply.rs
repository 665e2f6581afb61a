//! An answer from outside to one call of a stored message. Pure; the first answer wins.

pub(crate) mod agreed;

use protocol::{
    Answered, Approval, ApprovalId, Message, Part, ToolCall, ToolCallId, ToolMove, ToolResult, ToolState,
    ToolVerdict,
};
use serde_json::Value;

/// What somebody outside says about a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Output(Value),
    Failed(String),
    Approved(Consent),
    /// With the person's reason.
    Denied(Option<String>),
}

/// What a person adds to a yes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Consent {
    /// Arguments that replace the model's.
    pub(crate) input: Option<Value>,
    pub(crate) reason: Option<String>,
    pub(crate) reach: ConsentReach,
}

/// How far a yes goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ConsentReach {
    /// For this call.
    #[default]
    Call,
    /// For this tool, in this session.
    Tool,
}

const DISMISSED: &str = "Nobody answered; the question was dismissed.";
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

    pub(crate) fn of_verdict(verdict: ToolVerdict) -> Self {
        let ToolVerdict { approved, reason, input, always, .. } = verdict;
        let reach = if always { ConsentReach::Tool } else { ConsentReach::Call };
        if approved { Self::Approved(Consent { input, reason, reach }) } else { Self::Denied(reason) }
    }

    fn as_move(&self) -> ToolMove {
        match self {
            Self::Output(_) => ToolMove::Output,
            Self::Failed(_) => ToolMove::Fail,
            Self::Approved(_) => ToolMove::Approve,
            Self::Denied(_) => ToolMove::Deny,
        }
    }
}

/// Applies a reply; false if there is no such call, or it is not waiting for one: nothing was changed then. A yes to a
/// tool is one to all its calls in the message that are asked about.
pub(crate) fn apply(message: &mut Message, id: &ToolCallId, reply: &Reply) -> bool {
    if !apply_to_call(message, id, reply) {
        return false;
    }
    let Reply::Approved(Consent { reach: ConsentReach::Tool, .. }) = reply else { return true };
    let Some(name) = tool_of(message, id).map(str::to_owned) else { return true };
    let others = message.parts.iter_mut().filter_map(Part::as_tool_mut);
    for other in others
        .filter(|other| other.name == name && other.call.state == ToolState::ApprovalRequested)
        .map(|other| &mut other.call)
    {
        other.state = ToolState::ApprovalResponded;
        let _answered = decide(other, Answered::Yes, None);
    }
    true
}

/// The tool that a call of the message is made to.
pub(crate) fn tool_of<'a>(message: &'a Message, id: &ToolCallId) -> Option<&'a str> {
    let mut tools = message.parts.iter().filter_map(Part::as_tool);
    tools.find(|tool| tool.call.tool_call_id == *id).map(|tool| tool.name.as_str())
}

fn apply_to_call(message: &mut Message, id: &ToolCallId, reply: &Reply) -> bool {
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
        Reply::Approved(consent) => {
            let changed = consent.input.clone().filter(|input| call.input.as_ref() != Some(input));
            let original_input = changed.and_then(|input| call.input.replace(input));
            decide(call, Answered::Yes, consent.reason.clone()).original_input = original_input;
        }
        Reply::Denied(reason) => {
            let _answered = decide(call, Answered::No, reason.clone());
        }
    }
}

fn decide(call: &mut ToolCall, answer: Answered, reason: Option<String>) -> &mut Approval {
    let id = ApprovalId::new(call.tool_call_id.as_str());
    let asked = call.approval.take().unwrap_or(Approval {
        id,
        approved: None,
        reason: None,
        descriptor: None,
        original_input: None,
    });
    call.approval.insert(Approval { approved: Some(answer == Answered::Yes), reason, ..asked })
}

/// What a client's copy of a stored message says about calls that wait for somebody outside. Everything else in the
/// copy is the server's to know: a call the server runs gets no output from here, only the answer to its question.
pub(crate) fn advances(stored: &Message, claimed: &Message) -> Vec<(ToolCallId, Reply)> {
    let copies = || claimed.parts.iter().filter_map(Part::as_tool).map(|tool| &tool.call);
    let waiting = stored.parts.iter().filter_map(Part::as_tool).map(|tool| &tool.call);
    let advance = |call: &ToolCall| {
        let copy = copies().find(|copy| copy.tool_call_id == call.tool_call_id)?;
        let reply = match (call.state, copy.state) {
            (ToolState::InputAvailable, ToolState::OutputAvailable) if copy.preliminary != Some(true) => {
                Reply::Output(copy.output.clone()?)
            }
            (ToolState::InputAvailable, ToolState::OutputError) => {
                Reply::Failed(copy.error_text.clone().unwrap_or_else(|| FAILED.to_owned()))
            }
            (ToolState::ApprovalRequested, ToolState::ApprovalResponded)
                if copy.approval.as_ref().is_some_and(|approval| approval.approved == Some(true)) =>
            {
                Reply::Approved(Consent::default())
            }
            (ToolState::ApprovalRequested, ToolState::ApprovalResponded | ToolState::OutputDenied) => {
                Reply::Denied(copy.approval.as_ref().and_then(|approval| approval.reason.clone()))
            }
            _ => return None,
        };
        Some((call.tool_call_id.clone(), reply))
    };
    waiting.filter_map(advance).collect()
}

/// Answers every call of the message that waits for somebody outside, since nobody will; whether there was any.
pub(crate) fn dismiss(message: &mut Message) -> bool {
    let mut is_changed = false;
    for call in message.parts.iter_mut().filter_map(Part::as_tool_mut).map(|tool| &mut tool.call) {
        let reply = match call.state {
            ToolState::ApprovalRequested => Reply::Denied(Some(DISMISSED.to_owned())),
            ToolState::InputAvailable => Reply::Failed(DISMISSED.to_owned()),
            ToolState::InputStreaming
            | ToolState::ApprovalResponded
            | ToolState::OutputAvailable
            | ToolState::OutputError
            | ToolState::OutputDenied => continue,
        };
        if let Some(state) = call.state.after(reply.as_move()) {
            call.state = state;
            note(call, &reply);
            is_changed = true;
        }
    }
    is_changed
}

/// Whether any call of the message still waits for somebody outside.
pub(crate) fn is_waiting(message: &Message) -> bool {
    message.parts.iter().filter_map(Part::as_tool).any(|tool| tool.call.state.is_waiting())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn yes() -> Reply {
        Reply::Approved(Consent::default())
    }

    fn no() -> Reply {
        Reply::Denied(None)
    }

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
            check(from, &yes(), Some(ApprovalResponded));
            check(from, &no(), Some(OutputDenied));
        }
        check("approval-responded", &no(), None);
        for from in ["input-streaming", "output-available", "output-error", "output-denied"] {
            for reply in [&output, &failed, &yes(), &no()] {
                check(from, reply, None);
            }
        }
    }

    // TK-068: the approval keeps its id.
    #[test]
    fn an_approval_keeps_its_id() {
        let mut message = message("approval-requested");
        let call = &mut message.parts[0].as_tool_mut().unwrap().call;
        let (id, approved, reason, descriptor, original_input) = ("q7".into(), None, None, None, None);
        call.approval = Some(Approval { id, approved, reason, descriptor, original_input });
        assert!(apply(&mut message, &"c1".into(), &yes()));
        let approval = message.parts[0].as_tool().unwrap().call.approval.clone().unwrap();
        assert_eq!((approval.id.as_str(), approval.approved), ("q7", Some(true)));
    }

    #[test]
    fn a_person_may_change_the_arguments_and_say_why() {
        let (mut message, input) = (message("approval-requested"), json!({ "target": "y" }));
        let verdict = json!({ "toolCallId": "c1", "approved": true, "input": input, "reason": "not x" });
        let reply = Reply::of_verdict(serde_json::from_value(verdict).unwrap());
        assert!(apply(&mut message, &"c1".into(), &reply));
        let call = serde_json::to_value(&message.parts[0].as_tool().unwrap().call).unwrap();
        let approval = json!({ "id": "c1", "approved": true, "reason": "not x", "originalInput": {} });
        assert_eq!((&call["input"], &call["approval"]), (&input, &approval));
    }

    #[test]
    fn a_yes_to_a_tool_is_one_to_its_other_calls_that_are_asked_about() {
        let part = |id: &str, tool: &str, state: &str| json!({ "type": format!("tool-{tool}"), "toolCallId": id, "state": state, "input": {} });
        let parts = [
            part("c1", "x", "approval-requested"),
            part("c2", "y", "approval-requested"),
            part("c3", "x", "output-denied"),
            part("c4", "x", "approval-requested"),
        ];
        let mut message: Message =
            serde_json::from_value(json!({ "id": "m", "role": "assistant", "parts": parts })).unwrap();
        let consent = Consent { reach: ConsentReach::Tool, ..Consent::default() };
        assert!(apply(&mut message, &"c1".into(), &Reply::Approved(consent)));
        let approved = message.parts.iter().filter_map(Part::as_tool).filter(|tool| {
            tool.call.state == ToolState::ApprovalResponded
                && tool.call.approval.as_ref().is_some_and(|approval| approval.approved == Some(true))
        });
        let approved: Vec<&str> = approved.map(|tool| tool.call.tool_call_id.as_str()).collect();
        assert_eq!(approved, ["c1", "c4"]);
    }

    // TK-079
    #[test]
    fn a_clients_copy_only_moves_calls_that_wait_for_somebody_outside() {
        use Reply::{Failed, Output};
        let copy = |state: &str, more: serde_json::Value| {
            let mut copy = serde_json::to_value(message(state)).unwrap();
            copy["parts"][0].as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
            serde_json::from_value::<Message>(copy).unwrap()
        };
        let (seven, none) = (json!({ "output": 7 }), json!({}));
        let approval = |approved| json!({ "approval": { "id": "q", "approved": approved } });
        let rows = [
            ("input-available", "output-available", seven.clone(), Some(Output(json!(7)))),
            ("input-available", "output-error", json!({ "errorText": "no" }), Some(Failed("no".into()))),
            ("input-available", "output-available", json!({ "output": 7, "preliminary": true }), None),
            ("approval-requested", "approval-responded", approval(true), Some(yes())),
            ("approval-requested", "approval-responded", approval(false), Some(no())),
            ("approval-requested", "approval-responded", none.clone(), Some(no())),
            ("approval-requested", "output-denied", none.clone(), Some(no())),
            ("approval-requested", "output-available", seven.clone(), None),
            ("approval-responded", "output-available", seven.clone(), None),
            ("output-available", "input-available", none.clone(), None),
            ("output-denied", "approval-requested", none, None),
            ("output-error", "output-available", seven, None),
        ];
        for (stored, claimed, more, expected) in rows {
            let expected: Vec<_> = expected.into_iter().map(|reply| ("c1".into(), reply)).collect();
            assert_eq!(advances(&message(stored), &copy(claimed, more)), expected, "{stored} {claimed}");
        }
    }

    // J11
    #[test]
    fn what_waits_is_put_away_and_the_rest_stays() {
        use ToolState::{OutputDenied, OutputError};
        let rows = [("approval-requested", Some(OutputDenied)), ("input-available", Some(OutputError))];
        let settled = ["input-streaming", "approval-responded", "output-available", "output-error"];
        for (from, expected) in rows.into_iter().chain(settled.map(|state| (state, None))) {
            let (mut changed, before) = (message(from), message(from));
            let is_changed = dismiss(&mut changed);
            let state = changed.parts[0].as_tool().unwrap().call.state;
            assert_eq!((is_changed, is_changed.then_some(state)), (expected.is_some(), expected), "{from}");
            assert!(is_changed || changed == before, "{from}");
        }
    }

    #[test]
    fn an_unknown_call_changes_nothing() {
        assert!(!apply(&mut message("input-available"), &"other".into(), &yes()));
    }
}
