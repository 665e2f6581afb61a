//! Every race and ending of a turn, as a list of inputs and the list of effects they must give.

use super::*;
use crate::turn::{Ending, Place, PlannedTool};
use model::{ErrorClass, ModelError, ModelEvent};
use proptest::prelude::*;
use protocol::{Part, ToolSpec, TurnStatus};
use serde_json::{Value, json};

fn machine() -> Machine {
    Machine::new(plan(Answer::New("m1".into())))
}

fn plan(answer: Answer) -> Plan {
    let tool = |name: &str, place| {
        let spec = ToolSpec { name: name.into(), description: None, parameters: None };
        PlannedTool { spec, place }
    };
    let tools = vec![
        tool("add", Place::Server),
        tool("danger", Place::ServerAfterApproval),
        tool("where", Place::Client),
    ];
    Plan { answer, model: "test/model".into(), max_steps: 3, tools }
}

fn text(delta: &str) -> Input {
    Input::Model(ModelEvent::TextDelta { id: "0".into(), delta: delta.into() })
}

fn call(id: &str, name: &str, input: &str) -> Vec<Input> {
    let (id, name) = (ToolCallId::from(id), name.to_owned());
    vec![
        Input::Model(ModelEvent::ToolInputStart { id: id.clone(), name: name.clone() }),
        Input::Model(ModelEvent::ToolInputEnd { id, name, input: input.into() }),
    ]
}

fn finish(reason: FinishReason) -> Vec<Input> {
    vec![Input::Model(ModelEvent::Finish { reason }), Input::ModelEnded]
}

fn prepared() -> Input {
    Input::Prepared(Box::default())
}

fn tool(id: &str, outcome: Result<Value, &str>) -> Input {
    Input::ToolFinished { id: id.into(), outcome: outcome.map_err(str::to_owned) }
}

fn failure(class: ErrorClass, text: &str) -> Input {
    Input::ModelFailed(ModelError::new(class, text))
}

/// An effect in a few words.
fn word(effect: &Effect) -> String {
    match effect {
        Effect::Prepare { so_far: None } => "prepare".into(),
        Effect::Prepare { so_far: Some(message) } => format!("prepare after {} parts", message.parts.len()),
        Effect::PrepareShorter { so_far } => {
            format!("prepare shorter after {} parts", so_far.as_ref().map_or(0, |it| it.parts.len()))
        }
        Effect::CallModel(_) => "call".into(),
        Effect::RunTool(run) => format!("run {} {} {}", run.id, run.name, run.input),
        Effect::StopWork => "stop work".into(),
        Effect::NoteFruitless(spent) => format!("note {spent} ms"),
        Effect::Leave => "leave".into(),
        Effect::Emit(chunk) => chunk_word(chunk),
        Effect::EmitError(text) => format!("error {text:?}"),
        Effect::StepFinished(step) => format!("step {} is over", step.step),
        Effect::Finish(ending) => ending_word(ending),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "chunks that no story here holds")]
fn chunk_word(chunk: &Chunk) -> String {
    match chunk {
        Chunk::Start { .. } => "start".into(),
        Chunk::StartStep => "step".into(),
        Chunk::FinishStep => "/step".into(),
        Chunk::TextStart { .. } => "text".into(),
        Chunk::TextDelta { delta, .. } => format!("+{delta}"),
        Chunk::TextEnd { .. } => "/text".into(),
        Chunk::ToolInputStart { tool_call_id, .. } => format!("{tool_call_id}…"),
        Chunk::ToolInputAvailable { tool_call_id, .. } => format!("{tool_call_id}!"),
        Chunk::ToolApprovalRequest { tool_call_id, .. } => format!("{tool_call_id}?"),
        Chunk::ToolInputError { tool_call_id, .. } => format!("{tool_call_id} unusable"),
        Chunk::ToolOutputAvailable { tool_call_id, output, preliminary: Some(true), .. } => {
            format!("{tool_call_id}~{output}")
        }
        Chunk::ToolOutputAvailable { tool_call_id, output, .. } => format!("{tool_call_id}={output}"),
        Chunk::ToolOutputError { tool_call_id, .. } => format!("{tool_call_id} failed"),
        Chunk::Finish { finish_reason, .. } => format!("finish {}", finish_reason.as_deref().unwrap_or("-")),
        Chunk::MessageMetadata { .. } => "note".into(),
        other => format!("{other:?}"),
    }
}

