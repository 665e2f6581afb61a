//! The order of what was found: best first (BM25), or newest first where that is too much to compare.
//!
//! Where more messages match than are put in order ([`Query::ranked_max`]), the newest come first: a word that stands
//! everywhere does not tell them apart. Words that stand in more than [`TERM_ROWS_MAX`] messages do not count for the
//! order either, nor do pieces of words; where nothing counts, only as much is looked for as is shown. So no search
//! looks at more of the index than it must, whatever is searched for.

use crate::search::expression::{Keys, condition, expression};
use crate::search::query::{Query, Term};
use crate::search::words::runs_of_pairs;
use crate::store::search::{self as store, Asked, Candidate};
use db::{DbError, ReadTx};
use std::collections::{HashMap, HashSet};

use super::cursor::Cursor;

/// Messages a word may stand in to say how well one of them fits.
const TERM_ROWS_MAX: i64 = 5_000;

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
        let telling = self.telling(tx).await?;
        if telling.is_empty() && cursor.is_none() {
            // The order is known then, and no more need be found than is shown.
            return Ok(Page::newest_first(self.newest(tx, newest, limit).await?, limit));
        }
        let most = self.query.ranked_max();
        let found = self.newest(tx, newest, most).await?;
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

    /// The terms that stand in few enough messages.
    async fn telling(&self, tx: &mut ReadTx) -> Result<HashSet<&Term>, DbError> {
        let mut telling = HashSet::new();
        for term in self.query.wanted() {
            let is_rare = match term {
                // Its matches are counted anyhow.
                Term::Word(_) if self.query.is_one_word() => true,
                Term::Phrase(words) if words.len() > 1 => self.has_rare_word(tx, words).await?,
                Term::Word(_) | Term::Phrase(_) | Term::Prefix(_) => {
                    is_rare(tx, &condition(term, &self.keys)).await?
                }
                // A piece stands for many words, each with a weight of its own.
                Term::Inner(_) | Term::End(_) | Term::Role(_) | Term::Session(_) => false,
            };
            if is_rare {
                let _is_new = telling.insert(term);
            }
        }
        Ok(telling)
    }

    /// A phrase of nothing but common words is found by comparing their places everywhere; once is enough. The words of
    /// a piece of a sentence are the pairs of its signs, where these are known.
    async fn has_rare_word(&self, tx: &mut ReadTx, words: &[String]) -> Result<bool, DbError> {
        let pairs = if self.keys.has_pairs { runs_of_pairs(words).concat() } else { Vec::new() };
        let words = if pairs.len() + 1 == words.len() { &pairs } else { words };
        for word in words {
            if is_rare(tx, &condition(&Term::Word(word.clone()), &self.keys)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn is_rare(tx: &mut ReadTx, expression: &str) -> Result<bool, DbError> {
    let count = store::count(tx, expression, TERM_ROWS_MAX.saturating_add(1)).await;
    Ok(count.map_err(|e| tx.error(e))? <= TERM_ROWS_MAX)
}

impl Page {
    fn newest_first(found: Vec<i64>, limit: usize) -> Self {
        let next = found.get(limit).map(|doc| Cursor::Newest(*doc));
        let matches = found.into_iter().take(limit).map(|doc| Candidate { doc, rank: 0.0 }).collect();
        Self { matches, next }
    }
}
