//! Context blocks: what they hold, who may write them, and how large they may get.

use crate::context::{Probe, blocks_of, by_user, content_of, fixed, options, probe, text, wiki};
use crate::support::{Story, say};
use protocol::{Author, BlockKind, BlockOrigin, BlockScope, ContextBlock};
use session::{
    BlockOptions, Change, ContextConfig, ContextError, Entry, Owner, Provider, SessionError, SessionManager,
    TextObject,
};
use std::sync::Arc;
use testkit::{FakeClock, SeqIds};

// B3
#[tokio::test]
async fn a_block_keeps_its_limit_on_every_way_in() {
    let story = Story::begin().await;
    let provider = probe("one");
    let inside = Provider::Stored { owner: Owner::Session, initial: "one".to_owned() };
    for provider in [inside, Provider::Writable(provider)] {
        let config = ContextConfig::new().with_context("memo", options(provider).max_tokens(50)).unwrap();
        let context = story.session("s").await.context(&config);
        let change = by_user();
        let long = |count| "z".repeat(count);

        for (addition, expected) in [("two", "one\ntwo"), ("\nthree", "one\ntwo\nthree")] {
            assert_eq!(context.append("memo", addition, &change).await.unwrap().content, expected);
        }
        assert_eq!(context.replace("memo", "", &change).await.unwrap().content, "");
        assert_eq!(context.append("memo", "solo", &change).await.unwrap().content, "solo", "no empty line");
        let refused = context.replace("memo", &long(201), &change).await.unwrap_err();
        assert_eq!(refused.to_string(), "Block \"memo\" exceeds maxTokens: 51 > 50");
        assert_eq!(content_of(&context, "memo").await, "solo");
        let full = context.replace("memo", &long(200), &change).await.unwrap();
        assert_eq!((full.tokens, full.content), (50, long(200)));
        let refused = context.append("memo", "k", &change).await.unwrap_err();
        assert!(matches!(refused, ContextError::Full { tokens: 51, max_tokens: 50, .. }), "{refused:?}");
        assert_eq!(content_of(&context, "memo").await, long(200));
    }
}

// B6
#[tokio::test]
async fn sessions_keep_their_blocks_apart_and_an_agents_block_is_shared() {
    let mut story = Story::begin().await;
    let config = ContextConfig::new()
        .with_context("memo", BlockOptions::default())
        .and_then(|config| config.with_context("shared", options(Provider::stored(Owner::Agent))))
        .unwrap();
    let sessions = [story.session("s-1").await, story.session("s-2").await, story.default_session().await];
    for session in &sessions {
        let context = session.context(&config);
        let own = format!("memo of {:?}", session.id().as_str());
        context.replace("memo", &own, &by_user()).await.unwrap();
        context.append("shared", session.id().as_str(), &by_user()).await.unwrap();
    }
    story.reopen().await;
    for id in ["s-1", "s-2", ""] {
        let context = story.manager.session(&id.into()).await.unwrap().unwrap().context(&config);
        assert_eq!(content_of(&context, "memo").await, format!("memo of {id:?}"));
        assert_eq!(content_of(&context, "shared").await, "s-1\ns-2\n");
    }
}

#[tokio::test]
async fn labels_and_sessions_never_name_each_others_rows() {
    let story = Story::begin().await;
    let labels = ["a", "a_b", "_system_prompt", "a\u{1f}b", "%"];
    let labels: Vec<&str> = labels.into_iter().filter(|label| !label.contains('\u{1f}')).collect();
    let config = labels
        .iter()
        .try_fold(ContextConfig::new(), |config, label| config.with_context(label, BlockOptions::default()));
    let config = config.unwrap().with_cached_prompt();
    for id in ["b", "b_c", "system_prompt"] {
        let context = story.session(id).await.context(&config);
        for label in &labels {
            context.replace(label, &format!("{label} in {id}"), &by_user()).await.unwrap();
        }
        context.freeze_system_prompt().await.unwrap();
    }
    for id in ["b", "b_c", "system_prompt"] {
        let context = story.session(id).await.context(&config);
        for label in &labels {
            assert_eq!(content_of(&context, label).await, format!("{label} in {id}"));
        }
    }
}

