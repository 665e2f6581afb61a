//! The door to what is handed in to be run.

use super::Engine;
use crate::admit::without_reserved;
use crate::connection::Connection;
use crate::error::ThinkError;
use crate::schedules;
use crate::submissions::{NewSubmission, drain, follow};
use crate::tend::tend;
use protocol::{
    ClientFrame, RequestId, Role, ServerFrame, SessionId, Submission, SubmissionReceipt, SubmissionStatus,
    SubmissionTimes, limits,
};
use std::collections::HashSet;
use tokio::sync::watch;

impl Engine {
    /// Hands in a turn. It is written down when this returns, and runs when those before it have ended and its session
    /// is quiet. With an id or key that is known the earlier submission is given, and nothing happens.
    ///
    /// # Errors
    /// No such session; no messages, or such with an unknown role or without parts; an id and a key of two different submissions; too
    /// many that wait; the store.
    pub async fn submit_messages(&self, new: NewSubmission) -> Result<SubmissionReceipt, ThinkError> {
        check(&new)?;
        if let Some(known) = self.known_submission(&new).await? {
            return Ok(SubmissionReceipt { accepted: false, submission: known });
        }
        if new.session != SessionId::default() && self.shared.sessions.get(&new.session).await?.is_none() {
            return Err(ThinkError::UnknownSession(new.session));
        }
        if self.shared.submissions().count_pending().await? >= limits::SUBMISSIONS_PENDING_MAX {
            return Err(ThinkError::SubmissionsFull);
        }
        let submission = Submission {
            id: new.id.clone().unwrap_or_else(|| self.shared.world.ids.new_id()),
            session: new.session.clone(),
            status: SubmissionStatus::Pending,
            request_id: RequestId::new(self.shared.world.ids.new_id()),
            idempotency_key: new.idempotency_key.clone(),
            messages: new.messages.iter().cloned().map(without_reserved).collect(),
            metadata: new.metadata.clone(),
            error: None,
            times: SubmissionTimes { created_at: self.shared.now(), ..SubmissionTimes::default() },
        };
        if !self.shared.submissions().insert(&submission).await? {
            // Somebody else was faster by a moment.
            let known = self.known_submission(&new).await?.ok_or(ThinkError::TwoSubmissions)?;
            return Ok(SubmissionReceipt { accepted: false, submission: known });
        }
        self.drain_submissions();
        Ok(SubmissionReceipt { accepted: true, submission })
    }

    /// One submission.
    ///
    /// # Errors
    /// The store.
    pub async fn submission(&self, id: &str) -> Result<Option<Submission>, ThinkError> {
        self.shared.submissions().by_id(id).await
    }

    /// The newest submissions, at most [`limits::SUBMISSION_PAGE_MAX`].
    ///
    /// # Errors
    /// The store.
    pub async fn submissions(
        &self,
        status: Option<SubmissionStatus>,
        limit: usize,
    ) -> Result<Vec<Submission>, ThinkError> {
        self.shared.submissions().list(status, limit.clamp(1, limits::SUBMISSION_PAGE_MAX)).await
    }

    /// Stops a submission: before its slot none of its messages is stored, later its turn is stopped. What has ended
    /// stays as it is. None if there is no such submission.
    ///
    /// # Errors
    /// The store, or the engine stops.
    pub async fn cancel_submission(&self, id: &str) -> Result<Option<Submission>, ThinkError> {
        let Some(submission) = self.shared.submissions().by_id(id).await? else { return Ok(None) };
        let now = self.shared.now();
        let is_running = match submission.status {
            SubmissionStatus::Pending => !self.shared.submissions().cancel_pending(id, now).await?,
            SubmissionStatus::Running => true,
            SubmissionStatus::Completed
            | SubmissionStatus::Aborted
            | SubmissionStatus::Skipped
            | SubmissionStatus::Error => false,
        };
        if is_running {
            let connection = self.listen(&submission.session).await?;
            let cancel = ClientFrame::Cancel { id: submission.request_id };
            connection.handle(cancel).await.map_err(|_gone| ThinkError::Stopping)?;
        }
        self.shared.submissions().by_id(id).await
    }

