//! Storing a session as it was elsewhere: messages keep their ids, their times and their order, and the trash its
//! contents. The one way into the tree besides appending.

use super::format::{Deletion, Head, Memory, MessageFields, Opening, Summary, View};
use super::import::ImportError;
use super::memory::{Owner, Piece, Remembering};
use super::messages::{Item, Messages};
use crate::choice::choose;
use crate::compaction::estimate_summary;
use crate::context::ContextConfig;
use crate::error::SessionError;
use crate::intake::entry;
use crate::manager::Shared;
use crate::prune;
use crate::search::index::{self, Texts};
use crate::store::compactions;
use crate::store::exchange as store;
use crate::store::messages::{self, NewRow};
use crate::store::{paths, sessions, stored, weights};
use db::WriteTx;
use protocol::limits::{IMPORT_BATCH_BYTES, IMPORT_BATCH_MESSAGES, IMPORT_PROBLEMS_MAX, MESSAGE_MAX_BYTES};
use protocol::{Message, SessionId};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// What could not be taken over, in words.
#[derive(Debug, Default)]
pub(super) struct Problems {
    first: Vec<String>,
    count: usize,
}

impl Problems {
    pub(super) fn add(&mut self, problem: String) {
        self.count += 1;
        if self.first.len() < IMPORT_PROBLEMS_MAX {
            self.first.push(problem);
        }
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.count += others.count;
        self.first.extend(others.first);
        self.first.truncate(IMPORT_PROBLEMS_MAX);
    }

    /// None where there are none.
    pub(super) fn said(&self) -> Option<String> {
        let more = self.count.saturating_sub(self.first.len());
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        (self.count > 0).then(|| self.first.join("; ") + &rest)
    }
}

/// What of the messages that come can be stored, and where.
#[derive(Debug, Default)]
struct Rows {
    /// For every message that was named: itself, or what stands above it where it is left out.
    stands: HashMap<String, Option<String>>,
    last_seq: i64,
    /// How many came.
    number: usize,
    problems: Problems,
}

impl Rows {
    fn take(&mut self, item: Item) -> Option<(MessageFields, Message)> {
        let number = self.number;
        self.number += 1;
        let read = item.and_then(|mut value| {
            let message = value.as_object_mut().and_then(|fields| fields.remove("message"));
            let fields: MessageFields = serde_json::from_value(value).map_err(|error| error.to_string())?;
            Ok((fields, message))
        });
        match read {
            Ok((fields, message)) => self.place(fields, message),
            Err(problem) => {
                self.problems.add(format!("message number {number} was left out: {problem}"));
                None
            }
        }
    }

    fn place(
        &mut self,
        mut fields: MessageFields,
        message: Option<Value>,
    ) -> Option<(MessageFields, Message)> {
        if self.stands.contains_key(&fields.id) {
            self.problems.add(format!("message {:?} stands there twice", fields.id));
            return None;
        }
        if let Some(parent) = &fields.parent_id {
            let above = self.stands.get(parent).cloned();
            if above.is_none() {
                let id = &fields.id;
                self.problems.add(format!("message {id:?} hangs below {parent:?}, which is not there"));
            }
            fields.parent_id = above.flatten();
        }
        match storable(&fields, message) {
            Ok(message) => {
                fields.seq = fields.seq.max(self.last_seq.saturating_add(1));
                self.last_seq = fields.seq;
                let _new = self.stands.insert(fields.id.clone(), Some(fields.id.clone()));
                Some((fields, message))
            }
            Err(problem) => {
                self.problems.add(format!("message {:?} was left out: {problem}", fields.id));
                let _new = self.stands.insert(fields.id, fields.parent_id);
                None
            }
        }
    }
}

fn storable(fields: &MessageFields, message: Option<Value>) -> Result<Message, String> {
    let message = message.ok_or("it could not be read where it comes from")?;
    let message: Message = serde_json::from_value(message).map_err(|e| e.to_string())?;
    if message.id.as_str() != fields.id {
        return Err("its content is that of another message".to_owned());
    }
    entry(&message).map_err(|e| e.to_string())?;
    Ok(message)
}

