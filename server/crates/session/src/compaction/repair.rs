//! Calls and results that lost each other, because one of them lies in a range that a summary stands for. Pure.

use crate::compaction::plan::call_id;
use protocol::{Message, Part, Role, ToolPart, ToolState};
use serde_json::Value;
use std::collections::HashSet;

#[cfg(test)]
mod tests;

/// What stands for a result that is gone.
const RESULT_GONE: &str =
    "The result belongs to an earlier part of the conversation, which has been summarised.";

/// The messages with every result below its call and every finished call with a result.
///
/// Results without their call are left out. A finished call without its result gets an error that says so; one that
/// failed, was refused, or that somebody still has to run or to approve is no orphan. Messages that hold nothing go.
pub fn sanitize_tool_pairs(mut messages: Vec<Message>) -> Vec<Message> {
    let (calls, results) = ids(&messages);
    for message in &mut messages {
        let is_call = message.role == Role::Assistant;
        message.parts.retain(|part| is_call || has_call(part, &calls));
        message.parts.iter_mut().filter(|_| is_call).for_each(|part| repair(part, &results));
    }
    messages.retain(|message| !message.parts.is_empty());
    messages
}

/// The calls that are made, and those that have a result.
fn ids(messages: &[Message]) -> (HashSet<String>, HashSet<String>) {
    let (mut calls, mut results) = (HashSet::new(), HashSet::new());
    for message in messages {
        for part in &message.parts {
            let Some(id) = call_id(part) else { continue };
            if message.role == Role::Assistant && !is_bare_result(part) {
                let _is_new = calls.insert(id.to_owned());
            }
            if has_result(part) {
                let _is_new = results.insert(id.to_owned());
            }
        }
    }
    (calls, results)
}

fn has_call(part: &Part, calls: &HashSet<String>) -> bool {
    call_id(part).is_none_or(|id| !has_result(part) || calls.contains(id))
}

/// A part of another system that holds nothing but a result.
fn is_bare_result(part: &Part) -> bool {
    matches!(part, Part::Unknown(value) if value.get("type").and_then(Value::as_str) == Some("tool-result"))
}

fn has_result(part: &Part) -> bool {
    match part {
        Part::Tool(tool) => tool.call.output.is_some() || tool.call.extra.contains_key("result"),
        Part::Unknown(value) => value.get("output").is_some() || value.get("result").is_some(),
        Part::Text(_)
        | Part::Reasoning(_)
        | Part::File(_)
        | Part::SourceUrl(_)
        | Part::SourceDocument(_)
        | Part::StepStart
        | Part::Data(_) => false,
    }
}

/// Gives a finished call without a result one.
fn repair(part: &mut Part, results: &HashSet<String>) {
    let Some(tool) = part.as_tool_mut().filter(|tool| is_orphan(tool, results)) else { return };
    tool.call.state = ToolState::OutputError;
    tool.call.error_text = Some(RESULT_GONE.to_owned());
}

fn is_orphan(tool: &ToolPart, results: &HashSet<String>) -> bool {
    match tool.call.state {
        ToolState::OutputAvailable => !results.contains(tool.call.tool_call_id.as_str()),
        ToolState::InputStreaming
        | ToolState::InputAvailable
        | ToolState::ApprovalRequested
        | ToolState::ApprovalResponded
        | ToolState::OutputError
        | ToolState::OutputDenied => false,
    }
}
