//! Older versions of a block: who wrote them, how they differ, and the way back.

use crate::context::{by_user, content_of, options, probe, skills};
use crate::support::Story;
use protocol::limits::BLOCK_VERSIONS_MAX;
use protocol::{Author, BlockVersion};
use session::{BlockOptions, Change, ContextConfig, ContextError, Entry, Owner, Provider, WriteSkills};
use std::sync::Arc;

fn by_model() -> Change {
    Change::by_model("r1".into())
}

fn model() -> Author {
    Author::Model { request_id: Some("r1".into()) }
}

fn version(version: u64, author: Author, written_at: u64) -> BlockVersion {
    BlockVersion { version, author, written_at, content: None }
}

#[tokio::test]
async fn every_write_keeps_what_was_there_before() {
    let story = Story::begin().await;
    let stored = Provider::Stored { owner: Owner::Session, initial: "seed\n".to_owned() };
    let config = ContextConfig::new().with_context("memo", options(stored)).unwrap();
    let context = story.default_session().await.context(&config);
    assert_eq!(context.history("memo", None, 10).await.unwrap(), []);
    context.append("memo", "by a person", &by_user()).await.unwrap();
    story.clock.advance(7);
    context.replace("memo", "by the model\n", &by_model()).await.unwrap();

    let all = [version(2, model(), 1_007), version(1, Author::User, 1_000), version(0, Author::Setup, 1_000)];
    assert_eq!(context.history("memo", None, 10).await.unwrap(), all);
    assert_eq!(context.history("memo", None, 1).await.unwrap(), all[..1]);
    assert_eq!(context.history("memo", Some(2), 10).await.unwrap(), all[1..]);
    let texts = ["seed\n", "seed\n\nby a person", "by the model\n"];
    for (number, text) in (0..).zip(texts) {
        let content = context.version("memo", number).await.unwrap().content;
        assert_eq!(content.as_deref(), Some(text));
    }
    let diff = "--- memo@0\n+++ memo@2\n@@ -1 +1 @@\n-seed\n+by the model\n";
    assert_eq!(context.diff("memo", 0, 2).await.unwrap(), diff);
    assert_eq!(context.diff("memo", 1, 1).await.unwrap(), "");

    let back = context.restore("memo", 0, &Change::by_user(Some(2))).await.unwrap();
    assert_eq!((back.version, back.content.as_str()), (3, "seed\n"));
    assert_eq!(context.history("memo", None, 1).await.unwrap(), [version(3, Author::User, 1_007)]);
    let refused = context.restore("memo", 1, &Change::by_user(Some(2))).await.unwrap_err();
    assert!(matches!(refused, ContextError::Conflict { expected: 2, .. }));
}

#[tokio::test]
async fn a_change_behind_the_agents_back_is_a_version_too() {
    let story = Story::begin().await;
    let provider = probe("found");
    let config =
        ContextConfig::new().with_context("memo", options(Provider::Writable(provider.clone()))).unwrap();
    let context = story.default_session().await.context(&config);
    context.replace("memo", "ours", &by_model()).await.unwrap();
    provider.put("edited elsewhere");
    let seen = context.block("memo").await.unwrap().unwrap();
    assert_eq!((seen.version, seen.updated_at), (2, None));
    let refused = context.replace("memo", "late", &Change::by_user(Some(1))).await.unwrap_err();
    assert!(
        matches!(refused, ContextError::Conflict { current, .. } if current.content == "edited elsewhere")
    );
    context.replace("memo", "merged", &Change::by_user(Some(2))).await.unwrap();
    let authors: Vec<(u64, Author)> = context
        .history("memo", None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|version| (version.version, version.author))
        .collect();
    let expected = [(3, Author::User), (2, Author::Outside), (1, model()), (0, Author::Outside)];
    assert_eq!(authors, expected);
    assert_eq!(context.version("memo", 2).await.unwrap().content.as_deref(), Some("edited elsewhere"));
    context.restore("memo", 0, &by_user()).await.unwrap();
    assert_eq!(content_of(&context, "memo").await, "found");
}