/// A session being stored.
pub(super) struct Original<'a> {
    shared: &'a Shared,
    tx: WriteTx,
    session: SessionId,
    /// The id it is to have, where it has another one meanwhile.
    wanted: Option<String>,
    batch: Batch,
    problems: Problems,
}

/// What was written in one transaction.
#[derive(Debug, Default)]
struct Batch {
    messages: usize,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn is_full(&self) -> bool {
        self.messages >= IMPORT_BATCH_MESSAGES || self.bytes >= IMPORT_BATCH_BYTES
    }
}

/// What became of a session.
#[derive(Debug)]
pub(super) struct Stored {
    /// Its id.
    pub(super) session: SessionId,
    /// Messages that were stored.
    pub(super) count: u64,
    /// Whether anything is wrong with its messages.
    pub(super) is_damaged: bool,
    /// What was left out.
    pub(super) problem: Option<String>,
}

impl<'a> Original<'a> {
    /// Stores a session under the id in its head, which must be free, as its messages come; nothing is kept where none of
    /// them could be stored. Notes in `apart` what has to be removed after a failure.
    pub(super) async fn insert(
        shared: &'a Shared,
        opening: Opening,
        (messages, blocks): (&mut dyn Messages, &ContextConfig),
        apart: &mut Option<String>,
    ) -> Result<Stored, ImportError> {
        let Opening { mut head, deletions, summaries, memory } = opening;
        let mut original = Self::begin(shared, &mut head).await?;
        let mut trashed: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        let (mut rows, mut depths) = (Rows::default(), HashMap::new());
        while let Some(item) = messages.next()? {
            let Some((fields, message)) = rows.take(item) else { continue };
            if original.batch.is_full() {
                original = original.go_on(apart).await?;
            }
            original.append_original(&fields, &message, &mut depths).await?;
            if let Some(number) = fields.deletion {
                trashed.entry(number).or_default().push(fields.id);
            }
        }
        let (last_seq, is_damaged) = (rows.last_seq.max(head.view.last_seq), rows.problems.count > 0);
        original.problems = rows.problems;
        let mut seq = 0;
        for row in summaries {
            original = original.breathe(row.summary.len(), apart).await?;
            original.summarise(row, &depths, &mut seq).await?;
        }
        for row in deletions {
            // Each counts the whole session again.
            original.batch.messages = original.batch.messages.saturating_add(depths.len());
            original = original.breathe(/* bytes */ 0, apart).await?;
            original.throw_away(row, &mut trashed).await?;
        }
        original.still_there(trashed);
        original = original.remember(memory, blocks, apart).await?;
        original.look(head.view, last_seq).await?;
        let (session, count) = (original.session.clone(), depths.len() as u64);
        Ok(original.end(Stored { session, count, is_damaged, problem: None }).await?)
    }

    /// Makes the session, under another id where its own was taken since it was drawn.
    async fn begin(shared: &'a Shared, head: &mut Head) -> Result<Self, SessionError> {
        let mut tx = shared.db.write().await?;
        if sessions::exists(&mut tx, &head.who.id).await.map_err(|e| tx.error(e))? {
            head.who.id = shared.ids.new_id();
        }
        store::insert_session(&mut tx, head).await.map_err(|e| tx.error(e))?;
        let session = SessionId::new(head.who.id.as_str());
        let (wanted, batch, problems) = (None, Batch::default(), Problems::default());
        Ok(Self { shared, tx, session, wanted, batch, problems })
    }

    /// Lets others write where enough was written, and makes room for more.
    async fn breathe(self, bytes: usize, apart: &mut Option<String>) -> Result<Self, SessionError> {
        let mut next = if self.batch.is_full() { self.go_on(apart).await? } else { self };
        next.batch.add(bytes);
        Ok(next)
    }

    /// Lets others write.
    async fn go_on(mut self, apart: &mut Option<String>) -> Result<Self, SessionError> {
        if apart.is_none() {
            self.set_apart().await?;
        }
        self.tx.commit().await?;
        *apart = Some(self.session.to_string());
        let tx = self.shared.db.write().await?;
        Ok(Self { tx, batch: Batch::default(), ..self })
    }