    /// Removes a submission that has ended; false if there is no such one, or it has not.
    ///
    /// # Errors
    /// The store.
    pub async fn delete_submission(&self, id: &str) -> Result<bool, ThinkError> {
        self.shared.submissions().delete(id).await
    }

    /// Begins what runs beside the sessions.
    pub(super) async fn begin_background(
        &self,
        followed: Vec<(Submission, Connection)>,
    ) -> Result<(), ThinkError> {
        // Nobody can import anything yet, so whatever stands apart was left there.
        let left = self.shared.sessions.unfinished_imports().await?;
        let _owned = self.shared.tasks.spawn(tend(self.clone(), left));
        for submission in followed {
            let _owned = self.shared.tasks.spawn(follow(self.clone(), submission));
        }
        if self.shared.submissions().count_pending().await? > 0 {
            self.drain_submissions();
        }
        if let Some(news) = self.shared.spec.tool_source.as_ref().and_then(|source| source.news()) {
            let _owned = self.shared.tasks.spawn(tell_tools(self.clone(), news));
            self.shared.background.stands();
        }
        schedules::reconcile(&self.shared).await?;
        if !self.shared.spec.schedules.is_empty() {
            let _owned = self.shared.tasks.spawn(schedules::keep(self.clone()));
            self.shared.background.stands();
        }
        Ok(())
    }

    /// Sees to it that what waits is run.
    pub(crate) fn drain_submissions(&self) {
        let _owned = self.shared.tasks.spawn(drain(self.clone()));
    }

    async fn known_submission(&self, new: &NewSubmission) -> Result<Option<Submission>, ThinkError> {
        let by_id = match &new.id {
            Some(id) => self.shared.submissions().by_id(id).await?,
            None => None,
        };
        let by_key = match &new.idempotency_key {
            Some(key) => self.shared.submissions().by_key(key).await?,
            None => None,
        };
        match (by_id, by_key) {
            (Some(one), Some(other)) if one.id != other.id => Err(ThinkError::TwoSubmissions),
            (one, other) => Ok(one.or(other)),
        }
    }
}

/// Tells every socket what the tool servers are like now, until the instance stops.
async fn tell_tools(engine: Engine, mut news: watch::Receiver<u64>) {
    let shared = engine.shared();
    loop {
        tokio::select! {
            changed = news.changed() => if changed.is_err() { return },
            () = shared.background.stopping.cancelled() => return,
        }
        if let Some(mcp) = shared.spec.tool_source.as_ref().and_then(|source| source.describe()) {
            shared.hub.announce(&ServerFrame::McpServers { mcp });
        }
    }
}

fn check(new: &NewSubmission) -> Result<(), ThinkError> {
    let wrong = |text: String| Err(ThinkError::UnfitInput(text));
    let limit = limits::ID_MAX_BYTES;
    let names = new.id.iter().chain(&new.idempotency_key);
    let ids = new.messages.iter().map(|message| message.id.as_str());
    if names.map(String::as_str).chain(ids.clone()).any(|id| id.is_empty() || id.len() > limit) {
        return wrong(format!("ids and keys have 1 to {limit} bytes (ID_MAX_BYTES)"));
    }
    if new.messages.is_empty() || new.messages.len() > limits::SUBMISSION_MAX_MESSAGES {
        let limit = limits::SUBMISSION_MAX_MESSAGES;
        return wrong(format!("a submission holds 1 to {limit} messages (SUBMISSION_MAX_MESSAGES)"));
    }
    if new.messages.iter().any(|message| matches!(message.role, Role::Other(_)) || message.parts.is_empty()) {
        return wrong(
            "a submission holds messages with the role `user`, `assistant` or `system` and at least one part each"
                .to_owned(),
        );
    }
    if new.messages.iter().any(|message| message.parts.len() > limits::MESSAGE_MAX_PARTS) {
        let limit = limits::MESSAGE_MAX_PARTS;
        return wrong(format!("a message has at most {limit} parts (MESSAGE_MAX_PARTS)"));
    }
    if new.messages.iter().any(|message| message.id.is_overlay()) {
        return wrong("ids of summaries are no ids of messages".to_owned());
    }
    if ids.collect::<HashSet<_>>().len() < new.messages.len() {
        return wrong("two messages of the submission have the same id".to_owned());
    }
    Ok(())
}
