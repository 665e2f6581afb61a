//! Full-text search over one session or all of them: every branch, every role, what was said and what tools did.
//!
//! A cursor goes on where a page ended; what is stored meanwhile moves nothing. Sessions in the trash are not found.

use crate::error::SessionError;
use crate::history;
use crate::manager::{SessionManager, Shared};
use crate::names::folded;
use crate::search::cursor::Cursor;
use crate::search::expression::Keys;
use crate::search::index::Texts;
use crate::search::query::{Query, Term};
use crate::search::ranking::Question;
use crate::search::snippet::snippet;
use crate::session::Session;
use crate::store::counted;
use crate::store::search::{self as store, Candidate, FoundRow};
use db::{DbError, ReadTx};
use protocol::limits::{SEARCH_PAGE_DEFAULT, SEARCH_PAGE_MAX};
use protocol::{MessageId, SearchHit, SearchPage, SessionId};
use std::collections::BTreeMap;

mod backfill;
mod cursor;
mod dates;
pub(crate) mod expression;
pub(crate) mod index;
mod marks;
mod pieces;
mod query;
mod ranking;
mod snippet;
mod stem;
mod tidy;
mod tool;
mod words;

pub use tool::{SearchableHistory, SessionSearch};

/// Looking for the rows of a span of time is worth it where there are at most so many.
const SPAN_ROWS_MAX: i64 = 10_000;

/// Sessions of one name that are searched.
const SESSIONS_NAMED_MAX: i64 = 64;

/// Messages whose content is read at once.
const READ_AT_ONCE: usize = 20;

/// A question to the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Search<'a> {
    /// Words, `"phrases"`, `begin*`, `*piece*`, `-without`, `this OR that`, `role:user`, `session:name`, `after:2026-03-01`,
    /// `before:2026-04`. No text is an error.
    pub text: &'a str,
    /// That of the page before; none for the first page.
    pub cursor: Option<&'a str>,
    /// Most hits of a page, itself at most [`SEARCH_PAGE_MAX`].
    pub limit: usize,
}

impl<'a> Search<'a> {
    /// The first page of the search for `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, cursor: None, limit: SEARCH_PAGE_DEFAULT }
    }
}

impl SessionManager {
    /// Searches all sessions that are not in the trash.
    ///
    /// # Errors
    /// [`SessionError::BadCursor`].
    pub async fn search(&self, search: &Search<'_>) -> Result<SearchPage, SessionError> {
        Ok(find(self.shared(), search, None).await?.into_page(search))
    }
}

impl Session {
    /// Searches this session.
    ///
    /// # Errors
    /// As [`SessionManager::search`].
    pub async fn search(&self, search: &Search<'_>) -> Result<SearchPage, SessionError> {
        Ok(find(self.shared(), search, Some(self.id())).await?.into_page(search))
    }
}

/// What was found, with all its text.
#[derive(Debug, Default)]
struct Found {
    messages: Vec<FoundMessage>,
    next: Option<Cursor>,
    waiting: u64,
}

/// One of them.
#[derive(Debug)]
struct FoundMessage {
    row: FoundRow,
    texts: Texts,
    rank: f64,
    is_on_active_path: bool,
}

impl Found {
    fn into_page(self, search: &Search<'_>) -> SearchPage {
        let query = Query::parse(search.text);
        let wanted: Vec<&Term> = query.wanted().collect();
        let hits = self.messages.into_iter().map(|message| message.into_hit(&wanted)).collect();
        SearchPage { hits, next_cursor: self.next.map(|next| next.to_string()), waiting: self.waiting }
    }
}

impl FoundMessage {
    fn into_hit(self, wanted: &[&Term]) -> SearchHit {
        SearchHit {
            session: SessionId::new(self.row.session_id),
            session_name: self.row.session_name,
            message: MessageId::new(self.row.message_id),
            role: history::role_of(self.row.role),
            created_at: counted(self.row.created_at),
            rank: self.rank,
            is_on_active_path: self.is_on_active_path,
            snippet: snippet(&self.texts, wanted),
        }
    }
}

