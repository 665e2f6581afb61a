//! The order of what was found: best first (BM25), or newest first where that is too much to compare.
//!
//! Where more messages match than are put in order ([`Query::ranked_max`]), the newest come first: a word that stands
//! everywhere does not tell them apart. Words that stand in more than [`TERM_ROWS_MAX`] messages do not count for the
//! order either, nor do pieces of words; where nothing counts, only as much is looked for as is shown. A search of many
//! words has [`COUNTED_ROWS_MAX`] messages to find out, so each of them must stand in fewer to count. What finds one
//! message at most needs no order. So no search looks at more of the index than it must, whatever is searched for.

use crate::search::expression::{Keys, condition, expression};
use crate::search::query::{Query, Term};
use crate::search::words::runs_of_pairs;
use crate::store::search::{self as store, Asked, Candidate};
use db::{DbError, ReadTx};
use std::collections::{HashMap, HashSet};

use super::cursor::Cursor;

/// Messages a word may stand in to say how well one of them fits.
const TERM_ROWS_MAX: i64 = 5_000;

/// Messages that are counted for one search to find out which of its words say that.
const COUNTED_ROWS_MAX: i64 = 15_000;

/// A search and what is known of the sessions it names.
pub(crate) struct Question<'a> {
    pub(crate) query: &'a Query,
    /// The only session that is searched.
    pub(crate) scope: Option<i64>,
    pub(crate) keys: Keys,
    /// First and last row that may be found.
    pub(crate) rows: (i64, i64),
}

/// Some of the matches, in order, and where to go on.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) matches: Vec<Candidate>,
    pub(crate) next: Option<Cursor>,
}

