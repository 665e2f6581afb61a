//! The agent's own code: when it is called, what each answer of it does, and what it cannot break.

use crate::support::{Stage, soon, stage_with, user};
use async_trait::async_trait;
use model::{Gate, ModelEvent, ModelRequest, OutputSchema, Sampling, Script, ScriptedModel, ToolChoice};
use protocol::{Chunk, ClientFrame, Part, TurnStatus};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use think::tools::ToolRun;
use think::{
    Agent, AgentSpec, ChatError, ChatMessage, ChatOutcome, ContextSource, Engine, Inference, ModelChoice,
    ModelContext, OutcomeStatus, RequestExtras, SessionSetup, Silence, StepChanges, StepSummary,
    ToolDecision, ToolEnd, TurnChanges, TurnContext,
};

/// What the agent does wrong at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    Fails,
    Panics,
    Hangs,
}

/// Writes down every call, and answers as it was told.
#[derive(Clone, Default)]
struct Recorder {
    log: Arc<Mutex<Vec<String>>>,
    wrong: Option<(&'static str, Wrong)>,
    turn: TurnChanges,
    step: StepChanges,
    decision: ToolDecision,
    events: Arc<Mutex<Option<Vec<ModelEvent>>>>,
    said: Arc<tokio::sync::Notify>,
}

impl Recorder {
    fn note(&self, word: impl Into<String>) {
        let mut log = self.log.lock().unwrap();
        let word = word.into();
        if log.last() != Some(&word) {
            log.push(word);
        }
        drop(log);
        self.said.notify_waiters();
    }

    async fn at(&self, point: &'static str) -> Result<(), String> {
        match self.wrong.filter(|(wrong, _)| *wrong == point).map(|(_, how)| how) {
            None => Ok(()),
            Some(Wrong::Fails) => Err(format!("{point} does not want to")),
            Some(Wrong::Panics) => panic!("{point} is broken"),
            Some(Wrong::Hangs) => std::future::pending().await,
        }
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    async fn until(&self, word: &str) {
        loop {
            let said = self.said.notified();
            if self.log().iter().any(|noted| noted.contains(word)) {
                return;
            }
            soon(word, said).await;
        }
    }
}

#[async_trait]
impl Agent for Recorder {
    async fn configure_session(&self, setup: SessionSetup) -> SessionSetup {
        self.note("configure_session");
        setup
    }

    async fn on_chat_message(&self, _: &TurnContext, message: &ChatMessage) -> Result<Inference, String> {
        self.note(format!("on_chat_message {}", Value::Object(message.body.clone())));
        self.at("on_chat_message").await?;
        let events = self.events.lock().unwrap().take();
        Ok(match events {
            None => Inference::Loop,
            Some(events) => Inference::Events(Box::pin(futures::stream::iter(events.into_iter().map(Ok)))),
        })
    }

    async fn assemble_context(&self, source: ContextSource<'_>) -> Result<ModelContext, String> {
        self.note("assemble_context");
        self.at("assemble_context").await?;
        source.standard().await
    }

    async fn before_turn(&self, _: &TurnContext, request: &ModelRequest) -> Result<TurnChanges, String> {
        self.note(format!("before_turn with {}", request.messages.len()));
        self.at("before_turn").await?;
        Ok(self.turn.clone())
    }

    async fn before_step(
        &self,
        _: &TurnContext,
        step: u32,
        request: &ModelRequest,
    ) -> Result<StepChanges, String> {
        self.note(format!("before_step {step} with {}", request.messages.len()));
        self.at("before_step").await?;
        Ok(self.step.clone())
    }

    async fn on_chunk(&self, _: &TurnContext, chunk: &Chunk) {
        let body: Value = serde_json::from_str(&chunk.to_body()).unwrap();
        let kind = body["type"].as_str().unwrap().to_owned();
        self.note(format!("on_chunk {kind}"));
        self.at("on_chunk").await.unwrap();
    }

    async fn before_tool_call(&self, _: &TurnContext, call: &ToolRun) -> Result<ToolDecision, String> {
        self.note(format!("before_tool_call {} {}", call.name, call.input));
        self.at("before_tool_call").await?;
        Ok(self.decision.clone())
    }

