//! The system prompt as it was frozen: the same text in every turn, so that a provider can reuse what it has read,
//! until somebody refreshes it or the agent is configured otherwise.

use super::Context;
use super::config::{PromptCache, Refresh};
use super::error::ContextError;
use super::render::section;
use crate::store::frozen::{self, FrozenRow};
use crate::store::{counted, sessions, stored};
use crate::tokens::estimate_text;
use protocol::{PromptInfo, PromptSection, SessionId, WaitingChange, WaitingKind};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, PoisonError};

/// What one block put into the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    label: String,
    text: String,
}

/// A prompt as it was frozen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frozen {
    sections: Vec<Section>,
    frozen_at: u64,
    /// How often the session had been cleared or compacted before, where no file keeps the prompt.
    beginning: u64,
}

impl Frozen {
    fn text(&self) -> String {
        self.sections.iter().map(|section| section.text.as_str()).collect::<Vec<_>>().join("\n\n")
    }

    fn find(&self, label: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.label == label)
    }
}

/// What a handle has frozen, where no file keeps the prompt.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// How often it was frozen.
    generation: i64,
    frozen: Option<Arc<Frozen>>,
}

/// What to do where a prompt is frozen already.
#[derive(Clone, Copy)]
enum Keep {
    /// It stays: somebody else was faster.
    First,
    /// It goes: that is what a refresh is for.
    Latest,
}

/// What was frozen at some moment, to see later whether it still is.
struct Before {
    frozen: Option<Arc<Frozen>>,
    /// Another one means that somebody froze or forgot a prompt; what was read before that may be outdated.
    generation: i64,
    beginning: u64,
}

impl Before {
    fn is_other(&self, now: &Self) -> bool {
        (self.generation, self.beginning) != (now.generation, now.beginning)
    }
}

impl Context {
    /// The frozen system prompt; rendered and frozen now where there is none, or where it was made from another
    /// configuration. Empty where no block has anything to say: then the agent's plain system prompt applies.
    ///
    /// # Errors
    /// [`ContextError::Provider`] where a block cannot be read.
    pub async fn freeze_system_prompt(&self) -> Result<String, ContextError> {
        Ok(self.frozen().await?.text())
    }

    /// The system prompt a turn begins with: the frozen one, refreshed first where the agent is configured so.
    ///
    /// # Errors
    /// As [`Context::freeze_system_prompt`].
    pub async fn prompt_for_turn(&self) -> Result<String, ContextError> {
        match self.config.refresh() {
            Refresh::OnRequest => self.freeze_system_prompt().await,
            Refresh::EachTurn => self.refresh_system_prompt().await,
        }
    }

    /// Reads all blocks again and freezes what they hold now.
    ///
    /// # Errors
    /// As [`Context::freeze_system_prompt`]; the old prompt stays then.
    pub async fn refresh_system_prompt(&self) -> Result<String, ContextError> {
        let before = self.before().await?;
        Ok(self.freeze(before, Keep::Latest).await?.text())
    }

    /// The frozen prompt block by block, and what a refresh would change.
    ///
    /// # Errors
    /// As [`Context::freeze_system_prompt`].
    pub async fn prompt_info(&self) -> Result<PromptInfo, ContextError> {
        let frozen = self.frozen().await?;
        let waiting = waiting(&frozen, &self.render().await?);
        let sections = frozen.sections.iter().map(|section| PromptSection {
            label: section.label.clone(),
            text: section.text.clone(),
            tokens: estimate_text(&section.text),
        });
        Ok(PromptInfo { sections: sections.collect(), frozen_at: frozen.frozen_at, waiting })
    }

    async fn frozen(&self) -> Result<Arc<Frozen>, ContextError> {
        let before = self.before().await?;
        match &before.frozen {
            Some(frozen) => Ok(Arc::clone(frozen)),
            None => self.freeze(before, Keep::First).await,
        }
    }

    /// Renders and freezes, again where somebody did so meanwhile: who read last is frozen, not who was slowest. What was
    /// frozen twice meanwhile was read after this began, and is as good.
    async fn freeze(&self, mut before: Before, keep: Keep) -> Result<Arc<Frozen>, ContextError> {
        let mut others = 0;
        loop {
            let fresh = Arc::new(self.render().await?);
            let now = match self.config.cache() {
                PromptCache::File => self.store_prompt(&before, &fresh).await?,
                PromptCache::Handle => self.hold_prompt(&before, &fresh),
            };
            let Some(now) = now else { return Ok(fresh) };
            others += now.generation.saturating_sub(before.generation);
            match &now.frozen {
                Some(frozen) if matches!(keep, Keep::First) || others > 1 => return Ok(Arc::clone(frozen)),
                Some(_) | None => before = now,
            }
        }
    }

