//! Agents that call agents: a session below the caller's, the same loop, shown while it works, and bounded.

use crate::support::{Stage, Tab, soon, stage_with, user};
use model::{ErrorClass, Gate, LanguageModel, ModelError, Purpose, Script, ScriptedModel};
use protocol::{ClientFrame, Part, SessionInfo, ToolState, TurnStatus, limits};
use serde_json::{Value, json};
use std::sync::Arc;
use think::{AgentSpec, ModelSource, ResultStatus, SubAgent};

struct One(ScriptedModel);

impl ModelSource for One {
    fn model(&self, _name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        Ok(Arc::new(self.0.clone()))
    }
}

fn agent(name: &str, model: &ScriptedModel, agents: Vec<SubAgent>) -> SubAgent {
    let mut spec = AgentSpec::new(name, format!("test/{name}"), Arc::new(One(model.clone())));
    spec.system_prompt = format!("You are {name}.");
    spec.agents = agents;
    SubAgent { description: format!("{name} finds things out"), spec: Arc::new(spec) }
}

fn asks(id: &str, name: &str) -> Script {
    Script::new().tool(id, name, &json!({ "task": "How high is it?" })).tool_calls()
}

async fn caller(scripts: impl IntoIterator<Item = Script>, research: SubAgent) -> Stage {
    stage_with(ScriptedModel::new(scripts), |spec| spec.agents = vec![research]).await
}

async fn only_child(stage: &Stage) -> SessionInfo {
    let all = stage.engine.list_sessions(None, 50).await.unwrap().sessions;
    let [child] =
        all.into_iter().filter(|info| !info.id.as_str().is_empty()).collect::<Vec<_>>().try_into().unwrap();
    child
}

async fn ask(stage: &Stage) -> (Tab, Vec<protocol::ServerFrame>) {
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let frames = tab.until_turn_ends("r1").await;
    (tab, frames)
}

/// State and output, or the text of the failure, of the calls in the last message of the default session.
async fn calls(stage: &Stage) -> Vec<(ToolState, String)> {
    let message = stage.history().await.into_iter().next_back().unwrap();
    let calls = message.parts.iter().filter_map(Part::as_tool).map(|tool| &tool.call);
    let word = |call: &protocol::ToolCall| {
        let output = call.output.as_ref().map(Value::to_string);
        (call.state, call.error_text.clone().or(output).unwrap_or_default())
    };
    calls.map(word).collect()
}

#[tokio::test]
async fn an_agent_works_in_a_session_below_its_callers() {
    let model = ScriptedModel::new([
        Script::new().text("2469 m\nabove the sea").stop(),
        Script::new().text("again").stop(),
    ]);
    let stage = caller(
        [asks("c1", "research"), Script::new().text("High.").stop()],
        agent("research", &model, vec![]),
    )
    .await;
    let (_tab, frames) = ask(&stage).await;

    let child = only_child(&stage).await;
    assert_eq!(child.parent_session_id, Some("".into()));
    assert_eq!((child.source.as_deref(), child.name.as_str()), (Some("agent:research"), "How high is it?"));
    let output = json!({
        "agent": "research", "sessionId": child.id, "status": "completed", "text": "2469 m\nabove the sea",
    });
    assert_eq!(calls(&stage).await, [(ToolState::OutputAvailable, output.to_string())]);
    let [request] = model.requests().try_into().unwrap();
    assert_eq!(request.system.as_deref(), Some("You are research."));
    let told = &stage.model.requests()[0].tools;
    let tool = told.iter().find(|tool| tool.name == "research").unwrap();
    assert_eq!(tool.description.as_deref(), Some("research finds things out"));
    assert!(format!("{:?}", stage.model.requests()[1].messages).contains("2469 m"));

    // The caller's page sees it work: preliminary results name the session from the start.
    let heard = format!("{frames:?}");
    assert!(heard.contains("preliminary\\\":true"), "{heard}");
    assert!(heard.contains("running"), "{heard}");
    assert!(heard.contains(child.id.as_str()), "{heard}");

    // The kept session still belongs to the agent.
    let more = stage.engine.chat(&child.id, "And now?", &(), think::ChatOptions::default()).await.unwrap();
    assert_eq!((more.status, model.requests().len()), (ResultStatus::Completed, 2));
}

#[tokio::test]
async fn a_failed_agent_is_a_failed_call() {
    let model = ScriptedModel::new([Script::new().error(ErrorClass::RateLimited, "quota hit")]);
    let stage = caller(
        [asks("c1", "research"), Script::new().text("Well.").stop()],
        agent("research", &model, vec![]),
    )
    .await;
    ask(&stage).await;
    let [(state, text)] = calls(&stage).await.try_into().unwrap();
    assert_eq!(state, ToolState::OutputError);
    assert!(text.contains("The agent research did not finish") && text.contains("quota hit"), "{text}");
}

