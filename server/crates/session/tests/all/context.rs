//! What stories about blocks begin with: providers a test can watch, and the set of blocks of the specification.

use async_trait::async_trait;
use session::object_store::memory::InMemory;
use session::object_store::path::Path as Location;
use session::{
    BlockOptions, BoxError, Change, Context, ContextConfig, Entry, FixedText, Layout, Provider, ReadContext,
    SearchContext, SkillStore, WriteContext, WriteSkills,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A text whose provider can be watched and broken.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    text: Mutex<String>,
    reads: AtomicUsize,
    refuses: AtomicBool,
}

impl Probe {
    pub(crate) fn put(&self, text: &str) {
        *self.text.lock().unwrap() = text.to_owned();
    }

    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    pub(crate) fn refuse_writes(&self) {
        self.refuses.store(true, Ordering::SeqCst);
    }
}

pub(crate) fn probe(text: &str) -> Arc<Probe> {
    let probe = Arc::new(Probe::default());
    probe.put(text);
    probe
}

#[async_trait]
impl ReadContext for Probe {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(Some(self.text.lock().unwrap().clone()))
    }
}

#[async_trait]
impl WriteContext for Probe {
    async fn set(&self, content: &str) -> Result<(), BoxError> {
        if self.refuses.load(Ordering::SeqCst) {
            return Err("the disk is gone".into());
        }
        self.put(content);
        Ok(())
    }
}

/// Something to be searched, of which only the summary is known.
#[derive(Debug)]
struct Wiki(String);

#[async_trait]
impl ReadContext for Wiki {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        Ok(Some(self.0.clone()))
    }
}

#[async_trait]
impl SearchContext for Wiki {
    async fn search(&self, query: &str) -> Result<Option<String>, BoxError> {
        Ok((query == "tea").then(|| "Tea is a drink.".to_owned()))
    }
}

pub(crate) fn wiki(summary: &str) -> Provider {
    Provider::Search(Arc::new(Wiki(summary.to_owned())))
}

pub(crate) fn options(provider: Provider) -> BlockOptions {
    BlockOptions::from_provider(provider)
}

pub(crate) fn fixed(text: &str) -> BlockOptions {
    options(Provider::Readonly(Arc::new(FixedText::new(text))))
}

pub(crate) fn by_user() -> Change {
    Change::by_user(None)
}

pub(crate) fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

pub(crate) async fn content_of(context: &Context, label: &str) -> String {
    context.block(label).await.unwrap().unwrap().content
}

/// Skills in memory, below `g/`.
pub(crate) fn skills() -> SkillStore {
    SkillStore::new(Arc::new(InMemory::new()), Location::from("g"), Layout::Objects)
}

/// Case B1 without its contents: persona, facts, scratch, guides, void, wiki.
pub(crate) fn blocks_with(guides: SkillStore) -> ContextConfig {
    let described = |options: BlockOptions, text: &str| options.describe(text);
    ContextConfig::new()
        .with_context("persona", described(fixed("You are Marlow."), "Who you are"))
        .and_then(|config| {
            config.with_context("facts", BlockOptions::default().describe("Learned facts").max_tokens(50))
        })
        .and_then(|config| config.with_context("scratch", BlockOptions::default()))
        .and_then(|config| config.with_context("guides", options(Provider::WritableSkills(Arc::new(guides)))))
        .and_then(|config| config.with_context("void", fixed("")))
        .and_then(|config| config.with_context("wiki", options(wiki("3 pages"))))
        .unwrap()
}

pub(crate) fn blocks_of() -> ContextConfig {
    blocks_with(skills())
}

/// Case B1: the blocks with their contents.
pub(crate) async fn filled(session: &session::Session) -> Context {
    let guides = skills();
    guides.set("brew", "B", Some("Brewing")).await.unwrap();
    let context = session.context(&blocks_with(guides));
    context.replace("facts", "Owner: Priya\nCity: Leeds", &by_user()).await.unwrap();
    context
}

pub(crate) fn entry(title: Option<&str>, content: &str) -> Entry {
    Entry { title: title.map(str::to_owned), content: content.to_owned(), ..Entry::default() }
}
