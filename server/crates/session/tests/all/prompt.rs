//! The system prompt: exactly as specified, and the same until it is refreshed.

use crate::context::{by_user, content_of, filled, fixed, options, probe};
use crate::support::{Story, chain};
use protocol::{WaitingChange, WaitingKind};
use session::{
    BlockOptions, BoxError, Compact, CompactionInput, Context, ContextConfig, ContextError, Draft, Outcome,
    Owner, Parent, Provider, ReadContext, SessionOptions, Start,
};
use std::sync::Arc;
use testkit::user;

const LINE: &str = "══════════════════════════════════════════════";

// B1
#[tokio::test]
async fn the_prompt_is_rendered_to_the_letter() {
    let story = Story::begin().await;
    let context = filled(&story.default_session().await).await;
    let sections = [
        ("PERSONA (Who you are) [readonly]", "You are Marlow."),
        ("FACTS (Learned facts) [12% — 6/50 tokens] [writable]", "Owner: Priya\nCity: Leeds"),
        ("SCRATCH [writable]", ""),
        ("GUIDES [loadable]", "- brew: Brewing"),
        ("WIKI [searchable]", "3 pages"),
    ];
    let rendered = sections.map(|(header, content)| format!("{LINE}\n{header}\n{LINE}\n{content}"));
    assert_eq!(context.freeze_system_prompt().await.unwrap(), rendered.join("\n\n"));
    let info = context.prompt_info().await.unwrap();
    let labels: Vec<&str> = info.sections.iter().map(|section| section.label.as_str()).collect();
    assert_eq!(labels, ["persona", "facts", "scratch", "guides", "wiki"]);
    assert_eq!(
        info.sections.iter().map(|section| &section.text).collect::<Vec<_>>(),
        rendered.iter().collect::<Vec<_>>()
    );
    assert_eq!((info.frozen_at, info.waiting), (1_000, vec![]));
}

// P1
#[tokio::test]
async fn a_frozen_prompt_reads_its_providers_only_when_refreshed() {
    let story = Story::begin().await;
    for is_cached in [false, true] {
        let provider = probe("one");
        let config =
            ContextConfig::new().with_context("b", options(Provider::Readonly(provider.clone()))).unwrap();
        let config = if is_cached { config.with_cached_prompt() } else { config };
        let context = story.session(if is_cached { "cached" } else { "held" }).await.context(&config);
        let first = context.freeze_system_prompt().await.unwrap();
        provider.put("two");
        assert_eq!(context.freeze_system_prompt().await.unwrap(), first);
        let refreshed = context.refresh_system_prompt().await.unwrap();
        assert!(refreshed.ends_with("\ntwo"), "{refreshed}");
        assert_eq!(context.freeze_system_prompt().await.unwrap(), refreshed);
        assert_eq!(provider.reads(), 2);
    }
}

// P2
#[tokio::test]
async fn a_cached_prompt_outlives_handles_and_restarts() {
    let mut story = Story::begin().await;
    let config =
        ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap().with_cached_prompt();
    let context = story.default_session().await.context(&config);
    let frozen = context.freeze_system_prompt().await.unwrap();
    context.replace("memo", "fresh fact", &by_user()).await.unwrap();
    assert_eq!(content_of(&context, "memo").await, "fresh fact", "the block shows it at once");
    assert_eq!(context.freeze_system_prompt().await.unwrap(), frozen);
    story.reopen().await;
    let other = story.default_session().await.context(&config);
    assert_eq!(other.freeze_system_prompt().await.unwrap(), frozen);
    let refreshed = other.refresh_system_prompt().await.unwrap();
    assert!(refreshed.ends_with("\nfresh fact"));
    let third = story.default_session().await.context(&config);
    assert_eq!(third.freeze_system_prompt().await.unwrap(), refreshed);
}

