//! What an interrupted turn had said, folded from its log, with its calls brought to an end. Pure.
//!
//! A result is never asked for twice: a call of a tool of the server that has none counts as failed, since nobody knows
//! how far it had come. Calls that wait for a browser or a person go on waiting.

use super::tries::Progress;
use protocol::{
    Accumulator, Chunk, Message, Part, TURN_KEY, ToolCallId, ToolPart, ToolSpec, ToolState, TurnInfo,
};

const LOST: &str = "The server stopped before there was a result. The call may have taken effect.";

/// A turn's message before and while it is rebuilt.
pub(super) struct Fold {
    message: Accumulator,
    /// What it had achieved before this run.
    before: usize,
}

/// What is found of a turn.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    /// What was shown of it; none if a reader would have seen nothing.
    pub(super) message: Option<Message>,
    pub(super) progress: Progress,
    /// Whether the results of tools were the last that happened, so that it is the model's turn to speak.
    pub(super) may_go_on: bool,
}

impl Fold {
    /// Of a row that is only reserved.
    pub(super) fn of_answer(row: &Message) -> Self {
        Self { message: Accumulator::new(Some(row.id.clone())), before: 0 }
    }

    /// Of a stored message that the turn went on with.
    pub(super) fn of_continuation(row: &Message) -> Self {
        Self { message: Accumulator::continuing(row), before: achieved(&row.parts) }
    }

    /// Plays the log and ends what is open; `offered` are the browser's tools.
    pub(super) fn close(self, chunks: &[(u64, String)], offered: &[ToolSpec]) -> Found {
        let Self { message: mut fold, before } = self;
        fold.replay(chunks.iter().map(|(_, body)| body.as_str()));
        fold.close_blocks();
        let progress = if achieved(&fold.parts) > before { Progress::Made } else { Progress::None };
        for tool_call_id in lost(&fold.parts, offered) {
            let _failed = fold.apply(&Chunk::ToolOutputError { tool_call_id, error_text: LOST.to_owned() });
        }
        let may_go_on = is_models_turn(&fold.parts);
        Found { message: fold.message().filter(|_| fold.has_content()), progress, may_go_on }
    }
}

/// Whether the log holds the end of its turn, and the message too: what was said is in it already.
#[expect(clippy::wildcard_enum_match_arm, reason = "of all chunks only these tell of an end")]
pub(super) fn ends_as(row: &Message, chunks: &[(u64, String)]) -> bool {
    let end = chunks.last().and_then(|(_, body)| match Chunk::from_body(body)? {
        Chunk::Finish { message_metadata, .. } => message_metadata,
        Chunk::MessageMetadata { message_metadata } => Some(message_metadata),
        _ => None,
    });
    let told = end.and_then(|metadata| serde_json::from_value(metadata.get(TURN_KEY)?.clone()).ok());
    let finished_at = told.and_then(|turn: TurnInfo| turn.finished_at);
    finished_at.is_some() && row.turn().and_then(|turn| turn.finished_at) == finished_at
}

fn tools(parts: &[Part]) -> impl Iterator<Item = &ToolPart> {
    parts.iter().filter_map(Part::as_tool)
}

/// Calls that nobody will answer any more.
fn lost(parts: &[Part], offered: &[ToolSpec]) -> Vec<ToolCallId> {
    let is_lost = |tool: &&ToolPart| match tool.call.state {
        ToolState::InputStreaming | ToolState::ApprovalResponded => true,
        ToolState::InputAvailable => !offered.iter().any(|spec| spec.name == tool.name),
        // A result that is not the last one is the sign of a tool that was at work.
        ToolState::OutputAvailable => tool.call.preliminary == Some(true),
        ToolState::ApprovalRequested | ToolState::OutputError | ToolState::OutputDenied => false,
    };
    tools(parts).filter(is_lost).map(|tool| tool.call.tool_call_id.clone()).collect()
}

/// How much there is that a run has to show for itself.
fn achieved(parts: &[Part]) -> usize {
    let counts = |part: &&Part| match part.as_tool() {
        Some(tool) => tool.call.state == ToolState::OutputAvailable && tool.call.preliminary != Some(true),
        None => !matches!(part, Part::StepStart),
    };
    parts.iter().filter(counts).count()
}

