//! Random conversations and random searches, told to the index and to a reader who looks at every message.
//!
//! The reader knows what the words mean but nothing of an index: it compares texts, and takes forms of words from a
//! list of its own.

use crate::support::{Story, id};
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::{Message, Part};
use serde_json::json;
use session::{Parent, Search, Session};
use testkit::{assistant, user};

/// Words of which each line has the same stem, and no two lines have one in common.
const FAMILIES: [&[&str]; 6] = [
    &["friday", "Fridays", "FRIDAY"],
    &["run", "running", "runs"],
    &["harbour", "Harbours"],
    &["crème", "creme", "CRÈMES"],
    &["x2", "X2"],
    &["deployment", "deployments"],
];
/// Pieces of code and of scripts without spaces.
const PIECES: [&str; 9] =
    ["foo_bar", "Vec::new()", "wrong-book", "a.b", "天気", "今日は天気。", "日本", "한국어", "👍"];

fn piece() -> impl Strategy<Value = &'static str> {
    let words: Vec<&'static str> = FAMILIES.iter().flat_map(|family| family.iter().copied()).collect();
    prop_oneof![3 => prop::sample::select(words), 2 => prop::sample::select(PIECES.to_vec())]
}

fn text() -> impl Strategy<Value = String> {
    let between = prop::sample::select(vec![" ", " ", " ", ", ", "\n", ""]);
    vec((piece(), between), 0..8)
        .prop_map(|pieces| pieces.iter().flat_map(|(piece, between)| [*piece, *between]).collect())
}