#[tokio::test]
async fn a_stop_reaches_the_agent() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Script::new().text("part").hold(&gate).stop()]);
    let stage = caller([asks("c1", "research")], agent("research", &model, vec![])).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    soon("the agent's call", model.wait_for_calls(1)).await;
    tab.say(ClientFrame::Cancel { id: "r1".into() }).await;
    tab.until_turn_ends("r1").await;
    soon("the agent's call is closed", model.wait_for_cancelled(1)).await;
    let outcomes = stage.hook_calls(1).await;
    assert_eq!(outcomes[0].turn_status, TurnStatus::Stopped);
    let child = only_child(&stage).await;
    assert!(stage.engine.wait_until_stable(&child.id, std::time::Duration::from_secs(20)).await.unwrap());
    let message = stage.engine.messages(&child.id).await.unwrap().unwrap().pop().unwrap();
    let status = message.turn().map(|turn| turn.status);
    assert!(status.is_none_or(|status| status == TurnStatus::Stopped), "{message:?}");
}

#[tokio::test]
async fn agents_are_nested_only_so_deep() {
    // Each level asks the next; the last one is refused and says so.
    let level = || ScriptedModel::new([asks("c1", "next"), Script::new().text("back").stop()]);
    let models: Vec<ScriptedModel> = (0..=limits::AGENT_DEPTH_MAX).map(|_| level()).collect();
    let mut below = Vec::new();
    for model in models.iter().rev() {
        below = vec![agent("next", model, below)];
    }
    let stage = caller([asks("c1", "next"), Script::new().text("done").stop()], below.pop().unwrap()).await;
    ask(&stage).await;
    let called: Vec<usize> = models.iter().map(|model| model.requests().len()).collect();
    assert_eq!(called, [2, 2, 2, 0, 0]);
    let last = format!("{:?}", models[limits::AGENT_DEPTH_MAX - 2].requests()[1].messages);
    assert!(last.contains("AGENT_DEPTH_MAX"), "{last}");
}

#[tokio::test]
async fn a_turn_has_a_budget_of_agents() {
    let many = limits::AGENT_CALLS_PER_TURN_MAX + 1;
    let mut script = Script::new();
    for at in 0..many {
        script = script.tool(&format!("c{at}"), "research", &json!({ "task": "look" }));
    }
    let model = ScriptedModel::answering(|_| Script::new().text("x").stop());
    let research = agent("research", &model, vec![]);
    let stage = caller([script.tool_calls(), Script::new().text("done").stop()], research).await;
    ask(&stage).await;
    let refused =
        calls(&stage).await.into_iter().filter(|(_, text)| text.contains("AGENT_CALLS_PER_TURN_MAX"));
    assert_eq!((refused.count(), model.requests().len()), (1, many - 1));
}

// Nobody waits for it any more: it is marked, and does not run again by itself.
#[tokio::test]
async fn a_restart_does_not_run_called_agents_again() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Script::new().hold(&gate).stop()]);
    let stage = caller([asks("c1", "research")], agent("research", &model, vec![])).await;
    let tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    soon("the agent's call", model.wait_for_calls(1)).await;
    let again = ScriptedModel::new([Script::new().text("x").stop()]);
    let research = agent("research", &again, vec![]);
    let after = stage.after_kill_with([], |spec| spec.agents = vec![research]).await;
    after.hook_calls(1).await;
    assert_eq!(again.requests().len(), 0);
    let child = only_child(&after).await;
    assert_eq!(after.engine.messages(&child.id).await.unwrap().unwrap().len(), 1);
}

// A summary of a child's conversation is written by the child's own model.
#[tokio::test]
async fn a_called_agent_summarises_its_own_conversation() {
    let long = "long answer ".repeat(300);
    let model = ScriptedModel::answering(move |request| match request.purpose {
        Purpose::Summary => Script::new().text("They talked.").stop(),
        Purpose::Chat | Purpose::Title => Script::new().text(&long).stop(),
    });
    let stage = caller(
        [asks("c1", "research"), Script::new().text("Well.").stop()],
        agent("research", &model, vec![]),
    )
    .await;
    ask(&stage).await;
    let child = only_child(&stage).await.id;
    for question in ["And then?", "Why?", "Since when?", "By whom?"] {
        let _answer = stage.engine.chat(&child, question, &(), think::ChatOptions::default()).await.unwrap();
    }
    let outcome = stage.engine.compact(&child).await.unwrap();
    assert!(matches!(outcome, Some(session::Outcome::Stored { .. })), "{outcome:?}");
    let split = stage.engine.compact_and_split(&child, None).await.unwrap();
    assert!(split.is_some());
    let summaries = |model: &ScriptedModel| {
        model.requests().iter().filter(|request| request.purpose == Purpose::Summary).count()
    };
    assert_eq!((summaries(&stage.model), summaries(&model)), (0, 2));
}
