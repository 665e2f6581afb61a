//! Conversations that outgrow their room: summaries before and between steps, and prompts that a provider refuses.

use crate::support::{Stage, Tab, stage_with, user};
use model::{ErrorClass, Gate, ModelRequest, Purpose, Script, ScriptedModel};
use protocol::{Phase, ServerFrame, SessionId, TurnStatus};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model that summarises, and answers chat requests by their number.
fn model(chat: impl Fn(usize, &ModelRequest) -> Script + Send + Sync + 'static) -> ScriptedModel {
    let count = Arc::new(AtomicUsize::new(0));
    ScriptedModel::answering(move |request| match request.purpose {
        Purpose::Summary => Script::new().text("They talked.").stop(),
        Purpose::Chat | Purpose::Title => chat(count.fetch_add(1, Ordering::Relaxed), request),
    })
}

async fn turns(stage: &Stage, page: &mut Tab, names: impl IntoIterator<Item = usize>) -> Vec<ServerFrame> {
    let mut heard = Vec::new();
    for name in names {
        let mut list = stage.history().await;
        list.push(user(&format!("u{name}")));
        page.submit(&format!("r{name}"), list).await;
        heard.extend(page.until_turn_ends(&format!("r{name}")).await);
    }
    heard
}

fn phases(frames: &[ServerFrame]) -> Vec<Phase> {
    let phase = |frame: &ServerFrame| match frame {
        ServerFrame::SessionStatus { phase, .. } => Some(*phase),
        _ => None,
    };
    let mut phases: Vec<Phase> = frames.iter().filter_map(phase).collect();
    phases.dedup();
    phases
}

fn chats(stage: &Stage) -> Vec<ModelRequest> {
    stage.model.requests().into_iter().filter(|request| request.purpose == Purpose::Chat).collect()
}

// D01, D08: one summary brings the prompt below the threshold, and short turns do not bring another.
#[tokio::test]
async fn a_long_conversation_is_summarised_once_before_a_turn() {
    let long = "long answer ".repeat(100);
    let answers =
        model(move |number, _| Script::new().text(if number < 12 { &long } else { "short" }).stop());
    let stage = stage_with(answers, |spec| spec.sessions.compact_after = Some(3_000)).await;
    let mut page = stage.page().await;
    let heard = turns(&stage, &mut page, 0..13).await;
    assert!(heard.iter().all(|frame| !matches!(frame, ServerFrame::SessionError { .. })), "{heard:?}");
    let expected = [Phase::Idle, Phase::Compacting];
    assert!(phases(&heard).chunks(2).all(|pair| pair.iter().zip(expected).all(|(is, want)| *is == want)));
    assert_eq!(phases(&heard).last(), Some(&Phase::Idle));
    let session = SessionId::default();
    let made = stage.engine.compactions(&session).await.unwrap().unwrap().len();
    assert!(made >= 1);
    let shown = stage.history().await;
    assert!(shown.iter().any(|message| message.id.is_overlay()));
    let report = stage.engine.prompt_report(&session).await.unwrap().unwrap();
    assert!(report.total_tokens < 3_000, "{}", report.total_tokens);
    assert!(report.history.iter().any(|piece| piece.kind == protocol::PieceKind::Overlay));

    turns(&stage, &mut page, 13..18).await;
    assert_eq!(stage.engine.compactions(&session).await.unwrap().unwrap().len(), made);
    let transcript = stage.engine.transcript(&session, None, 50).await.unwrap().unwrap();
    assert_eq!(transcript.overlays.len(), 1);
}

// D04: one long loop of tools stays within its room, and every call keeps a result.
#[tokio::test]
async fn old_results_of_a_running_answer_give_way() {
    let steps = 12;
    let answers = model(move |number, _| {
        let text = "x".repeat(4_000);
        let call = Script::new().tool(&format!("c{number}"), "danger_free", &json!({ "text": text }));
        if number < steps { call.tool_calls() } else { Script::new().text("Done.").stop() }
    });
    let stage = stage_with(answers, |spec| {
        spec.max_steps = 40;
        spec.sessions.compact_after = Some(24_000);
        spec.tools = vec![Arc::new(Echo)];
    })
    .await;
    let mut page = stage.page().await;
    turns(&stage, &mut page, 0..1).await;
    let last = chats(&stage).pop().unwrap();
    assert_eq!(last.messages.len(), 1 + 2 * steps, "every call and its result");
    let sizes: Vec<usize> =
        last.messages.iter().skip(2).step_by(2).map(|it| format!("{it:?}").len()).collect();
    assert!(sizes[0] < 1_000 && sizes[steps - 1] > 4_000, "{sizes:?}");
}

struct Echo;

impl think::Tool for Echo {
    fn spec(&self) -> protocol::ToolSpec {
        protocol::ToolSpec { name: "danger_free".into(), description: None, parameters: None }
    }

