//! A call of another agent, which works in a session of its own, as its tool call tells it. Pure.

use crate::format;
use protocol::{SessionId, SessionInfo, ToolPart, ToolState};
use serde_json::Value;

/// Steps of a running agent that are shown, the latest ones.
const STEPS_MAX: usize = 4;

/// How the error of an agent that did not finish begins.
const FAILED: &str = "The agent ";

/// How a step that is a call of a tool begins.
const CALL: &str = "→ ";

/// Whether a call is one of another agent, as far as can be told at a glance.
pub fn is_agent(tool: &ToolPart) -> bool {
    let is_told = tool.call.output.as_ref().is_some_and(|output| output.get("sessionId").is_some());
    is_told || tool.call.error_text.as_ref().is_some_and(|error| error.starts_with(FAILED))
}

/// What an agent was asked and what came of it so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubAgent {
    /// Its name.
    pub name: String,
    /// Where it works.
    pub session: SessionId,
    /// What it was asked.
    pub task: String,
    /// How far it is.
    pub state: Work,
}

/// How far an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// It works; the latest of what it said and called.
    Running(Vec<Step>),
    /// It is done, with this answer.
    Done(String),
    /// It did not finish, for this reason.
    Failed(String),
}

/// One thing that a running agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It called a tool.
    Call(String),
    /// It said something.
    Line(String),
}

impl SubAgent {
    /// The agent behind a call; none where it is an ordinary tool, or nothing is known yet.
    pub fn of(tool: &ToolPart) -> Option<Self> {
        let task = tool.call.input.as_ref().map(|input| text(input, "task")).unwrap_or_default();
        if tool.call.state == ToolState::OutputError {
            let error = tool.call.error_text.as_deref()?;
            // The error is all that is left of such a call, so the session is read out of its words.
            let told = error.strip_prefix(FAILED)?.strip_prefix(tool.name.as_str())?;
            let (_, told) = told.split_once("(session ")?;
            let (session, why) = told.split_once("): ")?;
            let state = Work::Failed(why.to_owned());
            return Some(Self { name: tool.name.clone(), session: session.into(), task, state });
        }
        let output = tool.call.output.as_ref()?;
        let (name, session) = (text(output, "agent"), text(output, "sessionId"));
        if name.is_empty() || session.is_empty() {
            return None;
        }
        let said = text(output, "text");
        let state = if tool.call.is_preliminary() { Work::Running(steps(&said)) } else { Work::Done(said) };
        Some(Self { name, session: session.as_str().into(), task, state })
    }
}

/// What the session of an agent has used, as far as providers told.
pub fn usage(session: &SessionInfo) -> String {
    let messages = format::counted(session.message_count, "message");
    if session.input_tokens + session.output_tokens == 0 {
        return messages;
    }
    let (read, wrote) = (format::count(session.input_tokens), format::tokens(session.output_tokens));
    let cost = match session.estimated_cost {
        cost if cost > 0.0 => format!(" · about ${cost:.4}"),
        _ => String::new(),
    };
    format!("{messages} · read {read}, wrote {wrote}{cost}")
}

fn steps(said: &str) -> Vec<Step> {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(STEPS_MAX);
    let step = |line: &&str| match line.strip_prefix(CALL) {
        Some(tool) => Step::Call(tool.to_owned()),
        None => Step::Line((*line).to_owned()),
    };
    lines.iter().skip(first).map(step).collect()
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Part;
    use serde_json::json;

    #[track_caller]
    fn check(fields: Value, expected: Option<Work>) {
        let mut part = json!({
            "type": "tool-research", "toolCallId": "c", "state": "output-available", "input": { "task": "Look." },
        });
        let all = fields.as_object().expect("fields").clone();
        part.as_object_mut().expect("a part").extend(all);
        let part: Part = serde_json::from_value(part).expect("a part");
        let agent = part.as_tool().and_then(SubAgent::of);
        let expected = expected.map(|state| SubAgent {
            name: "research".to_owned(),
            session: "s1".into(),
            task: "Look.".to_owned(),
            state,
        });
        assert_eq!(agent, expected, "{fields}");
    }

    fn told(status: &str, text: &str) -> Value {
        json!({ "agent": "research", "sessionId": "s1", "status": status, "text": text })
    }

    #[test]
    fn a_call_of_an_agent_is_known_by_what_it_tells() {
        let line = |text: &str| Step::Line(text.to_owned());
        let running = |text: &str| json!({ "output": told("running", text), "preliminary": true });
        check(running(""), Some(Work::Running(vec![])));
        let steps = vec![line("b"), line("c"), Step::Call("search".to_owned()), line("d")];
        check(running("a\n\nb\nc\n→ search\nd"), Some(Work::Running(steps)));
        check(json!({ "output": told("completed", "2469 m") }), Some(Work::Done("2469 m".to_owned())));
        let error = "The agent research did not finish (session s1): no (such) model: x";
        let failed = json!({ "state": "output-error", "errorText": error });
        check(failed, Some(Work::Failed("no (such) model: x".to_owned())));
        check(json!({ "state": "output-error", "errorText": "task is missing" }), None);
        check(json!({ "output": { "agent": "research" } }), None);
        check(json!({ "output": "text" }), None);
        check(json!({ "state": "input-available" }), None);
    }

    #[test]
    fn what_no_provider_told_is_not_nothing() {
        let quiet = crate::sessions::state::tests::session("s1", 1);
        assert_eq!(usage(&quiet), "2 messages");
        let told = SessionInfo {
            input_tokens: 1200,
            output_tokens: 34,
            estimated_cost: 0.01,
            message_count: 1,
            ..quiet
        };
        assert_eq!(usage(&told), "1 message · read 1200, wrote 34 tokens · about $0.0100");
    }
}