#[tokio::test]
async fn a_block_tells_everything_a_page_shows() {
    let story = Story::begin().await;
    let config = ContextConfig::new()
        .with_context("memo", BlockOptions::default().describe("Facts").max_tokens(40))
        .and_then(|config| config.with_context("soul", fixed("You are Marlow.")))
        .and_then(|config| config.with_context("wiki", options(wiki("3 pages"))))
        .unwrap();
    let context = story.default_session().await.context(&config);
    story.clock.advance(5);
    context.replace("memo", "tea and cake", &by_user()).await.unwrap();
    let block = |label: &str, content: &str, kind| ContextBlock {
        label: label.to_owned(),
        description: None,
        content: content.to_owned(),
        tokens: session::estimate_text(content),
        max_tokens: None,
        kind,
        is_writable: false,
        scope: BlockScope::Outside,
        version: 0,
        updated_at: None,
        origin: BlockOrigin::Configured,
        problem: None,
    };
    let memo = ContextBlock {
        description: Some("Facts".to_owned()),
        max_tokens: Some(40),
        is_writable: true,
        scope: BlockScope::Session,
        version: 1,
        updated_at: Some(1_005),
        ..block("memo", "tea and cake", BlockKind::Text)
    };
    let expected = vec![
        memo.clone(),
        block("soul", "You are Marlow.", BlockKind::Text),
        block("wiki", "3 pages", BlockKind::Search),
    ];
    assert_eq!(context.blocks().await.unwrap(), expected);
    assert_eq!(context.block("memo").await.unwrap(), Some(memo));
    assert_eq!(context.block("MEMO").await.unwrap(), None);
}

#[tokio::test]
async fn who_may_not_write_is_told_why() {
    let story = Story::begin().await;
    let config = blocks_of();
    let context = story.default_session().await.context(&config);
    for (label, expected) in [
        ("missing", "Block \"missing\" not found"),
        ("persona", "Block \"persona\" is readonly"),
        ("wiki", "Block \"wiki\" is readonly"),
        ("guides", "Block \"guides\" is made of entries; write one entry by its key"),
    ] {
        for refused in [
            context.replace(label, "x", &by_user()).await.unwrap_err(),
            context.append(label, "x", &by_user()).await.unwrap_err(),
        ] {
            assert_eq!(refused.to_string(), expected);
        }
    }
    let entry = Entry { content: "x".to_owned(), ..Entry::default() };
    for (label, expected) in [
        ("missing", "Block \"missing\" not found"),
        ("persona", "Block \"persona\" is readonly"),
        ("facts", "Block \"facts\" is one text and has no entries"),
    ] {
        assert_eq!(context.set_entry(label, &entry, &Author::User).await.unwrap_err().to_string(), expected);
    }
    for key in ["", "a\nb", "a: b"] {
        let entry = Entry { key: Some(key.to_owned()), ..entry.clone() };
        let refused = context.set_entry("guides", &entry, &Author::User).await.unwrap_err();
        assert!(matches!(refused, ContextError::InvalidKey(named) if named == key));
    }
    assert_eq!(content_of(&context, "guides").await, "");
}

#[tokio::test]
async fn a_change_made_for_an_older_version_is_a_conflict_that_carries_the_current_one() {
    let story = Story::begin().await;
    for provider in [Provider::stored(Owner::Session), Provider::Writable(probe(""))] {
        let config = ContextConfig::new().with_context("memo", options(provider)).unwrap();
        let context = story.session("s").await.context(&config);
        let at = |version| Change::by_user(Some(version));
        assert_eq!(context.replace("memo", "first", &at(0)).await.unwrap().version, 1);
        let refused = context.replace("memo", "late", &at(0)).await.unwrap_err();
        assert_eq!(refused.to_string(), "Block \"memo\" was changed meanwhile: it is at version 1, not 0");
        let ContextError::Conflict { expected: 0, current } = refused else { panic!("{refused:?}") };
        assert_eq!((current.version, current.content.as_str()), (1, "first"));
        assert_eq!(context.append("memo", "second", &at(1)).await.unwrap().version, 2);
        let same = context.replace("memo", "first\nsecond", &at(2)).await.unwrap();
        assert_eq!(same.version, 2, "what is there already is no change");
    }
}

#[tokio::test]
async fn a_provider_that_fails_leaves_nothing_ahead_of_it() {
    let story = Story::begin().await;
    let provider: Arc<Probe> = probe("there");
    let config =
        ContextConfig::new().with_context("memo", options(Provider::Writable(provider.clone()))).unwrap();
    let context = story.default_session().await.context(&config);
    provider.refuse_writes();
    let refused = context.replace("memo", "new", &by_user()).await.unwrap_err();
    assert_eq!(refused.to_string(), "the disk is gone");
    assert_eq!(content_of(&context, "memo").await, "there");
    assert_eq!(context.history("memo", None, 10).await.unwrap(), []);
}