    async fn after_tool_call(&self, _: &TurnContext, call: &ToolRun, end: &ToolEnd) {
        self.note(format!("after_tool_call {} {} {:?}", call.name, call.input, end.outcome));
        self.at("after_tool_call").await.unwrap();
    }

    async fn on_step_finish(&self, _: &TurnContext, step: &StepSummary) {
        self.note(format!("on_step_finish {}", step.step));
        self.at("on_step_finish").await.unwrap();
    }

    async fn on_chat_response(&self, _: &Engine, outcome: ChatOutcome) {
        let output = outcome.output.map(|output| format!(" Some({output})")).unwrap_or_default();
        self.note(format!("on_chat_response {:?}{output}", outcome.status));
        self.at("on_chat_response").await.unwrap();
    }

    fn on_chat_error(&self, error: &ChatError) -> String {
        if self.wrong == Some(("on_chat_error", Wrong::Panics)) {
            panic!("on_chat_error is broken");
        }
        format!("{:?}: {}", error.stage, error.text)
    }
}

fn adds() -> Script {
    Script::new().text("so").tool("c1", "add", &json!({ "a": 1, "b": 2 })).tool_calls()
}

async fn with(recorder: &Recorder, scripts: impl IntoIterator<Item = Script>) -> Stage {
    let agent = Arc::new(recorder.clone());
    stage_with(ScriptedModel::new(scripts), |spec: &mut AgentSpec| spec.agent = agent).await
}

/// One request and its end.
async fn ask(stage: &Stage, id: &str) -> Vec<protocol::ServerFrame> {
    let mut tab = stage.tab().await;
    tab.submit(id, vec![user(&format!("u-{id}"))]).await;
    tab.until_turn_ends(id).await
}

async fn answer(stage: &Stage) -> protocol::Message {
    stage.history().await.into_iter().next_back().unwrap()
}

#[tokio::test]
async fn every_hook_has_its_place() {
    let recorder = Recorder::default();
    let stage = with(&recorder, [adds(), Script::new().text("3").stop()]).await;
    ask(&stage, "r1").await;
    recorder.until("on_chat_response").await;
    let kinds = |from: &str| ["text-start", "text-delta"].map(|kind| format!("{from}on_chunk {kind}"));
    let [start, delta] = kinds("");
    let expected = [
        "configure_session",
        "on_chat_message {}",
        "assemble_context",
        "before_turn with 1",
        "before_step 1 with 1",
        "on_chunk start-step",
        &start,
        &delta,
        "on_chunk text-end",
        "on_chunk tool-input-start",
        "on_chunk tool-input-delta",
        "on_chunk tool-input-available",
        "before_tool_call add {\"a\":1,\"b\":2}",
        "after_tool_call add {\"a\":1,\"b\":2} Ok(Object {\"sum\": Number(3)})",
        "on_chunk tool-output-available",
        "on_chunk finish-step",
        "on_step_finish 1",
        "assemble_context",
        "before_step 2 with 3",
        "on_chunk start-step",
        &start,
        &delta,
        "on_chunk text-end",
        "on_chunk finish-step",
        "on_chunk finish",
        "on_step_finish 2",
        "on_chat_response Completed",
    ];
    assert_eq!(recorder.log(), expected);
}

#[tokio::test]
async fn what_before_turn_changes_holds_for_all_steps() {
    let other = ScriptedModel::new([adds(), adds()]).named("other/model");
    let sampling = Sampling { temperature: Some(0.5), ..Sampling::default() };
    let turn = TurnChanges {
        model: Some(ModelChoice::Given(Arc::new(other.clone()))),
        system: Some("Be brief.".into()),
        active_tools: Some(vec!["add".into()]),
        tool_choice: Some(ToolChoice::Required),
        max_steps: Some(2),
        sampling: Some(sampling),
        ..TurnChanges::default()
    };
    let stage = with(&Recorder { turn, ..Recorder::default() }, []).await;
    ask(&stage, "r1").await;
    assert_eq!(stage.model.requests(), []);
    let sent = other.requests();
    assert_eq!(sent.len(), 2);
    for request in sent {
        assert_eq!(request.system.as_deref(), Some("Be brief."));
        assert_eq!(request.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["add"]);
        assert_eq!((request.tool_choice, request.sampling), (ToolChoice::Required, sampling));
    }
    let info = answer(&stage).await.turn().unwrap();
    assert_eq!((info.status, info.model.as_str()), (TurnStatus::StepLimit, "other/model"));
}

#[tokio::test]
async fn what_before_step_changes_holds_for_one_step() {
    let step = StepChanges {
        model: Some(ModelChoice::Named("test/again".into())),
        system: Some(String::new()),
        active_tools: Some(Vec::new()),
        ..StepChanges::default()
    };
    let stage = with(&Recorder { step, ..Recorder::default() }, [Script::new().text("x").stop()]).await;
    ask(&stage, "r1").await;
    let [request] = stage.model.requests().try_into().unwrap();
    assert_eq!((request.system, request.tools.len()), (None, 0));
}

fn extras(name: &str, value: &str) -> RequestExtras {
    RequestExtras {
        headers: [(name.to_owned(), value.to_owned())].into(),
        options: serde_json::Map::from_iter([(name.to_owned(), json!(value))]),
        ..RequestExtras::default()
    }
}

#[tokio::test]
async fn headers_and_fields_of_turn_and_step_are_sent_together() {
    let turn = TurnChanges { extras: extras("x-turn", "t"), ..TurnChanges::default() };
    let step = StepChanges { extras: extras("x-step", "s"), ..StepChanges::default() };
    let stage =
        with(&Recorder { turn, step, ..Recorder::default() }, [adds(), Script::new().text("3").stop()]).await;
    ask(&stage, "r1").await;
    let sent = stage.model.requests();
    assert_eq!(sent.len(), 2);
    for request in sent {
        let headers = [("x-step", "s"), ("x-turn", "t")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(request.headers, headers.into());
        assert_eq!(Value::Object(request.options), json!({ "x-turn": "t", "x-step": "s" }));
    }
}

// The last answer is checked, after the steps with calls; what does not fit is kept and fails the turn.
#[tokio::test]
async fn an_answer_has_the_shape_that_was_asked_for_or_fails() {
    let schema = json!({ "type": "object", "required": ["n"] });
    for (text, expected) in [(r#"{"n":1}"#, TurnStatus::Complete), (r#"{"m":1}"#, TurnStatus::Failed)] {
        let output = Some(OutputSchema { name: "count".into(), schema: schema.clone() });
        let extras = RequestExtras { output: output.clone(), ..RequestExtras::default() };
        let turn = TurnChanges { extras, ..TurnChanges::default() };
        let recorder = Recorder { turn, ..Recorder::default() };
        let stage = with(&recorder, [adds(), Script::new().text(text).stop()]).await;
        let heard = format!("{:?}", ask(&stage, "r1").await);
        let message = answer(&stage).await;
        assert_eq!(message.turn().unwrap().status, expected);
        assert!(message.plain_text().ends_with(text));
        assert_eq!(heard.contains("n is missing"), expected == TurnStatus::Failed, "{heard}");
        assert!(stage.model.requests().iter().all(|request| request.output == output));
        recorder.until("on_chat_response").await;
        let told = if expected == TurnStatus::Complete {
            "Completed Some({\"n\":1})"
        } else {
            "on_chat_response Error"
        };
        recorder.until(told).await;
    }
}

#[tokio::test]
async fn a_turn_may_have_less_patience() {
    let silence = Some(Silence::AtMost(Duration::from_millis(1)));
    let turn = TurnChanges { silence, ..TurnChanges::default() };
    let closed = Gate::new();
    let silent = || Script::new().hold(&closed).text("late").stop();
    let stage = with(&Recorder { turn, ..Recorder::default() }, [silent(), silent()]).await;
    let heard = format!("{:?}", ask(&stage, "r1").await);
    assert!(heard.contains("said nothing for too long"), "{heard}");
    assert_eq!(stage.model.requests().len(), 2);
}

#[tokio::test]
async fn an_unknown_model_of_a_hook_fails_the_turn() {
    let turn = TurnChanges { model: Some(ModelChoice::Named("test/none".into())), ..TurnChanges::default() };
    let stage = with(&Recorder { turn, ..Recorder::default() }, []).await;
    let heard = format!("{:?}", ask(&stage, "r1").await);
    assert!(heard.contains("Turn: there is no model test/none"), "{heard}");
}

// Each decision about a call, and what the model reads of it.
#[tokio::test]
async fn a_call_is_allowed_changed_blocked_or_given_a_result() {
    let rows = [
        (ToolDecision::Allow, json!({ "sum": 3 })),
        (ToolDecision::AllowWith(json!({ "a": 5, "b": 5 })), json!({ "sum": 10 })),
        (ToolDecision::Block("not today".into()), json!("not today")),
        (ToolDecision::Substitute(json!({ "sum": "many" })), json!({ "sum": "many" })),
    ];
    for (decision, expected) in rows {
        let recorder = Recorder { decision: decision.clone(), ..Recorder::default() };
        let stage = with(&recorder, [adds(), Script::new().text("ok").stop()]).await;
        ask(&stage, "r1").await;
        let message = answer(&stage).await;
        let call = message.parts.iter().find_map(Part::as_tool).unwrap().call.clone();
        assert_eq!(call.output, Some(expected.clone()), "{decision:?}");
        assert_eq!(call.input, Some(json!({ "a": 1, "b": 2 })), "the message keeps what the model said");
        let told = recorder.log().into_iter().find(|word| word.starts_with("after_tool_call")).unwrap();
        assert!(told.contains("add {\"a\":1,\"b\":2} Ok("), "{told}");
    }
}

#[tokio::test]
async fn an_agent_may_answer_by_itself() {
    let recorder = Recorder::default();
    *recorder.events.lock().unwrap() = Some(vec![
        ModelEvent::TextDelta { id: "0".into(), delta: "by hand".into() },
        ModelEvent::Finish { reason: model::FinishReason::Stop },
    ]);
    let stage = with(&recorder, []).await;
    ask(&stage, "r1").await;
    assert_eq!(stage.path().await, "u-r1:say u-r1 *:by hand");
    assert_eq!(stage.model.requests(), []);
}

/// The turn's status, what a client reads, and whether the next turn runs as if nothing had been.
async fn check_wrong(point: &'static str, how: Wrong, expected: (TurnStatus, &str)) {
    let recorder = Recorder { wrong: Some((point, how)), ..Recorder::default() };
    let stage = with(&recorder, [adds(), Script::new().text("3").stop()]).await;
    let heard = format!("{:?}", ask(&stage, "r1").await);
    let (status, text) = expected;
    assert!(heard.contains(&format!("status: {status:?}")), "{point} {how:?}: {heard}");
    assert!(heard.contains(text), "{point} {how:?}: {heard}");
    ask(&stage, "r2").await;
}

#[tokio::test]
async fn a_hook_that_fails_or_panics_never_breaks_the_queue() {
    for point in ["on_chat_message", "assemble_context", "before_turn", "before_step"] {
        check_wrong(point, Wrong::Fails, (TurnStatus::Failed, &format!("Turn: {point} does not want to")))
            .await;
        check_wrong(point, Wrong::Panics, (TurnStatus::Failed, &format!("Turn: the agent's {point} failed")))
            .await;
    }
    // The call fails, the turn goes on.
    check_wrong(
        "before_tool_call",
        Wrong::Fails,
        (TurnStatus::Complete, "before_tool_call does not want to"),
    )
    .await;
    check_wrong(
        "before_tool_call",
        Wrong::Panics,
        (TurnStatus::Complete, "before_tool_call failed in a way"),
    )
    .await;
    // Who only looks on changes nothing.
    for point in ["on_chunk", "after_tool_call", "on_step_finish", "on_chat_response"] {
        check_wrong(point, Wrong::Panics, (TurnStatus::Complete, "sum")).await;
    }
    check_wrong("on_chat_response", Wrong::Hangs, (TurnStatus::Complete, "sum")).await;
}

#[tokio::test]
async fn a_broken_on_chat_error_hides_no_error() {
    let recorder = Recorder { wrong: Some(("on_chat_error", Wrong::Panics)), ..Recorder::default() };
    let stage = with(&recorder, [Script::new().error(model::ErrorClass::RateLimited, "quota hit")]).await;
    let heard = format!("{:?}", ask(&stage, "r1").await);
    assert!(heard.contains("body: \"quota hit\""), "{heard}");
}

// Stop at each hook that a turn waits for.
#[tokio::test]
async fn a_stop_ends_the_hook_too() {
    for point in ["on_chat_message", "assemble_context", "before_turn", "before_step", "before_tool_call"] {
        let recorder = Recorder { wrong: Some((point, Wrong::Hangs)), ..Recorder::default() };
        let stage = with(&recorder, [adds()]).await;
        let mut tab = stage.tab().await;
        tab.submit("r1", vec![user("u1")]).await;
        recorder.until(point).await;
        tab.say(ClientFrame::Cancel { id: "r1".into() }).await;
        let frames = tab.until_turn_ends("r1").await;
        assert!(format!("{frames:?}").contains("Stopped"), "{point}: {frames:?}");
        recorder.until("on_chat_response Aborted").await;
    }
}

/// Starts another turn from the hook, once, and waits for its end.
#[derive(Default)]
struct Follows(Recorder, Arc<Mutex<Option<TurnContext>>>);

#[async_trait]
impl Agent for Follows {
    async fn before_turn(&self, turn: &TurnContext, _: &ModelRequest) -> Result<TurnChanges, String> {
        *self.1.lock().unwrap() = Some(turn.clone());
        Ok(TurnChanges::default())
    }

    async fn on_chat_response(&self, _: &Engine, outcome: ChatOutcome) {
        self.0.note(format!("{:?}", outcome.status));
    }
}

#[tokio::test]
async fn the_signal_is_raised_when_a_turn_is_stopped_and_not_when_it_ends() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Script::new().text("a").stop(), Script::new().text("b").hold(&gate)]);
    let (agent, turn) = (Follows::default(), Arc::default());
    let recorder = agent.0.clone();
    let agent = Follows(recorder.clone(), Arc::clone(&turn));
    let stage = stage_with(model, |spec| spec.agent = Arc::new(agent)).await;
    ask(&stage, "r1").await;
    let first: TurnContext = turn.lock().unwrap().clone().unwrap();
    let mut tab = stage.tab().await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.until_text("r2", "b").await;
    tab.say(ClientFrame::Cancel { id: "r2".into() }).await;
    tab.until_turn_ends("r2").await;
    let second: TurnContext = turn.lock().unwrap().clone().unwrap();
    assert_eq!((first.abort.is_aborted(), second.abort.is_aborted()), (false, true));
    second.abort.aborted().await;
    assert_eq!(second.request_id.as_str(), "r2");
}

// A turn that the end of the server interrupted is told of too.
#[tokio::test]
async fn a_turn_that_recovery_ends_is_told() {
    let gate = Gate::new();
    let before = with(&Recorder::default(), [Script::new().text("par").hold(&gate)]).await;
    let mut tab = before.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "par").await;
    let after = before.after_kill([]).await;
    let [told] = after.hook_calls(1).await.try_into().unwrap();
    assert_eq!((told.status, told.turn_status), (OutcomeStatus::Aborted, TurnStatus::Interrupted));
    assert_eq!(told.message.unwrap().plain_text(), "par");
}

