//! Clients that do anything at any time: requests, stops, clears, other versions, answers to calls, other branches, and
//! sockets that come and go. Every request has one end, the tree stays sane, and nothing is left behind.

use crate::support::{Stage, Tab, responses, soon, stage_with, user};
use model::{ErrorClass, FinishReason, Script, ScriptedModel};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use protocol::{
    Answered, ChatBody, ClientFrame, MessageId, Role, SessionId, ToolResult, ToolSpec, ToolVerdict,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use think::Vitals;

/// What somebody does. Numbers choose among what there is by then.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Submit,
    Regenerate,
    Cancel(usize),
    Clear,
    Approve(usize),
    /// Without the wish that the model goes on.
    ApproveOnly(usize),
    Refuse(usize),
    Result(usize),
    Switch(usize),
    Dismiss(usize),
    Open,
    Leave(usize),
    Resume(usize),
    /// Let the engine work.
    Listen,
}

fn deed() -> impl Strategy<Value = Deed> {
    let any = || any::<usize>();
    prop_oneof![
        6 => Just(Deed::Submit),
        2 => Just(Deed::Regenerate),
        3 => any().prop_map(Deed::Cancel),
        1 => Just(Deed::Clear),
        2 => any().prop_map(Deed::Approve),
        2 => any().prop_map(Deed::ApproveOnly),
        1 => any().prop_map(Deed::Refuse),
        2 => any().prop_map(Deed::Result),
        2 => any().prop_map(Deed::Switch),
        1 => any().prop_map(Deed::Dismiss),
        2 => Just(Deed::Open),
        2 => any().prop_map(Deed::Leave),
        2 => any().prop_map(Deed::Resume),
        4 => Just(Deed::Listen),
    ]
}

/// Every kind of answer in turn; calls are numbered through.
fn model() -> ScriptedModel {
    let calls = AtomicUsize::new(0);
    ScriptedModel::answering(move |_request| {
        let number = calls.fetch_add(1, Ordering::Relaxed);
        let id = format!("c{number}");
        match number % 8 {
            0 | 3 => Script::new().text("all ").text("well").stop(),
            1 => Script::new().text("Sum: ").tool(&id, "add", &json!({ "a": 1, "b": 2 })).tool_calls(),
            2 => Script::new().tool(&id, "danger", &json!({ "target": "x" })).tool_calls(),
            4 => Script::new().tool(&id, "where_am_i", &json!({})).tool_calls(),
            5 => Script::new().text("par").error(ErrorClass::Unavailable, "overloaded"),
            6 => Script::new().text("cut"),
            _ => Script::new().text("long").finish(FinishReason::Length),
        }
    })
}

struct Play {
    stage: Stage,
    /// The tab that asks; it stays to the end.
    asker: Tab,
    others: Vec<Tab>,
    requests: Vec<String>,
}

impl Play {
    async fn new() -> Self {
        let stage = stage_with(model(), |_| {}).await;
        let asker = stage.tab().await;
        Self { stage, asker, others: Vec::new(), requests: Vec::new() }
    }

    fn next_request(&mut self) -> String {
        self.requests.push(format!("r{}", self.requests.len()));
        self.requests.last().cloned().unwrap()
    }

    async fn perform(&mut self, deed: Deed) {
        match deed {
            Deed::Submit => self.submit().await,
            Deed::Regenerate => self.regenerate().await,
            Deed::Cancel(at) => {
                if let Some(id) = pick(&self.requests, at) {
                    self.say(ClientFrame::Cancel { id: id.as_str().into() }).await;
                }
            }
            Deed::Clear => self.say(ClientFrame::Clear {}).await,
            Deed::Approve(at) => self.say(verdict(at, Answered::Yes)).await,
            Deed::ApproveOnly(at) => {
                if let ClientFrame::ToolApproval(yes) = verdict(at, Answered::Yes) {
                    self.say(ClientFrame::ToolApproval(ToolVerdict { auto_continue: false, ..yes })).await;
                }
            }
            Deed::Refuse(at) => self.say(verdict(at, Answered::No)).await,
            Deed::Result(at) => self.say(result(at)).await,
            Deed::Switch(at) => {
                if let Some(id) = self.pick_message(at).await {
                    let _refused = self.stage.engine.set_active(&SessionId::default(), &id).await;
                }
            }
            Deed::Dismiss(at) => {
                if let Some(id) = self.pick_message(at).await {
                    let _refused = self.stage.engine.dismiss(&SessionId::default(), &id).await;
                }
            }
            Deed::Open => self.others.push(self.stage.page().await),
            Deed::Leave(at) if !self.others.is_empty() => {
                let _gone = self.others.swap_remove(at % self.others.len());
            }
            Deed::Resume(at) => self.resume(at).await,
            Deed::Leave(_) => {}
            Deed::Listen => {
                let _heard = self.asker.rest().await;
            }
        }
    }

