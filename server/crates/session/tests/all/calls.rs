//! The tools for blocks: which are offered, what they say, and what they do.

use crate::context::{blocks_of, by_user, content_of, entry, filled, fixed, options, probe, skills, wiki};
use crate::support::{Story, text_of};
use protocol::{Author, Message, SkillInfo, ToolSpec};
use serde_json::{Value, json};
use session::{
    BlockOptions, Context, ContextCall, ContextConfig, ContextEvent, Owner, Parent, Position, Provider,
    SkillRef, ToolReply, WriteSkills, loaded_skills,
};
use std::sync::Arc;

async fn call(context: &Context, name: &str, input: Value) -> ToolReply {
    let author = Author::Model { request_id: Some("r1".into()) };
    context
        .call_tool(&ContextCall { name: name.to_owned(), input, author }, Position::default())
        .await
        .unwrap()
}

async fn set(context: &Context, input: Value) -> String {
    call(context, "set_context", input).await.text
}

async fn names(config: &ContextConfig, story: &Story) -> Vec<String> {
    let context = story.default_session().await.context(config);
    context.tools(Position::default()).await.unwrap().into_iter().map(|tool| tool.name).collect()
}

fn description(tools: &[ToolSpec], name: &str) -> String {
    tools.iter().find(|tool| tool.name == name).unwrap().description.clone().unwrap()
}

// X1
#[tokio::test]
async fn only_tools_that_some_block_has_a_use_for_are_offered() {
    let story = Story::begin().await;
    let one = |options| ContextConfig::new().with_context("b", options).unwrap();
    let readonly_skills = Provider::Skills(Arc::new(skills()));
    for (config, expected) in [
        (ContextConfig::new(), vec![]),
        (one(fixed("x")), vec![]),
        (one(options(wiki("3 pages"))), vec!["search_context"]),
        (one(options(readonly_skills)), vec!["load_context", "unload_context"]),
        (one(BlockOptions::default()), vec!["set_context"]),
        (blocks_of(), vec!["set_context", "load_context", "unload_context", "search_context"]),
    ] {
        assert_eq!(names(&config, &story).await, expected, "{config:?}");
    }
    let tools = filled(&story.default_session().await).await.tools(Position::default()).await.unwrap();
    let lines = "- \"facts\" (writable): Learned facts\n- \"scratch\" (writable): no description\n\
                 - \"guides\" (skill collection, keyed entries): no description";
    let set = description(&tools, "set_context");
    assert!(set.ends_with(lines) && set.contains("durably"), "{set}");
    assert!(!set.contains("persona") && !set.contains("wiki"), "{set}");
}

#[tokio::test]
async fn schemas_name_the_blocks_a_tool_is_for() {
    let story = Story::begin().await;
    let tools = filled(&story.default_session().await).await.tools(Position::default()).await.unwrap();
    let at = |tool: usize, path: &str| tools[tool].parameters.as_ref().unwrap().pointer(path).cloned();
    for (tool, labels, required) in [
        (0, json!(["facts", "scratch", "guides"]), json!(["label", "content"])),
        (1, json!(["guides"]), json!(["label", "key"])),
        (2, json!(["guides"]), json!(["label", "key"])),
        (3, json!(["wiki"]), json!(["label", "query"])),
    ] {
        assert_eq!(at(tool, "/properties/label/enum"), Some(labels));
        assert_eq!(at(tool, "/required"), Some(required));
    }
    assert_eq!(at(0, "/properties/action/enum"), Some(json!(["replace", "append"])));
    assert!(at(0, "/properties/metadata/properties/title").is_some());
    let plain = ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap();
    let tools = story.default_session().await.context(&plain).tools(Position::default()).await.unwrap();
    assert_eq!(tools[0].parameters.as_ref().unwrap().pointer("/properties/metadata"), None);
}