fn is_models_turn(parts: &[Part]) -> bool {
    let is_waiting = tools(parts).any(|tool| tool.call.state.is_waiting());
    let last = parts.iter().rfind(|part| !matches!(part, Part::StepStart)).and_then(Part::as_tool);
    !is_waiting && last.is_some_and(|tool| tool.call.state.is_terminal())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The parts of a message, each in a word: `text`, `step`, or a tool's name and state.
    fn parts(words: &[&str]) -> Vec<Part> {
        let part = |(at, word): (usize, &&str)| {
            let part = match word.split_once(' ') {
                Some((tool, state)) => {
                    let kind = format!("tool-{tool}");
                    json!({ "type": kind, "toolCallId": at.to_string(), "state": state, "input": {} })
                }
                None if *word == "step" => json!({ "type": "step-start" }),
                None => json!({ "type": "text", "text": word }),
            };
            serde_json::from_value(part).unwrap()
        };
        words.iter().enumerate().map(part).collect()
    }

    fn row(words: &[&str]) -> Message {
        let (id, role, extra) = ("m".into(), protocol::Role::Assistant, protocol::Extra::new());
        Message { id, role, parts: parts(words), metadata: None, extra }
    }

    fn browser() -> Vec<ToolSpec> {
        serde_json::from_value(json!([{ "name": "here", "description": "", "parameters": {} }])).unwrap()
    }

    #[test]
    fn results_are_kept_and_what_lacks_one_is_never_run_again() {
        let rows: [(&[&str], &str, bool); 9] = [
            (&["step", "add output-available"], "output-available", true),
            (&["step", "add input-available"], "output-error", true),
            (&["step", "add input-streaming"], "output-error", true),
            (&["step", "danger approval-responded"], "output-error", true),
            (&["step", "add output-available", "step"], "output-available", true),
            (&["step", "add output-available", "step", "So"], "output-available", false),
            (&["step", "here input-available"], "input-available", false),
            (&["step", "danger approval-requested"], "approval-requested", false),
            (&["step", "add input-available", "here input-available"], "output-error input-available", false),
        ];
        for (before, states, may_go_on) in rows {
            let found = Fold::of_continuation(&row(before)).close(&[], &browser());
            let message = found.message.unwrap();
            let after: Vec<String> = tools(&message.parts)
                .map(|tool| serde_json::to_value(tool.call.state).unwrap().as_str().unwrap().to_owned())
                .collect();
            assert_eq!((after.join(" ").as_str(), found.may_go_on), (states, may_go_on), "{before:?}");
        }
    }

    #[test]
    fn failed_calls_first_glimpses_and_steps_are_no_progress() {
        let before: &[&str] = &["step", "add output-available"];
        let chunk = |chunk: &Chunk| (0, chunk.to_body());
        let close = |chunks: &[Chunk]| {
            let chunks: Vec<_> = chunks.iter().map(chunk).collect();
            Fold::of_continuation(&row(before)).close(&chunks, &[]).progress
        };
        let call = |id: &str| Chunk::ToolInputAvailable {
            tool_call_id: id.into(),
            tool_name: "add".into(),
            input: json!({}),
            provider_executed: None,
            provider_metadata: None,
            dynamic: None,
            title: None,
        };
        let output = |preliminary| Chunk::ToolOutputAvailable {
            tool_call_id: "c".into(),
            output: json!(1),
            preliminary,
            provider_executed: None,
        };
        assert_eq!(close(&[]), Progress::None);
        assert_eq!(close(&[Chunk::StartStep, call("c")]), Progress::None);
        assert_eq!(close(&[Chunk::StartStep, call("c"), output(Some(true))]), Progress::None);
        assert_eq!(close(&[Chunk::StartStep, call("c"), output(None)]), Progress::Made);
    }

    #[test]
    fn nothing_shown_is_no_message() {
        let found = Fold::of_answer(&row(&[])).close(&[(0, Chunk::StartStep.to_body())], &[]);
        assert_eq!(found, Found { message: None, progress: Progress::None, may_go_on: false });
    }
}