    fn run(
        &self,
        input: serde_json::Value,
    ) -> futures::future::BoxFuture<'static, Result<serde_json::Value, String>> {
        Box::pin(async move { Ok(input["text"].clone()) })
    }
}

fn too_long() -> Script {
    Script::new().error(ErrorClass::ContextOverflow, "prompt is too long: 9 > 8")
}

fn ending(heard: &[ServerFrame]) -> (TurnStatus, String) {
    let Some(ServerFrame::Turn { status, error, .. }) = heard.last() else { panic!("{heard:?}") };
    (*status, error.clone().unwrap_or_default())
}

// D10: one summary, one more try; a clear text where that does not help; never a loop.
#[tokio::test]
async fn a_refused_prompt_is_made_shorter_once() {
    for (refusals, expected, calls) in [(1, TurnStatus::Complete, 2), (9, TurnStatus::Failed, 2)] {
        let long = "long answer ".repeat(300);
        let answers = model(move |number, _| match number {
            0..8 => Script::new().text(&long).stop(),
            number if number < 8 + refusals => too_long(),
            _ => Script::new().text("fits").stop(),
        });
        let stage = stage_with(answers, |_| {}).await;
        let mut page = stage.page().await;
        turns(&stage, &mut page, 0..8).await;
        let before = chats(&stage).len();
        let heard = turns(&stage, &mut page, 8..9).await;
        let (status, error) = ending(&heard);
        assert_eq!((status, chats(&stage).len() - before), (expected, calls));
        assert_eq!(
            error.contains("even after it was made shorter"),
            expected == TurnStatus::Failed,
            "{error}"
        );
        assert_eq!(phases(&heard), [Phase::Compacting, Phase::Idle]);
        assert!(format!("{:?}", chats(&stage).pop().unwrap()).contains("They talked."));
    }
}

#[tokio::test]
async fn a_prompt_that_cannot_be_made_shorter_says_so() {
    let stage = stage_with(model(|_, _| too_long()), |_| {}).await;
    let mut page = stage.page().await;
    let heard = turns(&stage, &mut page, 0..1).await;
    let (status, error) = ending(&heard);
    assert_eq!((status, chats(&stage).len()), (TurnStatus::Failed, 1));
    assert!(error.contains("could not be shortened"), "{error}");
}

/// A summary is being written before the turn `r5`, until the gate opens.
async fn summarising() -> (Stage, Tab, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let long = "long answer ".repeat(300);
    let answers = ScriptedModel::answering(move |request| match request.purpose {
        Purpose::Summary => Script::new().hold(&held).text("They talked.").stop(),
        Purpose::Chat | Purpose::Title => Script::new().text(&long).stop(),
    });
    let stage = stage_with(answers, |spec| spec.sessions.compact_after = Some(4_000)).await;
    let mut page = stage.page().await;
    turns(&stage, &mut page, 0..5).await;
    page.rest().await;
    let mut list = stage.history().await;
    list.push(user("u5"));
    page.submit("r5", list).await;
    let is_busy =
        |frame: &ServerFrame| matches!(frame, ServerFrame::SessionStatus { phase: Phase::Compacting, .. });
    page.until("a summary", is_busy).await;
    (stage, page, gate)
}

#[tokio::test]
async fn a_tab_that_opens_while_a_summary_is_written_is_told_so() {
    let (stage, _page, gate) = summarising().await;
    let mut tabs = [stage.tab().await, stage.page().await];
    for tab in &mut tabs {
        assert_eq!(phases(&tab.rest().await), [Phase::Compacting]);
    }
    gate.open();
    for tab in &mut tabs {
        let heard = tab.until_turn_ends("r5").await;
        assert_eq!(phases(&heard), [Phase::Idle]);
    }
    let mut late = stage.tab().await;
    assert_eq!(phases(&late.rest().await), [], "nothing is being written any more");
    let other = stage.engine.create_session(session::NewSession::default()).await.unwrap();
    let mut elsewhere = stage.tab_on(other.id.as_str(), None).await;
    assert_eq!(phases(&elsewhere.rest().await), []);
}

#[tokio::test]
async fn a_summary_that_is_being_written_can_be_stopped() {
    let (stage, mut page, gate) = summarising().await;
    page.say(protocol::ClientFrame::Cancel { id: "r5".into() }).await;
    let heard = page.until_turn_ends("r5").await;
    assert_eq!((ending(&heard).0, phases(&heard)), (TurnStatus::Stopped, vec![Phase::Idle]));
    assert_eq!(stage.engine.compactions(&SessionId::default()).await.unwrap(), Some(vec![]));
    let mut late = stage.tab().await;
    assert_eq!(phases(&late.rest().await), []);
    gate.open();
}
