//! Imports of what is remembered: others write meanwhile, nobody sees half of it, and every limit of a write holds.

use crate::support::{Story, say};
use futures::future::{Either, select};
use protocol::ImportReport;
use protocol::limits::BLOCK_MAX_BYTES;
use serde_json::{Value, json};
use session::{BlockOptions, Change, ContextConfig, ContextError, ImportFile, Owner, Provider};
use std::io::Cursor;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};

const OWNERS: [Owner; 2] = [Owner::Agent, Owner::Session];

/// A file with a session `s`, in which `owner` remembers something.
fn file(owner: Owner, memory: Value) -> ImportFile {
    let (of_agent, of_session) = match owner {
        Owner::Agent => (memory, json!({})),
        Owner::Session => (json!({}), memory),
    };
    let session = json!({ "id": "s", "name": "s", "messages": [], "memory": of_session });
    let text = json!({ "format": "bough", "version": 1, "memory": of_agent, "sessions": [session] });
    ImportFile::open(Cursor::new(text.to_string())).unwrap()
}

/// What was left out of what `owner` remembers.
fn problem(owner: Owner, mut report: ImportReport) -> Option<String> {
    match owner {
        Owner::Agent => report.problem,
        Owner::Session => report.sessions.remove(0).problem,
    }
}

fn version(number: i64, content: &str) -> Value {
    json!({ "version": number, "author": { "type": "user" }, "written_at": 1, "content": content })
}

fn block(label: &str, content: &str, versions: &[Value]) -> Value {
    json!({ "label": label, "version": 1, "updated_at": 1, "content": content, "versions": versions })
}

fn entry(key: &str, content: &str) -> Value {
    json!({ "label": "wiki", "key": key, "created_at": 1, "updated_at": 1, "content": content })
}

const VERSIONS: i64 = 200;

/// The newest version of the block there is, as far as anybody sees it.
async fn newest(story: &Story, owner: Owner, config: &ContextConfig) -> Option<u64> {
    let name = if owner == Owner::Agent { "other" } else { "s" };
    let session = story.manager.session(&name.into()).await.unwrap()?;
    let versions = session.context(config).history("facts", None, 1).await.unwrap();
    versions.first().map(|version| version.version)
}

async fn others_write_meanwhile(owner: Owner) {
    let story = Story::begin().await;
    let other = story.session("other").await;
    let versions: Vec<Value> = (1..=VERSIONS).map(|n| version(n, &format!("{n:0>50000}"))).collect();
    let import =
        pin!(story.manager.import(file(owner, json!({ "blocks": [block("facts", "now", &versions)] }))));
    let config = ContextConfig::default()
        .with_context("facts", BlockOptions::from_provider(Provider::stored(owner)))
        .unwrap();
    let written = AtomicUsize::new(0);
    let saying = Box::pin(async {
        loop {
            say(&other, &format!("s{}", written.fetch_add(1, Ordering::Relaxed))).await;
            let newest = newest(&story, owner, &config).await;
            assert!([None, Some(VERSIONS as u64)].contains(&newest), "{newest:?}");
        }
    });
    let Either::Left((report, _)) = select(import, saying).await;
    assert_eq!(problem(owner, report.unwrap()), None);
    let written = written.load(Ordering::Relaxed);
    assert!(written > 5, "{written} messages of others in between");
    assert_eq!(newest(&story, owner, &config).await, Some(VERSIONS as u64));
    assert_eq!(story.count("cf_agents_block_versions").await, VERSIONS);
    assert_eq!(story.manager.unfinished_imports().await.unwrap(), []);
    let context = story.session("s").await.context(&config);
    let changed = context.replace("facts", "new", &Change::by_user(None)).await.unwrap();
    assert_eq!(changed.version, VERSIONS as u64 + 1, "it goes on behind what came");
}

#[tokio::test]
async fn others_write_between_the_versions_of_a_block_and_nobody_sees_half_of_them() {
    for owner in OWNERS {
        others_write_meanwhile(owner).await;
    }
}