fn ending_word(ending: &Ending) -> String {
    let parts =
        ending.message.as_ref().map_or("nothing".into(), |message| format!("{} parts", message.parts.len()));
    format!("end {:?} with {parts}", ending.status)
}

/// What is done; what is only told to whoever looks on is checked by itself.
fn run(machine: &mut Machine, inputs: Vec<Input>) -> Vec<Effect> {
    let effects = inputs.into_iter().flat_map(|input| machine.handle(input, 7));
    effects.filter(|effect| !matches!(effect, Effect::StepFinished(_))).collect()
}

/// After `begin`, `prepared`: the inputs must give these effects.
fn check(inputs: Vec<Input>, expected: &str) {
    let mut machine = machine();
    let opening = run(&mut machine, vec![Input::Begin, prepared()]);
    assert_eq!(opening.iter().map(word).collect::<Vec<_>>(), ["start", "prepare", "step", "call"]);
    let story: Vec<String> = run(&mut machine, inputs).iter().map(word).collect();
    let expected: Vec<&str> = expected.split(" | ").collect();
    assert_eq!(story, expected);
}

fn all(lists: Vec<Vec<Input>>) -> Vec<Input> {
    lists.into_iter().flatten().collect()
}

// Whether anything was shown decides between a second call and an honest end.
#[test]
fn a_model_that_falls_silent() {
    let stalled = || Input::ModelStalled;
    check(vec![stalled()], "stop work | prepare");
    check(vec![stalled(), prepared(), text("a")], "stop work | prepare | call | text | +a");
    check(
        vec![stalled(), prepared(), stalled()],
        "stop work | prepare | call | stop work | note | error \"The model said nothing for too long \
         (stall_timeout_ms).\" | end Failed with nothing",
    );
    check(
        vec![text("a"), stalled()],
        "text | +a | stop work | /text | /step | finish other | end CutOff with 2 parts",
    );
    let writing = Input::Model(ModelEvent::ToolInputStart { id: "c".into(), name: "add".into() });
    check(
        vec![writing, stalled()],
        "c… | stop work | c failed | /step | finish other | end CutOff with 2 parts",
    );
}

#[test]
fn a_plain_answer_completes() {
    check(
        all(vec![vec![text("Good "), text("morning")], finish(FinishReason::Stop)]),
        "text | +Good  | +morning | /text | /step | finish stop | end Complete with 2 parts",
    );
}

