//! A process that works on a file until it is killed, and how the test that kills it speaks with it: one line tells it
//! what to do, and it notes what it has done.

use crate::support::Dice;
use db::{Database, IdSource, SystemClock, UuidSource};
use protocol::{Message, MessageId, SessionId};
use session::{Parent, Session, SessionError, SessionManager};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::Arc;
use testkit::{assistant, user};

/// What the process says when it stands still in the middle of a statement, to be killed there.
const FROZEN: &str = "frozen";
/// The test that is also the process, and the variable that tells it so.
const ENTRY: &str = "crash::child::work";
const IS_STARTED: &str = "BOUGH_TEST_PROCESS";
/// Changes after which a process ends by itself, should nobody kill it.
const CHANGES_MAX: usize = 5_000;

/// What the process does, again and again.
#[derive(Debug)]
pub(crate) enum Task {
    Write {
        path: PathBuf,
        seed: u64,
    },
    /// To `target.0`, `target.1`, …
    BackUp {
        path: PathBuf,
        target: PathBuf,
    },
    Restore {
        path: PathBuf,
        from: PathBuf,
    },
    /// Opens the file, which brings it to today's format.
    Open {
        path: PathBuf,
    },
    /// Keeps the file locked until it is killed.
    Lock {
        path: PathBuf,
    },
    /// With each order, tries to open the file if it is not open, to write and to read; as another user of the machine.
    Visit {
        path: PathBuf,
        user: Option<u32>,
    },
}

/// When the process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Killed {
    /// When SQLite has called back this often, each time after so many steps of its machine.
    InStatement { steps: usize, calls: usize },
    /// After so many notes, and a little later.
    OnTheFly { notes: usize, spins: usize },
}

/// The process. It is killed with its last handle.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    orders: ChildStdin,
    notes: Lines<BufReader<ChildStderr>>,
}

impl Process {
    /// Starts it; with `steps` and `calls`, it stands still as [`Killed::InStatement`] says.
    pub(crate) fn start(task: &Task, (steps, calls): (usize, usize)) -> Self {
        let mut command = Command::new(program(task));
        command.args([ENTRY, "--exact", "--nocapture"]).env(IS_STARTED, "1");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let (verb, path, other) = match task {
            Task::Write { path, seed } => ("write", path, seed.to_string()),
            Task::BackUp { path, target } => ("back up", path, target.display().to_string()),
            Task::Restore { path, from } => ("restore", path, from.display().to_string()),
            Task::Open { path } => ("open", path, String::new()),
            Task::Lock { path } => ("lock", path, String::new()),
            Task::Visit { path, user } => {
                as_user(&mut command, *user);
                ("visit", path, String::new())
            }
        };
        let mut child = command.spawn().unwrap();
        let (orders, said) = (child.stdin.take().unwrap(), child.stderr.take().unwrap());
        let mut process = Self { child, orders, notes: BufReader::new(said).lines() };
        process.order(&format!("{verb}\t{}\t{other}\t{steps}\t{calls}", path.display()));
        process
    }

    /// Tells it what to do next.
    pub(crate) fn order(&mut self, line: &str) {
        self.orders.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// What it notes next.
    pub(crate) fn note(&mut self) -> String {
        let note = self.notes.next();
        note.unwrap_or_else(|| panic!("the process ended by itself")).unwrap()
    }

    /// Kills it. What it said before that stands in the pipe; of a line it was saying, nobody has heard.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.notes.by_ref().map_while(Result::ok).collect()
    }
}

/// This program; for another user under a name that this user can reach, wherever the sources lie.
fn program(task: &Task) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let Task::Visit { path, user: Some(_) } = task else { return own };
    let reachable = path.parent().and_then(Path::parent).unwrap().join("visitor");
    if std::fs::hard_link(&own, &reachable).is_err() {
        std::fs::copy(&own, &reachable).unwrap();
    }
    reachable
}

#[cfg(unix)]
fn as_user(command: &mut Command, user: Option<u32>) {
    if let Some(user) = user {
        std::os::unix::process::CommandExt::uid(command, user);
    }
}

#[cfg(not(unix))]
fn as_user(_: &mut Command, _: Option<u32>) {}

/// Starts the process, kills it, and gives its notes.
pub(crate) fn run(task: &Task, killed: Killed) -> Vec<String> {
    let mut notes = Vec::new();
    let mut process = match killed {
        Killed::InStatement { steps, calls } => Process::start(task, (steps, calls)),
        Killed::OnTheFly { .. } => Process::start(task, (0, 0)),
    };
    let is_enough = |heard: &[String]| match killed {
        Killed::InStatement { .. } => heard.last().is_some_and(|note| note == FROZEN),
        Killed::OnTheFly { notes, .. } => heard.len() >= notes,
    };
    while !is_enough(&notes) {
        notes.push(process.note());
    }
    if let Killed::OnTheFly { spins, .. } = killed {
        (0..spins).for_each(|_| std::hint::spin_loop());
    }
    notes.extend(process.kill());
    notes.retain(|note| note != FROZEN);
    notes
}

fn note(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}