#[tokio::test]
async fn blocks_are_added_and_removed_while_the_agent_runs() {
    let mut story = Story::begin().await;
    let config = ContextConfig::new()
        .with_context("soul", fixed("You are Marlow."))
        .and_then(|config| config.with_context("memo", BlockOptions::default()))
        .unwrap();
    let context = story.session("s").await.context(&config);
    let frozen = context.freeze_system_prompt().await.unwrap();
    let labels = async |id: &str, story: &Story| -> Vec<String> {
        let blocks = story.session(id).await.context(&config).blocks().await.unwrap();
        blocks.into_iter().map(|block| block.label).collect()
    };
    let notes = BlockOptions::default().describe("Notes").max_tokens(9);
    let added = context.add_block("notes", notes.clone()).await.unwrap();
    assert_eq!(
        (added.origin, added.max_tokens, added.description.as_deref()),
        (BlockOrigin::Added, Some(9), Some("Notes"))
    );
    context.replace("notes", "kept", &by_user()).await.unwrap();
    let everywhere = options(Provider::stored(Owner::Agent));
    context.add_block("everywhere", everywhere).await.unwrap();
    for taken in ["notes", "NOTES", "soul"] {
        let refused = context.add_block(taken, notes.clone()).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("Block \"{taken}\" already exists"));
    }
    assert!(context.remove_block("soul").await.unwrap());
    assert!(!context.remove_block("soul").await.unwrap());
    assert_eq!(context.freeze_system_prompt().await.unwrap(), frozen, "until it is refreshed");

    story.reopen().await;
    assert_eq!(labels("s", &story).await, ["memo", "notes", "everywhere"]);
    assert_eq!(labels("other", &story).await, ["soul", "memo", "everywhere"]);
    let context = story.session("s").await.context(&config);
    assert!(context.remove_block("notes").await.unwrap());
    assert_eq!(labels("s", &story).await, ["memo", "everywhere"]);
    assert_eq!(context.add_block("notes", notes.clone()).await.unwrap().content, "kept");
    assert_eq!(context.add_block("soul", notes).await.unwrap().content, "You are Marlow.", "as configured");
    assert_eq!(labels("s", &story).await, ["soul", "memo", "everywhere", "notes"]);
    assert!(context.remove_block("everywhere").await.unwrap());
    assert_eq!(labels("other", &story).await, ["soul", "memo"]);
}

#[tokio::test]
async fn blocks_survive_a_clear_follow_a_session_into_the_trash() {
    let story = Story::begin().await;
    let config =
        ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap().with_cached_prompt();
    let session = story.default_session().await;
    let context = session.context(&config);
    say(&session, "q").await;
    context.replace("memo", "keep me", &by_user()).await.unwrap();
    context.freeze_system_prompt().await.unwrap();
    context.append("memo", "please", &by_user()).await.unwrap();
    session.clear().await.unwrap();
    let before = context.freeze_system_prompt().await.unwrap();
    assert!(before.ends_with("keep me\nplease"), "a cleared session freezes its prompt anew: {before}");
    assert_eq!(content_of(&context, "memo").await, "keep me\nplease");

    story.manager.delete(session.id()).await.unwrap();
    assert_eq!(content_of(&context, "memo").await, "", "a new beginning");
    assert_ne!(context.freeze_system_prompt().await.unwrap(), before);
    story.manager.restore(session.id()).await.unwrap();
    assert_eq!(content_of(&context, "memo").await, "keep me\nplease");

    story.manager.delete(session.id()).await.unwrap();
    context.replace("memo", "written meanwhile", &by_user()).await.unwrap();
    let restored = story.manager.restore(session.id()).await.unwrap().unwrap();
    assert_eq!(content_of(&context, "memo").await, "written meanwhile", "restoring takes nothing away");
    let elsewhere = story.manager.session(&restored.id).await.unwrap().unwrap().context(&config);
    assert_eq!(content_of(&elsewhere, "memo").await, "keep me\nplease");
}

