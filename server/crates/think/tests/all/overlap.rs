//! New messages that come while a turn runs, for agents that do not simply queue them.

use crate::support::{Stage, Tab, responses, stage_with, story, user};
use model::{Gate, Script, ScriptedModel};
use protocol::{ClientFrame, ServerFrame};
use serde_json::{Value, json};
use std::time::Duration;
use think::turn::Overlap;

/// A first turn that is held after its text, and the gate that lets it end.
async fn held(overlap: Overlap) -> (Stage, Tab, Gate) {
    let gate = Gate::new();
    let scripts = [Script::new().text("one").hold(&gate).stop(), Script::new().text("two").stop()];
    let stage = stage_with(ScriptedModel::new(scripts), |spec| spec.turns.overlap = overlap).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "one").await;
    (stage, tab, gate)
}

fn is_done(frame: &ServerFrame, id: &str) -> bool {
    matches!(frame, ServerFrame::ChatResponse(end) if end.done && end.id == id)
}

#[tokio::test]
async fn one_turn_answers_all_messages_that_waited() {
    for overlap in [Overlap::Latest, Overlap::Merge, Overlap::Debounce(Duration::ZERO)] {
        let (stage, mut tab, gate) = held(overlap).await;
        let mut other = stage.tab().await;
        tab.submit("r2", vec![user("u2")]).await;
        tab.submit("r3", vec![user("u3")]).await;
        tab.until("the end of r2", |frame| is_done(frame, "r2")).await;
        gate.open();
        tab.until_turn_ends("r3").await;
        assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 u3:say u3 *:two", "{overlap:?}");
        let requests = stage.model.requests();
        let prompt = format!("{:?}", requests[1]);
        assert!(requests.len() == 2 && prompt.contains("say u2") && prompt.contains("say u3"), "{prompt}");
        assert_eq!(responses(&tab.seen, "r2").len(), 1, "no chunk, no error, one end");
        other.until_turn_ends("r3").await;
        assert!(responses(&other.seen, "r2").is_empty(), "only who asked hears that it was replaced");
    }
}

// TK-060
#[tokio::test]
async fn a_message_that_is_dropped_leaves_nothing() {
    let (stage, mut tab, gate) = held(Overlap::Drop).await;
    let mut other = stage.tab().await;
    other.rest().await;
    tab.submit("r2", vec![user("u1"), user("u2")]).await;
    let frames = tab.until("the end of r2", |frame| is_done(frame, "r2")).await;
    assert_eq!(story(&frames), ["messages[u1:say u1]", "done r2"]);
    assert_eq!(story(&other.rest().await), [""; 0]);
    gate.open();
    tab.until_turn_ends("r1").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one");
    // Alone, a message is taken.
    tab.submit("r3", vec![user("u3")]).await;
    tab.until_turn_ends("r3").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u3:say u3 *:two");
}

#[tokio::test]
async fn a_debounced_turn_waits_for_a_pause() {
    let (stage, mut tab, gate) = held(Overlap::Debounce(Duration::from_secs(3_600))).await;
    tab.submit("r2", vec![user("u2")]).await;
    gate.open();
    tab.until_turn_ends("r1").await;
    tab.rest().await;
    assert_eq!(stage.model.requests().len(), 1, "the slot is free and the pause is not over");
    // A turn that waits for its pause can be stopped like any other.
    tab.say(ClientFrame::Cancel { id: "r2".into() }).await;
    tab.until("the end of r2", |frame| is_done(frame, "r2")).await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2");
}

#[tokio::test]
async fn a_debounced_turn_starts_by_itself_after_its_pause() {
    let (stage, mut tab, gate) = held(Overlap::Debounce(Duration::from_millis(1))).await;
    tab.submit("r2", vec![user("u2")]).await;
    gate.open();
    tab.until_turn_ends("r2").await;
    assert_eq!(stage.path().await, "u1:say u1 *:one u2:say u2 *:two");
}

#[tokio::test]
async fn another_version_is_never_replaced() {
    let (stage, mut tab, gate) = held(Overlap::Latest).await;
    tab.regenerate("r2", vec![user("u1")]).await;
    tab.submit("r3", vec![user("u3")]).await;
    gate.open();
    tab.until_turn_ends("r2").await;
    tab.until_turn_ends("r3").await;
    assert_eq!(stage.model.requests().len(), 3);
}

/// A turn that nothing but its pause keeps from starting, and the tab that asked for it.
async fn pausing() -> (Stage, Tab) {
    let (stage, mut tab, gate) = held(Overlap::Debounce(Duration::from_secs(3_600))).await;
    tab.submit("r2", vec![user("u2")]).await;
    tab.rest().await;
    gate.open();
    tab.until_turn_ends("r1").await;
    (stage, tab)
}

/// A frame of this type as the socket gets it.
fn as_json(frames: &[ServerFrame], kind: &str) -> Vec<Value> {
    let all = frames.iter().map(|frame| serde_json::to_value(frame).unwrap());
    all.filter(|frame| frame["type"] == kind).collect()
}

// A turn that was accepted and has no stream: who comes is asked to wait, and let go where none will come.
#[tokio::test]
async fn a_tab_that_comes_while_a_turn_only_waits_is_told_to_wait_and_let_go() {
    let list = "messages[u1:say u1 *:one u2:say u2]";
    let cancelled = vec![list, "none"];
    let cleared = vec!["done r2", "none", "clear"];
    for (frame, end) in
        [(ClientFrame::Cancel { id: "r2".into() }, cancelled), (ClientFrame::Clear {}, cleared)]
    {
        let (stage, tab) = pausing().await;
        let (mut public, mut page) = (stage.tab().await, stage.page().await);
        let greeting = public.rest().await;
        assert_eq!(story(&greeting), ["identity", "pending", list]);
        let pending = json!({ "type": "cf_agent_stream_pending", "id": "r2" });
        assert_eq!(as_json(&greeting, "cf_agent_stream_pending"), [pending]);
        assert_eq!(story(&page.rest().await), ["identity", list]);
        tab.say(frame).await;
        let heard = public.rest().await;
        assert_eq!(story(&heard), end);
        let bare = json!({ "type": "cf_agent_stream_resume_none" });
        assert_eq!(as_json(&heard, "cf_agent_stream_resume_none"), [bare]);
        assert_eq!(stage.model.requests().len(), 1);
    }
}