/// As a test, it starts itself to see that the process notes what it does and ends with its orders; as the process, it
/// works.
#[test]
fn work() {
    if is_started() {
        return obey();
    }
    let (_folder, path) = runtime().block_on(super::begin(1));
    let mut process = Process::start(&Task::Visit { path, user: None }, (0, 0));
    process.order("visit");
    let notes: Vec<String> = (0..3).map(|_| process.note()).collect();
    assert_eq!(notes, ["write: ok", "read: 2", "done"]);
    let Process { mut child, orders, notes } = process;
    drop(orders);
    assert!(child.wait().unwrap().success());
    let rest: Vec<String> = notes.map(Result::unwrap).collect();
    assert!(rest.is_empty(), "{rest:?}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "it is no setting: one process of these tests speaks to the other"
)]
fn is_started() -> bool {
    std::env::var_os(IS_STARTED).is_some()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// What the process does from its first order to its end.
fn obey() {
    let mut order = String::new();
    std::io::stdin().read_line(&mut order).unwrap();
    let words: Vec<&str> = order.trim_end().split('\t').collect();
    let [verb, path, other, steps, calls] = words[..] else { return };
    let path = Path::new(path);
    let stop = (steps.parse().unwrap(), calls.parse().unwrap());
    runtime().block_on(async {
        match verb {
            "write" => write(path, other.parse().unwrap(), stop).await,
            "back up" => back_up(path, Path::new(other), stop).await,
            "open" => open(path).await,
            "lock" => lock(path).await,
            "visit" => visit(path).await,
            _ => restore(path, Path::new(other)).await,
        }
    });
}

/// Lets the connections of a pool that are open stand still after so many calls.
async fn freeze(pool: &sqlx::SqlitePool, (steps, calls): (i32, usize)) {
    let mut connection = pool.acquire().await.unwrap();
    let mut left = calls;
    let stand_still = move || {
        left -= 1;
        if left == 0 {
            note(FROZEN);
            loop {
                std::thread::park();
            }
        }
        true
    };
    if steps > 0 {
        connection.lock_handle().await.unwrap().set_progress_handler(steps, stand_still);
    }
}

async fn write(path: &Path, seed: u64, stop: (i32, usize)) {
    let db = Database::open(path).await.unwrap();
    freeze(db.writer(), stop).await;
    let manager = SessionManager::new(db, Arc::new(SystemClock), Arc::new(UuidSource));
    let session = manager.session(&SessionId::from("s")).await.unwrap().unwrap();
    let mut dice = Dice::with_seed(seed);
    for number in 0..CHANGES_MAX {
        let ids = session.history_ids(None).await.unwrap();
        let any = ids.get(dice.below(ids.len())).cloned();
        change(&manager, &session, &mut dice, (format!("{seed}-{number}"), any)).await;
    }
}

/// Does something to the session; `name` is new, `any` some message of the active path.
async fn change(
    manager: &SessionManager,
    session: &Session,
    dice: &mut Dice,
    (name, any): (String, Option<MessageId>),
) {
    let text = "what was said is kept ".repeat(dice.below(30));
    match (dice.below(12), any) {
        (6, Some(id)) => drop(session.update(&user(id.as_str(), &text)).await.unwrap()),
        (7, Some(id)) => {
            note(&format!("deleting {id}"));
            session.delete(&[id]).await.unwrap();
        }
        (8, Some(from)) => {
            let to = session.active_leaf().await.unwrap().unwrap();
            session.add_compaction(&text, &from, &to).await.unwrap();
        }
        (9, Some(id)) => {
            session.append(&assistant(&name, &text), Parent::Under(id)).await.unwrap();
            note(&format!("stored {name}"));
        }
        (10, Some(id)) => {
            let fork = manager.fork(session.id(), &id, "a copy").await.unwrap();
            manager.delete(&fork.session.id).await.unwrap();
        }
        (11, _) if dice.below(8) == 0 => {
            note("clearing");
            session.clear().await.unwrap();
        }
        _ => {
            let list: Vec<Message> =
                (0..=dice.below(4)).map(|number| user(&format!("{name}-{number}"), &text)).collect();
            session.append_all(&list, Parent::ActiveLeaf).await.unwrap();
            list.iter().for_each(|message| note(&format!("stored {}", message.id)));
        }
    }
}

async fn back_up(path: &Path, target: &Path, stop: (i32, usize)) {
    let db = Database::open(path).await.unwrap();
    freeze(db.reader(), stop).await;
    for number in 0..100 {
        db.backup_to(&target.with_extension(number.to_string())).await.unwrap();
        note(&format!("made {number}"));
    }
}

async fn restore(path: &Path, from: &Path) {
    note("begin");
    Database::restore(path, from).await.unwrap();
    note("done");
    loop {
        std::thread::park();
    }
}

async fn open(path: &Path) {
    note("begin");
    let _kept = Database::open(path).await.unwrap();
    note("done");
    loop {
        std::thread::park();
    }
}

async fn lock(path: &Path) {
    let db = Database::open(path).await.unwrap();
    let _kept = db.write().await.unwrap();
    note("locked");
    loop {
        std::thread::park();
    }
}

async fn visit(path: &Path) {
    let mut open: Option<SessionManager> = None;
    for _order in std::io::stdin().lines() {
        if open.is_none() {
            match Database::open(path).await {
                Ok(db) => open = Some(SessionManager::new(db, Arc::new(SystemClock), Arc::new(UuidSource))),
                Err(refused) => note(&format!("open: {refused}")),
            }
        }
        if let Some(manager) = &open {
            note(&format!(
                "write: {}",
                write_one(manager).await.map_or_else(|e| e.to_string(), |()| "ok".to_owned())
            ));
            note(&format!(
                "read: {}",
                read_all(manager).await.map_or_else(|e| e.to_string(), |count| count.to_string())
            ));
        }
        note("done");
    }
}

async fn write_one(manager: &SessionManager) -> Result<(), SessionError> {
    let session = manager.session(&SessionId::from("s")).await?.unwrap();
    session.append(&user(&UuidSource.new_id(), "hello"), Parent::ActiveLeaf).await.map(drop)
}

async fn read_all(manager: &SessionManager) -> Result<usize, SessionError> {
    let session = manager.session(&SessionId::from("s")).await?.unwrap();
    Ok(session.history(None).await?.len())
}
