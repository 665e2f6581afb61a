//! A turn that left no message: the question that it was to answer says how it went, so that whoever reads the
//! conversation later learns of it too, on whatever branch the question stands. An answer takes the note away.

use protocol::{MessageId, Role, TurnInfo};
use session::{Session, SessionError};

/// Notes on a question how the turn went that left nothing, or that the last one left something. What goes wrong here
/// is logged only: the turn has ended all the same.
pub(crate) async fn note(session: &Session, question: &MessageId, in_vain: Option<TurnInfo>) {
    if let Err(error) = write(session, question, in_vain).await {
        tracing::warn!(session.id = %session.id(), message.id = %question, %error,
            "a question does not say what came of it");
    }
}

async fn write(
    session: &Session,
    question: &MessageId,
    in_vain: Option<TurnInfo>,
) -> Result<(), SessionError> {
    let Some(mut message) = session.get(question).await? else { return Ok(()) };
    if message.role != Role::User || message.turn() == in_vain {
        return Ok(());
    }
    match &in_vain {
        Some(turn) => message.set_turn(turn),
        None => message.forget_turn(),
    }
    session.update(&message).await.map(drop)
}