/// List of the file, row, what is said.
type Case = (&'static str, Value, Option<String>);

/// At each limit, and one beyond it.
fn limits() -> Vec<Case> {
    let text = |bytes: usize| "x".repeat(bytes);
    let (most, more) = (text(BLOCK_MAX_BYTES), text(BLOCK_MAX_BYTES + 1));
    let left_out = |what: &str, why: String| Some(format!("{what} was left out: {why}"));
    let too_large = |label: &str| {
        let (label, bytes, max) = (label.to_owned(), BLOCK_MAX_BYTES + 1, BLOCK_MAX_BYTES);
        ContextError::TooLarge { label, bytes, max }.to_string()
    };
    let full = |label: &str| format!("Block \"{label}\" exceeds maxTokens: 51 > 50");
    let label = |label: &str| ContextError::InvalidLabel(label.to_owned()).to_string();
    let key = ContextError::InvalidKey(String::new()).to_string();
    let mut old_entry = entry("k", &more);
    (old_entry["version"], old_entry["author"], old_entry["written_at"]) =
        (json!(1), json!({ "type": "user" }), json!(1));
    vec![
        ("blocks", block("a", &most, &[version(1, &most)]), None),
        ("blocks", block("a", &more, &[]), left_out("block \"a\"", too_large("a"))),
        (
            "blocks",
            block("a", "", &[version(1, &more)]),
            left_out("version 1 of block \"a\"", too_large("a")),
        ),
        ("blocks", block("facts", &text(200), &[]), None),
        ("blocks", block("facts", &text(201), &[]), left_out("block \"facts\"", full("facts"))),
        ("blocks", block("added", &text(200), &[]), None),
        ("blocks", block("added", &text(201), &[]), left_out("block \"added\"", full("added"))),
        ("blocks", block(" a", "", &[]), left_out("block \" a\"", label(" a"))),
        ("blocks", block("", "", &[]), left_out("block \"\"", label(""))),
        ("entries", entry("k", &most), None),
        ("entries", entry("k", &more), left_out("entry \"k\"", too_large("wiki"))),
        ("entries", entry("", ""), left_out("entry \"\"", key)),
        ("entry_versions", old_entry, left_out("version 1 of entry \"k\"", too_large("wiki"))),
    ]
}

/// What no program of ours has written.
fn oddities() -> Vec<Case> {
    let mut by_nobody = version(1, "");
    by_nobody["author"] = json!("me");
    let left_out = |what: &str, why: &str| Some(format!("{what} was left out: {why}"));
    vec![
        ("blocks", block("a", "", &[version(1, ""), version(1, "")]), None),
        (
            "blocks",
            block("a", "", &[version(-1, "")]),
            left_out("version -1 of block \"a\"", "-1 is no version"),
        ),
        (
            "blocks",
            block("a", "", &[version(i64::MAX, "")]),
            left_out("block \"a\"", &format!("{} is no version", i64::MAX)),
        ),
        (
            "blocks",
            block("a", "", &[by_nobody]),
            Some("nobody knows who wrote version 1 of block \"a\"".to_owned()),
        ),
    ]
}

// E01
#[tokio::test]
async fn what_is_imported_keeps_to_the_limits_of_every_write_in_the_same_words() {
    let config =
        ContextConfig::default().with_context("facts", BlockOptions::default().max_tokens(50)).unwrap();
    for (list, row, expected) in limits().into_iter().chain(oddities()) {
        for owner in OWNERS {
            let story = Story::begin().await;
            let mut memory =
                json!({ "block_changes": [{ "label": "added", "is_removed": false, "max_tokens": 50 }] });
            memory[list] = json!([row]);
            let report = story.manager.import(file(owner, memory).for_blocks(&config)).await.unwrap();
            assert_eq!(problem(owner, report), expected, "{list} of {owner:?}");
        }
    }
}
