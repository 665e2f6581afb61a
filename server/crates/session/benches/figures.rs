//! The figures this crate promises, each beside its goal, with what is compared taken in turn so that a busy machine
//! falls on both alike.
//!
//! `cargo bench -p session --bench figures`. Messages are about 400 bytes; the files are real ones.

use protocol::{Message, MessageId, SessionId};
use session::{Parent, Session, SessionManager};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::{FakeClock, SeqIds, TempDatabase, assistant, temp_database, user};

const LONG: usize = 10_000;
const SHORT: usize = 10;
const MIDDLE: usize = 200;

/// A session with some messages in one line.
struct Line {
    session: Session,
    temp: TempDatabase,
    length: usize,
}

#[expect(clippy::expect_used, reason = "a benchmark cannot go on without its session")]
impl Line {
    async fn of(length: usize) -> Self {
        let temp = temp_database().await;
        let session = open(&temp).await;
        let list: Vec<Message> = (0..length).map(message).collect();
        for chunk in list.chunks(1_000) {
            let _stored = session.append_all(chunk, Parent::ActiveLeaf).await.expect("messages are stored");
        }
        Self { session, temp, length }
    }

    /// Stores one message more and says how long that took.
    async fn grow(&mut self) -> Duration {
        let next = message(self.length);
        self.length += 1;
        let begun = Instant::now();
        let _stored = black_box(self.session.append(&next, Parent::ActiveLeaf).await.expect("it is stored"));
        begun.elapsed()
    }

    async fn read(&self) -> Duration {
        let begun = Instant::now();
        let read = black_box(self.session.history(None).await.expect("a history"));
        let took = begun.elapsed();
        assert_eq!(read.len(), self.length);
        took
    }

    async fn write_down(&self) -> Duration {
        let begun = Instant::now();
        let text = black_box(self.session.history_text(None).await.expect("a history"));
        let took = begun.elapsed();
        assert!(text.json.len() > 100 * self.length);
        took
    }

    async fn look(&self) -> Duration {
        let begun = Instant::now();
        let _window = black_box(self.session.window(None, 50).await.expect("a window"));
        begun.elapsed()
    }

    /// As after a restart: opens the file and reads everything.
    async fn first_load(&mut self) -> Duration {
        self.temp.db.close().await.expect("the file is closed");
        let begun = Instant::now();
        self.temp.reopen().await;
        self.session = open(&self.temp).await;
        let read = black_box(self.session.history(None).await.expect("a history"));
        assert_eq!(read.len(), self.length);
        begun.elapsed()
    }
}

#[expect(clippy::expect_used, reason = "a benchmark cannot go on without its session")]
async fn open(temp: &TempDatabase) -> Session {
    let manager =
        SessionManager::new(temp.db.clone(), Arc::new(FakeClock::default()), Arc::new(SeqIds::default()));
    let session = manager.session(&SessionId::default()).await.expect("the file can be read");
    session.expect("the default session always exists")
}

fn message(number: usize) -> Message {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(8);
    let id = MessageId::new(format!("0198f000-0000-7000-8000-{number:012}")).to_string();
    if number.is_multiple_of(2) { user(&id, &text) } else { assistant(&id, &text) }
}

/// What was measured, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        Self(all)
    }

    fn at(&self, percent: usize) -> Duration {
        self.0.get(self.0.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark prints")]
fn print(name: &str, times: &Times, goal: &str) {
    println!("{name:<44} {:>9.2?} {:>9.2?} {:>9.2?}   {goal}", times.at(0), times.at(50), times.at(95));
}

/// The processor's name, where the system tells it.
fn machine() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{} with {cores} threads", name.unwrap_or("unknown processor"))
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a benchmark prints")]
async fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let (mut short, mut long, middle) = (Line::of(SHORT).await, Line::of(LONG).await, Line::of(MIDDLE).await);
    println!("{}", machine());
    println!("{:<44} {:>9} {:>9} {:>9}   goal", "what", "least", "median", "p95");

    let mut reads = [Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..60 {
        let [whole, part, few, windows, texts] = &mut reads;
        whole.push(long.read().await);
        texts.push(long.write_down().await);
        windows.push(long.look().await);
        for _ in 0..4 {
            few.push(middle.read().await);
            part.push(middle.look().await);
        }
    }
    let [whole, part, few, windows, texts] = reads.map(Times::of);
    print("history of 10,000, warm", &whole, "< 20 ms");
    print("the same as JSON text", &texts, "");
    print("window of 50 in 10,000", &windows, "< 5 ms");
    print("window of 50 in 200", &part, "");
    print("history of 200", &few, "< 1 ms median");

    let mut first = Vec::new();
    for _ in 0..12 {
        first.push(long.first_load().await);
    }
    print("first load of 10,000 after a restart", &Times::of(first), "< 60 ms");

    let mut grown = [Vec::new(), Vec::new()];
    for _ in 0..300 {
        // A short one that stays short.
        if short.length > 2 * SHORT {
            short = Line::of(SHORT).await;
        }
        let [few, many] = &mut grown;
        few.push(short.grow().await);
        many.push(long.grow().await);
    }
    let [few, many] = grown.map(Times::of);
    print("append at 10", &few, "");
    print("append at 10,000", &many, "");
    let ratio = |percent| many.at(percent).as_secs_f64() / few.at(percent).as_secs_f64();
    println!("append at 10,000 against at 10, median: {:.2}, goal <= 1.2", ratio(50));
}