#[tokio::test]
async fn a_turn_sees_writes_at_once_where_the_agent_is_configured_so() {
    let story = Story::begin().await;
    let frozen =
        ContextConfig::new().with_context("memo", BlockOptions::default()).unwrap().with_cached_prompt();
    for (config, expected) in [(frozen.clone(), ""), (frozen.with_prompt_for_each_turn(), "fact")] {
        let context = story.session("s").await.context(&config);
        context.replace("memo", "", &by_user()).await.unwrap();
        context.refresh_system_prompt().await.unwrap();
        context.replace("memo", "fact", &by_user()).await.unwrap();
        let prompt = context.prompt_for_turn().await.unwrap();
        assert_eq!(prompt.lines().nth(3).unwrap_or_default(), expected);
    }
}

#[tokio::test]
async fn a_cleared_or_compacted_session_begins_with_a_new_prompt_and_nothing_else_does() {
    for is_cached in [false, true] {
        let story = Story::begin().await;
        let draft = Draft { summary: "S".to_owned(), from: "c0".into(), to: "c3".into(), start: Start::Here };
        let manager =
            story.manager.clone().with_options(SessionOptions::default().on_compaction(Always(draft)));
        let (session, other) = (story.session("s").await, story.session("other").await);
        chain(&session, 6).await;
        let session = manager.session(session.id()).await.unwrap().unwrap();
        let provider = probe("0");
        let config =
            ContextConfig::new().with_context("b", options(Provider::Readonly(provider.clone()))).unwrap();
        let config = if is_cached { config.with_cached_prompt() } else { config };
        let (context, beside) = (session.context(&config), other.context(&config));
        let last = async |context: &Context| {
            context.freeze_system_prompt().await.unwrap().lines().last().unwrap().to_owned()
        };
        assert_eq!((last(&context).await, last(&beside).await), ("0".to_owned(), "0".to_owned()));
        for (number, expected) in ["0", "0", "0", "3", "3", "5"].into_iter().enumerate() {
            provider.put(&number.to_string());
            match number {
                0 => drop(session.append(&user("new", "hello"), Parent::ActiveLeaf).await.unwrap()),
                1 => drop(session.delete(&["new".into()]).await.unwrap()),
                2 => drop(session.restore(&"new".into()).await.unwrap()),
                3 => assert!(matches!(session.compact(None).await.unwrap(), Outcome::Stored { .. })),
                4 => drop(session.update(&user("new", "other")).await.unwrap()),
                _ => drop(session.clear().await.unwrap()),
            }
            assert_eq!(last(&context).await, expected, "{number}, cached {is_cached}");
        }
        assert_eq!(last(&beside).await, "0", "another session's prompt stays");
    }
}

/// Gives the same summary to everybody.
#[derive(Debug)]
struct Always(Draft);

#[async_trait::async_trait]
impl Compact for Always {
    async fn compact(&self, _input: CompactionInput<'_>) -> Result<Option<Draft>, BoxError> {
        Ok(Some(self.0.clone()))
    }
}

#[tokio::test]
async fn another_configuration_makes_another_prompt() {
    let story = Story::begin().await;
    let session = story.default_session().await;
    let with = |persona: &str| {
        ContextConfig::new().with_context("persona", fixed(persona)).unwrap().with_cached_prompt()
    };
    let none = ContextConfig::new().with_cached_prompt();
    assert_eq!(session.context(&none).freeze_system_prompt().await.unwrap(), "");
    for (config, expected) in [
        (with("You are Marlow."), "You are Marlow."),
        (with("You are Kurtz."), "You are Kurtz."),
        (with("You are Kurtz.").with_context("memo", BlockOptions::default()).unwrap(), "MEMO [writable]"),
        (none, ""),
    ] {
        let frozen = session.context(&config).freeze_system_prompt().await.unwrap();
        assert!(frozen.contains(expected), "{expected} in {frozen}");
    }
}

