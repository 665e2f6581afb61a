//! What the guide shows on a machine without a model, and skills from a folder.

use crate::support::{GUIDE, Provider, TestApp, call, chat, user};
use serde_json::{Value, json};

const AGENT: &str = "/api/v1/agents/assistant/default";

fn tools(agent: &Value) -> Vec<(&str, &str)> {
    let tools = agent["tools"].as_array().unwrap().iter();
    tools.map(|tool| (tool["name"].as_str().unwrap(), tool["source"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn the_guide_calculates_with_a_tool_and_asks_before_it_calls_another() {
    let app = TestApp::start().await;
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "calculate 6 * 7")])).await;
    let _turn = tab.until_turn_ends("r1").await;
    let hist = app.hist().await;
    let calculated =
        hist[1]["parts"].as_array().unwrap().iter().find(|part| part["type"] == "tool-calculate");
    assert_eq!(calculated.unwrap()["output"], json!({"result": 42}), "{hist:?}");
    tab.send(chat("r2", &[user("u2", "approval")])).await;
    let _turn = tab.until_turn_ends("r2").await;
    let hist = app.hist().await;
    let asked = hist[3]["parts"].as_array().unwrap().iter().find(|part| part["type"] == "tool-danger");
    assert_eq!(asked.unwrap()["state"], "approval-requested", "{hist:?}");
    let (_, agent) = call(&app, "GET", &format!("{AGENT}/agent"), None).await;
    for name in ["calculate", "add", "danger"] {
        assert!(tools(&agent).contains(&(name, "agent")), "{agent}");
    }
}

#[tokio::test]
async fn a_real_model_and_an_agent_with_tools_of_its_own_get_no_toys() {
    let provider = Provider::start().await;
    let asking = TestApp::asking(&provider).await;
    let own = TestApp::with(&GUIDE, "[agents.assistant]\ntools = ['clock']").await;
    for app in [&asking, &own] {
        let (_, agent) = call(app, "GET", &format!("{AGENT}/agent"), None).await;
        assert!(
            tools(&agent).iter().all(|(name, _)| !["calculate", "add", "danger"].contains(name)),
            "{agent}"
        );
    }
}

#[tokio::test]
async fn a_folder_of_skills_is_a_block_that_the_model_reads() {
    let provider = Provider::start().await;
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("recipes/bread");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: bread\ndescription: How to bake\n---\nKnead.")
        .unwrap();
    let file = format!("[agents.assistant]\nskills = ['{}']", folder.path().join("recipes").display());
    let app = TestApp::asking_with(&provider, &file).await;
    provider.say(["Good."]);
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _turn = tab.until_turn_ends("r1").await;
    let request = provider.calls()[0].body.clone();
    let offered: Vec<&Value> =
        request["tools"].as_array().unwrap().iter().map(|it| &it["function"]["name"]).collect();
    assert!(offered.contains(&&json!("load_context")), "{request}");
    let system = request["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("RECIPES") && system.contains("bread: How to bake"), "{system}");
    let (_, skills) = call(&app, "GET", &format!("{AGENT}/skills"), None).await;
    assert_eq!(skills["skills"][0]["key"], "bread", "{skills}");
}
