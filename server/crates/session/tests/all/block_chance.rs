//! Random lives of blocks, told to the store and to a list in memory that is too simple to be wrong.

use crate::support::Story;
use proptest::prelude::*;
use protocol::Author;
use serde_json::json;
use session::{
    BlockOptions, Change, Context, ContextCall, ContextConfig, ContextError, Entry, Owner, Position, Provider,
};
use std::collections::{BTreeMap, BTreeSet};

const LABELS: [&str; 4] = ["memo", "facts", "extra", "notes"];
/// The first two are configured.
const CONFIGURED: usize = 2;

#[derive(Debug, Clone)]
enum Step {
    Replace(usize, String),
    Append(usize, String),
    /// With a version that may be the current one or not.
    Guarded(usize, String, u64),
    Restore(usize, usize),
    Add(usize),
    Remove(usize),
    Refresh,
    /// As another tab or a restarted server sees it.
    OtherHandle,
}

fn step() -> impl Strategy<Value = Step> {
    let label = 0..LABELS.len();
    let text = || "[a-c\n]{0,4}";
    prop_oneof![
        4 => (label.clone(), text()).prop_map(|(at, text)| Step::Replace(at, text)),
        4 => (label.clone(), text()).prop_map(|(at, text)| Step::Append(at, text)),
        3 => (label.clone(), text(), 0..4_u64).prop_map(|(at, text, version)| Step::Guarded(at, text, version)),
        3 => (label.clone(), any::<usize>()).prop_map(|(at, version)| Step::Restore(at, version)),
        2 => label.clone().prop_map(Step::Add),
        2 => label.prop_map(Step::Remove),
        2 => Just(Step::Refresh),
        1 => Just(Step::OtherHandle),
    ]
}

/// The blocks in memory.
#[derive(Debug)]
struct Model {
    /// In the order they are shown.
    configured: Vec<&'static str>,
    added: Vec<&'static str>,
    /// All texts of a label, the oldest first; what is removed keeps them.
    versions: BTreeMap<&'static str, Vec<String>>,
    frozen: Vec<(&'static str, String)>,
}

impl Model {
    fn new() -> Self {
        let configured = LABELS[..CONFIGURED].to_vec();
        let versions = LABELS.iter().map(|label| (*label, vec![String::new()])).collect();
        let mut model = Self { configured, added: Vec::new(), versions, frozen: Vec::new() };
        model.frozen = model.shown();
        model
    }

    fn labels(&self) -> Vec<&'static str> {
        LABELS[..CONFIGURED]
            .iter()
            .copied()
            .filter(|label| self.configured.contains(label))
            .chain(self.added.iter().copied())
            .collect()
    }

    fn shown(&self) -> Vec<(&'static str, String)> {
        self.labels().into_iter().map(|label| (label, self.text(label))).collect()
    }

    fn text(&self, label: &str) -> String {
        self.versions[label].last().unwrap().clone()
    }

    fn write(&mut self, label: &'static str, text: String) {
        if text != self.text(label) {
            self.versions.get_mut(label).unwrap().push(text);
        }
    }

    fn appended(&self, label: &str, text: &str) -> String {
        let old = self.text(label);
        let is_own_line = old.is_empty() || text.starts_with('\n');
        if is_own_line { format!("{old}{text}") } else { format!("{old}\n{text}") }
    }
}

/// Does one step in both worlds.
async fn take(step: &Step, context: &Context, model: &mut Model) {
    let person = Change::by_user(None);
    match step {
        Step::Replace(at, text) => {
            let label = LABELS[*at];
            let done = context.replace(label, text, &person).await;
            settle(done.map(drop), label, text.clone(), model);
        }
        Step::Append(at, text) => {
            let label = LABELS[*at];
            let done = context.append(label, text, &person).await;
            settle(done.map(drop), label, model.appended(label, text), model);
        }
        Step::Guarded(at, text, version) => {
            let label = LABELS[*at];
            let done = context.replace(label, text, &Change::by_user(Some(*version))).await;
            let current = model.versions[label].len() as u64 - 1;
            match done {
                Err(ContextError::Conflict { expected, current: found }) => {
                    assert_eq!((expected, found.version), (*version, current));
                    assert_ne!(expected, current);
                }
                done => {
                    assert!(done.is_err() || *version == current);
                    settle(done.map(drop), label, text.clone(), model);
                }
            }
        }
        Step::Restore(at, number) => {
            let label = LABELS[*at];
            let version = number % model.versions[label].len();
            if model.versions[label].len() > 1 {
                let done = context.restore(label, version as u64, &person).await;
                settle(done.map(drop), label, model.versions[label][version].clone(), model);
            }
        }
        Step::Add(at) => {
            let label = LABELS[*at];
            let done = context.add_block(label, BlockOptions::default()).await;
            assert_eq!(done.is_ok(), !model.labels().contains(&label));
            if done.is_ok() {
                let list = if *at < CONFIGURED { &mut model.configured } else { &mut model.added };
                list.push(label);
            }
        }
        Step::Remove(at) => {
            let label = LABELS[*at];
            let was_there = context.remove_block(label).await.unwrap();
            assert_eq!(was_there, model.labels().contains(&label));
            model.configured.retain(|other| *other != label);
            model.added.retain(|other| *other != label);
        }
        Step::Refresh => {
            context.refresh_system_prompt().await.unwrap();
            model.frozen = model.shown();
        }
        Step::OtherHandle => {}
    }
}

