//! The door of the engine for everything beside turns: what it changes is told to the pages that show it.

use crate::support::{Stage, Tab, id_of, stage, stage_with, story, user};
use model::{ErrorClass, Gate, Script, ScriptedModel};
use protocol::{Author, ErrorCode, MessageId, Role, ServerFrame, SessionId, WireError};
use session::{BlockOptions, Change, ContextConfig, NewSession, Owner, Pin, Provider, Search};
use think::{Reach, ThinkError};

fn memory(spec: &mut think::AgentSpec) {
    let options = BlockOptions::from_provider(Provider::stored(Owner::Agent)).max_tokens(10);
    spec.sessions.context = ContextConfig::new().with_context("memory", options).unwrap();
}

fn default() -> SessionId {
    SessionId::default()
}

/// The frames about blocks, as `label@version`.
async fn blocks_heard(tab: &mut Tab) -> Vec<String> {
    let word = |frame: &ServerFrame| match frame {
        ServerFrame::BlockChanged { label, version, author: Author::User } => {
            Some(format!("{label}@{version}"))
        }
        _ => None,
    };
    tab.rest().await.iter().filter_map(word).collect()
}

// E01: one limit, one message.
#[tokio::test]
async fn writes_to_blocks_are_told_to_those_who_see_them() {
    let stage = stage_with(ScriptedModel::new([]), memory).await;
    let other = stage.engine.create_session(NewSession::default()).await.unwrap().id;
    let (mut here, mut there) = (stage.page().await, stage.tab_on(other.as_str(), Some(9)).await);
    let change = Change::by_user(Some(0));

    let block = stage.engine.put_block(&default(), "memory", "tea", &change).await.unwrap().unwrap();
    assert_eq!((block.version, &*block.content), (1, "tea"));
    let own = stage.engine.add_block(&default(), "plan", BlockOptions::default(), "").await.unwrap().unwrap();
    assert_eq!(own.version, 0);
    stage.engine.restore_block(&default(), "memory", 0, &Change::by_user(None)).await.unwrap().unwrap();
    assert!(stage.engine.remove_block(&default(), "plan").await.unwrap());
    assert!(!stage.engine.remove_block(&default(), "plan").await.unwrap());
    assert_eq!(blocks_heard(&mut here).await, ["memory@1", "plan@1", "memory@2", "plan@0"]);
    assert_eq!(blocks_heard(&mut there).await, ["memory@1", "memory@2"], "its own block is nobody else's");

    let code = |error: ThinkError| WireError::from(&error).code;
    let put = async |label: &str, text: &str| {
        let put = stage.engine.put_block(&default(), label, text, &change).await;
        put.map_err(code).unwrap_err()
    };
    assert_eq!(put("memory", "late").await, ErrorCode::Conflict);
    assert_eq!(put("nothing", "x").await, ErrorCode::UnknownBlock);
    let (long, options) = ("word ".repeat(40), BlockOptions::default().max_tokens(10));
    let full = stage.engine.put_block(&default(), "memory", &long, &Change::by_user(None)).await;
    assert_eq!(full.map_err(code).unwrap_err(), ErrorCode::TooLarge);
    let full = stage.engine.add_block(&default(), "new", options, &long).await;
    assert_eq!(full.map_err(code).unwrap_err(), ErrorCode::TooLarge);
    assert_eq!(stage.engine.blocks(&default()).await.unwrap().unwrap().len(), 1, "nothing is left of it");
    assert_eq!(blocks_heard(&mut here).await, Vec::<String>::new());
    assert_eq!(stage.engine.blocks(&"nosuch".into()).await.unwrap(), None);
}

/// `u1 a1 u2 a2`, and the ids of the answers.
async fn two_turns(stage: &Stage, tab: &mut Tab) -> Vec<MessageId> {
    for (request, message) in [("r1", "u1"), ("r2", "u2")] {
        let mut list = stage.history().await;
        list.push(user(message));
        tab.submit(request, list).await;
        tab.until_turn_ends(request).await;
    }
    stage.history().await.iter().map(id_of).collect()
}