    /// Whoever asks for the default session must not come upon half of it, so that one has another id meanwhile.
    async fn set_apart(&mut self) -> Result<(), SessionError> {
        if self.session == SessionId::default() {
            let id = self.shared.ids.new_id();
            store::set_id(&mut self.tx, "", &id).await.map_err(|e| self.tx.error(e))?;
            self.wanted = Some(String::new());
            self.session = SessionId::new(id);
        }
        let now = self.shared.now();
        store::set_apart(&mut self.tx, self.session.as_str(), now).await.map_err(|e| self.tx.error(e).into())
    }

    /// Makes it one session among others, where anything of it is here.
    async fn end(mut self, stored: Stored) -> Result<Stored, SessionError> {
        if stored.count > 0 || !stored.is_damaged {
            store::join(&mut self.tx, self.session.as_str()).await.map_err(|e| self.tx.error(e))?;
            if let Some(id) = self.wanted.take()
                && !sessions::exists(&mut self.tx, &id).await.map_err(|e| self.tx.error(e))?
            {
                store::set_id(&mut self.tx, self.session.as_str(), &id)
                    .await
                    .map_err(|e| self.tx.error(e))?;
                self.session = SessionId::new(id);
            }
            self.tx.commit().await?;
        }
        Ok(Stored { session: self.session, problem: self.problems.said(), ..stored })
    }

    /// Takes over what is remembered for all sessions of the agent. A block with a long history is whole when it appears;
    /// until then it stands in a session apart, which is noted in `apart` and is to be removed in any case.
    pub(super) async fn insert_memory(
        shared: &'a Shared,
        memory: Memory,
        blocks: &ContextConfig,
        apart: &mut Option<String>,
    ) -> Result<Problems, SessionError> {
        let mut head = Head::default();
        head.who.id = shared.ids.new_id();
        let meanwhile = head.who.id.clone();
        let mut original = Self::begin(shared, &mut head).await?;
        original.set_apart().await?;
        *apart = Some(meanwhile.clone());
        let mut remembering = Remembering::new(Owner::Agent { meanwhile }, blocks);
        for piece in Piece::all(memory) {
            original = original.breathe(piece.bytes(), apart).await?;
            remembering.take(&mut original.tx, piece).await?;
        }
        let problems = remembering.end(&mut original.tx).await?;
        original.tx.commit().await?;
        Ok(problems)
    }

    /// Takes over what the session remembers.
    async fn remember(
        mut self,
        memory: Memory,
        blocks: &ContextConfig,
        apart: &mut Option<String>,
    ) -> Result<Self, SessionError> {
        let owner = Owner::Session(self.session.to_string());
        let mut remembering = Remembering::new(owner, blocks);
        for piece in Piece::all(memory) {
            self = self.breathe(piece.bytes(), apart).await?;
            remembering.move_to(self.session.as_str());
            remembering.take(&mut self.tx, piece).await?;
        }
        self.problems.extend(remembering.end(&mut self.tx).await?);
        Ok(self)
    }

    /// Stores a message with its own id, time and number, below its own parent.
    async fn append_original(
        &mut self,
        fields: &MessageFields,
        message: &Message,
        depths: &mut HashMap<String, i64>,
    ) -> Result<(), SessionError> {
        let (entry, session) = (entry(message)?, self.session.as_str());
        self.batch.add(entry.json.len());
        let parent = fields.parent_id.as_deref();
        let depth = parent.and_then(|parent| depths.get(parent)).map_or(0, |depth| depth.saturating_add(1));
        let _new = depths.insert(fields.id.clone(), depth);
        let row = NewRow {
            id: &fields.id,
            parent_id: parent,
            seq: fields.seq,
            depth,
            role: entry.role,
            created_at: fields.created_at,
            content: &entry.json,
        };
        messages::insert(&mut self.tx, session, &row).await.map_err(|e| self.tx.error(e))?;
        index::index(&mut self.tx, session, &fields.id, &Texts::of(&entry.kept)).await?;
        let weighed = weights::insert(&mut self.tx, session, &fields.id, parent, entry.weight).await;
        weighed.map_err(|e| self.tx.error(e))?;
        if fields.pinned_at.is_some() {
            let pinned = weights::set_pinned(&mut self.tx, session, &fields.id, fields.pinned_at).await;
            let _was_there = pinned.map_err(|e| self.tx.error(e))?;
        }
        let chosen = fields.chosen_child.as_deref();
        let set = messages::set_chosen_child(&mut self.tx, session, &fields.id, chosen).await;
        set.map_err(|e| self.tx.error(e).into())
    }