#[tokio::test]
async fn what_waits_for_a_refresh_is_known() {
    let story = Story::begin().await;
    let config = ContextConfig::new()
        .with_context("memo", BlockOptions::default())
        .and_then(|config| config.with_context("old", fixed("old")))
        .and_then(|config| config.with_context("same", fixed("same")))
        .unwrap()
        .with_cached_prompt();
    let context = story.default_session().await.context(&config);
    let frozen = context.prompt_info().await.unwrap();
    assert_eq!(frozen.waiting, []);
    context.replace("memo", "fact", &by_user()).await.unwrap();
    context.remove_block("old").await.unwrap();
    context.add_block("new", BlockOptions::default()).await.unwrap();
    let change = |label: &str, kind| WaitingChange { label: label.to_owned(), kind };
    let expected = [
        change("memo", WaitingKind::Changed),
        change("new", WaitingKind::Added),
        change("old", WaitingKind::Removed),
    ];
    let info = context.prompt_info().await.unwrap();
    assert_eq!((info.waiting.as_slice(), info.sections), (expected.as_slice(), frozen.sections));
    context.refresh_system_prompt().await.unwrap();
    assert_eq!(context.prompt_info().await.unwrap().waiting, []);
}

#[tokio::test]
async fn concurrent_freezes_agree() {
    let story = Story::begin().await;
    for is_cached in [false, true] {
        let provider = Provider::Readonly(Arc::new(Counting::default()));
        let config = ContextConfig::new().with_context("b", options(provider)).unwrap();
        let config = if is_cached { config.with_cached_prompt() } else { config };
        let context = story.default_session().await.context(&config);
        let (a, b, c) = tokio::join!(
            context.freeze_system_prompt(),
            context.freeze_system_prompt(),
            context.freeze_system_prompt()
        );
        let a = a.unwrap();
        assert_eq!((&b.unwrap(), &c.unwrap()), (&a, &a));
    }
}

/// Says something else each time, and lets others go first.
#[derive(Debug, Default)]
struct Counting(std::sync::atomic::AtomicUsize);

#[async_trait::async_trait]
impl ReadContext for Counting {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        let number = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        tokio::task::yield_now().await;
        Ok(Some(number.to_string()))
    }
}

#[derive(Debug)]
struct Broken;

#[async_trait::async_trait]
impl ReadContext for Broken {
    async fn init(&self, label: &str) -> Result<(), BoxError> {
        Err(format!("{label} is not ready").into())
    }

    async fn get(&self) -> Result<Option<String>, BoxError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_block_that_cannot_be_read_is_an_error_with_its_label() {
    let story = Story::begin().await;
    let config = ContextConfig::new()
        .with_context("b", options(Provider::Readonly(Arc::new(Broken))))
        .and_then(|config| config.with_context("c", fixed("still here")))
        .unwrap();
    let context = story.default_session().await.context(&config);
    let refused = context.freeze_system_prompt().await.unwrap_err();
    assert_eq!(refused.to_string(), "b is not ready");
    assert!(matches!(refused, ContextError::Provider { label, .. } if label == "b"));
    let shown = context.blocks().await.unwrap();
    assert_eq!(shown[0].problem.as_deref(), Some("b is not ready"));
    assert_eq!((shown.len(), shown[1].content.as_str()), (2, "still here"), "a page shows the others");
}

// Y1, the part of this crate
#[tokio::test]
async fn a_block_with_a_text_from_the_start_is_in_the_first_prompt() {
    let story = Story::begin().await;
    let stored = Provider::Stored { owner: Owner::Agent, initial: "Prefers Rust".to_owned() };
    let config = ContextConfig::new().with_context("memo", options(stored)).unwrap().with_cached_prompt();
    let frozen = story.default_session().await.context(&config).freeze_system_prompt().await.unwrap();
    assert_eq!(frozen, format!("{LINE}\nMEMO [writable]\n{LINE}\nPrefers Rust"));
    let id = protocol::SessionId::default();
    assert_eq!(story.manager.get(&id).await.unwrap(), None, "looking at a prompt makes no session");
}

#[tokio::test]
async fn a_stored_prompt_that_cannot_be_read_is_made_again() {
    let story = Story::begin().await;
    let config = ContextConfig::new().with_context("b", fixed("text")).unwrap().with_cached_prompt();
    let context = story.default_session().await.context(&config);
    let frozen = context.freeze_system_prompt().await.unwrap();
    story.damage("UPDATE cf_agents_frozen_prompts SET sections = 'x'").await;
    assert_eq!(context.freeze_system_prompt().await.unwrap(), frozen);
}

/// Says what it said when it was asked, however long it takes to say it.
#[derive(Debug)]
struct Slow {
    text: std::sync::Mutex<&'static str>,
    /// Who is asked while this is held has to wait.
    gate: tokio::sync::Mutex<()>,
    asked: std::sync::atomic::AtomicUsize,
}

#[async_trait::async_trait]
impl ReadContext for Slow {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        let text = *self.text.lock().unwrap();
        let is_first = self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        let _open = if is_first { Some(self.gate.lock().await) } else { None };
        Ok(Some(text.to_owned()))
    }
}

