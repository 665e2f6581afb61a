//! Many at once and much at once: everybody hears everything once, nobody is let go, and nothing is left behind.

use crate::support::{Tab, responses, stage_with, tab_of, text_of, user};
use futures::future::join_all;
use model::{Gate, Script, ScriptedModel};
use protocol::{ServerFrame, limits};
use session::NewSession;
use think::Vitals;

const SESSIONS: usize = 200;
/// Pieces before and after the moment at which others join.
const PIECES: usize = 40;
const MANY: usize = 50_000;

/// Numbered pieces; the second half comes when the gate opens.
fn halves(gate: &Gate, each: usize) -> Script {
    let piece = |script: Script, number: usize| script.text(&format!("{number},"));
    (each..2 * each).fold((0..each).fold(Script::new(), piece).hold(gate), piece).stop()
}

fn numbers(range: std::ops::Range<usize>) -> String {
    range.map(|number| format!("{number},")).collect()
}

/// Joins a running turn from its beginning; gives the tab with what it heard.
async fn join(engine: &think::Engine, session: &str) -> Tab {
    let mut tab = tab_of(engine, session, Some(50)).await;
    tab.ack("r", None).await;
    let _replay = tab
        .until("the replay", |frame| matches!(frame, ServerFrame::ChatResponse(end) if end.replay_complete))
        .await;
    tab
}

#[tokio::test]
async fn two_hundred_sessions_stream_together_and_a_second_tab_joins_each_in_the_middle() {
    let gate = Gate::new();
    let script = halves(&gate, PIECES);
    let stage = stage_with(ScriptedModel::answering(move |_request| script.clone()), |_| {}).await;
    let mut names = Vec::new();
    for _ in 0..SESSIONS {
        names.push(stage.engine.create_session(NewSession::default()).await.unwrap().id.to_string());
    }
    let mut first: Vec<Tab> = join_all(names.iter().map(|name| tab_of(&stage.engine, name, Some(50)))).await;
    for tab in &first {
        tab.submit("r", vec![user("u")]).await;
    }
    let half = numbers(0..PIECES);
    join_all(first.iter_mut().map(|tab| tab.until_text("r", &half))).await;
    let busy = Vitals { busy: SESSIONS, sockets: SESSIONS, actors: SESSIONS, ..stage.engine.vitals() };
    assert_eq!(stage.engine.vitals(), busy, "all at the same time");
    let mut second = join_all(names.iter().map(|name| join(&stage.engine, name))).await;
    gate.open();
    let whole = numbers(0..2 * PIECES);
    for tab in first.iter_mut().chain(&mut second) {
        tab.until_turn_ends("r").await;
        assert_eq!(text_of(&tab.seen, "r"), whole);
    }
    assert_eq!(stage.model.requests().len(), SESSIONS);
    assert_eq!(stage.engine.vitals().sockets, 2 * SESSIONS, "nobody was let go");
    drop((first, second));
    assert_eq!((stage.engine.vitals().sockets, stage.engine.vitals().busy), (0, 0));
}

#[tokio::test]
async fn a_turn_of_a_hundred_thousand_pieces_is_heard_whole_by_who_comes_in_the_middle() {
    let gate = Gate::new();
    let script = halves(&gate, MANY);
    let stage = stage_with(ScriptedModel::answering(move |_request| script.clone()), |_| {}).await;
    let mut first = stage.page().await;
    first.submit("r", vec![user("u")]).await;
    let last = format!("{},", MANY - 1);
    let is_last =
        |frame: &ServerFrame| matches!(frame, ServerFrame::ChatResponse(it) if it.body.contains(&last));
    first.until("the first half", is_last).await;
    let mut second = join(&stage.engine, "").await;
    gate.open();
    let whole = numbers(0..2 * MANY);
    for tab in [&mut first, &mut second] {
        tab.until_turn_ends("r").await;
        assert_eq!(text_of(&tab.seen, "r"), whole);
        // What comes at once is joined: a flood costs frames by the batch, not by the piece.
        let frames = responses(&tab.seen, "r").len();
        assert!(frames < 2 * MANY / 100 && frames > 2 * MANY / limits::CHUNK_BATCH_MAX, "{frames} frames");
    }
}
