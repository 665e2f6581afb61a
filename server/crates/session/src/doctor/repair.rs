//! How each finding is mended. A second look comes first, in the same transaction: what is not there any more is left
//! alone.

use super::content;
use super::{Fault, Finding, RepairOutcome, examine_tree, strays, weigh};
use crate::choice::choose;
use crate::compaction::record_id;
use crate::error::SessionError;
use crate::history;
use crate::intake::entry;
use crate::manager::Shared;
use crate::prune;
use crate::search::index::{Texts, index};
use crate::store::doctor::{self as store, Kept};
use crate::store::sessions::{self, NewRow};
use crate::store::{compactions, messages, paths, weights};
use db::{DbError, WriteTx};
use protocol::{Message, MessageId, SessionId};

/// Stands where a message could not be read.
const UNREADABLE: &str =
    "[This message was damaged and cannot be read. What was stored is kept in the quarantine.]";
/// What a call without a result is given.
const NO_RESULT: &str = "No result was stored.";
/// Name of a session of which only messages were left.
const RECOVERED: &str = "Recovered";

/// Mends one finding.
pub(crate) async fn repair(shared: &Shared, finding: &Finding) -> Result<RepairOutcome, SessionError> {
    if finding.fault == Fault::DamagedFile {
        return Ok(RepairOutcome::Beyond("go back to a backup".to_owned()));
    }
    let mut tx = shared.db.write().await?;
    if !is_there(&mut tx, finding).await? {
        return Ok(RepairOutcome::Gone);
    }
    let mending = Mending {
        shared,
        session: finding.session.clone().unwrap_or_default(),
        message: finding.message.as_ref(),
    };
    let how = mending.mend(&mut tx, finding).await?;
    tx.commit().await?;
    tracing::info!(session.id = %mending.session, code = finding.fault.code(), "mended: {how}");
    Ok(RepairOutcome::Repaired(how.to_owned()))
}

/// The second look.
async fn is_there(tx: &mut WriteTx, finding: &Finding) -> Result<bool, DbError> {
    let is_it = |found: &Finding| {
        (found.fault, &found.session, &found.message) == (finding.fault, &finding.session, &finding.message)
    };
    let session = finding.session.as_ref().map_or("", SessionId::as_str);
    let found = match finding.fault {
        Fault::DamagedFile => return Ok(true),
        Fault::LostSession | Fault::StrayWords | Fault::StrayRows => strays(tx).await,
        Fault::BrokenRow | Fault::ToolWithoutResult | Fault::WrongIndex => {
            let message = finding.message.as_ref().map_or("", MessageId::as_str);
            content::examine_one(tx, session, message).await
        }
        Fault::WrongWeight | Fault::NotIndexed => content::examine(tx, session).await,
        Fault::UnknownParent
        | Fault::Circle
        | Fault::WrongDepth
        | Fault::WrongChosenChild
        | Fault::UnknownActiveLeaf
        | Fault::ActiveLeafNotLast
        | Fault::PathNotRemembered
        | Fault::WrongCount
        | Fault::LostSummary
        | Fault::WrongTrash => examine_tree(tx, session).await,
    };
    Ok(found.map_err(|e| tx.error(e))?.iter().any(is_it))
}

struct Mending<'a> {
    shared: &'a Shared,
    session: SessionId,
    message: Option<&'a MessageId>,
}

