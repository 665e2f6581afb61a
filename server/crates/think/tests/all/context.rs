//! Context blocks in turns: what the model is told, what it may call, and what everybody hears of its writes.

use crate::support::{Stage, stage_with, user};
use model::{ModelMessage, ModelRequest, OutputSchema, Script, ScriptedModel, ToolChoice, ToolOutput};
use protocol::{Author, Message, PieceKind, ServerFrame, SessionId, ToolSpec, WaitingKind};
use serde_json::{Map, Value, json};
use session::object_store::memory::InMemory;
use session::{BlockOptions, Change, ContextConfig, Layout, Owner, Provider, SkillContext, SkillStore};
use std::sync::Arc;
use think::{Agent, AgentSpec, RequestExtras, SearchAccess, StepChanges, TurnChanges, TurnContext};

fn soul() -> BlockOptions {
    BlockOptions::from_provider(Provider::fixed("Answer in rhyme."))
}

fn memory(max_tokens: u64) -> BlockOptions {
    BlockOptions::from_provider(Provider::stored(Owner::Agent)).max_tokens(max_tokens)
}

fn blocks(all: Vec<(&str, BlockOptions)>) -> impl FnOnce(&mut AgentSpec) {
    let config = all
        .into_iter()
        .fold(ContextConfig::new(), |config, (label, options)| config.with_context(label, options).unwrap());
    move |spec| spec.sessions.context = config
}

fn remember(id: &str, text: &str) -> Script {
    let input = json!({ "label": "memory", "content": text, "action": "append" });
    Script::new().tool(id, "set_context", &input).tool_calls()
}