// X2
#[tokio::test]
async fn set_context_writes_and_says_how_full_the_block_is() {
    let story = Story::begin().await;
    let context = filled(&story.default_session().await).await;
    let append = json!({ "label": "facts", "content": "Likes oolong", "action": "append" });
    let reply = call(&context, "set_context", append).await;
    assert_eq!(reply.text, "Written to facts. Usage: 20% (10/50 tokens)");
    let Some(ContextEvent::Written { block, previous }) = reply.event else { panic!("{:?}", reply.event) };
    assert_eq!(previous + 1, block.version);
    let same = json!({ "label": "facts", "content": block.content });
    let Some(ContextEvent::Written { previous, .. }) = call(&context, "set_context", same).await.event else {
        panic!("nothing was written")
    };
    assert_eq!(previous, block.version, "nothing changed");
    assert_eq!(Some(&block), context.block("facts").await.unwrap().as_ref());
    assert!(block.content.ends_with("\nLikes oolong"));
    let newest = context.history("facts", None, 1).await.unwrap().remove(0);
    assert_eq!(newest.author, Author::Model { request_id: Some("r1".into()) });

    let long = "z".repeat(201);
    for (input, expected) in [
        (
            json!({ "label": "scratch", "content": "todo: water plants" }),
            "Written to scratch. Usage: 5 tokens",
        ),
        (json!({ "label": "facts", "content": long }), "Error: Block \"facts\" exceeds maxTokens: 51 > 50"),
        (json!({ "label": "persona", "content": "x" }), "Error: Block \"persona\" is readonly"),
        (json!({ "label": "wiki", "content": "x" }), "Error: Block \"wiki\" is readonly"),
        (json!({ "label": "missing", "content": "x" }), "Error: block \"missing\" not found"),
        (json!({ "content": "x" }), "Error: block \"\" not found"),
        (json!("nonsense"), "Error: block \"\" not found"),
        (json!({ "label": "scratch", "content": 7 }), "Error: \"content\" must be a text"),
    ] {
        assert_eq!(set(&context, input).await, expected);
    }
}

// E01, E02
#[tokio::test]
async fn a_full_block_is_told_to_the_model_and_to_the_person() {
    let story = Story::begin().await;
    let entries = Provider::StoredEntries { owner: Owner::Session };
    let limited = |provider| options(provider).max_tokens(10);
    let config = ContextConfig::new()
        .with_context("memo", limited(Provider::default()))
        .and_then(|config| config.with_context("file", limited(Provider::Writable(probe("")))))
        .and_then(|config| config.with_context("index", limited(entries)))
        .and_then(|config| {
            config.with_context("guides", limited(Provider::WritableSkills(Arc::new(skills()))))
        })
        .unwrap();
    let context = story.default_session().await.context(&config);
    let (most, more) = ("x".repeat(40), "x".repeat(41));
    for label in ["memo", "file", "index", "guides"] {
        let input =
            |content: &str| json!({ "label": label, "content": content, "metadata": { "title": "t" } });
        assert!(!set(&context, input(&most)).await.starts_with("Error"), "{label}");
        let reply = call(&context, "set_context", input(&more)).await;
        assert_eq!(reply.text, format!("Error: Block \"{label}\" exceeds maxTokens: 11 > 10"));
        let event = ContextEvent::Full { label: label.to_owned(), tokens: 11, max_tokens: 10 };
        assert_eq!(reply.event, Some(event));
    }
    let titled = |title: &str| json!({ "label": "guides", "content": "x", "metadata": { "title": title } });
    let refused = set(&context, titled("a title that makes the list of skills too long")).await;
    assert!(refused.starts_with("Error: Block \"guides\" exceeds maxTokens: "), "{refused}");
    assert_eq!(content_of(&context, "guides").await, "- t: t");
}

// X5
#[tokio::test]
async fn skills_are_loaded_and_unloaded_by_the_model() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let context = filled(&session).await;
    let skill = |label: &str, key: &str| json!({ "label": label, "key": key });
    let reply = call(&context, "load_context", skill("guides", "brew")).await;
    let brew = SkillRef::new("guides", "brew");
    let expected = ToolReply { text: "B".to_owned(), event: Some(ContextEvent::Loaded(brew.clone())) };
    assert_eq!(reply, expected);
    for (tool, input, expected) in [
        ("load_context", skill("guides", "latte"), "Not found: latte"),
        ("load_context", skill("facts", "x"), "Error: \"facts\" is not a skill block. Skill blocks: guides"),
        (
            "load_context",
            skill("nobody", "x"),
            "Error: \"nobody\" is not a skill block. Skill blocks: guides",
        ),
        ("unload_context", skill("wiki", "x"), "Error: \"wiki\" is not a skill block. Skill blocks: guides"),
        (
            "unload_context",
            skill("guides", "latte"),
            "Skill \"latte\" is not currently loaded in \"guides\".",
        ),
    ] {
        assert_eq!(call(&context, tool, input).await, ToolReply { text: expected.to_owned(), event: None });
    }

    // The answer that is being written has loaded it, so it can be unloaded before anything is stored.
    let so_far = loads("a", "load_context", "B");
    let unload = ContextCall {
        name: "unload_context".to_owned(),
        input: skill("guides", "brew"),
        author: Author::User,
    };
    let reply =
        context.call_tool(&unload, Position { so_far: Some(&so_far), ..Position::default() }).await.unwrap();
    let text = "Unloaded \"brew\" from guides. Context reclaimed.".to_owned();
    assert_eq!(reply, ToolReply { text, event: Some(ContextEvent::Unloaded(brew)) });

    let bogus = json!({ "label": "scratch", "content": "new", "action": "bogus" });
    assert_eq!(set(&context, bogus).await, "Written to scratch. Usage: 2 tokens");
    assert_eq!(content_of(&context, "scratch").await, "new");
    let other = ContextCall { name: "add".to_owned(), input: json!({}), author: Author::User };
    assert_eq!(context.call_tool(&other, Position::default()).await, None);
}

