//! Finding damage and mending it: what another program, a broken disk or a fault of ours left behind.
//!
//! A finding has a stable code. Each is mended in a transaction of its own, after a second look that it is still there.
//! Nothing is thrown away: what cannot stay where it is goes to the quarantine, a table beside the others.

use crate::error::SessionError;
use crate::manager::SessionManager;
use crate::store::compactions;
use crate::store::doctor as store;
use protocol::{MessageId, SessionId};
use sqlx::sqlite::SqliteConnection as Connection;
use std::fmt;

pub(crate) mod content;
mod repair;
mod summaries;
mod trash;
mod tree;
mod weigh;

/// Rounds after which what is still found is beyond repair.
const ROUNDS_MAX: usize = 4;

/// What can be wrong, in the order it is mended in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// SQLite finds the file damaged. Go back to a backup.
    DamagedFile,
    /// There are messages of a session, but no session.
    LostSession,
    /// A message names a parent that does not exist; it is on no path.
    UnknownParent,
    /// Messages are each other's parents; they are on no path.
    Circle,
    /// Depths do not count from the root.
    WrongDepth,
    /// A message remembers a child that is none of its own; the session, a root that is none.
    WrongChosenChild,
    /// The active leaf does not exist, or is not chosen though there are messages.
    UnknownActiveLeaf,
    /// The active leaf has children.
    ActiveLeafNotLast,
    /// The active path is not the one its messages remember.
    PathNotRemembered,
    /// A session counts its messages wrongly, or would give a number twice.
    WrongCount,
    /// The content of a row is not its message.
    BrokenRow,
    /// The server owed a call of a tool its result, and the conversation went on without it.
    ToolWithoutResult,
    /// What stands beside messages is missing or not theirs: what they and their paths weigh, whom they wait for.
    WrongWeight,
    /// A summary does not stand for the end of a path.
    LostSummary,
    /// A message in the trash, or one whose parent lies there, would come back below itself or somewhere else.
    WrongTrash,
    /// Messages cannot be found by searching.
    NotIndexed,
    /// A message is found by something else than it says.
    WrongIndex,
    /// The index holds words of messages that are gone.
    StrayWords,
    /// Rows of a session that is gone.
    StrayRows,
}

impl Fault {
    /// The stable name.
    pub fn code(self) -> &'static str {
        match self {
            Self::DamagedFile => "damaged_file",
            Self::LostSession => "lost_session",
            Self::UnknownParent => "unknown_parent",
            Self::Circle => "circle",
            Self::WrongDepth => "wrong_depth",
            Self::WrongChosenChild => "wrong_chosen_child",
            Self::UnknownActiveLeaf => "unknown_active_leaf",
            Self::ActiveLeafNotLast => "active_leaf_not_last",
            Self::PathNotRemembered => "path_not_remembered",
            Self::WrongCount => "wrong_count",
            Self::BrokenRow => "broken_row",
            Self::ToolWithoutResult => "tool_without_result",
            Self::WrongWeight => "wrong_weight",
            Self::LostSummary => "lost_summary",
            Self::WrongTrash => "wrong_trash",
            Self::NotIndexed => "not_indexed",
            Self::WrongIndex => "wrong_index",
            Self::StrayWords => "stray_words",
            Self::StrayRows => "stray_rows",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// What.
    pub fault: Fault,
    /// In which session; none where it is about the file.
    pub session: Option<SessionId>,
    /// With which message.
    pub message: Option<MessageId>,
    /// More, for people. Never content of a message.
    pub detail: String,
}

/// What became of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The finding.
    pub finding: Finding,
    /// What was done about it.
    pub outcome: RepairOutcome,
}

/// What was done about a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepairOutcome {
    /// It is mended; in words, how.
    Repaired(String),
    /// It was not there any more.
    Gone,
    /// Nothing here can mend it; in words, what can.
    Beyond(String),
}

impl SessionManager {
    /// Reads everything and names what is wrong, in the order it is best mended in. Changes nothing.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn examine(&self) -> Result<Vec<Finding>, SessionError> {
        let mut tx = self.shared().db.read().await?;
        examine(&mut tx).await.map_err(|e| tx.error(e).into())
    }

    /// Mends one finding, in one transaction.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn repair(&self, finding: &Finding) -> Result<RepairOutcome, SessionError> {
        repair::repair(self.shared(), finding).await
    }

    /// Mends everything that can be mended, and indexes what waits for it. Gives what was done, in its order; what is
    /// found again and again is named once, as beyond repair.
    ///
    /// # Errors
    /// Only what the file can meet. What was mended before stays mended.
    pub async fn repair_all(&self) -> Result<Vec<Repair>, SessionError> {
        let mut done = Vec::new();
        for _ in 0..ROUNDS_MAX {
            let findings = self.examine().await?;
            let is_new = |finding: &Finding| !done.iter().any(|repair: &Repair| repair.finding == *finding);
            let new: Vec<Finding> = findings.into_iter().filter(is_new).collect();
            if new.is_empty() {
                return Ok(done);
            }
            for finding in new {
                let outcome = self.repair(&finding).await?;
                done.push(Repair { finding, outcome });
            }
            while self.index_waiting().await? > 0 {}
        }
        Ok(done)
    }
}

async fn examine(connection: &mut Connection) -> sqlx::Result<Vec<Finding>> {
    let damage = store::damage(connection).await?.into_iter();
    let mut findings: Vec<Finding> = damage.map(|detail| about_file(Fault::DamagedFile, detail)).collect();
    findings.extend(strays(connection).await?);
    for session in store::sessions(connection).await? {
        findings.extend(examine_tree(connection, &session).await?);
        findings.extend(content::examine(connection, &session).await?);
    }
    findings.sort();
    Ok(findings)
}

/// Rows whose others are gone.
async fn strays(connection: &mut Connection) -> sqlx::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for session in store::lost_sessions(connection).await? {
        let detail = "there are messages of a session that does not exist".to_owned();
        let session = Some(SessionId::new(session));
        findings.push(Finding { session, ..about_file(Fault::LostSession, detail) });
    }
    for (session, key, _) in store::stray_config(connection).await? {
        let detail = format!("the setting {key:?} belongs to a session that is gone");
        let session = Some(SessionId::new(session));
        findings.push(Finding { session, ..about_file(Fault::StrayRows, detail) });
    }
    let stray = store::stray_words(connection).await?.len();
    if stray > 0 {
        let detail = format!("the index holds words of {stray} messages that are gone");
        findings.push(about_file(Fault::StrayWords, detail));
    }
    Ok(findings)
}

async fn examine_tree(connection: &mut Connection, session: &str) -> sqlx::Result<Vec<Finding>> {
    let Some(head) = store::head(connection, session).await? else { return Ok(Vec::new()) };
    let nodes = store::nodes(connection, session).await?;
    let summaries = compactions::list(connection, session).await?;
    let own = store::own_parents(connection, session).await?;
    let findings = [
        tree::examine(&head, &nodes),
        summaries::examine(&head, &nodes, &summaries),
        trash::examine(&head, &nodes, &own),
    ];
    Ok(findings.concat())
}

fn about_file(fault: Fault, detail: String) -> Finding {
    Finding { fault, session: None, message: None, detail }
}
