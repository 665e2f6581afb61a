//! After a restart: what became of submissions that had their slot.

use super::drain::{End, end_for, end_of, is_stored, settle};
use crate::connection::Connection;
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::store::Promise;
use protocol::{Role, Submission, SubmissionStatus};

const PARTLY: &str = "The server stopped while the messages were being stored; some of them are missing.";
const UNKNOWN: &str = "The server stopped, and nothing is known of the answer.";

/// Puts those back whose messages are not stored, ends those whose turn is over, and gives those whose turn will run
/// again (it is among `owed`), each with an ear that hears its end.
pub(crate) async fn mend(
    engine: &Engine,
    owed: &[Promise],
) -> Result<Vec<(Submission, Connection)>, ThinkError> {
    let (shared, mut followed) = (engine.shared(), Vec::new());
    for submission in shared.submissions().running().await? {
        let stored = stored(engine, &submission).await?;
        if stored == 0 {
            let _back = shared.submissions().put_back(&submission.id, shared.now()).await?;
        } else if stored < submission.messages.len() {
            settle(engine, &submission, (SubmissionStatus::Error, Some(PARTLY.to_owned()))).await?;
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
    let question = submission.messages.last().map(|message| &message.id);
    let is_answer = question.is_some() && promise.parent_id.as_ref() == question;
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

async fn stored(engine: &Engine, submission: &Submission) -> Result<usize, ThinkError> {
    let mut count = 0;
    for message in &submission.messages {
        count += usize::from(is_stored(engine, &submission.session, &message.id).await?);
    }
    Ok(count)
}

/// What the answer below the last message says of its turn.
async fn end_in_conversation(engine: &Engine, submission: &Submission) -> Result<End, ThinkError> {
    let unknown = || (SubmissionStatus::Error, Some(UNKNOWN.to_owned()));
    let Some(last) = submission.messages.last() else { return Ok(unknown()) };
    let path = engine.messages(&submission.session).await?.unwrap_or_default();
    let mut below = path.iter().skip_while(|message| message.id != last.id).skip(1);
    let answer = below.next().filter(|message| message.role == Role::Assistant);
    let turn = answer.and_then(protocol::Message::turn);
    Ok(turn.map_or_else(unknown, |turn| end_for(turn.status, turn.error)))
}