fn names(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// The text that the last call of the model's last step gave.
fn last_result(request: &ModelRequest) -> Value {
    let Some(ModelMessage::Tool(results)) = request.messages.last() else { panic!("{request:?}") };
    let ToolOutput::Value(value) = &results.last().unwrap().output else { panic!("{results:?}") };
    value.clone()
}

async fn ask(stage: &Stage, requests: &[&str]) -> Vec<ServerFrame> {
    let mut page = stage.page().await;
    let mut heard = Vec::new();
    for request in requests {
        let mut list = stage.history().await;
        list.push(user(&format!("u{request}")));
        page.submit(request, list).await;
        heard.extend(page.until_turn_ends(request).await);
    }
    heard
}

fn default() -> SessionId {
    SessionId::default()
}

// TK-013: without blocks, or where they say nothing, the agent's plain prompt; else theirs and not the plain one.
#[tokio::test]
async fn blocks_take_the_place_of_the_plain_prompt() {
    let silent = BlockOptions::from_provider(Provider::fixed(""));
    for (config, expected) in [
        (vec![], "You are a helpful assistant."),
        (vec![("soul", silent)], "You are a helpful assistant."),
        (vec![("soul", soul())], "Answer in rhyme."),
    ] {
        let stage = stage_with(ScriptedModel::new([Script::new().text("x").stop()]), blocks(config)).await;
        ask(&stage, &["r1"]).await;
        let system = stage.model.requests()[0].system.clone().unwrap();
        assert!(system.ends_with(expected), "{system}");
        assert_eq!(system.contains("helpful"), expected.contains("helpful"));
    }
}

#[tokio::test]
async fn a_model_writes_a_block_and_reads_it_after_a_refresh() {
    let scripts =
        [remember("c1", "- tea"), Script::new().text("Noted.").stop(), Script::new().text("x").stop()];
    let more = [Script::new().text("y").stop()];
    let model = ScriptedModel::new(scripts.into_iter().chain(more));
    let stage = stage_with(model, blocks(vec![("memory", memory(50))])).await;
    let heard = ask(&stage, &["r1", "r2"]).await;
    let changed = ServerFrame::BlockChanged {
        label: "memory".into(),
        version: 1,
        author: Author::Model { request_id: Some("r1".into()) },
    };
    assert_eq!(heard.iter().filter(|frame| **frame == changed).count(), 1);
    let requests = stage.model.requests();
    let output = last_result(&requests[1]);
    assert!(output["result"].as_str().unwrap().starts_with("Written to memory. Usage:"));
    let versions = (&output["label"], &output["version"], &output["previousVersion"]);
    assert_eq!(versions, (&json!("memory"), &json!(1), &json!(0)));
    assert_eq!(requests[0].system, requests[2].system, "the prompt is frozen");

    let report = stage.engine.prompt_report(&default()).await.unwrap().unwrap();
    assert_eq!(report.waiting.iter().map(|it| it.kind).collect::<Vec<_>>(), [WaitingKind::Changed]);
    stage.engine.refresh_prompt(&default()).await.unwrap().unwrap();
    ask(&stage, &["r3"]).await;
    assert!(stage.model.requests()[3].system.as_deref().unwrap().contains("- tea"));
}

// E01, E02: the same limit for the model, and a person hears of it.
#[tokio::test]
async fn a_full_block_is_told_to_the_model_and_to_people() {
    let long = "word ".repeat(40);
    let model = ScriptedModel::new([remember("c1", &long), Script::new().text("Sorry.").stop()]);
    let stage = stage_with(model, blocks(vec![("memory", memory(10))])).await;
    let heard = ask(&stage, &["r1"]).await;
    let full = heard.iter().find_map(|frame| match frame {
        ServerFrame::BlockFull { label, message } => Some((label.as_str(), message.as_str())),
        _ => None,
    });
    assert_eq!(full, Some(("memory", "Block \"memory\" is full: 52 of 10 tokens.")));
    let told = last_result(&stage.model.requests()[1]);
    let by_hand =
        stage.engine.put_block(&default(), "memory", &long, &Change::by_user(None)).await.unwrap_err();
    assert_eq!(told, json!(format!("Error: {by_hand}")));
}

#[tokio::test]
async fn tools_are_merged_anew_for_each_step_and_browsers_replace_nobody() {
    let call = Script::new().tool("c1", "add", &json!({ "a": 1, "b": 2 })).tool_calls();
    let model = ScriptedModel::new([call, Script::new().text("x").stop()]);
    let stage = stage_with(model, |spec| {
        blocks(vec![("memory", memory(50))])(spec);
        spec.sessions.search = SearchAccess::Offered;
    })
    .await;
    let tool = |name: &str| ToolSpec { name: name.into(), description: None, parameters: None };
    let body = protocol::ChatBody {
        messages: vec![user("u1")],
        client_tools: Some(vec![tool("set_context"), tool("add"), tool("where")]),
        ..Default::default()
    };
    let mut page = stage.page().await;
    page.request("r1", body).await;
    page.until_turn_ends("r1").await;
    for request in stage.model.requests() {
        assert_eq!(names(&request), ["add", "danger", "session_search", "where", "set_context"]);
        assert!(request.tools.last().unwrap().description.is_some(), "the context's own");
    }
}

#[tokio::test]
async fn the_past_is_searched_by_a_tool() {
    let search = Script::new().tool("c1", "session_search", &json!({ "query": "say ur1" })).tool_calls();
    let scripts = [Script::new().text("one").stop(), search, Script::new().text("x").stop()];
    let stage =
        stage_with(ScriptedModel::new(scripts), |spec| spec.sessions.search = SearchAccess::Offered).await;
    ask(&stage, &["r1", "r2"]).await;
    assert_eq!(last_result(&stage.model.requests()[2]), json!("[user] say ur1"));
}

/// A block with one skill, whose content is `Roll, then fold.`
async fn skills() -> BlockOptions {
    let store = SkillStore::new(Arc::new(InMemory::new()), "".into(), Layout::Objects);
    session::WriteSkills::set(&store, "pastry", "Roll, then fold.", Some("Baking")).await.unwrap();
    BlockOptions::from_provider(Provider::Skills(Arc::new(store) as Arc<dyn SkillContext>))
}

#[tokio::test]
async fn what_a_model_unloads_leaves_the_answer_it_is_writing() {
    let skill = json!({ "label": "skills", "key": "pastry" });
    let scripts = [
        Script::new().tool("c1", "load_context", &skill).tool_calls(),
        Script::new().tool("c2", "unload_context", &skill).tool_calls(),
        Script::new().text("Done.").stop(),
    ];
    let stage = stage_with(ScriptedModel::new(scripts), blocks(vec![("skills", skills().await)])).await;
    ask(&stage, &["r1"]).await;
    let requests = stage.model.requests();
    assert_eq!(last_result(&requests[1]), json!("Roll, then fold."));
    let told = |request: &ModelRequest| {
        let unload = request.tools.iter().find(|tool| tool.name == "unload_context").unwrap();
        unload.description.clone().unwrap().contains("skills:pastry")
    };
    assert_eq!(requests.iter().map(told).collect::<Vec<_>>(), [false, true, false]);
    assert!(!format!("{:?}", requests[2].messages).contains("Roll, then fold."));
    let stored: Vec<Message> = stage.history().await;
    assert!(!format!("{stored:?}").contains("Roll, then fold."), "{stored:?}");
}

#[tokio::test]
async fn a_report_is_the_next_request() {
    let scripts = [Script::new().text("one").usage(7, 2).stop(), Script::new().text("two").stop()];
    let stage = stage_with(ScriptedModel::new(scripts), blocks(vec![("memory", memory(50))])).await;
    assert_eq!(stage.engine.prompt_report(&"nosuch".into()).await.unwrap(), None);
    let empty = stage.engine.prompt_report(&default()).await.unwrap().unwrap();
    assert_eq!((empty.history.len(), empty.model.as_str()), (0, "test/scripted"));
    ask(&stage, &["r1"]).await;
    let report = stage.engine.prompt_report(&default()).await.unwrap().unwrap();
    let pieces: Vec<(&str, &str, PieceKind)> =
        report.history.iter().map(|it| (&*it.role, &*it.text, it.kind)).collect();
    let added = ("user", "continue", PieceKind::Added);
    assert_eq!(
        pieces,
        [("user", "say ur1", PieceKind::Whole), ("assistant", "one", PieceKind::Whole), added]
    );
    assert_eq!(report.last_usage.map(|usage| usage.input_tokens), Some(7));
    ask(&stage, &["r2"]).await;
    let sent = &stage.model.requests()[1];
    let system: Vec<&str> = report.system.iter().map(|section| section.text.as_str()).collect();
    assert_eq!(sent.system.as_deref(), Some(system.join("\n\n").trim()));
    assert_eq!(sent.tools, report.tools.iter().map(|tool| tool.spec.clone()).collect::<Vec<_>>());
}

/// An agent that has its say about every call.
struct Meddler;

#[async_trait::async_trait]
impl Agent for Meddler {
    async fn before_turn(&self, _: &TurnContext, _: &ModelRequest) -> Result<TurnChanges, String> {
        let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
        let output = Some(OutputSchema { name: "place".to_owned(), schema });
        let headers = [("x-tier".to_owned(), "secret".to_owned())].into();
        let options = Map::from_iter([("service_tier".to_owned(), json!("flex"))]);
        let extras = RequestExtras { output, headers, options };
        Ok(TurnChanges {
            system: Some("Be brief.".to_owned()),
            max_steps: Some(2),
            extras,
            ..Default::default()
        })
    }

    async fn before_step(&self, _: &TurnContext, _: u32, _: &ModelRequest) -> Result<StepChanges, String> {
        let headers = [("x-step".to_owned(), "secret".to_owned())].into();
        let extras = RequestExtras { headers, ..Default::default() };
        Ok(StepChanges { tool_choice: Some(ToolChoice::None), extras, ..Default::default() })
    }
}

#[tokio::test]
async fn a_report_tells_what_the_agents_code_made_of_the_last_call() {
    let answer = || ScriptedModel::new([Script::new().text("{\"city\":\"Oslo\"}").stop()]);
    let stage = stage_with(answer(), |spec| spec.agent = Arc::new(Meddler)).await;
    let _open = stage.page().await;
    let before = stage.engine.prompt_report(&default()).await.unwrap().unwrap();
    assert_eq!(before.changed, None, "no call was made");
    ask(&stage, &["r1"]).await;
    let report = stage.engine.prompt_report(&default()).await.unwrap().unwrap();
    let told = serde_json::to_value(&report).unwrap();
    let expected = json!({
        "system": "Be brief.",
        "max_steps": 2,
        "tool_choice": "none",
        "schema": { "type": "object", "properties": { "city": { "type": "string" } } },
        "headers": ["x-step", "x-tier"],
        "fields": { "service_tier": "flex" },
    });
    assert_eq!(told["changed"], expected);
    assert!(!told.to_string().contains("secret"), "values of headers stay here");

    let plain = stage_with(answer(), |_| {}).await;
    ask(&plain, &["r1"]).await;
    let report = plain.engine.prompt_report(&default()).await.unwrap().unwrap();
    assert_eq!(report.changed, None, "nobody changed anything");
}
