//! Turns over the socket: from a request to its end, for the tab that asked and for the others.

use crate::support::{Frame, Piece, Provider, TestApp, chat, hist_text, kind, text_of, user};
use serde_json::{Value, json};

fn said(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect()
}

fn places(frames: &[Frame], fits: impl Fn(&Frame) -> bool) -> Vec<usize> {
    frames.iter().enumerate().filter_map(|(place, frame)| fits(frame).then_some(place)).collect()
}

/// Plays one turn with this script and gives what the asking tab heard.
async fn turn(app: &TestApp, id: &str, messages: &[Value]) -> Vec<Frame> {
    let mut tab = app.greeted_tab().await;
    tab.send(chat(id, messages)).await;
    let mut frames = tab.until_turn_ends(id).await;
    frames.extend(tab.drain().await);
    frames
}

// TK-003. Ours answers each of them, so that no client is left waiting.
#[tokio::test]
async fn requests_that_cannot_be_read_are_answered_and_do_nothing() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let mut tab = app.greeted_tab().await;
    let rows = [
        json!({"method": "GET", "body": "{\"messages\":[]}"}),
        json!({"method": "POST"}),
        json!({"method": "POST", "body": "{\"messages\":\"x\"}"}),
        json!({"method": "POST", "body": "{"}),
    ];
    for (number, init) in rows.into_iter().enumerate() {
        let id = format!("bad-{number}");
        tab.send(json!({"type": "cf_agent_use_chat_request", "id": id, "init": init})).await;
        let frames = tab.until_done(&id).await;
        assert_eq!(frames.last().unwrap()["error"], true, "{init}");
    }
    assert_eq!((app.hist().await, provider.calls()), (vec![], vec![]));
    provider.say(["fine"]);
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    assert_eq!(text_of(&tab.until_turn_ends("r1").await, "r1"), "fine");
}

// TK-006, TK-007, TK-009
#[tokio::test]
async fn a_turn_streams_ends_once_and_is_stored_under_the_id_it_began_with() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["Good ", "morning"]);
    let frames = turn(&app, "r1", &[user("u1", "hi")]).await;

    assert_eq!(text_of(&frames, "r1"), "Good morning");
    let done = places(&frames, |frame| frame["id"] == "r1" && frame["done"] == true);
    let last = &frames[done[0]];
    assert_eq!((done.len(), &last["body"], last.get("error")), (1, &json!(""), None));
    let transcripts = places(&frames, |frame| kind(frame) == "cf_agent_chat_messages");
    assert!(done[0] < transcripts[0], "done comes before the final transcript");

    let hist = app.hist().await;
    assert_eq!(hist_text(&hist), said(&[("user", "hi"), ("assistant", "Good morning")]));
    assert_eq!(hist[1]["parts"].as_array().unwrap().last().unwrap()["state"], "done");
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "complete");
    let chunks =
        frames.iter().filter_map(|frame| serde_json::from_str::<Value>(frame["body"].as_str()?).ok());
    let start = chunks.into_iter().find(|chunk| chunk["type"] == "start").expect("a start");
    let last_transcript = frames[transcripts[transcripts.len() - 1]]["messages"].as_array().unwrap().clone();
    assert_eq!([&start["messageId"], &last_transcript[1]["id"]], [&hist[1]["id"], &hist[1]["id"]]);
}

// TK-008
#[tokio::test]
async fn another_tab_sees_the_question_then_the_same_chunks() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let (mut a, mut b) = (app.greeted_tab().await, app.greeted_tab().await);
    provider.say(["one ", "two"]);
    a.send(chat("r1", &[user("u1", "hi")])).await;
    let (heard_a, heard_b) = (a.until_turn_ends("r1").await, b.until_turn_ends("r1").await);

    let chunks = |frames: &[Frame]| -> Vec<Value> {
        frames
            .iter()
            .filter(|frame| frame["id"] == "r1" && frame["done"] == false)
            .map(|it| it["body"].clone())
            .collect()
    };
    assert_eq!(chunks(&heard_a), chunks(&heard_b));
    let is_transcript = |frame: &Frame| kind(frame) == "cf_agent_chat_messages";
    let first_chunk = places(&heard_b, |frame| frame["id"] == "r1")[0];
    let question = places(&heard_b, is_transcript)[0];
    assert!(question < first_chunk);
    assert_eq!(heard_b[question]["messages"][0]["id"], "u1");
    let done = places(&heard_a, |frame| frame["done"] == true)[0];
    assert!(places(&heard_a, is_transcript).into_iter().all(|place| place > done));
    for frames in [&heard_a, &heard_b] {
        let last = &frames[*places(frames, is_transcript).last().unwrap()];
        assert_eq!(last["messages"].as_array().unwrap().len(), 2);
    }
}

// TK-010, TK-086
#[tokio::test]
async fn the_next_turn_hangs_under_the_last_answer_whether_the_list_is_whole_or_new_only() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.say(["first"]);
    let _turn = turn(&app, "r1", &[user("u1", "hi")]).await;
    let answered = app.hist().await;
    let rows = app.tree().await;
    provider.say(["second"]);
    let _turn = turn(&app, "r2", &[answered[0].clone(), answered[1].clone(), user("u2", "more")]).await;
    provider.say(["third"]);
    let _turn = turn(&app, "r3", &[user("u3", "again")]).await;

    let hist = app.hist().await;
    let expected = [("user", "hi"), ("assistant", "first"), ("user", "more"), ("assistant", "second")];
    let expected = said(&[&expected[..], &[("user", "again"), ("assistant", "third")]].concat());
    assert_eq!(hist_text(&hist), expected);
    assert_eq!(hist[..2], answered[..]);
    // Not written again either: the outline tells when a row was stored.
    assert_eq!(app.tree().await[..2], rows[..]);
    let asked = provider.calls()[2].said();
    assert_eq!(asked[1..], expected[..5]);
}

