//! After a restart: what became of submissions that had their slot.

use super::drain::{End, are_all_stored, end_for, end_of, settle};
use crate::connection::Connection;
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::store::Promise;
use protocol::{MessageId, Submission, SubmissionStatus};
use std::collections::HashSet;

const UNKNOWN: &str = "The server stopped, and nothing is known of the answer.";

/// Puts those back whose messages are not stored, ends those whose turn is over, and gives those whose turn will run
/// again (it is among `owed`), each with an ear that hears its end.
pub(crate) async fn mend(
    engine: &Engine,
    owed: &[Promise],
) -> Result<Vec<(Submission, Connection)>, ThinkError> {
    let (shared, mut followed) = (engine.shared(), Vec::new());
    for submission in shared.submissions().running().await? {
        if !is_applied(engine, &submission).await? {
            let _back = shared.submissions().put_back(&submission.id, shared.now()).await?;
        } else if let Some(promise) = owed.iter().find(|promise| answers(promise, &submission)) {
            let ear = engine.listen(&submission.session).await?;
            // A turn that goes on does so under another name.
            let request_id = promise.request_id.clone();
            followed.push((Submission { request_id, ..submission }, ear));
        } else {
            let end = end_in_conversation(engine, &submission).await?;
            settle(engine, &submission, end).await?;
        }
    }
    Ok(followed)
}

fn answers(promise: &Promise, submission: &Submission) -> bool {
    let is_answer = promise.parent_id.as_ref().is_some_and(|question| ids(submission).contains(question));
    promise.session_id == submission.session && (promise.request_id == submission.request_id || is_answer)
}

/// Hears the end of a turn that runs again.
pub(crate) async fn follow(engine: Engine, (submission, ear): (Submission, Connection)) {
    let (_sender, mut reader) = ear.split();
    let end = end_of(&engine, &submission.session, &submission.request_id, &mut reader).await;
    if let Some(end) = end
        && let Err(error) = settle(&engine, &submission, end).await
    {
        tracing::error!(submission.id = %submission.id, %error, "the end of a submission is not written down");
    }
}

fn ids(submission: &Submission) -> HashSet<&MessageId> {
    submission.messages.iter().map(|message| &message.id).collect()
}

/// Whether its messages are in the conversation. Those that were not there before are stored at one go, and there was at
/// least one of them when it got its slot: if any is missing, none of them was stored.
async fn is_applied(engine: &Engine, submission: &Submission) -> Result<bool, ThinkError> {
    Ok(submission.times.messages_applied_at.is_some() || are_all_stored(engine, submission).await?)
}

/// What the answer below its messages says of its turn.
async fn end_in_conversation(engine: &Engine, submission: &Submission) -> Result<End, ThinkError> {
    let unknown = (SubmissionStatus::Error, Some(UNKNOWN.to_owned()));
    let Some(session) = engine.shared().session(&submission.session).await? else { return Ok(unknown) };
    let mut own = Vec::with_capacity(submission.messages.len());
    for id in ids(submission) {
        own.push((session.path_length(Some(id)).await?, id));
    }
    // Their order in the list does not tell which one stands last, where some of them were there before.
    let last = own.into_iter().max().map(|(_, id)| id);
    for below in session.children(last).await? {
        if let Some(turn) = session.get(&below).await?.and_then(|message| message.turn()) {
            return Ok(end_for(turn.status, turn.error));
        }
    }
    Ok(unknown)
}