    async fn summarise(
        &mut self,
        row: Summary,
        depths: &HashMap<String, i64>,
        seq: &mut i64,
    ) -> Result<(), SessionError> {
        let (id, from, to) = (&row.id, &row.from_message, &row.to_message);
        let ends = depths.get(from).zip(depths.get(to));
        let steps = ends.map_or(0, |(from, to)| to.saturating_sub(*from).saturating_add(1));
        let session = self.session.as_str();
        let is_path = steps > 0
            && paths::is_among_last(&mut self.tx, session, to, steps, from)
                .await
                .map_err(|e| self.tx.error(e))?;
        let is_sound = is_path && !id.is_empty() && row.summary.len() <= MESSAGE_MAX_BYTES;
        let before = compactions::find(&mut self.tx, session, id).await.map_err(|e| self.tx.error(e))?;
        if !is_sound || before.is_some() {
            self.problems.add(format!("summary {id:?} was left out: it stands for nothing that is there"));
            return Ok(());
        }
        *seq = row.seq.max(seq.saturating_add(1));
        let new = compactions::NewRow {
            id,
            seq: Some(*seq),
            from,
            to,
            tokens: stored(estimate_summary(&row.summary)),
            created_at: row.created_at,
            summary: &row.summary,
        };
        compactions::insert(&mut self.tx, session, &new).await.map_err(|e| self.tx.error(e).into())
    }

    /// Puts the messages of a deletion back into the trash.
    async fn throw_away(
        &mut self,
        mut row: Deletion,
        trashed: &mut BTreeMap<i64, Vec<String>>,
    ) -> Result<(), SessionError> {
        let Some(ids) = trashed.remove(&row.number) else { return Ok(()) };
        if let Some(first) = ids.first().filter(|_| !ids.contains(&row.head)) {
            row.head.clone_from(first);
        }
        let done = store::insert_deletion(&mut self.tx, self.session.as_str(), &row).await;
        done.map_err(|e| self.tx.error(e))?;
        Ok(prune::throw_away(&mut self.tx, &self.session, row.number, &ids).await?)
    }

    /// Names messages of the trash whose deletion nobody told of.
    fn still_there(&mut self, trashed: BTreeMap<i64, Vec<String>>) {
        for id in trashed.into_values().flatten() {
            self.problems
                .add(format!("message {id:?} is not in the trash any more: its deletion is not known"));
        }
    }

    /// Looks at what was looked at, or at the leaf stored last.
    async fn look(&mut self, view: View, last_seq: i64) -> Result<(), SessionError> {
        let id = self.session.as_str();
        store::forget_wrong_choices(&mut self.tx, id).await.map_err(|e| self.tx.error(e))?;
        let tip = sessions::tip(&mut self.tx, id).await.map_err(|e| self.tx.error(e))?;
        let mut tip = tip.ok_or_else(|| SessionError::UnknownSession(self.session.clone()))?;
        tip.last_seq = last_seq;
        if let Some(root) = view.chosen_root {
            let place = messages::place(&mut self.tx, id, &root).await.map_err(|e| self.tx.error(e))?;
            tip.chosen_root = place.filter(|place| place.parent_id.is_none()).map(|place| place.id);
        }
        let mut leaf = None;
        if let Some(active) = view.active_leaf {
            leaf = paths::descend(&mut self.tx, id, &active).await.map_err(|e| self.tx.error(e))?;
        }
        if leaf.is_none() {
            leaf = messages::latest_leaf(&mut self.tx, id).await.map_err(|e| self.tx.error(e))?;
        }
        if let Some(leaf) = leaf {
            choose(&mut self.tx, &self.session, &mut tip, &leaf, None).await?;
        }
        store::set_view(&mut self.tx, id, &tip).await.map_err(|e| self.tx.error(e).into())
    }
}
