//! How fast a conversation is read and extended, and how little its length matters.
//!
//! `cargo bench -p session`. Messages are about 400 bytes; the file is a real one.

use divan::Bencher;
use protocol::{Message, MessageId, SessionId};
use session::{Parent, Session, SessionManager};
use std::hint::black_box;
use std::sync::Arc;
use testkit::{FakeClock, SeqIds, TempDatabase, assistant, temp_database, user};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// A session with some messages in one line, and what runs it.
struct Bench {
    runtime: Runtime,
    session: Session,
    _temp: TempDatabase,
}

#[expect(clippy::expect_used, reason = "a benchmark cannot go on without its session")]
impl Bench {
    fn with(count: usize) -> Self {
        let runtime = Runtime::new().expect("a runtime starts");
        let (session, temp) = runtime.block_on(async {
            let temp = temp_database().await;
            let ids = Arc::new(SeqIds::default());
            let manager = SessionManager::new(temp.db.clone(), Arc::new(FakeClock::default()), ids);
            let session = manager.session(&SessionId::default()).await;
            let session = session.expect("the file can be read").expect("the default session exists");
            session.append_all(&messages(count), Parent::ActiveLeaf).await.expect("messages are stored");
            (session, temp)
        });
        Self { runtime, session, _temp: temp }
    }

    fn append(&self, message: &Message, parent: Parent) {
        let appended = self.runtime.block_on(self.session.append(message, parent));
        let _appended = black_box(appended.expect("the message is stored"));
    }
}

fn messages(count: usize) -> Vec<Message> {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(8);
    let message = |i: usize| {
        let id = name(i).to_string();
        if i.is_multiple_of(2) { user(&id, &text) } else { assistant(&id, &text) }
    };
    (0..count).map(message).collect()
}

fn name(number: usize) -> MessageId {
    MessageId::new(format!("0198f000-0000-7000-8000-{number:012}"))
}

#[divan::bench(args = [10, 10_000], sample_count = 500, sample_size = 1)]
fn append(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    let mut new = messages(length + 600).split_off(length).into_iter();
    bencher
        .with_inputs(|| new.next())
        .bench_local_values(|message| message.map(|message| bench.append(&message, Parent::ActiveLeaf)));
}

#[divan::bench(args = [10, 10_000], sample_count = 100, sample_size = 1)]
fn regenerate_the_last_answer(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    let mut new = messages(length + 200).split_off(length).into_iter();
    let parent = || Parent::Under(name(length - 2));
    bencher
        .with_inputs(|| new.next())
        .bench_local_values(|message| message.map(|message| bench.append(&message, parent())));
}

#[divan::bench(args = [2_000])]
fn append_a_whole_list_with_one_new_message(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    let mut count = length;
    let mut next = || {
        count += 1;
        messages(count)
    };
    bencher.with_inputs(&mut next).bench_local_values(|list| {
        bench.runtime.block_on(bench.session.append_all(&list, Parent::Root)).map(black_box)
    });
}

#[divan::bench(args = [200, 2_000, 10_000])]
fn history(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    bencher.bench_local(|| bench.runtime.block_on(bench.session.history(None)).map(black_box));
}

#[divan::bench(args = [200, 10_000])]
fn history_ids(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    bencher.bench_local(|| bench.runtime.block_on(bench.session.history_ids(None)).map(black_box));
}

#[divan::bench(args = [200, 10_000])]
fn window_of_50(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    bencher.bench_local(|| bench.runtime.block_on(bench.session.window(None, 50)).map(black_box));
}

#[divan::bench(args = [200, 10_000])]
fn recent_history(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    let budget = 24 * 1_024 * 1_024;
    bencher.bench_local(|| bench.runtime.block_on(bench.session.recent_history(budget, 4)).map(black_box));
}

#[divan::bench(args = [10, 10_000])]
fn look_at_another_branch(bencher: Bencher, length: usize) {
    let bench = Bench::with(length);
    bench.append(&assistant("other", "x"), Parent::Under(name(length - 2)));
    let branches = [name(length - 1), MessageId::from("other")];
    let mut turn = branches.iter().cycle();
    bencher.bench_local(|| {
        turn.next().map(|branch| bench.runtime.block_on(bench.session.set_active(branch)).map(black_box))
    });
}
