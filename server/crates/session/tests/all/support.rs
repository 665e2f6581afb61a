//! What every story begins with: a file, a clock, ids, and short ways to ask.

use protocol::{Message, MessageId, SessionId};
use session::{NewSession, Parent, Session, SessionManager};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};
use std::sync::Arc;
use testkit::{FakeClock, SeqIds, TempDatabase, assistant, temp_database, user};

pub(crate) struct Story {
    pub(crate) temp: TempDatabase,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) manager: SessionManager,
}

impl Story {
    pub(crate) async fn begin() -> Self {
        let temp = temp_database().await;
        let clock = Arc::new(FakeClock::at(1_000));
        let manager = SessionManager::new(temp.db.clone(), clock.clone(), Arc::new(SeqIds::default()));
        Self { temp, clock, manager }
    }

    /// As after a restart of the server.
    pub(crate) async fn reopen(&mut self) {
        self.temp.reopen().await;
        self.manager =
            SessionManager::new(self.temp.db.clone(), self.clock.clone(), Arc::new(SeqIds::default()));
    }

    pub(crate) async fn default_session(&self) -> Session {
        self.manager.session(&SessionId::default()).await.unwrap().unwrap()
    }

    /// A session with this id, made if needed.
    pub(crate) async fn session(&self, id: &str) -> Session {
        let id = SessionId::from(id);
        if let Some(session) = self.manager.session(&id).await.unwrap() {
            return session;
        }
        let new = NewSession { id: Some(id.clone()), ..NewSession::default() };
        self.manager.create(new).await.unwrap();
        self.manager.session(&id).await.unwrap().unwrap()
    }

    /// Rows of a table.
    pub(crate) async fn count(&self, table: &str) -> i64 {
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        sqlx::query_scalar(sql).fetch_one(self.temp.db.reader()).await.unwrap()
    }

    /// A statement behind the crate's back.
    pub(crate) async fn damage(&self, sql: &'static str) {
        let mut tx = self.temp.db.write().await.unwrap();
        sqlx::raw_sql(sql).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A connection of its own that keeps no foreign keys, to damage what they guard.
    pub(crate) async fn unguarded(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.temp.db.path()).foreign_keys(false);
        options.connect().await.unwrap()
    }
}

pub(crate) fn id(text: &str) -> MessageId {
    text.into()
}

pub(crate) fn ids(texts: &[&str]) -> Vec<MessageId> {
    texts.iter().map(|text| id(text)).collect()
}

pub(crate) fn under(parent: &str) -> Parent {
    Parent::Under(id(parent))
}

/// Appends a person's message below the active leaf.
pub(crate) async fn say(session: &Session, name: &str) {
    session.append(&user(name, name), Parent::ActiveLeaf).await.unwrap();
}

/// Appends a model's message below `parent`.
pub(crate) async fn answer(session: &Session, name: &str, parent: &str) {
    session.append(&assistant(name, name), under(parent)).await.unwrap();
}

/// `c0` to `c(n-1)`, alternating between a person and a model.
pub(crate) async fn chain(session: &Session, count: usize) {
    let message = |i: usize| {
        let (name, text) = (format!("c{i}"), format!("line {i}"));
        if i.is_multiple_of(2) { user(&name, &text) } else { assistant(&name, &text) }
    };
    let messages: Vec<Message> = (0..count).map(message).collect();
    session.append_all(&messages, Parent::ActiveLeaf).await.unwrap();
}

pub(crate) async fn path(session: &Session) -> Vec<MessageId> {
    session.history_ids(None).await.unwrap()
}

pub(crate) async fn path_to(session: &Session, leaf: &str) -> Vec<MessageId> {
    session.history_ids(Some(&id(leaf))).await.unwrap()
}

pub(crate) async fn kids(session: &Session, parent: &str) -> Vec<MessageId> {
    session.children(Some(&id(parent))).await.unwrap()
}

pub(crate) async fn text_of(session: &Session, name: &str) -> String {
    session.get(&id(name)).await.unwrap().unwrap().plain_text()
}

/// Numbers that look random and follow from a seed, which a failing test must name.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn with_seed(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A seed that is another one in each run.
    pub(crate) fn fresh_seed() -> u64 {
        std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), "seed")
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }
}
