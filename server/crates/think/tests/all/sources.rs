//! Tools that come and go: what a turn takes of them.

use crate::support::{stage_with, user};
use futures::future::BoxFuture;
use model::{Script, ScriptedModel};
use protocol::{ServerFrame, ToolSpec};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use think::{Tool, ToolSource};

/// A source whose tools are named, and say their own name.
#[derive(Default, Clone)]
struct Named(Arc<Mutex<Vec<&'static str>>>);

struct SaysItsName(&'static str);

impl Tool for SaysItsName {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: self.0.to_owned(), description: None, parameters: None }
    }

    fn run(&self, _input: Value) -> BoxFuture<'static, Result<Value, String>> {
        Box::pin(std::future::ready(Ok(json!({ "name": self.0 }))))
    }
}

impl ToolSource for Named {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.lock().unwrap().iter().map(|name| Arc::new(SaysItsName(name)) as Arc<dyn Tool>).collect()
    }

    fn describe(&self) -> Option<Value> {
        Some(json!({ "servers": {} }))
    }
}

#[tokio::test]
async fn a_turn_takes_the_tools_of_its_beginning_and_the_next_one_what_is_there_then() {
    let source = Named::default();
    *source.0.lock().unwrap() = vec!["left", "add"];
    let scripts = [
        Script::new().tool("c1", "left", &json!({})).tool_calls(),
        Script::new().text("one").stop(),
        Script::new().text("two").stop(),
    ];
    let model = ScriptedModel::new(scripts);
    let given = source.clone();
    let stage = stage_with(model, |spec| spec.tool_source = Some(Arc::new(given))).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    *source.0.lock().unwrap() = vec!["right"];
    tab.submit("r2", vec![user("u1"), user("u2")]).await;
    tab.until_turn_ends("r2").await;
    let requests = stage.model.requests();
    let offered: Vec<Vec<String>> =
        requests.iter().map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect()).collect();
    let (before, after) = (["add", "danger", "left"], ["add", "danger", "right"]);
    assert_eq!(offered, [before, before, after]);
    // The agent's own `add` is the one that is offered.
    assert!(requests[0].tools[0].description.is_some());
    assert!(format!("{:?}", requests[1].messages).contains("left"));
}

/// A source that tells when it is another one.
struct Changing(tokio::sync::watch::Sender<u64>);

impl ToolSource for Changing {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    fn news(&self) -> Option<tokio::sync::watch::Receiver<u64>> {
        Some(self.0.subscribe())
    }

    fn describe(&self) -> Option<Value> {
        Some(json!({ "changes": *self.0.borrow() }))
    }
}

#[tokio::test]
async fn open_sockets_hear_at_once_that_the_source_has_changed() {
    let changes = tokio::sync::watch::Sender::new(0);
    let source = Arc::new(Changing(changes.clone()));
    let stage = stage_with(ScriptedModel::new([]), |spec| spec.tool_source = Some(source)).await;
    let mut tab = stage.tab().await;
    let told = |number: u64| {
        move |frame: &ServerFrame| *frame == ServerFrame::McpServers { mcp: json!({ "changes": number }) }
    };
    tab.until("the greeting", told(0)).await;
    changes.send_modify(|number| *number += 1);
    tab.until("the news", told(1)).await;
}

#[tokio::test]
async fn a_new_socket_hears_of_the_source() {
    let stage =
        stage_with(ScriptedModel::new([]), |spec| spec.tool_source = Some(Arc::new(Named::default()))).await;
    let frames = stage.tab().await.rest().await;
    let told = ServerFrame::McpServers { mcp: json!({ "servers": {} }) };
    assert!(frames.contains(&told), "{frames:?}");
}
