//! What is wrong with what messages say, and with how they are found.

use super::{Fault, Finding, weigh};
use crate::error::BrokenRow;
use crate::history;
use crate::search::index::Texts;
use crate::store::doctor::{self as store, Said};
use protocol::{Awaited, Message, MessageId, Part, SessionId, ToolCall, ToolState};
use sqlx::sqlite::SqliteConnection as Connection;

/// Messages read at once.
pub(super) const CHUNK: i64 = 32;

/// Names what is wrong with the messages of a session.
pub(crate) async fn examine(connection: &mut Connection, session: &str) -> sqlx::Result<Vec<Finding>> {
    let id = SessionId::new(session);
    let (mut findings, mut seq) = (Vec::new(), i64::MIN);
    let (mut missing, mut unweighed) = (0_usize, 0_usize);
    loop {
        let chunk = store::said(connection, session, seq, CHUNK).await?;
        let Some(last) = chunk.last() else { break };
        seq = last.seq;
        missing += chunk.iter().filter(|said| said.doc.is_none()).count();
        for said in &chunk {
            let message = history::read(&id, &said.id, &said.content);
            unweighed += usize::from(!weigh::is_sound(said, message.as_ref().ok()));
            findings.extend(examine_message(&id, said, &message));
        }
    }
    if unweighed > 0 {
        let detail = format!("what stands beside {unweighed} messages is missing or not theirs");
        let session = Some(id.clone());
        findings.push(Finding { fault: Fault::WrongWeight, session, message: None, detail });
    }
    if missing > 0 {
        let detail = format!("{missing} messages are not known to the index");
        findings.push(Finding { fault: Fault::NotIndexed, session: Some(id), message: None, detail });
    }
    Ok(findings)
}

/// Names what is wrong with one message.
pub(crate) async fn examine_one(
    connection: &mut Connection,
    session: &str,
    id: &str,
) -> sqlx::Result<Vec<Finding>> {
    let seq = store::seq(connection, session, id).await?;
    let Some(seq) = seq else { return Ok(Vec::new()) };
    let said = store::said(connection, session, seq.saturating_sub(1), /* limit */ 1).await?;
    let session = SessionId::new(session);
    let examine =
        |said: &Said| examine_message(&session, said, &history::read(&session, &said.id, &said.content));
    Ok(said.iter().flat_map(examine).collect())
}

fn examine_message(session: &SessionId, said: &Said, message: &Result<Message, BrokenRow>) -> Vec<Finding> {
    let find = |fault, detail: &str| Finding {
        fault,
        session: Some(session.clone()),
        message: Some(MessageId::new(said.id.as_str())),
        detail: detail.to_owned(),
    };
    let mut findings = Vec::new();
    let texts = message.as_ref().map(Texts::of).unwrap_or_default();
    match message {
        Err(BrokenRow { reason, .. }) => findings.push(find(Fault::BrokenRow, reason)),
        Ok(message) if said.has_children && lost_calls(message).next().is_some() => {
            findings
                .push(find(Fault::ToolWithoutResult, "a tool has no result though the conversation went on"));
        }
        Ok(_) => {}
    }
    // A row that does not parse was indexed when it did, and is again when it is mended.
    let is_stale = message.is_ok() && said.digest.is_some_and(|digest| digest != texts.digest());
    let is_empty = said.digest.is_some() && said.words.is_none();
    if is_stale || is_empty {
        findings.push(find(Fault::WrongIndex, "it is not found by what it says"));
    }
    findings
}

/// Calls of tools whose result was lost. What a person has agreed to runs once the message waits for nobody
/// any more.
fn lost_calls(message: &Message) -> impl Iterator<Item = &ToolCall> {
    let calls = message.parts.iter().filter_map(Part::as_tool).map(|tool| &tool.call);
    let waits = Awaited::by(message).is_some();
    calls.filter(move |call| is_lost(call) && !(waits && call.state == ToolState::ApprovalResponded))
}

/// Whether the server owed a call something it will not give any more: the rest of its arguments, its run after a person
/// agreed, its last result. A question that a person or a page never answered is no damage: it can be answered or
/// dismissed at any time, and the prompt says that there was no answer.
fn is_lost(call: &ToolCall) -> bool {
    match call.state {
        ToolState::InputStreaming | ToolState::ApprovalResponded => true,
        ToolState::InputAvailable | ToolState::ApprovalRequested => false,
        ToolState::OutputAvailable => call.is_preliminary(),
        ToolState::OutputError | ToolState::OutputDenied => false,
    }
}

/// Ends the calls that nobody will answer any more as failed, for this reason.
pub(crate) fn end_lost_calls(message: &mut Message, reason: &str) {
    let calls = message.parts.iter_mut().filter_map(Part::as_tool_mut).map(|tool| &mut tool.call);
    for call in calls.filter(|call| is_lost(call)) {
        call.state = ToolState::OutputError;
        call.preliminary = None;
        call.error_text = Some(reason.to_owned());
    }
}