#[tokio::test]
async fn a_session_that_is_gone_leaves_nothing_behind() {
    let story = Story::begin().await;
    let entries = Provider::StoredEntries { owner: Owner::Session };
    let config = ContextConfig::new()
        .with_context("memo", BlockOptions::default())
        .and_then(|config| config.with_context("index", options(entries)))
        .unwrap()
        .with_cached_prompt();
    let context = story.session("s").await.context(&config);
    context.replace("memo", "text", &by_user()).await.unwrap();
    context.add_block("notes", BlockOptions::default()).await.unwrap();
    let entry = Entry { content: "entry".to_owned(), ..Entry::default() };
    context.set_entry("index", &entry, &Author::User).await.unwrap();
    context.freeze_system_prompt().await.unwrap();
    story.manager.purge(&"s".into()).await.unwrap();

    // A turn that still runs may ask for its prompt and write.
    context.freeze_system_prompt().await.unwrap();
    for refused in [
        context.replace("memo", "late", &by_user()).await.map(drop),
        context.set_entry("index", &entry, &Author::User).await.map(drop),
        context.remove_block("memo").await.map(drop),
    ] {
        assert!(
            matches!(refused, Err(ContextError::Session(SessionError::UnknownSession(_)))),
            "{refused:?}"
        );
    }
    for table in [
        "cf_agents_context_blocks",
        "cf_agents_block_versions",
        "cf_agents_block_changes",
        "cf_agents_search_entries",
        "cf_agents_entry_versions",
        "cf_agents_frozen_prompts",
    ] {
        assert_eq!(story.count(table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn a_copy_of_a_session_has_its_blocks_and_goes_its_own_way() {
    let story = Story::begin().await;
    let entries = Provider::StoredEntries { owner: Owner::Session };
    let config = ContextConfig::new()
        .with_context("memo", BlockOptions::default())
        .and_then(|config| config.with_context("index", options(entries)))
        .unwrap();
    let (from, to) = (story.session("from").await, story.session("to").await);
    let (old, new) = (from.context(&config), to.context(&config));
    old.replace("memo", "shared past", &by_user()).await.unwrap();
    old.add_block("notes", BlockOptions::default()).await.unwrap();
    let entry = Entry { content: "Steep 3 minutes".to_owned(), ..Entry::default() };
    old.set_entry("index", &entry, &Author::User).await.unwrap();
    story.manager.copy_context(from.id(), to.id()).await.unwrap();

    assert_eq!(new.blocks().await.unwrap(), old.blocks().await.unwrap());
    let key = "steep-3-minutes-1m2zuls";
    assert_eq!(new.entry_version("index", key, 1).await.unwrap().content.as_deref(), Some("Steep 3 minutes"));
    assert_eq!(new.history("memo", None, 9).await.unwrap(), old.history("memo", None, 9).await.unwrap());
    new.append("memo", "own future", &by_user()).await.unwrap();
    assert_eq!(content_of(&old, "memo").await, "shared past");
}

#[tokio::test]
async fn a_file_is_a_block() {
    let story = Story::begin().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes/memo.md");
    let file = Arc::new(TextObject::file(&path).unwrap());
    let config = ContextConfig::new().with_context("memo", options(Provider::Writable(file))).unwrap();
    let context = story.default_session().await.context(&config);
    assert_eq!(content_of(&context, "memo").await, "");
    context.replace("memo", "from here", &by_user()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "from here");
    std::fs::write(&path, "from an editor").unwrap();
    assert_eq!(content_of(&context, "memo").await, "from an editor");
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    let refused = context.block("memo").await.unwrap_err();
    assert!(refused.to_string().ends_with("memo.md is not a text"), "{refused}");
}

// Bad input
#[tokio::test]
async fn bytes_that_sqlite_would_cut_at_are_replaced_and_sizes_have_an_end() {
    let story = Story::begin().await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let context = story.default_session().await.context(&config);
    context.replace("memo", "a\0b", &by_user()).await.unwrap();
    assert_eq!(content_of(&context, "memo").await, "a\u{fffd}b");
    let max = protocol::limits::BLOCK_MAX_BYTES;
    context.replace("memo", &text(max), &by_user()).await.unwrap();
    let refused = context.append("memo", "x", &by_user()).await.unwrap_err();
    assert!(matches!(refused, ContextError::TooLarge { bytes, .. } if bytes == max + 2), "{refused:?}");
}

#[tokio::test]
async fn two_writers_of_one_version_cannot_both_win() {
    let story = Story::begin().await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let other = SessionManager::new(
        story.temp.db.clone(),
        Arc::new(FakeClock::default()),
        Arc::new(SeqIds::default()),
    );
    let here = story.default_session().await.context(&config);
    let there = other.session(&"".into()).await.unwrap().unwrap().context(&config);
    let change = Change::by_user(Some(0));
    let (a, b) = tokio::join!(here.replace("memo", "a", &change), there.replace("memo", "b", &change));
    assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{a:?} {b:?}");
}
