//! What each type of a context block looks like in the API.

use protocol::{
    Author, BlockKind, BlockOrigin, BlockScope, BlockVersion, ContextBlock, PromptInfo, PromptSection,
    SkillInfo, WaitingChange, WaitingKind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;

/// Writes the value, compares, and reads it back.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, expected: &Value) {
    assert_eq!(serde_json::to_value(value).expect("JSON"), *expected);
    assert_eq!(serde_json::from_value::<T>(expected.clone()).expect("what was written can be read"), *value);
}

#[test]
fn words_of_blocks() {
    check(&[BlockKind::Text, BlockKind::Skills, BlockKind::Search], &json!(["text", "skills", "search"]));
    check(
        &[BlockScope::Agent, BlockScope::Session, BlockScope::Outside],
        &json!(["agent", "session", "outside"]),
    );
    check(&[BlockOrigin::Configured, BlockOrigin::Added], &json!(["configured", "added"]));
    check(
        &[WaitingKind::Added, WaitingKind::Changed, WaitingKind::Removed],
        &json!(["added", "changed", "removed"]),
    );
    for (author, expected) in [
        (Author::User, json!({ "type": "user" })),
        (Author::Model { request_id: None }, json!({ "type": "model" })),
        (Author::Model { request_id: Some("r1".into()) }, json!({ "type": "model", "request_id": "r1" })),
        (Author::Setup, json!({ "type": "setup" })),
        (Author::Outside, json!({ "type": "outside" })),
    ] {
        check(&author, &expected);
    }
}

#[test]
fn a_block_and_its_versions() {
    let bare = ContextBlock {
        label: "memo".to_owned(),
        description: None,
        content: "a".to_owned(),
        tokens: 1,
        max_tokens: None,
        kind: BlockKind::Text,
        is_writable: true,
        scope: BlockScope::Session,
        version: 0,
        updated_at: None,
        origin: BlockOrigin::Configured,
        problem: None,
    };
    let mut expected = json!({
        "label": "memo", "content": "a", "tokens": 1, "kind": "text", "is_writable": true, "scope": "session",
        "version": 0, "origin": "configured",
    });
    check(&bare, &expected);
    let full = ContextBlock {
        description: Some("Facts".to_owned()),
        max_tokens: Some(50),
        updated_at: Some(7),
        problem: Some("gone".to_owned()),
        ..bare
    };
    for (key, value) in [
        ("description", json!("Facts")),
        ("max_tokens", json!(50)),
        ("updated_at", json!(7)),
        ("problem", json!("gone")),
    ] {
        expected[key] = value;
    }
    check(&full, &expected);

    let listed = BlockVersion { version: 2, author: Author::User, written_at: 7, content: None };
    check(&listed, &json!({ "version": 2, "author": { "type": "user" }, "written_at": 7 }));
    let whole = BlockVersion { content: Some("a".to_owned()), ..listed };
    check(&whole, &json!({ "version": 2, "author": { "type": "user" }, "written_at": 7, "content": "a" }));
}

#[test]
fn a_skill() {
    let bare =
        SkillInfo { label: "guides".to_owned(), key: "brew".to_owned(), description: None, is_loaded: true };
    check(&bare, &json!({ "label": "guides", "key": "brew", "is_loaded": true }));
    let full = SkillInfo { description: Some("Brewing".to_owned()), is_loaded: false, ..bare };
    check(&full, &json!({ "label": "guides", "key": "brew", "description": "Brewing", "is_loaded": false }));
}

#[test]
fn a_prompt_and_what_waits_for_it() {
    check(&PromptInfo::default(), &json!({ "sections": [], "frozen_at": 0 }));
    let section = PromptSection { label: "memo".to_owned(), text: "MEMO".to_owned(), tokens: 1 };
    let change = WaitingChange { label: "memo".to_owned(), kind: WaitingKind::Changed };
    let info = PromptInfo { sections: vec![section], frozen_at: 7, waiting: vec![change] };
    let expected = json!({
        "sections": [{ "label": "memo", "text": "MEMO", "tokens": 1 }],
        "frozen_at": 7,
        "waiting": [{ "label": "memo", "kind": "changed" }],
    });
    check(&info, &expected);
}