#[tokio::test]
async fn a_fork_carries_blocks_and_pins_and_no_row_that_waits() {
    let gate = Gate::new();
    let hold = Script::new().text("three").hold(&gate).stop();
    let scripts = [Script::new().text("one").stop(), Script::new().text("two").stop(), hold];
    let stage = stage_with(ScriptedModel::new(scripts), memory).await;
    let mut tab = stage.tab().await;
    let ids = two_turns(&stage, &mut tab).await;
    stage.engine.add_block(&default(), "plan", BlockOptions::default(), "go").await.unwrap();
    assert!(stage.engine.pin_message(&default(), &ids[1], Pin::Pinned).await.unwrap());
    let mut list = stage.history().await;
    list.push(user("u3"));
    tab.submit("r3", list).await;
    tab.until_text("r3", "three").await;

    let fork = stage.engine.fork(&default(), None, Some("Copy")).await.unwrap().unwrap();
    assert_eq!((&*fork.name, fork.parent_session_id), ("Copy", Some(default())));
    let texts = |messages: Vec<protocol::Message>| -> Vec<String> {
        messages.iter().map(protocol::Message::plain_text).collect()
    };
    let copied = stage.engine.messages(&fork.id).await.unwrap().unwrap();
    let tree = stage.engine.tree(&fork.id).await.unwrap().unwrap();
    assert_eq!(texts(copied), ["say u1", "one", "say u2", "two", "say u3"]);
    let pinned: Vec<bool> = tree.nodes.iter().map(|node| node.is_pinned).collect();
    assert_eq!(pinned, [false, true, false, false, false]);
    let blocks = stage.engine.blocks(&fork.id).await.unwrap().unwrap();
    assert_eq!(blocks.last().map(|block| &*block.content), Some("go"));
    let half = stage.engine.fork(&default(), Some(&ids[1]), None).await.unwrap().unwrap();
    assert_eq!(texts(stage.engine.messages(&half.id).await.unwrap().unwrap()), ["say u1", "one"]);
    assert!(stage.engine.fork(&default(), Some(&"nosuch".into()), None).await.is_err());
    assert_eq!(stage.engine.fork(&"nosuch".into(), None, None).await.unwrap(), None);
    gate.open();
    tab.until_turn_ends("r3").await;
}

#[tokio::test]
async fn messages_go_alone_or_with_all_below_and_tabs_hear_it() {
    let gate = Gate::new();
    let hold = Script::new().text("three").hold(&gate).stop();
    let scripts = [Script::new().text("one").stop(), Script::new().text("two").stop(), hold];
    let stage = stage(scripts).await;
    let (mut tab, mut page) = (stage.tab().await, stage.page().await);
    let ids = two_turns(&stage, &mut tab).await;
    page.rest().await;
    assert_eq!(stage.engine.delete_message(&default(), &ids[1], Reach::Message).await.unwrap(), Some(1));
    assert_eq!(story(&page.rest().await), ["messages[u1:say u1 u2:say u2 *:two]"]);
    assert_eq!(stage.engine.delete_message(&default(), &ids[1], Reach::Message).await.unwrap(), None);
    assert_eq!(stage.engine.delete_message(&default(), &ids[2], Reach::Subtree).await.unwrap(), Some(2));
    assert_eq!(stage.path().await, "u1:say u1");

    tab.submit("r3", vec![user("u1")]).await;
    tab.until_text("r3", "three").await;
    let refused = stage.engine.delete_message(&default(), &"u1".into(), Reach::Subtree).await.unwrap_err();
    assert_eq!(WireError::from(&refused).code, ErrorCode::Conflict);
    gate.open();
    tab.until_turn_ends("r3").await;
    assert!(stage.engine.clear_session(&default()).await.unwrap());
    assert_eq!(story(&tab.rest().await), ["clear"]);
    assert!(!stage.engine.clear_session(&"nosuch".into()).await.unwrap());
}