// TK-012
#[tokio::test]
async fn the_cap_on_model_calls_ends_a_turn() {
    let provider = Provider::start().await;
    let app = TestApp::asking_with(&provider, "[agents.assistant]\nmax_steps = 3\ntools = ['demo']").await;
    for id in ["c1", "c2", "c3", "c4"] {
        provider.play([Piece::Tool(id, "add", json!({"a": 1, "b": 1}))]);
    }
    let frames = turn(&app, "r1", &[user("u1", "hi")]).await;
    assert_eq!(provider.calls().len(), 3);
    let done = frames.iter().find(|frame| frame["id"] == "r1" && frame["done"] == true).unwrap();
    assert_eq!(done.get("error"), None);
    let hist = app.hist().await;
    let parts = hist[1]["parts"].as_array().unwrap();
    let kinds: Vec<_> = parts.iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["step-start", "tool-add", "step-start", "tool-add", "step-start", "tool-add"]);
    let sums: Vec<_> = parts.iter().filter_map(|part| part.get("output")).collect();
    assert_eq!(sums, [&json!({"sum": 2}); 3]);
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "step_limit");
}

// TK-013, the half without blocks
#[tokio::test]
async fn the_model_is_told_the_agents_prompt_first() {
    let provider = Provider::start().await;
    let app =
        TestApp::asking_with(&provider, "[agents.assistant]\nsystem_prompt = 'Be brief.'\nblocks = {}").await;
    provider.say(["ok"]);
    let _turn = turn(&app, "r1", &[user("u1", "hi")]).await;
    assert_eq!(provider.calls()[0].said(), said(&[("system", "Be brief."), ("user", "hi")]));
}

// TK-016
#[tokio::test]
async fn an_error_in_the_stream_is_told_and_keeps_what_had_arrived() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play([Piece::Text("par".to_owned()), Piece::Error("quota hit")]);
    let frames = turn(&app, "r1", &[user("u1", "hi")]).await;

    let of_turn: Vec<&Frame> =
        frames.iter().filter(|frame| frame["id"] == "r1" && frame.get("body").is_some()).collect();
    let [.., error, done] = &of_turn[..] else { panic!("{of_turn:?}") };
    assert_eq!((&error["done"], &error["error"]), (&json!(false), &json!(true)));
    assert!(error["body"].as_str().unwrap().contains("quota hit"), "{error}");
    assert_eq!((&done["done"], &done["body"], done.get("error")), (&json!(true), &json!(""), None));
    let hist = app.hist().await;
    assert_eq!(hist_text(&hist), said(&[("user", "hi"), ("assistant", "par")]));
    assert_eq!(hist[1]["metadata"]["bough"]["status"], "failed");
}

#[tokio::test]
async fn every_failure_of_a_provider_ends_the_turn_with_its_reason() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    for (number, status) in [401, 404, 429, 500].into_iter().enumerate() {
        let id = format!("r{number}");
        provider.play([Piece::Status(status)]);
        let frames = turn(&app, &id, &[user(&format!("u{number}"), "hi")]).await;
        let end = frames.iter().find(|frame| kind(frame) == "bough_turn").expect("an end");
        assert_eq!(end["status"], "failed", "{status}: {end}");
        assert!(!end["error"].as_str().unwrap_or_default().is_empty(), "{status}: {end}");
    }
}

#[tokio::test]
async fn a_broken_connection_is_no_complete_answer() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    provider.play([Piece::Text("cut".to_owned()), Piece::Hold, Piece::Die]);
    let mut tab = app.greeted_tab().await;
    tab.send(chat("r1", &[user("u1", "hi")])).await;
    let _cut = tab.until(|frame| text_of(std::slice::from_ref(frame), "r1") == "cut").await;
    provider.release();
    let end = tab.until_turn_ends("r1").await.pop().unwrap();
    assert!(["failed", "cut_off"].contains(&end["status"].as_str().unwrap()), "{end}");
    assert_eq!(hist_text(&app.hist().await)[1], ("assistant".to_owned(), "cut".to_owned()));
}

#[tokio::test]
async fn two_sessions_stream_at_the_same_time() {
    let provider = Provider::start().await;
    let app = TestApp::asking(&provider).await;
    let url = app.url("/api/v1/agents/assistant/default/sessions");
    let made = app.client.post(url).json(&json!({"id": "other"})).send().await.unwrap();
    assert_eq!(made.status().as_u16(), 201);
    let mut held = app.greeted_tab().await;
    let mut free = app.tab_at("/agents/assistant/default?session=other").await;
    provider.play([Piece::Text("slow ".to_owned()), Piece::Hold, Piece::Text("end".to_owned())]);
    held.send(chat("r1", &[user("u1", "hi")])).await;
    let _part = held.until(|frame| text_of(std::slice::from_ref(frame), "r1") == "slow ").await;
    provider.say(["quick"]);
    free.send(chat("r2", &[user("u1", "hi")])).await;
    let heard = free.until_turn_ends("r2").await;
    assert_eq!(text_of(&heard, "r2"), "quick");
    assert!(heard.iter().all(|frame| frame["id"] != "r1"), "no cross-talk");
    provider.release();
    assert_eq!(text_of(&held.until_turn_ends("r1").await, "r1"), "end");
}
