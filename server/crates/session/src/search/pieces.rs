//! Pieces from the middle of words, as the words that hold them.

use crate::search::query::Term;
use crate::store::words;
use db::{DbError, ReadTx};
use protocol::limits::{SEARCH_PIECE_WORDS_MAX, SEARCH_PREFIX_MIN_CHARS};

/// Letters a trigram index needs to find anything.
const TRIGRAM: usize = 3;

/// Whether the index itself finds the words that begin with the piece: a single piece, long enough.
pub(crate) fn is_beginning(term: &Term) -> bool {
    match term {
        Term::Inner(pieces) => {
            matches!(pieces.as_slice(), [only] if only.chars().count() >= SEARCH_PREFIX_MIN_CHARS)
        }
        Term::End(_)
        | Term::Word(_)
        | Term::Phrase(_)
        | Term::Prefix(_)
        | Term::Role(_)
        | Term::Session(_) => false,
    }
}

/// The words that the first piece of a term stands for, but for those [`is_beginning`] is about; none where the term is of
/// another kind.
pub(crate) async fn words_of(tx: &mut ReadTx, term: &Term) -> Result<Option<Vec<String>>, DbError> {
    let (pieces, is_whole_word) = match term {
        Term::Inner(pieces) => (pieces, false),
        Term::End(pieces) => (pieces, true),
        Term::Word(_) | Term::Phrase(_) | Term::Prefix(_) | Term::Role(_) | Term::Session(_) => {
            return Ok(None);
        }
    };
    let Some(first) = pieces.first() else { return Ok(None) };
    // Where another word follows, the first one ends with the piece.
    let is_end = is_whole_word || pieces.len() > 1;
    let before = if is_beginning(term) { "_%" } else { "%" };
    let pattern = if is_end { format!("%{first}") } else { format!("{before}{first}%") };
    let most = i64::try_from(SEARCH_PIECE_WORDS_MAX).unwrap_or(i64::MAX);
    let found = if first.chars().count() >= TRIGRAM {
        words::holding(tx, first, &pattern, most).await
    } else {
        words::like(tx, &pattern, most).await
    };
    found.map(Some).map_err(|e| tx.error(e))
}