fn loads(id: &str, tool: &str, output: &str) -> Message {
    let part = json!({ "type": format!("tool-{tool}"), "toolCallId": id, "state": "output-available",
                       "input": { "label": "guides", "key": "brew" }, "output": output });
    testkit::message(id, "assistant", &json!([part]))
}

// S1, and all copies
#[tokio::test]
async fn loaded_skills_are_found_in_the_conversation_and_every_copy_is_reclaimed() {
    let mut story = Story::begin().await;
    let session = story.default_session().await;
    session.append(&loads("a1", "load_context", "LONG BREW TEXT"), Parent::ActiveLeaf).await.unwrap();
    session.append(&loads("a2", "load_context", "LONG BREW TEXT"), Parent::ActiveLeaf).await.unwrap();
    session.append(&loads("side", "load_context", "OTHER BRANCH"), Parent::Under("a1".into())).await.unwrap();
    session.set_active(&"a2".into()).await.unwrap();
    story.reopen().await;
    let session = story.default_session().await;
    let context = filled(&session).await;
    let (brew, milk) = (SkillRef::new("guides", "brew"), SkillRef::new("guides", "milk"));
    assert_eq!(context.loaded_skills(Position::default()).await.unwrap(), [brew.clone()].into());
    let tools = context.tools(Position::default()).await.unwrap();
    assert!(description(&tools, "unload_context").ends_with("Currently loaded: guides:brew."));
    let info = |is_loaded| {
        let (label, key) = ("guides".to_owned(), "brew".to_owned());
        SkillInfo { label, key, description: Some("Brewing".to_owned()), is_loaded }
    };
    assert_eq!(context.skills(Position::default()).await.unwrap(), [info(true)]);
    assert!(!context.unload_skill(&milk, Position::default()).await.unwrap());
    assert!(context.unload_skill(&brew, Position::default()).await.unwrap());
    for id in ["a1", "a2"] {
        let stored = session.get(&id.into()).await.unwrap().unwrap();
        assert_eq!(
            stored,
            loads(id, "load_context", "[skill unloaded: brew]"),
            "{}",
            text_of(&session, id).await
        );
    }
    assert_eq!(
        session.get(&"side".into()).await.unwrap().unwrap(),
        loads("side", "load_context", "OTHER BRANCH")
    );
    assert!(!context.unload_skill(&brew, Position::default()).await.unwrap());
    assert_eq!(context.skills(Position::default()).await.unwrap(), [info(false)]);
    let side = "side".into();
    let elsewhere = Position { leaf: Some(&side), ..Position::default() };
    assert_eq!(context.loaded_skills(elsewhere).await.unwrap(), [brew.clone()].into(), "on the other branch");
    story.reopen().await;
    let context = filled(&story.default_session().await).await;
    assert_eq!(context.loaded_skills(Position::default()).await.unwrap(), [].into());
    let tools = context.tools(Position::default()).await.unwrap();
    assert!(description(&tools, "unload_context").ends_with("Currently loaded: nothing."));
}

#[tokio::test]
async fn a_load_that_found_nothing_is_not_loaded_after_a_restart() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let context = filled(&session).await;
    let guides = skills();
    guides.set("brew", "Error: is how this one begins", None).await.unwrap();
    let config =
        ContextConfig::new().with_context("guides", options(Provider::Skills(Arc::new(guides)))).unwrap();
    let misleading = session.context(&config);
    let brew = json!({ "label": "guides", "key": "brew" });
    let output = call(&misleading, "load_context", brew).await.text;
    assert_eq!(output, "\nError: is how this one begins");
    let brew = SkillRef::new("guides", "brew");
    assert_eq!(loaded_skills(&[loads("a", "load_context", &output)]), [brew].into());
    session.append(&loads("a1", "load_context", "Not found: brew"), Parent::ActiveLeaf).await.unwrap();
    assert_eq!(context.loaded_skills(Position::default()).await.unwrap(), [].into());
}