    /// By another tab, if there is one.
    async fn say(&self, frame: ClientFrame) {
        self.others.last().unwrap_or(&self.asker).say(frame).await;
    }

    async fn submit(&mut self) {
        let id = self.next_request();
        let here = ToolSpec { name: "where_am_i".into(), description: None, parameters: None };
        let messages = vec![user(&format!("u-{id}"))];
        let body = ChatBody { messages, client_tools: Some(vec![here]), ..ChatBody::default() };
        self.asker.request(&id, body).await;
    }

    async fn regenerate(&mut self) {
        let mut list = self.stage.history().await;
        while list.last().is_some_and(|message| message.role != Role::User) {
            let _answer = list.pop();
        }
        let id = self.next_request();
        self.asker.regenerate(&id, list).await;
    }

    async fn resume(&self, at: usize) {
        if let (Some(tab), Some(id)) = (pick(&self.others, at), pick(&self.requests, at)) {
            tab.say(ClientFrame::ResumeRequest { probe_id: None }).await;
            tab.ack(id, None).await;
        }
    }

    async fn pick_message(&self, at: usize) -> Option<MessageId> {
        let tree = self.stage.engine.tree(&SessionId::default()).await.unwrap().unwrap();
        pick(&tree.nodes, at).map(|node| node.id.clone())
    }

    fn ends(&self, id: &str) -> usize {
        responses(&self.asker.seen, id).iter().filter(|response| response.done && !response.replay).count()
    }

    async fn check(mut self) {
        while self.requests.iter().any(|id| self.ends(id) == 0) || self.stage.engine.vitals().busy > 0 {
            let _heard = soon("every request to end", self.asker.rest()).await;
        }
        let ends: Vec<_> = self.requests.iter().map(|id| (id.as_str(), self.ends(id))).collect();
        assert!(ends.iter().all(|(_, count)| *count == 1), "{ends:?}");
        let Self { stage, asker, others, .. } = self;
        assert_eq!(stage.engine.sessions().examine().await.unwrap(), []);
        stage.engine.shutdown().await;
        drop((asker, others));
        // The actor has answered; its task may need a moment to end. The writer of the log goes with the engine.
        let rest = Vitals { tasks: 1, ..Vitals::default() };
        let gone = async {
            while stage.engine.vitals() != rest {
                tokio::task::yield_now().await;
            }
        };
        soon("everything to be gone", gone).await;
        // Nor does anything keep the memory of it.
        let Stage { engine, hooks, .. } = stage;
        drop(engine);
        let freed = async {
            while hooks.holders() > 1 {
                tokio::task::yield_now().await;
            }
        };
        soon("the instance's memory to be free", freed).await;
    }
}

fn pick<T>(all: &[T], at: usize) -> Option<&T> {
    all.get(at.checked_rem(all.len())?)
}

fn verdict(at: usize, answer: Answered) -> ClientFrame {
    let call = format!("c{}", at % 40);
    ClientFrame::ToolApproval(ToolVerdict::new(call.as_str().into(), answer))
}

fn result(at: usize) -> ClientFrame {
    ClientFrame::ToolResult(ToolResult {
        tool_call_id: format!("c{}", at % 40).as_str().into(),
        tool_name: "where_am_i".into(),
        output: json!("here"),
        state: None,
        error_text: None,
        auto_continue: true,
        client_tools: None,
        session_id: None,
    })
}

#[test]
fn whatever_clients_do_every_request_ends_once_and_nothing_is_left() {
    let runtime =
        Arc::new(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());
    let deeds = prop::collection::vec(deed(), 1..40);
    let config = ProptestConfig {
        cases: 24,
        max_shrink_iters: 40,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let told = TestRunner::new(config).run(&deeds, |deeds| {
        runtime.block_on(async {
            let mut play = Play::new().await;
            for deed in deeds {
                play.perform(deed).await;
            }
            play.check().await;
        });
        Ok(())
    });
    told.unwrap_or_else(|failure| panic!("{failure}"));
}
