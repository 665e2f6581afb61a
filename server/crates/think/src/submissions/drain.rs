//! Runs what was handed in, oldest first, one at a time.

use crate::agent::OutcomeStatus;
use crate::connection::{ConnectOptions, Connection, ConnectionReader};
use crate::engine::Engine;
use crate::error::ThinkError;
use crate::program::{Event, Listener, Terms, Work};
use futures::FutureExt;
use protocol::{RequestId, ServerFrame, SessionId, Submission, SubmissionStatus, TurnStatus};

/// How a submission ended.
pub(super) type End = (SubmissionStatus, Option<String>);

/// Runs everything that waits. Whoever hands something in starts one; only one runs at a time, and it ends when nothing
/// waits any more or the instance stops.
pub(crate) async fn drain(engine: Engine) {
    let shared = engine.shared();
    let _slot = shared.background.slot.lock().await;
    while !shared.background.stopping.is_cancelled() {
        match shared.submissions().next_pending().await {
            Ok(Some(next)) => {
                if let Err(error) = run(&engine, &next).await {
                    tracing::error!(submission.id = %next.id, %error, "a submission waits for the next start");
                    return;
                }
            }
            Ok(None) => return,
            Err(error) => {
                tracing::error!(%error, "submissions cannot be read; the next one, or the next start, tries again");
                return;
            }
        }
    }
}

async fn run(engine: &Engine, submission: &Submission) -> Result<(), ThinkError> {
    let shared = engine.shared();
    tokio::select! {
        () = shared.hub.quiet(&submission.session) => {}
        () = shared.background.stopping.cancelled() => return Ok(()),
    }
    // What the conversation holds already is not said again, and nobody asked for another answer to it.
    if are_all_stored(engine, submission).await? {
        return settle(engine, submission, (SubmissionStatus::Skipped, None)).await;
    }
    // Somebody may have cancelled it meanwhile.
    if !shared.submissions().start(&submission.id, shared.now()).await? {
        return Ok(());
    }
    let Some(end) = turn(engine, submission).await? else { return Ok(()) };
    settle(engine, submission, end).await
}

pub(super) async fn settle(
    engine: &Engine,
    submission: &Submission,
    (status, error): End,
) -> Result<(), ThinkError> {
    let shared = engine.shared();
    let _was_open =
        shared.submissions().finish(&submission.id, (status, error.as_deref()), shared.now()).await?;
    Ok(())
}

/// Sends the request and hears its end; none if the instance stops before.
async fn turn(engine: &Engine, submission: &Submission) -> Result<Option<End>, ThinkError> {
    let work = Work::Messages(submission.messages.clone());
    let id = submission.request_id.clone();
    let listener = match engine.ask_as(&submission.session, id, work, Terms::default()).await {
        Ok(listener) => listener,
        Err(ThinkError::Stopping) => return Ok(None),
        Err(error @ ThinkError::UnknownSession(_)) => {
            return Ok(Some((SubmissionStatus::Error, Some(error.to_string()))));
        }
        Err(error) => return Err(error),
    };
    // The answer comes after the request was looked at.
    let _live = engine.live(&submission.session).await;
    if let Some(last) = submission.messages.last()
        && is_stored(engine, &submission.session, &last.id).await?
    {
        let _first = engine.shared().submissions().applied(&submission.id, engine.shared().now()).await?;
    }
    heard(engine, submission, listener).await
}

/// Hears the turn to its end.
async fn heard(
    engine: &Engine,
    submission: &Submission,
    mut listener: Listener,
) -> Result<Option<End>, ThinkError> {
    while let Some(event) = listener.recv().await {
        match event {
            Event::Started | Event::Chunks(_) => {}
            Event::Ended(outcome) => return Ok(Some(end_for(outcome.turn_status, outcome.error))),
            Event::Refused(ThinkError::Stopping) => return Ok(None),
            Event::Refused(error) => return Ok(Some((SubmissionStatus::Error, Some(error.to_string())))),
        }
    }
    without_a_turn(engine, submission).await
}