#[tokio::test]
async fn a_configuration_survives_a_restart_and_old_files_are_adopted_once() {
    let stage = with(&Recorder::default(), []).await;
    assert_eq!(stage.engine.get_config::<Value>().await.unwrap(), None);
    for (session, key, value) in [
        ("", "_think_config", "{\"theme\":\"old\"}"),
        ("", "lastBody", "{\"a\":1}"),
        ("", "other", "1"),
        ("s", "_think_config", "2"),
    ] {
        let mut tx = stage.file.db.write().await.unwrap();
        sqlx::query("INSERT INTO assistant_config (session_id, key, value) VALUES (?, ?, ?)")
            .bind(session)
            .bind(key)
            .bind(value)
            .execute(&mut *tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
    let adopted = stage.after_kill([]).await;
    assert_eq!(adopted.engine.get_config::<Value>().await.unwrap(), Some(json!({ "theme": "old" })));
    adopted.engine.configure(&json!({ "theme": "new" })).await.unwrap();
    let again = adopted.after_kill([]).await;
    assert_eq!(again.engine.get_config::<Value>().await.unwrap(), Some(json!({ "theme": "new" })));
    let left: Vec<(String, String)> =
        sqlx::query_as("SELECT session_id, key FROM assistant_config ORDER BY session_id, key")
            .fetch_all(again.file.db.reader())
            .await
            .unwrap();
    assert_eq!(left, [(String::new(), "other".to_owned()), ("s".to_owned(), "_think_config".to_owned())]);
}