/// What is searched for, and how a reader decides.
#[derive(Debug, Clone)]
enum Wanted {
    /// Any form of a word.
    Family(usize, usize),
    /// These signs, next to each other.
    Signs(String),
    /// Words that begin so.
    Beginning(&'static str),
    /// Words that hold this.
    Piece(&'static str),
    /// Words as they are, with anything but letters between them.
    Phrase(&'static str),
}

fn wanted() -> impl Strategy<Value = Wanted> {
    let signs: Vec<char> = "天気今日は。本한국어👍".chars().collect();
    prop_oneof![
        3 => (0..FAMILIES.len(), 0..3_usize).prop_map(|(family, form)| Wanted::Family(family, form)),
        3 => vec(prop::sample::select(signs), 1..5).prop_map(|signs| Wanted::Signs(signs.into_iter().collect())),
        1 => prop::sample::select(vec!["har", "fri", "cre", "dep", "runn", "fridays"]).prop_map(Wanted::Beginning),
        1 => prop::sample::select(vec!["rida", "ida", "un", "our", "2", "ploy", "zz"]).prop_map(Wanted::Piece),
        1 => prop::sample::select(vec!["foo bar", "vec new", "wrong book", "a b", "x2"]).prop_map(Wanted::Phrase),
    ]
}

impl Wanted {
    fn spelt(&self) -> String {
        match self {
            Self::Family(family, form) => {
                let forms = FAMILIES[*family];
                forms[form % forms.len()].to_owned()
            }
            Self::Signs(signs) => signs.clone(),
            Self::Beginning(beginning) => format!("{beginning}*"),
            Self::Piece(piece) => format!("*{piece}*"),
            Self::Phrase(words) => format!("\"{words}\""),
        }
    }

    fn is_in(&self, text: &str) -> bool {
        let words = read(text);
        match self {
            Self::Family(family, _) => {
                let forms: Vec<String> = FAMILIES[*family].iter().flat_map(|form| read(form)).collect();
                words.iter().any(|word| forms.contains(word))
            }
            Self::Signs(signs) => text.contains(signs.as_str()),
            Self::Beginning(beginning) => words.iter().any(|word| word.starts_with(beginning)),
            Self::Piece(piece) => words.iter().any(|word| word.contains(piece)),
            Self::Phrase(phrase) => {
                let phrase: Vec<&str> = phrase.split(' ').collect();
                words.windows(phrase.len()).any(|words| words == phrase)
            }
        }
    }
}

/// The words of a text as a reader of Latin letters sees them; each other sign is a word.
fn read(text: &str) -> Vec<String> {
    let plain = text.replace(['è', 'È'], "e").to_lowercase();
    let spaced: String = plain
        .chars()
        .flat_map(|c| {
            if c.is_ascii_alphanumeric() {
                vec![c]
            } else if c.is_ascii() {
                vec![' ']
            } else {
                vec![' ', c, ' ']
            }
        })
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[derive(Debug, Clone)]
struct Question {
    all: Vec<Vec<Wanted>>,
    none: Vec<Wanted>,
}

fn question() -> impl Strategy<Value = Question> {
    (vec(vec(wanted(), 1..3), 1..3), vec(wanted(), 0..2)).prop_map(|(all, none)| Question { all, none })
}

impl Question {
    fn spelt(&self) -> String {
        let either = |either: &Vec<Wanted>| either.iter().map(Wanted::spelt).collect::<Vec<_>>().join(" OR ");
        let all = self.all.iter().map(either);
        let none = self.none.iter().map(|wanted| format!("-{}", wanted.spelt()));
        all.chain(none).collect::<Vec<_>>().join(" ")
    }

    fn finds(&self, text: &str) -> bool {
        self.all.iter().all(|either| either.iter().any(|wanted| wanted.is_in(text)))
            && !self.none.iter().any(|wanted| wanted.is_in(text))
    }
}

/// A message that says half of them, while a tool did the others.
fn message(number: usize, text: &str) -> Message {
    let id = number.to_string();
    if !number.is_multiple_of(3) {
        return user(&id, text);
    }
    let mut message = assistant(&id, "");
    let tool = json!({"type": "tool-t", "toolCallId": "c", "state": "output-available", "input": {}, "output": text});
    message.parts = vec![serde_json::from_value::<Part>(tool).unwrap()];
    message
}

/// Numbers of all messages that are found, page by page, in order.
async fn found(session: &Session, text: &str, limit: usize) -> Vec<usize> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let search = Search { cursor: cursor.as_deref(), limit, text };
        let page = session.search(&search).await.unwrap();
        found.extend(page.hits.iter().map(|hit| hit.message.as_str().parse::<usize>().unwrap()));
        cursor = page.next_cursor;
        if cursor.is_none() {
            found.sort_unstable();
            return found;
        }
    }
}

async fn compare(texts: &[String], questions: &[Question]) {
    let story = Story::begin().await;
    let session = story.session("s").await;
    let messages: Vec<Message> =
        texts.iter().enumerate().map(|(number, text)| message(number, text)).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    for (number, question) in questions.iter().enumerate() {
        let expected: Vec<usize> = (0..texts.len()).filter(|n| question.finds(&texts[*n])).collect();
        let spelt = question.spelt();
        assert_eq!(found(&session, &spelt, 1 + number * 7).await, expected, "{spelt}\n{texts:#?}");
    }
}

fn run(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_what_a_reader_finds(texts in vec(text(), 1..16), questions in vec(question(), 1..8)) {
        run(compare(&texts, &questions));
    }

    #[test]
    fn no_text_is_an_error(texts in vec(any::<String>(), 1..6), operators in vec("[-\"*:(){}^+A-Z ~.今é]{0,12}", 1..6)) {
        run(async {
            let story = Story::begin().await;
            let session = story.session("s").await;
            for (number, text) in texts.iter().enumerate() {
                session.append(&user(&number.to_string(), text), Parent::ActiveLeaf).await.unwrap();
            }
            for text in texts.iter().chain(&operators) {
                let page = session.search(&Search::new(text)).await.unwrap();
                assert!(page.hits.len() <= texts.len(), "{text:?} is found twice somewhere");
            }
        });
    }
}

/// Pieces of the index of messages and of that of words.
async fn pieces_of(story: &Story) -> [i64; 2] {
    const SQL: &str = "SELECT (SELECT count(DISTINCT segid) FROM assistant_fts_idx), \
        (SELECT count(DISTINCT segid) FROM assistant_word_pieces_idx)";
    let (messages, words) = sqlx::query_as(SQL).fetch_one(story.temp.db.reader()).await.unwrap();
    [messages, words]
}

#[tokio::test]
async fn merging_the_index_leaves_few_pieces_in_bounded_steps_and_changes_no_answer() {
    /// Two indexes, 64 pages each, and the pages they are taken from.
    const STEP_PAGES_MAX: u64 = 256;
    const PAGE: u64 = 4_096;
    let story = Story::begin().await;
    let session = story.session("s").await;
    for chunk in 0..120 {
        let words = if chunk % 10 == 0 { 800 } else { 0 };
        let message = |number: usize| {
            let many: String = (0..words)
                .map(|n| format!(" {:x}", (chunk * 100_000 + number * 1_000 + n) * 7_919))
                .collect();
            user(&format!("m{chunk}-{number}"), &format!("word{chunk} common {number}{many}"))
        };
        let messages: Vec<Message> = (0..10).map(message).collect();
        session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
    }
    session.delete(&[id("m7-7")]).await.unwrap();
    let texts = ["common", "word7", "*rd11*", "\"common 3\"", "word5 OR word119"];
    let mut before = Vec::new();
    for text in texts {
        before.push(session.search(&Search::new(text)).await.unwrap());
    }
    let many = pieces_of(&story).await;
    let log = story.temp.path().with_extension("db-wal");
    let mut is_more = true;
    for step in 0.. {
        assert!(step < 200, "it never ends");
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(story.temp.db.writer()).await.unwrap();
        is_more = is_more && story.manager.tidy_index().await.unwrap();
        let pages = std::fs::metadata(&log).unwrap().len() / PAGE;
        assert!(pages <= STEP_PAGES_MAX, "step {step} wrote {pages} pages");
        if !is_more {
            assert!(step > 3, "the index is too small to need steps");
            break;
        }
    }
    // One of each size; pieces of different sizes stay apart, or the large one would be written again and again.
    let few = pieces_of(&story).await;
    assert!(
        many.iter().all(|pieces| *pieces > 3) && few.iter().all(|pieces| *pieces <= 2),
        "{few:?} of {many:?}"
    );
    assert!(!story.manager.tidy_index().await.unwrap(), "nothing is left to merge");
    for (text, before) in texts.iter().zip(before) {
        assert_eq!(session.search(&Search::new(text)).await.unwrap(), before, "{text}");
    }
    assert_eq!(story.manager.examine().await.unwrap(), []);
}