    async fn before(&self) -> Result<Before, ContextError> {
        match self.config.cache() {
            PromptCache::File => {
                let mut tx = self.session.shared().db.read().await?;
                let row = frozen::find(&mut tx, self.session.id().as_str()).await.map_err(|e| tx.error(e))?;
                Ok(self.stored(row))
            }
            PromptCache::Handle => Ok(self.held(&self.frozen.lock().unwrap_or_else(PoisonError::into_inner))),
        }
    }

    /// What the handle holds, unless the session began anew since.
    fn held(&self, held: &Held) -> Before {
        let beginning = self.beginning();
        let frozen = held.frozen.clone().filter(|frozen| frozen.beginning == beginning);
        Before { frozen, generation: held.generation, beginning }
    }

    /// What the file holds, as far as it can be used. It knows itself when the session began anew.
    fn stored(&self, row: Option<FrozenRow>) -> Before {
        let generation = row.as_ref().map_or(0, |row| row.generation);
        Before { frozen: row.and_then(|row| self.usable(&row)), generation, beginning: 0 }
    }

    fn beginning(&self) -> u64 {
        self.session.shared().flights.beginnings(self.session.id())
    }

    /// A stored prompt of this configuration. One that cannot be read is made again: it holds nothing of its own.
    fn usable(&self, row: &FrozenRow) -> Option<Arc<Frozen>> {
        if *row.config_hash != *self.config_hash {
            return None;
        }
        match serde_json::from_str(&row.sections) {
            Ok(sections) => {
                let (frozen_at, beginning) = (counted(row.frozen_at), self.beginning());
                Some(Arc::new(Frozen { sections, frozen_at, beginning }))
            }
            Err(error) => {
                tracing::warn!(session.id = %self.session.id(), %error, "a frozen prompt cannot be read; it is made again");
                None
            }
        }
    }

    async fn render(&self) -> Result<Frozen, ContextError> {
        let beginning = self.beginning();
        let blocks = self.whole().await?;
        let sections = blocks.iter().filter_map(|block| {
            let text = section(block)?;
            Some(Section { label: block.label.clone(), text })
        });
        let frozen_at = counted(self.session.shared().now());
        Ok(Frozen { sections: sections.collect(), frozen_at, beginning })
    }

    /// Freezes a prompt in the handle; what is frozen instead, where it is another one.
    fn hold_prompt(&self, before: &Before, fresh: &Arc<Frozen>) -> Option<Before> {
        let mut held = self.frozen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.held(&held);
        if before.is_other(&now) {
            return Some(now);
        }
        *held = Held { generation: now.generation.saturating_add(1), frozen: Some(Arc::clone(fresh)) };
        None
    }

    /// The same in the file. One that says the same stays as old as it is.
    async fn store_prompt(
        &self,
        before: &Before,
        fresh: &Arc<Frozen>,
    ) -> Result<Option<Before>, ContextError> {
        let id = self.session.id();
        let mut tx = self.session.shared().db.write().await?;
        let row = frozen::find(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        let now = self.stored(row);
        if before.is_other(&now) {
            return Ok(Some(now));
        }
        let is_there = *id == SessionId::default()
            || sessions::exists(&mut tx, id.as_str()).await.map_err(|e| tx.error(e))?;
        if !is_there {
            // A handle outlives its session; nothing may be left behind under an id that is gone.
            return Ok(None);
        }
        let same = now.frozen.clone().filter(|old| old.sections == fresh.sections);
        let kept = same.as_ref().unwrap_or(fresh);
        let row = FrozenRow {
            config_hash: self.config_hash.to_string(),
            frozen_at: stored(kept.frozen_at),
            generation: now.generation.saturating_add(1),
            sections: serde_json::to_string(&kept.sections).unwrap_or_default(),
        };
        frozen::replace(&mut tx, id.as_str(), &row).await.map_err(|e| tx.error(e))?;
        tx.commit().await?;
        Ok(None)
    }
}

/// How `fresh` differs from what is frozen.
fn waiting(frozen: &Frozen, fresh: &Frozen) -> Vec<WaitingChange> {
    let change = |label: &str, kind| WaitingChange { label: label.to_owned(), kind };
    let news = fresh.sections.iter().filter_map(|section| match frozen.find(&section.label) {
        None => Some(change(&section.label, WaitingKind::Added)),
        Some(old) if old.text != section.text => Some(change(&section.label, WaitingKind::Changed)),
        Some(_) => None,
    });
    let gone = frozen.sections.iter().filter(|section| fresh.find(&section.label).is_none());
    news.chain(gone.map(|section| change(&section.label, WaitingKind::Removed))).collect()
}
