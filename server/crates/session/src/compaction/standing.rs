//! Which overlays stand on a path, found without walking more of it than is needed.

use crate::compaction::fold::{Span, fold, is_settled};
use crate::store::compactions::{self, RangeRow};
use crate::store::{counted, messages, paths, weights};
use sqlx::sqlite::SqliteConnection as Connection;
use std::collections::HashSet;

/// Messages looked at in one step. The end of the latest overlay is near the leaf.
const STEP: i64 = 256;

/// The overlays that stand on the path to a leaf, from its root on.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) overlays: Vec<RangeRow>,
    pub(crate) leaf_depth: i64,
}

impl Standing {
    /// Nothing stands: the messages as they are stored.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    /// Finds them.
    pub(crate) async fn on(connection: &mut Connection, session: &str, leaf: &str) -> sqlx::Result<Self> {
        let ranges = compactions::ranges(connection, session).await?;
        if ranges.is_empty() {
            return Ok(Self::nothing());
        }
        let Some(place) = messages::place(connection, session, leaf).await? else {
            return Ok(Self::nothing());
        };
        let mut known = Known { on_path: HashSet::new(), reached: place.depth.saturating_add(1) };
        let mut next = leaf.to_owned();
        while !known.is_enough(&ranges) {
            let step = paths::last_ids(connection, session, &next, STEP).await?;
            let is_root = counted(STEP) > step.len() as u64;
            let Some((depth, top)) = step.first().cloned() else { break };
            known.on_path.extend(step.into_iter().map(|(_, id)| id));
            known.reached = depth;
            if is_root || top == next {
                break;
            }
            next = top;
        }
        let standing = fold(&known.spans(&ranges));
        let overlays = standing.into_iter().filter_map(|number| ranges.get(number).cloned()).collect();
        Ok(Self { overlays, leaf_depth: place.depth })
    }

    /// Whether a message of the path is hidden.
    pub(crate) fn hides(&self, depth: i64) -> bool {
        self.overlays.iter().any(|overlay| overlay.from_depth <= depth && depth <= overlay.to_depth)
    }

    /// What is saved: tokens of all hidden messages, less those of the summaries. Below zero where summaries are long.
    fn saved_tokens(&self) -> i64 {
        self.overlays.iter().map(|overlay| overlay.hidden_tokens - overlay.tokens).sum()
    }
}

/// What has been seen of a path.
struct Known {
    on_path: HashSet<String>,
    /// Everything at this depth or below has been seen.
    reached: i64,
}

impl Known {
    fn span(range: &RangeRow) -> Span<i64> {
        Span { from: range.from_depth, to: range.to_depth }
    }

    /// The ranges that are on the path for sure. What ends on it begins on it.
    fn spans(&self, ranges: &[RangeRow]) -> Vec<Option<Span<i64>>> {
        let known = |range: &RangeRow| self.on_path.contains(&range.to_message_id).then(|| Self::span(range));
        ranges.iter().map(known).collect()
    }

    fn is_enough(&self, ranges: &[RangeRow]) -> bool {
        let numbered = ranges.iter().enumerate().filter(|(_, range)| range.to_depth < self.reached);
        let unknown: Vec<(usize, Span<i64>)> =
            numbered.map(|(number, range)| (number, Self::span(range))).collect();
        is_settled(&self.spans(ranges), &unknown)
    }
}

/// What a path weighs as it is read.
pub(crate) async fn visible_tokens(
    connection: &mut Connection,
    session: &str,
    leaf: &str,
) -> sqlx::Result<u64> {
    let standing = Standing::on(connection, session, leaf).await?;
    let all = weights::path_tokens(connection, session, leaf).await?.unwrap_or(0);
    Ok(counted(all.saturating_sub(standing.saved_tokens())))
}