impl Slow {
    fn say(&self, text: &'static str) {
        *self.text.lock().unwrap() = text;
    }

    async fn asked(&self) {
        while self.asked.load(std::sync::atomic::Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Meanwhile {
    Refresh,
    RefreshTwice,
    RefreshBackAgain,
    Clear,
}

impl Meanwhile {
    /// What happens between reading and freezing; `slow` says something new at the end.
    async fn happen(self, context: &Context, session: &session::Session, slow: &Slow) {
        let refresh = async || drop(context.refresh_system_prompt().await.unwrap());
        slow.say(if matches!(self, Self::RefreshBackAgain) { "old" } else { "new" });
        match self {
            Self::Refresh | Self::RefreshBackAgain => refresh().await,
            Self::RefreshTwice => {
                refresh().await;
                refresh().await;
            }
            Self::Clear => drop(session.clear().await.unwrap()),
        }
        slow.say("new");
    }
}

/// A refresh that has read before something else happens and freezes after it.
async fn overtaken(meanwhile: Meanwhile, (is_cached, is_first_time): (bool, bool)) {
    let story = Story::begin().await;
    let session = story.session("s").await;
    chain(&session, 2).await;
    let (gate, asked) = (tokio::sync::Mutex::default(), usize::from(!is_first_time).into());
    let slow = Arc::new(Slow { text: "old".into(), gate, asked });
    let config = ContextConfig::new().with_context("b", options(Provider::Readonly(slow.clone()))).unwrap();
    let context = session.context(&if is_cached { config.with_cached_prompt() } else { config });
    if !is_first_time {
        context.freeze_system_prompt().await.unwrap();
        slow.asked.store(0, std::sync::atomic::Ordering::SeqCst);
    }
    let shut = slow.gate.lock().await;
    let others = async {
        slow.asked().await;
        meanwhile.happen(&context, &session, &slow).await;
        drop(shut);
    };
    let (refreshed, ()) = tokio::join!(context.refresh_system_prompt(), others);
    let frozen = context.freeze_system_prompt().await.unwrap();
    assert!(frozen.ends_with("\nnew"), "{meanwhile:?}, cached {is_cached}, first {is_first_time}: {frozen}");
    assert_eq!(refreshed.unwrap(), frozen);
}

#[tokio::test]
async fn of_refreshes_at_once_the_one_that_read_last_stands() {
    use Meanwhile::{Clear, Refresh, RefreshBackAgain, RefreshTwice};
    for meanwhile in [Refresh, RefreshTwice, RefreshBackAgain, Clear] {
        for how in [(true, true), (true, false), (false, true), (false, false)] {
            overtaken(meanwhile, how).await;
        }
    }
}
