//! Which blocks an agent has: a value that is checked while it is built, so that what uses it never checks again.

use super::error::ContextError;
use super::key::Fnv64;
use super::provider::Provider;
use protocol::BlockOrigin;
use protocol::limits::{BLOCK_DESCRIPTION_MAX_CHARS, BLOCK_LABEL_MAX_BYTES, BLOCKS_MAX};
use std::sync::Arc;

/// What a block is, besides its label.
#[derive(Debug, Clone, Default)]
pub struct BlockOptions {
    /// What it is for, as the model reads it. Line breaks become blanks.
    pub description: Option<String>,
    /// How large it may get, in estimated tokens; 0 and none mean no limit of its own.
    pub max_tokens: Option<u64>,
    /// Where its content comes from; by default a writable text of the session.
    pub provider: Provider,
}

impl BlockOptions {
    /// A block whose content comes from `provider`.
    pub fn from_provider(provider: Provider) -> Self {
        Self { provider, ..Self::default() }
    }

    /// Says what the block is for.
    #[must_use]
    pub fn describe(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Limits the size.
    #[must_use]
    pub fn max_tokens(self, max_tokens: u64) -> Self {
        Self { max_tokens: Some(max_tokens), ..self }
    }
}

/// One block of a [`ContextConfig`], or one added while the agent runs.
#[derive(Debug, Clone)]
pub(crate) struct BlockSpec {
    pub(crate) label: String,
    pub(crate) description: Option<String>,
    /// Never 0.
    pub(crate) max_tokens: Option<u64>,
    pub(crate) provider: Provider,
    pub(crate) origin: BlockOrigin,
}

impl BlockSpec {
    pub(crate) fn new(label: &str, options: BlockOptions) -> Result<Self, ContextError> {
        let is_label = (1..=BLOCK_LABEL_MAX_BYTES).contains(&label.len())
            && label.trim() == label
            && !label.chars().any(is_break_or_control);
        if !is_label {
            return Err(ContextError::InvalidLabel(label.to_owned()));
        }
        let BlockOptions { description, max_tokens, provider } = options;
        let description = description.map(|text| one_line(&text)).filter(|text| !text.is_empty());
        if description.as_ref().is_some_and(|text| text.chars().count() > BLOCK_DESCRIPTION_MAX_CHARS) {
            return Err(ContextError::LongDescription(label.to_owned()));
        }
        let max_tokens = max_tokens.filter(|max| *max > 0);
        Ok(Self {
            label: label.to_owned(),
            description,
            max_tokens,
            provider,
            origin: BlockOrigin::Configured,
        })
    }

    /// Whether two labels would look alike as headers.
    pub(crate) fn is_called(&self, label: &str) -> bool {
        self.label == label || self.label.to_uppercase() == label.to_uppercase()
    }
}

/// Whether a character would begin another line, or cannot be seen.
pub(crate) fn is_break_or_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|c| if is_break_or_control(c) { ' ' } else { c }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where a frozen prompt is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptCache {
    /// In the handle.
    #[default]
    Handle,
    /// In the agent's file.
    File,
}

/// When the model sees what was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Refresh {
    /// When somebody asks for it, so that every turn begins with the same bytes.
    #[default]
    OnRequest,
    /// At the next turn.
    EachTurn,
}

/// The blocks of an agent, in the order the model reads them. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct ContextConfig {
    blocks: Vec<Arc<BlockSpec>>,
    cache: PromptCache,
    refresh: Refresh,
}

impl ContextConfig {
    /// No blocks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block after those that are there.
    ///
    /// # Errors
    /// [`ContextError::Exists`] where a label differs from `label` in the case of its letters at most,
    /// [`ContextError::InvalidLabel`], [`ContextError::LongDescription`], [`ContextError::TooManyBlocks`].
    pub fn with_context(mut self, label: &str, options: BlockOptions) -> Result<Self, ContextError> {
        if self.blocks.iter().any(|block| block.is_called(label)) {
            return Err(ContextError::Exists(label.to_owned()));
        }
        if self.blocks.len() >= BLOCKS_MAX {
            return Err(ContextError::TooManyBlocks);
        }
        self.blocks.push(Arc::new(BlockSpec::new(label, options)?));
        Ok(self)
    }

