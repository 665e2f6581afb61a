//! How fast a search over 100,000 messages is, whatever is searched for, and what being findable costs each message.
//!
//! `cargo bench -p session --bench search`. The words have the frequencies of a natural language; a fifth of the
//! messages is Chinese. The file is a real one.

use protocol::{Message, SessionId};
use session::{NewSession, Parent, Search, SessionManager};
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::{FakeClock, SeqIds, assistant, temp_database, user};

const SESSIONS: usize = 100;
const MESSAGES_EACH: usize = 1_000;
const WORDS_EACH: usize = 60;
const VOCABULARY: u64 = 30_000;
const SAMPLES: usize = 100;

/// What is searched for, with what makes it hard.
const SEARCHES: [(&str, &str); 26] = [
    ("word in every message", "w0"),
    ("common word", "w30"),
    ("two common words", "w0 w1"),
    ("rare word", "w29000"),
    ("no such word", "nowhere"),
    ("common and no such word", "w0 nowhere"),
    ("phrase of common words", "\"w0 w1 w2\""),
    ("beginning, short", "w1*"),
    ("beginning, long", "w123*"),
    ("one sign", "\u{4e01}"),
    ("two signs", "\u{4e01}\u{4e02}"),
    ("four signs", "\u{4e01}\u{4e02}\u{4e03}\u{4e04}"),
    ("common, not common", "w0 -w1"),
    ("either of five", "w0 OR w1 OR w2 OR w3 OR w4"),
    ("common, role", "w0 role:user"),
    ("common, session by name", "w0 session:s7"),
    ("no such phrase", "\"w0 w1 nowhere\""),
    ("piece of words, long", "*2345*"),
    ("piece of words, short", "*9*"),
    ("piece of many words", "*w12*"),
    ("piece of words, two letters", "*w1*"),
    ("phrase of common, no hit", "\"w3 w2 w9 w4 w8\""),
    ("two phrases of common, no hit", "\"w3 w9 w2\" OR \"w8 w4 w5 w6\""),
    (
        "either of thirty",
        "w0 OR w1 OR w2 OR w3 OR w4 OR w5 OR w6 OR w7 OR w8 OR w9 OR w10 OR w11 OR w12 OR w13 OR w14",
    ),
    ("common, without a beginning", "w0 -w123*"),
    ("common, some days", "w0 after:1970-01-20 before:1970-01-21"),
];

#[tokio::main]
#[expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints, and cannot go on without its file"
)]
async fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let temp = temp_database().await;
    let clock = Arc::new(FakeClock::default());
    let manager = SessionManager::new(temp.db.clone(), clock.clone(), Arc::new(SeqIds::default()));
    let mut random = Random(7);
    let begun = Instant::now();
    for number in 0..SESSIONS {
        let id = SessionId::new(format!("s{number}"));
        let new = NewSession { id: Some(id.clone()), name: id.to_string(), ..NewSession::default() };
        let _made = manager.create(new).await.expect("a session");
        let session = manager.session(&id).await.expect("the file").expect("the session");
        for chunk in 0..MESSAGES_EACH / 100 {
            let messages: Vec<Message> = (0..100).map(|n| message(chunk * 100 + n, &mut random)).collect();
            let _stored = session.append_all(&messages, Parent::ActiveLeaf).await.expect("messages");
            clock.advance(24 * 60 * 60 * 1_000 / 10);
        }
    }
    let each = begun.elapsed() / u32::try_from(SESSIONS * MESSAGES_EACH).expect("a small number");
    let size = std::fs::metadata(temp.db.path()).map_or(0, |file| file.len()) / 1_048_576;
    println!("{size} MiB");
    println!("{} messages stored in {:?}, {each:?} each", SESSIONS * MESSAGES_EACH, begun.elapsed());
    println!("as it was stored");
    measure(&manager).await;
    let (begun, mut steps, mut longest) = (Instant::now(), 0_u32, Duration::ZERO);
    loop {
        let step = Instant::now();
        let is_more = manager.tidy_index().await.expect("the index");
        (steps, longest) = (steps + 1, longest.max(step.elapsed()));
        if !is_more {
            break;
        }
    }
    println!("tidied in {:?}, {steps} steps, the longest {longest:?}", begun.elapsed());
    measure(&manager).await;
}

#[expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints, and cannot go on without its file"
)]
async fn measure(manager: &SessionManager) {
    println!("{:<30} {:>5} {:>9} {:>9} {:>9} {:>9}", "search", "hits", "least", "p50", "p95", "max");
    for (name, text) in SEARCHES {
        let mut times = Vec::new();
        let mut hits = 0;
        for _ in 0..SAMPLES {
            let begun = Instant::now();
            let page = manager.search(&Search::new(text)).await.expect("a page");
            times.push(begun.elapsed());
            hits = page.hits.len();
        }
        times.sort_unstable();
        let at =
            |percent: usize| times.get((times.len() - 1) * percent / 100).copied().unwrap_or(Duration::ZERO);
        println!("{name:<30} {hits:>5} {:>9.2?} {:>9.2?} {:>9.2?} {:>9.2?}", at(0), at(50), at(95), at(100));
    }
}

fn message(number: usize, random: &mut Random) -> Message {
    let id = format!("0198f000-0000-7000-8000-{number:012}");
    let text = if number % 5 == 4 { signs(random) } else { words(random) };
    if number.is_multiple_of(2) { user(&id, &text) } else { assistant(&id, &text) }
}

fn words(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..WORDS_EACH {
        text.push_str(&format!("w{} ", random.rank(VOCABULARY)));
    }
    text
}

fn signs(random: &mut Random) -> String {
    let sign =
        |rank: u64| u32::try_from(rank).ok().and_then(|rank| char::from_u32(0x4e00 + rank)).unwrap_or('一');
    (0..WORDS_EACH * 3).map(|_| sign(random.rank(3_000))).collect()
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A rank below `most`, small ones being as much more frequent as in a language: each as often as one over it.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "any number near it will do"
    )]
    fn rank(&mut self, most: u64) -> u64 {
        let part = (self.next() % 1_000_000) as f64 / 1_000_000.0;
        ((most as f64).powf(part) - 1.0) as u64
    }
}
