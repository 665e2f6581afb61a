//! The past as models search it.

use crate::support::{Story, answer, say};
use protocol::limits::SEARCH_TOOL_TEXT_MAX_CHARS;
use serde_json::json;
use session::{Parent, Provider, ReadContext, SearchContext, SearchableHistory};
use std::sync::Arc;
use testkit::{assistant, user};

#[tokio::test]
async fn the_tool_gives_who_said_what() {
    // Q5
    let story = Story::begin().await;
    let session = story.session("s").await;
    let tool = story.manager.session_search();
    session.append(&user("1", "pier alpha"), Parent::ActiveLeaf).await.unwrap();
    session.append(&assistant("2", "pier beta"), Parent::ActiveLeaf).await.unwrap();
    let found = tool.call(&json!({"query": "pier"})).await;
    assert_eq!(found, "[assistant] pier beta\n---\n[user] pier alpha");
    assert_eq!(tool.call(&json!({"query": "zebra"})).await, "No results found.");
    assert_eq!(tool.call(&json!({"query": "()"})).await, "No results found.");
    for number in 0..12 {
        say(&session, &format!("pier {number}")).await;
    }
    assert_eq!(tool.call(&json!({"query": "pier"})).await.split("\n---\n").count(), 10);
    for bad in [json!({}), json!(null), json!({"query": 1})] {
        assert_eq!(tool.call(&bad).await, "Error: `query` must be a text");
    }
    assert_eq!(tool.spec().name, "session_search");
    assert_eq!(tool.spec().schema()["required"], json!(["query"]));
}

#[tokio::test]
async fn the_tool_finds_other_branches_and_says_so() {
    // F07
    let story = Story::begin().await;
    let session = story.session("s").await;
    say(&session, "q").await;
    answer(&session, "the word is zanzibar", "q").await;
    answer(&session, "another answer", "q").await;
    let found = story.manager.session_search().call(&json!({"query": "zanzibar"})).await;
    assert_eq!(found, "[assistant, on another branch] the word is zanzibar");
}

#[tokio::test]
async fn the_tool_shortens_what_is_too_long_around_what_was_found() {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let text = format!("{}zanzibar\nlast", "word ".repeat(SEARCH_TOOL_TEXT_MAX_CHARS));
    session.append(&user("1", &text), Parent::ActiveLeaf).await.unwrap();
    let found = story.manager.session_search().call(&json!({"query": "zanzibar"})).await;
    assert!(found.starts_with("[user] …word ") && found.ends_with("zanzibar last"), "{found}");
}

#[tokio::test]
async fn the_block_says_how_much_there_is_to_search() {
    let story = Story::begin().await;
    let history = story.manager.searchable_history();
    assert_eq!(history.get().await.unwrap(), None);
    say(&story.session("a").await, "quartz").await;
    assert_eq!(history.get().await.unwrap().as_deref(), Some("1 session available for search."));
    say(&story.session("b").await, "other").await;
    assert_eq!(history.get().await.unwrap().as_deref(), Some("2 sessions available for search."));
    assert_eq!(history.search("quartz").await.unwrap().as_deref(), Some("[user] quartz"));
    assert_eq!(history.search("zebra").await.unwrap(), None);
    assert_eq!(SearchableHistory::DESCRIPTION, "Cross-session conversation history");
    let _provider = Provider::Search(Arc::new(history));
}
