//! What stands beside messages: what each weighs and its path with it, and whom it waits for.

use super::content::CHUNK;
use crate::history;
use crate::store::doctor::{self as store, Said};
use crate::store::stored;
use crate::store::weights::{self, Weight, awaited};
use crate::tokens::estimate_message;
use protocol::{Awaited, Message, SessionId};
use sqlx::sqlite::SqliteConnection as Connection;

/// Whether what stands beside a message is its own. How much it weighs is a guess that changes with time, so only the sums
/// are checked; of a row that does not parse, nothing is known.
pub(super) fn is_sound(said: &Said, message: Option<&Message>) -> bool {
    let waits = said.waits.as_deref().and_then(awaited);
    said.adds_up == Some(true) && message.is_none_or(|message| Awaited::by(message) == waits)
}

/// Weighs those messages of a session that nobody has weighed, adds up all paths, and notes whom each message waits for.
pub(super) async fn weigh(connection: &mut Connection, session: &SessionId) -> sqlx::Result<()> {
    let mut seq = i64::MIN;
    loop {
        let chunk = store::said(connection, session.as_str(), seq, CHUNK).await?;
        let Some(last) = chunk.last() else { break };
        seq = last.seq;
        for said in &chunk {
            let message = history::read(session, &said.id, &said.content).ok();
            let waits = message.as_ref().and_then(Awaited::by);
            if said.adds_up.is_none() {
                let tokens = stored(message.as_ref().map_or(0, estimate_message));
                let weight = Weight { tokens, waits };
                weights::insert(connection, session.as_str(), &said.id, None, weight).await?;
            } else if said.waits.as_deref().and_then(awaited) != waits {
                weights::set_waits(connection, session.as_str(), &said.id, waits).await?;
            }
        }
    }
    weights::renew_paths(connection, session.as_str()).await
}