    /// Keeps the frozen prompt in the agent's file, so that it is the same after a restart and in every handle.
    #[must_use]
    pub fn with_cached_prompt(self) -> Self {
        Self { cache: PromptCache::File, ..self }
    }

    /// Renders the prompt anew for each turn: the model sees every write in the next turn, and a provider that reuses
    /// what it has read can do so only while nothing is written.
    #[must_use]
    pub fn with_prompt_for_each_turn(self) -> Self {
        Self { refresh: Refresh::EachTurn, ..self }
    }

    /// Whether there is nothing to render.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether [`ContextConfig::with_prompt_for_each_turn`] was asked for.
    pub fn is_rendered_for_each_turn(&self) -> bool {
        self.refresh == Refresh::EachTurn
    }

    pub(crate) fn blocks(&self) -> &[Arc<BlockSpec>] {
        &self.blocks
    }

    pub(crate) fn cache(&self) -> PromptCache {
        self.cache
    }

    pub(crate) fn refresh(&self) -> Refresh {
        self.refresh
    }

    /// Tells apart configurations that render differently. Contents that change while the agent runs do not count.
    pub(crate) fn hash(&self) -> String {
        let mut hash = Fnv64::default();
        for block in &self.blocks {
            hash.text(&block.label);
            hash.text(block.description.as_deref().unwrap_or_default());
            hash.text(&block.max_tokens.map_or_else(String::new, |max| max.to_string()));
            hash.text(&block.provider.fingerprint());
        }
        hash.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::FixedText;

    fn with(options: BlockOptions) -> ContextConfig {
        ContextConfig::new().with_context("memo", options).unwrap()
    }

    #[test]
    fn labels_are_checked_once_and_never_look_alike() {
        let config = with(BlockOptions::default());
        for same in ["memo", "MEMO", "Memo"] {
            let refused = config.clone().with_context(same, BlockOptions::default()).unwrap_err();
            assert!(matches!(refused, ContextError::Exists(label) if label == same));
        }
        let long = "x".repeat(BLOCK_LABEL_MAX_BYTES + 1);
        for bad in ["", " ", " a", "a\nb", "a\u{2028}b", "a\0", &long] {
            let refused = ContextConfig::new().with_context(bad, BlockOptions::default()).unwrap_err();
            assert!(matches!(refused, ContextError::InvalidLabel(label) if label == bad));
        }
        let text = "d".repeat(BLOCK_DESCRIPTION_MAX_CHARS + 1);
        let refused =
            ContextConfig::new().with_context("a", BlockOptions::default().describe(text)).unwrap_err();
        assert!(matches!(refused, ContextError::LongDescription(_)));
        let full = (0..BLOCKS_MAX).try_fold(ContextConfig::new(), |config, number| {
            config.with_context(&format!("b{number}"), BlockOptions::default())
        });
        let refused = full.unwrap().with_context("one more", BlockOptions::default()).unwrap_err();
        assert!(matches!(refused, ContextError::TooManyBlocks));
    }

    #[test]
    fn a_description_is_one_line_and_no_limit_is_none() {
        let config = with(BlockOptions::default().describe(" a\r\nb\u{2029}c ").max_tokens(0));
        let block = &config.blocks()[0];
        assert_eq!((block.description.as_deref(), block.max_tokens), (Some("a b c"), None));
    }

    #[test]
    fn every_part_of_the_definition_changes_the_hash() {
        let fixed = |text: &str| Provider::Readonly(Arc::new(FixedText::new(text)));
        let stored = |initial: &str| Provider::Stored { owner: Owner::Session, initial: initial.to_owned() };
        use crate::context::provider::Owner;
        let options = BlockOptions::from_provider;
        let all = [
            ContextConfig::new(),
            with(BlockOptions::default()),
            with(BlockOptions::default().describe("d")),
            with(BlockOptions::default().max_tokens(5)),
            with(options(Provider::stored(Owner::Agent))),
            with(options(stored("seed"))),
            with(options(fixed("You are Marlow."))),
            with(options(fixed("You are Kurtz."))),
            with(BlockOptions::default()).with_context("b", BlockOptions::default()).unwrap(),
        ];
        let hashes: std::collections::BTreeSet<String> = all.iter().map(ContextConfig::hash).collect();
        assert_eq!(hashes.len(), all.len());
        assert_eq!(with(BlockOptions::default()).hash(), with(BlockOptions::default()).hash());
    }
}