/// Asks the index. Messages of an older file are indexed as searches come, some with each.
async fn find(
    shared: &Shared,
    search: &Search<'_>,
    scope: Option<&SessionId>,
) -> Result<Found, SessionError> {
    let cursor = search.cursor.map(Cursor::read).transpose()?;
    let waiting = backfill::go_on(shared).await?;
    let query = Query::parse(search.text);
    let limit = search.limit.min(SEARCH_PAGE_MAX);
    let nothing = Found { waiting, ..Found::default() };
    if query.is_empty() || limit == 0 {
        return Ok(nothing);
    }
    let mut tx = shared.db.read().await?;
    let Some(mut question) = question(&mut tx, &query, scope).await? else { return Ok(nothing) };
    question.keys.has_pairs = waiting == 0;
    let page = question.page(&mut tx, cursor, limit).await?;
    let messages = read(&mut tx, &page.matches).await?;
    Ok(Found { messages, next: page.next, waiting })
}

/// Makes of names what the index knows; none where nothing can be found.
async fn question<'a>(
    tx: &mut ReadTx,
    query: &'a Query,
    scope: Option<&SessionId>,
) -> Result<Option<Question<'a>>, DbError> {
    let mut key = None;
    if let Some(id) = scope {
        key = store::key(tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        if key.is_none() {
            return Ok(None);
        }
    }
    let mut keys = Keys::default();
    for name in query.sessions() {
        let _before = keys.sessions.insert(name.to_owned(), sessions(tx, name).await?);
    }
    for term in query.pieces() {
        if let Some(words) = pieces::words_of(tx, term).await? {
            let _before = keys.pieces.insert(term.clone(), words);
        }
    }
    let rows = rows(tx, query).await?;
    Ok(Some(Question { query, scope: key, keys, rows }))
}

/// The numbers of the sessions that a name or an id means.
async fn sessions(tx: &mut ReadTx, name: &str) -> Result<Vec<i64>, DbError> {
    let (id, key) = (if name == "~" { "" } else { name }, folded(name));
    let mut found = store::named(tx, id, &key, SESSIONS_NAMED_MAX).await.map_err(|e| tx.error(e))?;
    let unfolded = store::unfolded(tx, i64::MAX).await.map_err(|e| tx.error(e))?;
    found
        .extend(unfolded.into_iter().filter(|(_, _, name)| folded(name) == key).map(|(_, number, _)| number));
    Ok(found)
}

/// The rows a span of time leaves, as far as that is cheap to know.
async fn rows(tx: &mut ReadTx, query: &Query) -> Result<(i64, i64), DbError> {
    let everything = (0, i64::MAX);
    if query.from.is_none() && query.until.is_none() {
        return Ok(everything);
    }
    let rows = store::rows_within(tx, query.span(), SPAN_ROWS_MAX).await.map_err(|e| tx.error(e))?;
    Ok(rows.unwrap_or(everything))
}

/// Reads what was found, some at a time, because messages can be large.
async fn read(tx: &mut ReadTx, page: &[Candidate]) -> Result<Vec<FoundMessage>, DbError> {
    let docs = |page: &[Candidate]| {
        let docs: Vec<i64> = page.iter().map(|candidate| candidate.doc).collect();
        serde_json::Value::from(docs).to_string()
    };
    let remembered = store::remembered(tx, &docs(page)).await.map_err(|e| tx.error(e))?;
    let ranks: BTreeMap<i64, f64> = page.iter().map(|candidate| (candidate.doc, candidate.rank)).collect();
    let mut found = Vec::with_capacity(page.len());
    for chunk in page.chunks(READ_AT_ONCE) {
        let rows = store::found(tx, &docs(chunk)).await.map_err(|e| tx.error(e))?;
        found.extend(rows.into_iter().map(|row| {
            let rank = ranks.get(&row.doc).copied().unwrap_or_default();
            let is_on_active_path = row.leaf_depth >= Some(row.depth) && remembered.contains(&row.doc);
            FoundMessage { texts: texts_of(&row), rank, is_on_active_path, row }
        }));
    }
    Ok(found)
}

/// A row that does not parse is shown without text: it must not hide the others.
fn texts_of(row: &FoundRow) -> Texts {
    let session = SessionId::new(row.session_id.as_str());
    let message = history::read(&session, &row.message_id, &row.content);
    message.map(|message| Texts::of(&message)).unwrap_or_default()
}