#[tokio::test]
async fn a_summary_is_made_edited_and_taken_away_before_all_eyes() {
    let model = ScriptedModel::answering(|request| match request.purpose {
        model::Purpose::Summary => Script::new().text("They talked.").stop(),
        model::Purpose::Chat | model::Purpose::Title => {
            Script::new().text(&"long answer ".repeat(300)).stop()
        }
    });
    let stage = stage_with(model, |_| {}).await;
    let mut tab = stage.tab().await;
    for turn in 0..12 {
        let mut list = stage.history().await;
        list.push(user(&format!("u{turn}")));
        tab.submit(&format!("r{turn}"), list).await;
        tab.until_turn_ends(&format!("r{turn}")).await;
    }
    let before = stage.history().await;
    let mut page = stage.page().await;
    page.rest().await;
    let outcome = stage.engine.compact(&default()).await.unwrap().unwrap();
    let session::Outcome::Stored { compaction, .. } = outcome else { panic!("{outcome:?}") };
    let heard = story(&page.rest().await);
    assert!(heard[0].contains("Compacting") && heard[1].contains("Idle"), "{heard:?}");
    assert!(heard[2].contains("They talked."), "{heard:?}");
    let edited = stage.engine.edit_compaction(&default(), &compaction.id, "Edited.").await.unwrap().unwrap();
    assert_eq!(edited.summary, "Edited.");
    assert_eq!(stage.engine.compactions(&default()).await.unwrap(), Some(vec![edited]));
    assert!(stage.engine.delete_compaction(&default(), &compaction.id).await.unwrap());
    assert_eq!(stage.history().await, before);
    assert_eq!(page.rest().await.len(), 2, "a transcript each");

    let split = stage.engine.compact_and_split(&default(), Some("Next")).await.unwrap().unwrap();
    let first = &stage.engine.messages(&split.id).await.unwrap().unwrap()[0];
    assert_eq!((&first.role, first.plain_text().ends_with("They talked.")), (&Role::Assistant, true));
}

#[tokio::test]
async fn shelves_models_and_search_are_one_door() {
    let stage = stage([Script::new().text("one").stop()]).await;
    let id = stage.engine.create_session(NewSession::default()).await.unwrap().id;
    let mut tab = stage.tab_on(id.as_str(), None).await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_turn_ends("r1").await;
    tab.rest().await;
    let pinned = stage.engine.pin_session(&id).await.unwrap().unwrap();
    assert!(pinned.pinned_at.is_some() && stage.engine.archive_session(&id).await.unwrap().is_some());
    let loose = stage.engine.unpin_session(&id).await.unwrap().unwrap();
    assert!(loose.pinned_at.is_none() && loose.archived_at.is_some());
    let back = stage.engine.unarchive_session(&id).await.unwrap().unwrap();
    let chosen = stage.engine.set_session_model(&id, Some("test/other")).await.unwrap().unwrap();
    assert_eq!((back.archived_at, chosen.model.as_deref()), (None, Some("test/other")));
    let refused = stage.engine.set_session_model(&id, Some("test/none")).await.unwrap_err();
    assert!(matches!(refused, ThinkError::Model(error) if error.class == ErrorClass::UnknownModel));
    let changes =
        tab.rest().await.into_iter().filter(|frame| matches!(frame, ServerFrame::SessionChanged { .. }));
    assert_eq!(changes.count(), 5);
    for scope in [None, Some(&id)] {
        let found = stage.engine.search(&Search::new("one"), scope).await.unwrap().unwrap();
        assert_eq!(found.hits.len(), 1);
    }
    assert_eq!(stage.engine.search(&Search::new("one"), Some(&"nosuch".into())).await.unwrap(), None);
    assert_eq!(stage.engine.pin_session(&"nosuch".into()).await.unwrap(), None);
}

#[tokio::test]
async fn nothing_of_a_session_that_goes_is_left_in_the_engines_tables() {
    let gate = Gate::new();
    let stage = stage([Script::new().text("half").hold(&gate).stop()]).await;
    let id = stage.engine.create_session(NewSession::default()).await.unwrap().id;
    let mut tab = stage.tab_on(id.as_str(), None).await;
    tab.submit("r1", vec![user("u1")]).await;
    tab.until_text("r1", "half").await;
    let list = vec![user("u1"), user("u2")];
    tab.submit("r2", list).await;
    tab.rest().await;
    assert!(stage.engine.delete_session(&id).await.unwrap());
    for table in ["think_turns", "think_config", "cf_ai_chat_stream_metadata", "cf_ai_chat_stream_chunks"] {
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let rows: i64 = sqlx::query_scalar(sql).fetch_one(stage.file.db.reader()).await.unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    stage.engine.restore_session(&id).await.unwrap().unwrap();
    let tree = stage.engine.tree(&id).await.unwrap().unwrap();
    let previews: Vec<&str> = tree.nodes.iter().map(|node| &*node.preview).collect();
    assert_eq!(previews, ["say u1", "half", "say u2"], "no row waits for an answer that will not come");
    assert!(stage.engine.purge_session(&id).await.unwrap());
    assert!(!stage.engine.purge_session(&id).await.unwrap());
    assert_eq!(stage.engine.tree(&id).await.unwrap(), None);
}