#[tokio::test]
async fn searchable_blocks_are_filled_and_searched_by_the_model() {
    let story = Story::begin().await;
    let entries = |owner| options(Provider::StoredEntries { owner });
    let config = ContextConfig::new()
        .with_context("index", entries(Owner::Agent))
        .and_then(|config| config.with_context("own", entries(Owner::Session)))
        .and_then(|config| config.with_context("wiki", options(wiki("3 pages"))))
        .unwrap();
    let context = story.session("s").await.context(&config);
    assert_eq!(content_of(&context, "index").await, "");
    let put = |content: &str| json!({ "label": "index", "content": content });
    assert_eq!(set(&context, put("Steep 3 minutes")).await, "Indexed \"steep-3-minutes-1m2zuls\" in index.");
    let titled = json!({ "label": "index", "content": "old", "metadata": { "title": "Espresso — Basics!" } });
    assert_eq!(set(&context, titled).await, "Indexed \"espresso-basics\" in index.");
    context
        .set_entry(
            "index",
            &entry(Some("Espresso — Basics!"), "Crème on wrong-book coffee 濃いお茶"),
            &Author::User,
        )
        .await
        .unwrap();
    context.set_entry("own", &entry(None, "steep hill"), &Author::User).await.unwrap();
    assert_eq!(content_of(&context, "index").await, "2 entries indexed.");

    let espresso = "[espresso-basics]\nCrème on wrong-book coffee 濃いお茶";
    let steep = "[steep-3-minutes-1m2zuls]\nSteep 3 minutes";
    let other = story.session("other").await.context(&config);
    for (label, query, expected) in [
        ("index", "minutes STEEPING", steep),
        ("index", "creme", espresso),
        ("index", "wrong-book", espresso),
        ("index", "いお", espresso),
        ("index", "coffee 茶", espresso),
        ("index", "coffee 緑", "No results found."),
        ("index", "old", "No results found."),
        ("index", "steep OR coffee", "No results found."),
        ("index", "", "No results found."),
        ("index", "() * \"", "No results found."),
        ("own", "hill", "No results found."),
        ("wiki", "tea", "Tea is a drink."),
        ("wiki", "coffee", "No results found."),
        ("memo", "x", "Error: \"memo\" is not searchable. Searchable blocks: index, own, wiki"),
    ] {
        let input = json!({ "label": label, "query": query });
        assert_eq!(call(&other, "search_context", input).await.text, expected, "{label} {query:?}");
    }
    let both = call(&other, "search_context", json!({ "label": "index", "query": "濃 " })).await.text;
    assert_eq!(both, espresso);
    let own = call(&context, "search_context", json!({ "label": "own", "query": "hill" })).await.text;
    assert!(own.ends_with("\nsteep hill"), "{own}");
}

#[tokio::test]
async fn a_search_gives_ten_hits_at_most() {
    let story = Story::begin().await;
    let provider = Provider::StoredEntries { owner: Owner::Session };
    let config = ContextConfig::new().with_context("index", options(provider)).unwrap();
    let context = story.default_session().await.context(&config);
    for number in 0..12 {
        context.set_entry("index", &entry(None, &format!("pier {number}")), &Author::User).await.unwrap();
    }
    let found = call(&context, "search_context", json!({ "label": "index", "query": "pier" })).await.text;
    assert_eq!(found.split("\n\n").count(), 10, "{found}");
    context.replace("index", "x", &by_user()).await.unwrap_err();
}

#[tokio::test]
async fn the_index_follows_entries_wherever_they_go() {
    let story = Story::begin().await;
    let provider = Provider::StoredEntries { owner: Owner::Session };
    let config = ContextConfig::new().with_context("index", options(provider)).unwrap();
    let context = story.session("s").await.context(&config);
    for content in ["old words", "new words", "new words"] {
        context.set_entry("index", &entry(Some("one"), content), &Author::User).await.unwrap();
    }
    context.set_entry("index", &entry(Some("two"), "two words"), &Author::User).await.unwrap();
    let check = "INSERT INTO cf_agents_search_fts (cf_agents_search_fts, rank) VALUES ('integrity-check', 1)";
    story.damage(check).await;
    let matches = "cf_agents_search_fts WHERE cf_agents_search_fts MATCH 'words'";
    assert_eq!(story.count(matches).await, 2);
    story.manager.purge(&"s".into()).await.unwrap();
    assert_eq!(story.count(matches).await, 0);
    story.damage(check).await;
}
