//! Names of sessions: the first question's at once, the model's after a good answer, a person's for good.

use crate::support::{Stage, Tab, soon, stage_with, user};
use model::{ErrorClass, Purpose, Script, ScriptedModel};
use protocol::{ServerFrame, SessionId};
use session::NewSession;
use std::sync::{Arc, Mutex};
use think::Titles;

/// A model that says `ok` in chats and these titles in turn; none fails.
async fn titled(titles: &[Option<&'static str>]) -> Stage {
    let titles = Arc::new(Mutex::new(titles.to_vec()));
    let model = ScriptedModel::answering(move |request| match request.purpose {
        Purpose::Title => match titles.lock().unwrap().remove(0) {
            Some(title) => Script::new().text(title).stop(),
            None => Script::new().error(ErrorClass::Unavailable, "out of luck"),
        },
        Purpose::Chat | Purpose::Summary => Script::new().text("ok").stop(),
    });
    stage_with(model, |spec| spec.turns.titles = Titles::FromModel).await
}

/// Waits until the list of sessions is told this name.
async fn named(tab: &mut Tab, name: &str) {
    let is_told = |frame: &ServerFrame| matches!(frame, ServerFrame::SessionChanged { session } if session.name == name);
    let _frames = tab.until("the name", is_told).await;
}

fn asked(stage: &Stage) -> usize {
    stage.model.requests().iter().filter(|request| request.purpose == Purpose::Title).count()
}

#[tokio::test]
async fn the_first_question_names_a_session_and_the_model_names_it_better() {
    let stage = titled(&[Some("\"Saying things.\"")]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    named(&mut tab, "say u1").await;
    named(&mut tab, "Saying things").await;
    tab.submit("r2", vec![user("u2")]).await;
    let _frames = tab.until_turn_ends("r2").await;
    let _hooks = stage.hook_calls(2).await;
    assert_eq!(asked(&stage), 1, "a name of the model stays");
}

// J08
#[tokio::test]
async fn a_title_that_failed_is_asked_for_after_the_next_answer() {
    let stage = titled(&[None, Some("At last")]).await;
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let _frames = tab.until_turn_ends("r1").await;
    soon("the failure", async {
        while asked(&stage) == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    tab.submit("r2", vec![user("u2")]).await;
    named(&mut tab, "At last").await;
}

// A server may find its first real model only after it has answered by itself: what counts is the model of the turn.
#[tokio::test]
async fn a_model_that_makes_no_titles_is_not_asked_for_one() {
    let stage = titled(&[Some("At last")]).await;
    let (plain, other) =
        (SessionId::default(), stage.engine.create_session(NewSession::default()).await.unwrap().id);
    stage.engine.set_session_model(&plain, Some("test/untitled")).await.unwrap();
    let mut tab = stage.tab().await;
    tab.submit("r1", vec![user("u1")]).await;
    let _frames = tab.until_turn_ends("r1").await;
    let mut tab = stage.tab_on(other.as_str(), None).await;
    tab.submit("r2", vec![user("u2")]).await;
    named(&mut tab, "At last").await;
    let name = async |id| stage.engine.get_session(id).await.unwrap().unwrap().name;
    assert_eq!([name(&plain).await, name(&other).await], ["say u1", "At last"]);
    assert_eq!(asked(&stage), 1);
}

#[tokio::test]
async fn a_name_of_a_person_stays() {
    let stage = titled(&[]).await;
    let mut tab = stage.tab().await;
    let session = SessionId::default();
    tab.submit("r1", vec![user("u1")]).await;
    named(&mut tab, "say u1").await;
    let _renamed = stage.engine.rename_session(&session, "Mine").await.unwrap();
    let _frames = tab.until_turn_ends("r1").await;
    tab.submit("r2", vec![user("u2")]).await;
    let _frames = tab.until_turn_ends("r2").await;
    let _hooks = stage.hook_calls(2).await;
    assert_eq!(stage.engine.get_session(&session).await.unwrap().unwrap().name, "Mine");
}
