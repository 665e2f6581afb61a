//! How fast a search over 100,000 messages is, whatever is searched for, and what being findable costs each message.
//!
//! `cargo bench -p session --bench search`. The words have the frequencies of a natural language; a fifth of the
//! messages is Chinese. The file is a real one. Beside the time on the clock stands the processor time of all threads,
//! which others who use the machine do not change much.

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
const SEARCHES: [(&str, &str); 36] = [
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
    ("all of twelve common", "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11"),
    ("rare among common", "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w29000"),
    ("common, twelve left out", "w0 -w1 -w2 -w3 -w4 -w5 -w6 -w7 -w8 -w9 -w10 -w11 -w12"),
    ("common, thirty left out", COMMON_BUT),
    ("long phrase of common", "\"w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16\""),
    ("either of five rare", "w200 OR w201 OR w202 OR w203 OR w204"),
    ("rather rare and common", "w0 w250"),
    ("pieces of many words", "*w12* *w3* *45* *w2*"),
    ("either of many pieces", "*12* OR *34* OR *56* OR *78* OR *90* OR *31* OR *72*"),
    ("common but not with pieces", "w0 -*1* -*2* -*3*"),
];

/// Of 80,000 messages with the first word, very few have none of the others.
const COMMON_BUT: &str = "w0 -w1 -w2 -w3 -w4 -w5 -w6 -w7 -w8 -w9 -w10 -w11 -w12 -w13 -w14 -w15 -w16 -w17 -w18 -w19 \
    -w20 -w21 -w22 -w23 -w24 -w25 -w26 -w27 -w28 -w29 -w30";

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
    println!(
        "{:<30} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "search", "hits", "least", "p50", "p95", "max", "CPU p50"
    );
    for (name, text) in SEARCHES {
        let (mut times, mut worked) = (Vec::new(), Vec::new());
        let mut hits = 0;
        for _ in 0..SAMPLES {
            let (before, begun) = (processor_time(), Instant::now());
            let page = manager.search(&Search::new(text)).await.expect("a page");
            times.push(begun.elapsed());
            worked.push(processor_time().saturating_sub(before));
            hits = page.hits.len();
        }
        times.sort_unstable();
        worked.sort_unstable();
        let work = worked.get(worked.len() / 2).copied().unwrap_or_default();
        let at =
            |percent: usize| times.get((times.len() - 1) * percent / 100).copied().unwrap_or(Duration::ZERO);
        let (least, p50, p95, max) = (at(0), at(50), at(95), at(100));
        println!("{name:<30} {hits:>5} {least:>9.2?} {p50:>9.2?} {p95:>9.2?} {max:>9.2?} {work:>9.2?}");
    }
}

/// What all threads have worked so far; nothing where the system does not tell.
fn processor_time() -> Duration {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let worked = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(worked.sum())
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