impl Mending<'_> {
    async fn mend(&self, tx: &mut WriteTx, finding: &Finding) -> Result<&'static str, SessionError> {
        match finding.fault {
            Fault::DamagedFile => Ok("left as it is"),
            Fault::LostSession => self.recover(tx).await,
            Fault::UnknownParent | Fault::Circle => self.make_root(tx).await,
            Fault::WrongDepth => self.settle(tx, "counted the depths again").await,
            Fault::WrongChosenChild => self.choose_last(tx).await,
            Fault::UnknownActiveLeaf | Fault::ActiveLeafNotLast | Fault::PathNotRemembered => {
                self.settle(tx, "went to the nearest leaf and remembered its path").await
            }
            Fault::WrongCount => {
                store::count_again(tx, self.id()).await.map_err(|e| tx.error(e))?;
                Ok("counted the messages again")
            }
            Fault::BrokenRow => self.quarantine(tx, &finding.detail).await,
            Fault::ToolWithoutResult => self.end_calls(tx).await,
            Fault::WrongWeight => {
                weigh::weigh(tx, &self.session).await.map_err(|e| tx.error(e))?;
                Ok("weighed them again")
            }
            Fault::LostSummary => self.quarantine_summary(tx, &finding.detail).await,
            Fault::WrongTrash => {
                store::forget_own_parent(tx, self.id(), self.name()).await.map_err(|e| tx.error(e))?;
                Ok("forgot which parent it had")
            }
            Fault::NotIndexed => {
                store::enter_missing(tx, self.id()).await.map_err(|e| tx.error(e))?;
                Ok("they wait for being indexed")
            }
            Fault::WrongIndex => {
                store::index_again(tx, self.id(), self.name()).await.map_err(|e| tx.error(e))?;
                Ok("it waits for being indexed again")
            }
            Fault::StrayWords => forget_stray_words(tx).await,
            Fault::StrayRows => self.quarantine_rows(tx).await,
        }
    }

    fn id(&self) -> &str {
        self.session.as_str()
    }

    fn name(&self) -> &str {
        self.message.map_or("", MessageId::as_str)
    }

    /// Gives messages back the session they belong to.
    async fn recover(&self, tx: &mut WriteTx) -> Result<&'static str, SessionError> {
        let row = NewRow { id: self.id(), name: RECOVERED, now: self.shared.now(), ..NewRow::default() };
        let _made = sessions::insert(tx, &row).await.map_err(|e| tx.error(e))?;
        store::count_again(tx, self.id()).await.map_err(|e| tx.error(e))?;
        self.settle(tx, "made the session anew").await
    }

    async fn make_root(&self, tx: &mut WriteTx) -> Result<&'static str, SessionError> {
        store::set_parent(tx, self.id(), self.name(), None).await.map_err(|e| tx.error(e))?;
        self.settle(tx, "made it a root").await
    }

    async fn choose_last(&self, tx: &mut WriteTx) -> Result<&'static str, SessionError> {
        let parent = self.message.map(MessageId::as_str);
        let last = messages::last_child(tx, self.id(), parent).await.map_err(|e| tx.error(e))?;
        match parent {
            Some(parent) => {
                let set = messages::set_chosen_child(tx, self.id(), parent, last.as_deref()).await;
                set.map_err(|e| tx.error(e))?;
            }
            None => {
                let tip = sessions::tip(tx, self.id()).await.map_err(|e| tx.error(e))?;
                if let Some(tip) = tip {
                    let tip = sessions::Tip { chosen_root: last, ..tip };
                    sessions::look_at(tx, self.id(), &tip).await.map_err(|e| tx.error(e))?;
                }
            }
        }
        self.settle(tx, "remembered the child stored last").await
    }

    /// Makes depths and weights follow the tree, and the active path lead to a leaf: below the active message, else to
    /// the leaf stored last.
    async fn settle(&self, tx: &mut WriteTx, how: &'static str) -> Result<&'static str, SessionError> {
        let session = self.id();
        paths::renew_depths(tx, session).await.map_err(|e| tx.error(e))?;
        weights::renew_paths(tx, session).await.map_err(|e| tx.error(e))?;
        let Some(mut tip) = sessions::tip(tx, session).await.map_err(|e| tx.error(e))? else {
            return Ok(how);
        };
        let mut leaf = None;
        if let Some(active) = tip.active_leaf.clone() {
            leaf = paths::descend(tx, session, &active).await.map_err(|e| tx.error(e))?;
        }
        if leaf.is_none() {
            leaf = messages::latest_leaf(tx, session).await.map_err(|e| tx.error(e))?;
        }
        match leaf {
            Some(leaf) => choose(tx, &self.session, &mut tip, &leaf, None).await?,
            None => (tip.active_leaf, tip.chosen_root) = (None, None),
        }
        sessions::look_at(tx, session, &tip).await.map_err(|e| tx.error(e))?;
        Ok(how)
    }

    /// Puts a note in the place of what cannot be read.
    async fn quarantine(&self, tx: &mut WriteTx, reason: &str) -> Result<&'static str, SessionError> {
        let said = messages::content(tx, self.id(), self.name()).await.map_err(|e| tx.error(e))?;
        let content = said.unwrap_or_default();
        let kept = Kept { session: self.id(), name: self.name(), reason, content: &content };
        store::keep(tx, self.shared.now(), &kept).await.map_err(|e| tx.error(e))?;
        let role = store::role(tx, self.id(), self.name()).await.map_err(|e| tx.error(e))?;
        let role = history::role_of(role.unwrap_or_default());
        self.replace(tx, &Message::text(self.name(), role, UNREADABLE)).await?;
        Ok("kept it in the quarantine and put a note in its place")
    }

    /// Ends the calls that nobody will answer any more.
    async fn end_calls(&self, tx: &mut WriteTx) -> Result<&'static str, SessionError> {
        let content = messages::content(tx, self.id(), self.name()).await.map_err(|e| tx.error(e))?;
        let read = history::read(&self.session, self.name(), &content.unwrap_or_default());
        let mut message = read.map_err(SessionError::Broken)?;
        content::end_lost_calls(&mut message, NO_RESULT);
        self.replace(tx, &message).await?;
        Ok("ended the calls as failed")
    }

    async fn replace(&self, tx: &mut WriteTx, message: &Message) -> Result<(), SessionError> {
        let entry = entry(message)?;
        let (session, id) = (self.id(), entry.id.as_str());
        let _known = messages::set_content(tx, session, id, &entry.json).await.map_err(|e| tx.error(e))?;
        weights::set(tx, session, id, entry.weight).await.map_err(|e| tx.error(e))?;
        Ok(index(tx, session, id, &Texts::of(&entry.kept)).await?)
    }

    /// Takes a summary away that stands for nothing.
    async fn quarantine_summary(&self, tx: &mut WriteTx, reason: &str) -> Result<&'static str, SessionError> {
        let Some(record) = self.message.and_then(record_id) else { return Ok("left as it is") };
        let row = compactions::find(tx, self.id(), record).await.map_err(|e| tx.error(e))?;
        if let Some(row) = row {
            let kept = Kept { session: self.id(), name: record, reason, content: row.summary.as_bytes() };
            store::keep(tx, self.shared.now(), &kept).await.map_err(|e| tx.error(e))?;
        }
        let _was_there = compactions::delete(tx, self.id(), record).await.map_err(|e| tx.error(e))?;
        prune::forget_range(tx, &self.session, record).await?;
        Ok("moved it to the quarantine")
    }

    async fn quarantine_rows(&self, tx: &mut WriteTx) -> Result<&'static str, SessionError> {
        let stray = store::stray_config(tx).await.map_err(|e| tx.error(e))?;
        for (session, key, value) in stray.iter().filter(|(session, ..)| session == self.id()) {
            let reason = "a setting of a session that is gone";
            let kept = Kept { session, name: key, reason, content: value.as_bytes() };
            store::keep(tx, self.shared.now(), &kept).await.map_err(|e| tx.error(e))?;
        }
        sessions::delete_config(tx, self.id()).await.map_err(|e| tx.error(e))?;
        Ok("moved them to the quarantine")
    }
}

/// Words are made from messages, so nothing is lost with them.
async fn forget_stray_words(tx: &mut WriteTx) -> Result<&'static str, SessionError> {
    for doc in store::stray_words(tx).await.map_err(|e| tx.error(e))? {
        store::forget_words(tx, doc).await.map_err(|e| tx.error(e))?;
    }
    Ok("removed them from the index")
}