/// What became of a submission whose turn never ran: the instance stops; somebody stopped it, which leaves its messages;
/// or the conversation was cleared.
async fn without_a_turn(engine: &Engine, submission: &Submission) -> Result<Option<End>, ThinkError> {
    if engine.shared().background.stopping.is_cancelled() {
        return Ok(None);
    }
    let Some(last) = submission.messages.last() else { return Ok(Some((SubmissionStatus::Skipped, None))) };
    let is_there = is_stored(engine, &submission.session, &last.id).await?;
    let status = if is_there { SubmissionStatus::Aborted } else { SubmissionStatus::Skipped };
    Ok(Some((status, None)))
}

pub(super) async fn are_all_stored(engine: &Engine, submission: &Submission) -> Result<bool, ThinkError> {
    for message in &submission.messages {
        if !is_stored(engine, &submission.session, &message.id).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) async fn is_stored(
    engine: &Engine,
    session: &SessionId,
    message: &protocol::MessageId,
) -> Result<bool, ThinkError> {
    let Some(session) = engine.shared().session(session).await? else { return Ok(false) };
    Ok(session.get(message).await?.is_some())
}

/// Listens until the request has ended; none if the connection ends before.
pub(super) async fn end_of(
    engine: &Engine,
    session: &SessionId,
    id: &RequestId,
    reader: &mut ConnectionReader,
) -> Option<End> {
    let mut ear = Ear { id, refused: None, is_cleared: false };
    loop {
        let batch = reader.receive().await?;
        let heard: Vec<Heard> = batch.iter().filter_map(|text| ear.hear(text)).collect();
        if let Some(end) = heard.iter().find_map(Heard::end) {
            return Some(end);
        }
        if heard.iter().any(|heard| matches!(heard, Heard::Done)) {
            // How it ended is told in the same breath; what is not there now will not come.
            let _live = engine.live(session).await;
            let mut rest = Vec::new();
            while let Some(Some(batch)) = reader.receive().now_or_never() {
                rest.extend(batch.iter().filter_map(|text| ear.hear(text)));
            }
            return Some(rest.iter().find_map(Heard::end).unwrap_or_else(|| ear.without_a_turn()));
        }
    }
}

/// What is heard of one request.
struct Ear<'a> {
    id: &'a RequestId,
    refused: Option<String>,
    is_cleared: bool,
}

enum Heard {
    /// The last frame of the request.
    Done,
    /// How its turn ended.
    Turn(TurnStatus, Option<String>),
}

impl Heard {
    fn end(&self) -> Option<End> {
        let Self::Turn(status, error) = self else { return None };
        Some(end_for(*status, error.clone()))
    }
}

/// The word for a turn's end.
pub(super) fn end_for(status: TurnStatus, error: Option<String>) -> End {
    if status == TurnStatus::Interrupted {
        let text = error.unwrap_or_else(|| "The server stopped in the middle of this answer.".to_owned());
        return (SubmissionStatus::Error, Some(text));
    }
    match OutcomeStatus::of(status) {
        OutcomeStatus::Completed => (SubmissionStatus::Completed, None),
        OutcomeStatus::Error => (SubmissionStatus::Error, error),
        OutcomeStatus::Aborted => (SubmissionStatus::Aborted, None),
    }
}

impl Ear<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "of all frames only these tell of an end")]
    fn hear(&mut self, text: &[u8]) -> Option<Heard> {
        match serde_json::from_slice(text).ok()? {
            ServerFrame::Turn { id, status, error } if id == *self.id => Some(Heard::Turn(status, error)),
            ServerFrame::ChatResponse(response) if response.done && response.id == self.id.as_str() => {
                Some(Heard::Done)
            }
            ServerFrame::Error { id: Some(id), error } if id == *self.id => {
                self.refused = Some(error.message);
                None
            }
            ServerFrame::Clear {} => {
                self.is_cleared = true;
                None
            }
            _ => None,
        }
    }

    /// A request that ended without a turn: refused, cleared, or stopped before its slot.
    fn without_a_turn(&mut self) -> End {
        match self.refused.take() {
            Some(error) => (SubmissionStatus::Error, Some(error)),
            None if self.is_cleared => (SubmissionStatus::Skipped, None),
            None => (SubmissionStatus::Aborted, None),
        }
    }
}

impl Engine {
    /// A connection that is not greeted.
    pub(crate) async fn listen(&self, session: &SessionId) -> Result<Connection, ThinkError> {
        let (connection, watcher) = Connection::new(self, session, ConnectOptions::default());
        self.send(session, crate::actor::Command::Listen(watcher)).await?;
        Ok(connection)
    }
}