impl Question<'_> {
    /// The matches after a cursor.
    pub(crate) async fn page(
        &self,
        tx: &mut ReadTx,
        cursor: Option<Cursor>,
        limit: usize,
    ) -> Result<Page, DbError> {
        let (newest, skip) = match cursor {
            None => (i64::MAX, 0),
            Some(Cursor::Ranked { newest, skip }) => (newest, skip),
            Some(Cursor::Newest(newest)) => {
                let found = self.newest(tx, newest, limit).await?;
                return Ok(Page::newest_first(found, limit));
            }
        };
        let most = self.query.ranked_max();
        // Most searches find less than a page, or are in the order they are found in; of one word that is known at
        // the end only.
        let is_first = cursor.is_none() && !self.query.is_one_word();
        let first = if is_first { Some(self.newest(tx, newest, limit).await?) } else { None };
        let is_ordered = first.as_ref().is_some_and(|first| first.len() <= 1);
        let telling = if is_ordered { HashSet::new() } else { self.telling(tx).await? };
        let found = match first {
            Some(first) if telling.is_empty() => return Ok(Page::newest_first(first, limit)),
            Some(first) if first.len() <= limit => first,
            Some(_) | None => self.newest(tx, newest, most).await?,
        };
        if found.len() > most {
            return Ok(Page::newest_first(found, limit));
        }
        let matches = self.ranked(tx, &found, &telling).await?;
        let end = skip.saturating_add(limit);
        let next = found.first().filter(|_| end < matches.len());
        let next = next.map(|newest| Cursor::Ranked { newest: *newest, skip: end });
        Ok(Page { matches: matches.into_iter().skip(skip).take(limit).collect(), next })
    }

    /// The newest matches up to a row, one more than `limit` if there are so many.
    async fn newest(&self, tx: &mut ReadTx, newest: i64, limit: usize) -> Result<Vec<i64>, DbError> {
        let expression = expression(self.query, self.scope, &self.keys);
        let asked = Asked {
            expression: &expression,
            rows: (self.rows.0, self.rows.1.min(newest)),
            span: self.query.span(),
            limit: i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1),
        };
        store::newest(tx, &asked).await.map_err(|e| tx.error(e))
    }

    /// All of `found`, best first, equal ones newest first.
    async fn ranked(
        &self,
        tx: &mut ReadTx,
        found: &[i64],
        telling: &HashSet<&Term>,
    ) -> Result<Vec<Candidate>, DbError> {
        let ranks = self.ranks(tx, found, telling).await?;
        let rank = |doc: &i64| Candidate { doc: *doc, rank: ranks.get(doc).copied().unwrap_or_default() };
        let mut matches: Vec<Candidate> = found.iter().map(rank).collect();
        matches.sort_by(|a, b| a.rank.total_cmp(&b.rank).then(b.doc.cmp(&a.doc)));
        Ok(matches)
    }

    async fn ranks(
        &self,
        tx: &mut ReadTx,
        found: &[i64],
        telling: &HashSet<&Term>,
    ) -> Result<HashMap<i64, f64>, DbError> {
        let (Some(last), Some(first)) = (found.first(), found.last()) else { return Ok(HashMap::new()) };
        let is_telling =
            |term: &Term| matches!(term, Term::Session(_)) || (term.is_text() && telling.contains(term));
        let query = self.query.only(|either| either.iter().all(is_telling));
        if query.wanted().next().is_none() {
            return Ok(HashMap::new());
        }
        let expression = expression(&query, self.scope, &self.keys);
        let ranks = store::ranks(tx, &expression, (*first, *last)).await.map_err(|e| tx.error(e))?;
        Ok(ranks.into_iter().map(|found| (found.doc, found.rank)).collect())
    }

    /// The terms that stand in few enough messages. One of several that may stand for each other tells nothing where
    /// another one does not, so the rest of those is not counted.
    async fn telling(&self, tx: &mut ReadTx) -> Result<HashSet<&Term>, DbError> {
        if self.query.is_one_word() {
            // Its matches are counted anyhow.
            return Ok(self.query.wanted().collect());
        }
        let counted: usize = self.query.wanted().map(|term| self.counted(term).len()).sum();
        let share = COUNTED_ROWS_MAX / i64::try_from(counted.max(1)).unwrap_or(i64::MAX);
        let mut telling = HashSet::new();
        for either in &self.query.all {
            if self.are_telling(tx, either, share.min(TERM_ROWS_MAX)).await? {
                telling.extend(either);
            }
        }
        Ok(telling)
    }

    /// The expressions of which one must be rare for a term to tell something. Of a phrase, that is any of its words:
    /// how rare it is itself would be found by comparing places everywhere, and once is enough. The words of a piece of a
    /// sentence are the pairs of its signs, where these are known.
    fn counted(&self, term: &Term) -> Vec<String> {
        match term {
            Term::Phrase(words) if words.len() > 1 => {
                let pairs = if self.keys.has_pairs { runs_of_pairs(words).concat() } else { Vec::new() };
                let words = if pairs.len() + 1 == words.len() { &pairs } else { words };
                words.iter().map(|word| condition(&Term::Word(word.clone()), &self.keys)).collect()
            }
            Term::Word(_) | Term::Phrase(_) | Term::Prefix(_) => vec![condition(term, &self.keys)],
            // A piece stands for many words, each with a weight of its own.
            Term::Inner(_) | Term::End(_) | Term::Role(_) | Term::Session(_) => Vec::new(),
        }
    }

    async fn are_telling(&self, tx: &mut ReadTx, terms: &[Term], most: i64) -> Result<bool, DbError> {
        for term in terms {
            if !self.is_telling(tx, term, most).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn is_telling(&self, tx: &mut ReadTx, term: &Term, most: i64) -> Result<bool, DbError> {
        for expression in self.counted(term) {
            let count = store::count(tx, &expression, most.saturating_add(1)).await;
            if count.map_err(|e| tx.error(e))? <= most {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Page {
    fn newest_first(found: Vec<i64>, limit: usize) -> Self {
        let next = found.get(limit).map(|doc| Cursor::Newest(*doc));
        let matches = found.into_iter().take(limit).map(|doc| Candidate { doc, rank: 0.0 }).collect();
        Self { matches, next }
    }
}