#[tokio::test]
async fn the_newest_versions_are_kept() {
    let story = Story::begin().await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let context = story.default_session().await.context(&config);
    let max = BLOCK_VERSIONS_MAX as u64;
    context.replace("memo", "x", &by_user()).await.unwrap();
    story.damage("UPDATE cf_agents_context_blocks SET version = 499").await;
    context.replace("memo", "500", &by_user()).await.unwrap();
    assert!(context.version("memo", 1).await.is_ok());
    context.replace("memo", "501", &by_user()).await.unwrap();
    let kept = context.history("memo", None, 10).await.unwrap();
    assert_eq!(kept.iter().map(|version| version.version).collect::<Vec<_>>(), [max + 1, max]);
    let refused = context.version("memo", 1).await.unwrap_err();
    assert_eq!(refused.to_string(), "Block \"memo\" has no version 1");
}

#[tokio::test]
async fn a_version_whose_author_cannot_be_read_is_named() {
    let story = Story::begin().await;
    let config = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let context = story.default_session().await.context(&config);
    context.replace("memo", "x", &by_user()).await.unwrap();
    story.damage("UPDATE cf_agents_block_versions SET author = '{}' WHERE version = 1").await;
    let refused = context.history("memo", None, 10).await.unwrap_err();
    assert!(matches!(&refused, ContextError::Broken { version: 1, .. }), "{refused:?}");
    let refused = context.history("nobody", None, 10).await.unwrap_err();
    assert!(matches!(refused, ContextError::UnknownBlock(_)));
}

#[tokio::test]
async fn an_entry_that_is_written_again_keeps_what_it_held() {
    let story = Story::begin().await;
    let guides = skills();
    guides.set("tea", "found", None).await.unwrap();
    let outside = guides.clone();
    let config = ContextConfig::new()
        .with_context("index", options(Provider::StoredEntries { owner: Owner::Session }))
        .and_then(|config| config.with_context("guides", options(Provider::WritableSkills(Arc::new(guides)))))
        .unwrap();
    let context = story.session("s").await.context(&config);
    let write = async |label: &str, content: &str, author: Author| {
        let entry = Entry { key: Some("tea".to_owned()), content: content.to_owned(), ..Entry::default() };
        context.set_entry(label, &entry, &author).await.unwrap();
    };
    for label in ["index", "guides"] {
        write(label, "one", model()).await;
        write(label, "one", Author::User).await;
        story.clock.advance(1);
        write(label, "two", Author::User).await;
    }
    let now = 1_000;
    let index = [version(2, Author::User, now + 1), version(1, model(), now)];
    assert_eq!(context.entry_history("index", "tea", None, 9).await.unwrap(), index);
    let guides = [
        version(2, Author::User, now + 2),
        version(1, model(), now + 1),
        version(0, Author::Outside, now + 1),
    ];
    assert_eq!(context.entry_history("guides", "tea", None, 9).await.unwrap(), guides);
    assert_eq!(context.entry_history("guides", "tea", Some(1), 9).await.unwrap(), guides[2..]);
    let found = context.entry_version("guides", "tea", 0).await.unwrap();
    assert_eq!(found.content.as_deref(), Some("found"));

    outside.set("tea", "from elsewhere", None).await.unwrap();
    write("guides", "three", model()).await;
    let authors: Vec<(u64, Author)> = context
        .entry_history("guides", "tea", None, 2)
        .await
        .unwrap()
        .into_iter()
        .map(|version| (version.version, version.author))
        .collect();
    assert_eq!(authors, [(4, model()), (3, Author::Outside)]);
    let lost = context.entry_version("guides", "tea", 3).await.unwrap();
    assert_eq!(lost.content.as_deref(), Some("from elsewhere"));

    assert_eq!(context.entry_history("index", "coffee", None, 9).await.unwrap(), []);
    let refused = context.entry_version("index", "tea", 9).await.unwrap_err();
    assert!(matches!(refused, ContextError::UnknownVersion { version: 9, .. }), "{refused:?}");
    let refused = context.entry_history("nobody", "tea", None, 9).await.unwrap_err();
    assert!(matches!(refused, ContextError::UnknownBlock(_)), "{refused:?}");
}