#[test]
fn a_tool_runs_and_the_model_goes_on() {
    check(
        all(vec![
            call("c1", "add", r#"{"a":1}"#),
            finish(FinishReason::ToolCalls),
            vec![tool("c1", Ok(json!(3))), prepared(), text("three")],
            finish(FinishReason::Stop),
        ]),
        r#"c1… | c1! | run c1 add {"a":1} | c1=3 | /step | prepare after 2 parts | step | call | text | +three | /text | /step | finish stop | end Complete with 4 parts"#,
    );
}

// D10: a prompt that was too long is tried once more, and only while nothing has been said.
#[test]
fn a_prompt_that_is_too_long_is_tried_once_more() {
    let too_long = || failure(ErrorClass::ContextOverflow, "9 > 8");
    let end = "stop work | note | error \"The conversation is too long for this model, even after it was made shorter. \
               Go on in a new session, or choose a model with a larger window. The provider said: 9 > 8\"";
    check(
        vec![too_long(), prepared(), too_long()],
        &format!("prepare shorter after 0 parts | call | {end} | end Failed with nothing"),
    );
    check(
        vec![text("half"), too_long()],
        "text | +half | stop work | /text | note | error \"9 > 8\" | end Failed with 2 parts",
    );
    check(
        vec![too_long(), Input::PrepareFailed("no way".into())],
        "prepare shorter after 0 parts | stop work | note | end Failed with nothing",
    );
}

// TK-012: the cap ends the turn even if the model wants more, and the same id in each step stays three calls.
#[test]
fn the_step_limit_ends_the_turn() {
    let step = || all(vec![call("c", "add", "{}"), finish(FinishReason::ToolCalls)]);
    check(
        all(vec![
            step(),
            vec![tool("c", Ok(json!(1))), prepared()],
            step(),
            vec![tool("c-2", Ok(json!(2))), prepared()],
            step(),
            vec![tool("c-3", Err("broken"))],
        ]),
        "c… | c! | run c add {} | c=1 | /step | prepare after 2 parts | step | call | \
         c-2… | c-2! | run c-2 add {} | c-2=2 | /step | prepare after 4 parts | step | call | \
         c-3… | c-3! | run c-3 add {} | c-3 failed | /step | finish tool-calls | end StepLimit with 6 parts",
    );
}

#[test]
fn calls_that_cannot_run_are_answered_and_the_model_gets_another_step() {
    check(
        all(vec![
            call("c1", "nosuch", "{}"),
            call("c2", "add", "{\"a\":"),
            call("c3", "add", "[1]"),
            finish(FinishReason::ToolCalls),
        ]),
        "c1… | c1! | c1 failed | c2… | c2 unusable | c3… | c3 unusable | /step | prepare after 4 parts",
    );
}

#[test]
fn a_call_that_somebody_else_must_answer_ends_the_turn() {
    check(
        all(vec![
            call("c1", "where", "{}"),
            call("c2", "add", "{}"),
            finish(FinishReason::ToolCalls),
            vec![tool("c2", Ok(json!(1)))],
        ]),
        "c1… | c1! | c2… | c2! | run c2 add {} | c2=1 | /step | finish stop | end Complete with 3 parts",
    );
    check(
        all(vec![call("c1", "danger", "{}"), finish(FinishReason::ToolCalls)]),
        "c1… | c1! | c1? | /step | finish stop | end Complete with 2 parts",
    );
    check(
        all(vec![call("c1", "danger", "{}"), vec![Input::Cancel]]),
        "c1… | c1! | c1? | stop work | c1 failed | note | end Stopped with 2 parts",
    );
}

#[test]
fn a_continuation_runs_what_was_approved_and_goes_on_with_the_message() {
    let part = |id: &str, state: &str| {
        json!({ "type": "tool-danger", "toolCallId": id, "state": state, "input": { "target": id },
                "approval": { "id": "q", "approved": state == "approval-responded" } })
    };
    let message = json!({ "id": "m0", "role": "assistant",
        "parts": [part("c1", "approval-responded"), part("c2", "output-denied")] });
    let mut machine = Machine::new(plan(Answer::More(serde_json::from_value(message).unwrap())));
    let mut inputs = vec![Input::Begin, tool("c1", Ok(json!(9))), prepared(), text("ok")];
    inputs.extend(finish(FinishReason::Stop));
    let story: Vec<String> = run(&mut machine, inputs).iter().map(word).collect();
    let expected = r#"start | c1! | run c1 danger {"target":"c1"} | c1=9 | /step | prepare after 2 parts | step | call | text | +ok | /text | /step | finish stop | end Complete with 4 parts"#;
    assert_eq!(story, expected.split(" | ").collect::<Vec<_>>());
    assert_eq!(machine.message().unwrap().id.as_str(), "m0");
}

#[test]
fn tools_run_in_parallel_up_to_the_limit() {
    let many = protocol::limits::PARALLEL_TOOLS_MAX + 2;
    let calls = (0..many).flat_map(|n| call(&format!("c{n}"), "add", "{}")).collect();
    let mut machine = machine();
    let mut effects =
        run(&mut machine, all(vec![vec![Input::Begin, prepared()], calls, finish(FinishReason::ToolCalls)]));
    let started =
        |effects: &[Effect]| effects.iter().filter(|effect| matches!(effect, Effect::RunTool(_))).count();
    assert_eq!(started(&effects), protocol::limits::PARALLEL_TOOLS_MAX);
    effects.extend(run(&mut machine, vec![tool("c0", Ok(json!(0)))]));
    assert_eq!(started(&effects), protocol::limits::PARALLEL_TOOLS_MAX + 1);
}

#[test]
fn endings_are_honest() {
    check(
        vec![text("par"), Input::ModelEnded],
        "text | +par | /text | /step | finish other | end CutOff with 2 parts",
    );
    check(
        all(vec![vec![text("par")], finish(FinishReason::Length)]),
        "text | +par | /text | /step | finish length | end CutOff with 2 parts",
    );
    check(
        all(vec![vec![text("par")], finish(FinishReason::ContentFilter)]),
        "text | +par | /text | /step | finish content-filter | end Refused with 2 parts",
    );
    check(
        vec![Input::ModelEnded],
        r#"stop work | note | error "The provider closed the connection before an answer began." | end Failed with nothing"#,
    );
    check(
        finish(FinishReason::Stop),
        r#"stop work | note | error "The model answered with nothing." | end Failed with nothing"#,
    );
    // TK-016
    check(
        vec![text("par"), failure(ErrorClass::Unavailable, "quota hit")],
        r#"text | +par | stop work | /text | note | error "quota hit" | end Failed with 2 parts"#,
    );
    check(
        vec![failure(ErrorClass::Refused, "no")],
        r#"stop work | note | error "no" | end Refused with nothing"#,
    );
}

#[test]
fn a_running_call_shows_what_it_has_until_its_result_is_there() {
    let report = |output| Input::ToolReported { id: "c1".into(), output };
    check(
        all(vec![
            call("c1", "add", "{}"),
            vec![report(json!("too early"))],
            finish(FinishReason::ToolCalls),
            vec![report(json!(1)), report(json!(2)), tool("c1", Ok(json!(3))), report(json!("stale"))],
        ]),
        "c1… | c1! | run c1 add {} | c1~1 | c1~2 | c1=3 | /step | prepare after 2 parts",
    );
    check(
        all(vec![
            call("c1", "add", "{}"),
            finish(FinishReason::ToolCalls),
            vec![report(json!(1)), Input::Cancel],
        ]),
        "c1… | c1! | run c1 add {} | c1~1 | stop work | c1 failed | note | end Stopped with 2 parts",
    );
}

#[test]
fn arguments_that_do_not_fit_are_answered_before_anybody_runs_or_is_asked() {
    for name in ["add", "danger", "where"] {
        let mut plan = plan(Answer::New("m1".into()));
        let parameters = json!({ "type": "object", "required": ["a"] });
        for tool in &mut plan.tools {
            tool.spec.parameters = Some(parameters.clone());
        }
        let mut machine = Machine::new(plan);
        let inputs = all(vec![
            vec![Input::Begin, prepared()],
            call("c1", name, r#"{"b":1}"#),
            finish(FinishReason::ToolCalls),
        ]);
        let effects = run(&mut machine, inputs);
        let story: Vec<String> = effects.iter().skip(4).map(word).collect();
        assert_eq!(story, ["c1…", "c1 unusable", "/step", "prepare after 2 parts"], "{name}");
        let told = format!("{effects:?}");
        assert!(
            told.contains(&format!("The arguments do not fit the tool \\\"{name}\\\": a is missing.")),
            "{told}"
        );
    }
}

#[test]
fn cancel_is_an_input_at_any_moment() {
    check(vec![Input::Cancel], "stop work | note | end Stopped with nothing");
    check(
        vec![text("a"), Input::Cancel, text("b")],
        "text | +a | stop work | /text | note | end Stopped with 2 parts",
    );
    check(
        all(vec![
            call("c1", "add", "{}"),
            finish(FinishReason::ToolCalls),
            vec![Input::Cancel, tool("c1", Ok(json!(1)))],
        ]),
        "c1… | c1! | run c1 add {} | stop work | c1 failed | note | end Stopped with 2 parts",
    );
    let mut idle = machine();
    assert_eq!(run(&mut idle, vec![Input::Cancel]).last().map(word).unwrap(), "end Stopped with nothing");
}

// What the next start would take up is left to it; whatever had begun to speak ends as interrupted.
#[test]
fn a_stop_of_the_server_leaves_what_can_be_taken_up() {
    use crate::agent::Recovery::{Mark, RunAgain};
    let said = "text | +a | stop work | /text | note | end Interrupted with 2 parts";
    check(vec![text("a"), Input::ShutDown(RunAgain)], said);
    check(vec![text("a"), Input::ShutDown(Mark)], said);
    check(vec![Input::ShutDown(RunAgain), text("late")], "stop work | leave");
    check(vec![Input::ShutDown(Mark)], "stop work | note | end Interrupted with nothing");
    let called = |tool: &str| all(vec![call("c1", tool, "{}"), finish(FinishReason::ToolCalls)]);
    let stopped = || vec![Input::ShutDown(RunAgain)];
    check(all(vec![called("add"), stopped()]), "c1… | c1! | run c1 add {} | stop work | leave");
    check(
        all(vec![called("add"), vec![tool("c1", Ok(json!(3)))], stopped()]),
        "c1… | c1! | run c1 add {} | c1=3 | /step | prepare after 2 parts | stop work | leave",
    );
    let asked = all(vec![call("c1", "danger", "{}"), stopped()]);
    check(asked, "c1… | c1! | c1? | stop work | c1 failed | note | end Interrupted with 2 parts");
}

#[test]
fn a_prompt_that_cannot_be_made_fails_outside_the_stream() {
    let mut machine = machine();
    let effects = run(&mut machine, vec![Input::Begin, Input::PrepareFailed("empty".into())]);
    let Some(Effect::Finish(ending)) = effects.last() else { panic!("no end: {effects:?}") };
    assert_eq!(
        (ending.status, ending.error.as_deref(), ending.is_error_shown),
        (TurnStatus::Failed, Some("empty"), false)
    );
}

#[test]
fn what_cannot_be_stored_ends_the_turn() {
    check(
        vec![text("a"), Input::StoreFailed("disk full".into())],
        "text | +a | stop work | /text | note | end Failed with 2 parts",
    );
}

#[test]
fn usage_is_summed_over_steps_and_unknown_is_not_zero() {
    use protocol::Usage;
    let usage = |input, output| {
        Input::Model(ModelEvent::Usage(Usage {
            input_tokens: input,
            output_tokens: output,
            ..Usage::default()
        }))
    };
    let ending = |inputs| {
        let mut machine = machine();
        let effects = run(&mut machine, all(vec![vec![Input::Begin, prepared()], inputs]));
        effects
            .into_iter()
            .find_map(|effect| if let Effect::Finish(ending) = effect { Some(ending.usage) } else { None })
    };
    assert_eq!(ending(all(vec![vec![text("a")], finish(FinishReason::Stop)])), Some(None));
    let two_steps = all(vec![
        call("c", "add", "{}"),
        vec![usage(10, 5)],
        finish(FinishReason::ToolCalls),
        vec![tool("c", Ok(json!(1))), prepared(), usage(20, 1)],
        finish(FinishReason::Stop),
    ]);
    assert_eq!(
        ending(two_steps),
        Some(Some(Usage { input_tokens: 30, output_tokens: 6, ..Usage::default() }))
    );
}

fn any_input() -> impl Strategy<Value = Vec<Input>> {
    let id = prop::sample::select(vec!["c1", "c2"]);
    prop_oneof![
        4 => "[a-z]{0,3}".prop_map(|delta| vec![text(&delta)]),
        2 => (id.clone(), prop::sample::select(vec!["add", "nosuch"]), prop::sample::select(vec!["{}", "", "{\"a\":"]))
            .prop_map(|(id, name, input)| call(id, name, input)),
        2 => id.prop_map(|id| vec![tool(id, Ok(json!(1)))]),
        1 => Just(finish(FinishReason::ToolCalls)),
        1 => Just(finish(FinishReason::Stop)),
        2 => Just(vec![prepared()]),
        1 => Just(vec![Input::Begin]),
        1 => Just(vec![Input::ModelEnded]),
        1 => Just(vec![Input::Cancel]),
        1 => Just(vec![failure(ErrorClass::Connection, "gone")]),
    ]
}

proptest! {
    /// Whatever happens in whatever order: one end, nothing after it, and the shown chunks fold to the stored message,
    /// with every call settled and every block closed.
    #[test]
    fn what_is_shown_is_what_is_stored(inputs in prop::collection::vec(any_input(), 0..40)) {
        let mut machine = machine();
        let mut effects = run(&mut machine, vec![Input::Begin, prepared()]);
        effects.extend(run(&mut machine, all(inputs)));
        effects.extend(run(&mut machine, vec![Input::Cancel]));
        let ends: Vec<usize> = effects.iter().enumerate()
            .filter(|(_, effect)| matches!(effect, Effect::Finish(_))).map(|(at, _)| at).collect();
        prop_assert_eq!(&ends, &vec![effects.len() - 1]);

        let mut fold = Accumulator::new(None);
        for effect in &effects {
            if let Effect::Emit(chunk) = effect {
                let _applied = fold.apply(chunk);
            }
        }
        let Some(Effect::Finish(ending)) = effects.last() else { unreachable!() };
        prop_assert_eq!(fold.message().filter(|_| fold.has_content()), ending.message.clone());
        for part in ending.message.iter().flat_map(|message| &message.parts) {
            if let Part::Tool(tool) = part {
                prop_assert!(tool.call.state.is_terminal(), "{:?}", tool);
            }
            if let Part::Text(text) = part {
                prop_assert_eq!(text.state, Some(protocol::PartState::Done));
            }
        }
        prop_assert_ne!(ending.status, TurnStatus::Running);
        prop_assert!(machine.handle(Input::Cancel, 9).is_empty());
    }
}

#[test]
fn the_end_of_each_step_is_told_once() {
    let mut machine = machine();
    let steps = [
        vec![Input::Begin, prepared()],
        call("c1", "add", "{}"),
        finish(FinishReason::ToolCalls),
        vec![
            tool("c1", Ok(json!(1))),
            Input::Revised { model: Some("other/model".into()), max_steps: Some(0) },
        ],
        vec![prepared(), text("a"), Input::Cancel],
    ];
    let effects = steps.into_iter().flatten().flat_map(|input| machine.handle(input, 7)).collect::<Vec<_>>();
    let told = effects.iter().filter_map(|effect| {
        let Effect::StepFinished(step) = effect else { return None };
        Some((step.step, step.finish_reason.clone()))
    });
    assert_eq!(told.collect::<Vec<_>>(), [(1, Some(FinishReason::ToolCalls)), (2, None)]);
    let Some(Effect::Finish(ending)) = effects.last() else { panic!("no end: {effects:?}") };
    let model = ending.message.as_ref().and_then(Message::turn).map(|turn| turn.model);
    assert_eq!(model.as_deref(), Some("other/model"));
}