/// A write works where the block is listed, and nowhere else.
fn settle(done: Result<(), ContextError>, label: &'static str, text: String, model: &mut Model) {
    match done {
        Ok(()) => {
            assert!(model.labels().contains(&label));
            model.write(label, text);
        }
        Err(ContextError::UnknownBlock(unknown)) => {
            assert_eq!(unknown, label);
            assert!(!model.labels().contains(&label));
        }
        Err(other) => panic!("{other}"),
    }
}

async fn compare(context: &Context, model: &Model) {
    let blocks = context.blocks().await.unwrap();
    let shown: Vec<(&str, &str, u64)> =
        blocks.iter().map(|block| (block.label.as_str(), block.content.as_str(), block.version)).collect();
    let expected = model.shown();
    let expected: Vec<(&str, &str, u64)> = expected
        .iter()
        .map(|(label, text)| (*label, text.as_str(), model.versions[label].len() as u64 - 1))
        .collect();
    assert_eq!(shown, expected);

    let frozen = context.prompt_info().await.unwrap();
    let rendered: Vec<(&str, &str)> = frozen
        .sections
        .iter()
        .map(|section| {
            let text = section.text.splitn(4, '\n').nth(3).unwrap();
            (section.label.as_str(), text)
        })
        .collect();
    let expected: Vec<(&str, &str)> =
        model.frozen.iter().map(|(label, text)| (*label, text.as_str())).collect();
    assert_eq!(rendered, expected);
    assert_eq!(frozen.waiting.is_empty(), model.frozen == model.shown());
}

async fn live(steps: Vec<Step>) {
    let story = Story::begin().await;
    let config = LABELS[..CONFIGURED]
        .iter()
        .try_fold(ContextConfig::new(), |config, label| config.with_context(label, BlockOptions::default()));
    let config = config.unwrap().with_cached_prompt();
    let session = story.session("s").await;
    let mut model = Model::new();
    session.context(&config).freeze_system_prompt().await.unwrap();
    for step in &steps {
        let context = session.context(&config);
        take(step, &context, &mut model).await;
        compare(&context, &model).await;
    }
    let context = session.context(&config);
    for label in model.labels() {
        let texts = &model.versions[label];
        for (version, text) in texts.iter().enumerate().filter(|_| texts.len() > 1) {
            let kept = context.version(label, version as u64).await.unwrap();
            assert_eq!(kept.content.as_ref(), Some(text), "{label} {version}");
        }
    }
}

/// Whether an entry holds each word of a query, as a reader who knows no operators would say.
fn holds(content: &str, query: &str) -> bool {
    let words: Vec<&str> = content.split(' ').collect();
    let is_there = |token: &str| {
        let is_piece = !token.is_ascii();
        if is_piece { content.contains(token) } else { words.contains(&token) }
    };
    let mut tokens = query.split_whitespace().peekable();
    tokens.peek().is_some() && tokens.all(is_there)
}

async fn look(contents: Vec<String>, queries: Vec<String>, odd: Vec<String>) {
    let story = Story::begin().await;
    let entries = BlockOptions::from_provider(Provider::StoredEntries { owner: Owner::Agent });
    let config = ContextConfig::new().with_context("index", entries).unwrap();
    let context = story.default_session().await.context(&config);
    for (number, content) in contents.iter().enumerate() {
        let entry = Entry { key: Some(format!("k{number}")), content: content.clone(), ..Entry::default() };
        context.set_entry("index", &entry, &Author::User).await.unwrap();
    }
    let search = async |query: &str| {
        let input = json!({ "label": "index", "query": query });
        let call = ContextCall { name: "search_context".to_owned(), input, author: Author::User };
        context.call_tool(&call, Position::default()).await.unwrap().text
    };
    for query in &queries {
        let found: BTreeSet<String> = search(query)
            .await
            .lines()
            .filter_map(|line| Some(line.strip_prefix("[k")?.strip_suffix(']')?.to_owned()))
            .collect();
        let expected = contents.iter().enumerate().filter(|(_, content)| holds(content, query));
        let expected: BTreeSet<String> = expected.map(|(number, _)| number.to_string()).collect();
        assert_eq!(found, expected, "{query:?} in {contents:?}");
    }
    for query in &odd {
        assert!(!search(query).await.starts_with("Error"), "{query:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn blocks_do_what_a_list_in_memory_does(steps in proptest::collection::vec(step(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(live(steps));
    }

    #[test]
    fn a_search_finds_what_a_reader_finds(
        contents in proptest::collection::vec("(tea|milk|or|not|緑茶濃い|濃茶)( (tea|sun|near|and|茶緑)){0,3}", 1..8),
        queries in proptest::collection::vec("(tea|milk|OR|or|茶|緑茶|濃|い)( (tea|sun|near|茶)){0,2}", 1..4),
        odd in proptest::collection::vec(any::<String>(), 1..6),
    ) {
        let queries = queries.into_iter().map(|query| query.replace("OR", "or")).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(look(contents, queries, odd));
    }
}
