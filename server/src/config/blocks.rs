//! The context blocks of an agent, as its configuration names them.

use super::agents::{AgentConfig, BlockConfig, DEFAULT_AGENT};
use session::{BlockOptions, ContextConfig, ContextError, Owner, Provider, SkillStore};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use think::DEFAULT_SYSTEM_PROMPT;

/// The block that holds the agent's system prompt beside others.
const SOUL: &str = "soul";
/// The block of an agent whose configuration names none.
const MEMORY: &str = "memory";
const MEMORY_PURPOSE: &str = "What to remember about the user and their work";
const MEMORY_TOKENS: u64 = 2_000;
const SKILLS_PURPOSE: &str = "Instructions for certain tasks; load one before such a task";

impl AgentConfig {
    /// The blocks, by label. The agent `assistant` has a memory where its configuration names no blocks; an empty table
    /// takes it away. A system prompt of its own stands first, since blocks take the place of the plain prompt.
    ///
    /// # Errors
    /// A label or description that no block can have, or a folder of skills that is not there: the key it stands under,
    /// and what is wrong with it.
    pub fn context(&self) -> Result<ContextConfig, (&'static str, String)> {
        let config = self.blocks().map_err(|problem| ("blocks", problem.to_string()))?;
        self.memory.skills.iter().try_fold(config, |config, folder| {
            with_skills(config, folder).map_err(|problem| ("skills", problem))
        })
    }

    fn blocks(&self) -> Result<ContextConfig, ContextError> {
        let blocks = &self.memory.blocks;
        let is_default = blocks.is_none();
        let memory = is_default && self.name == DEFAULT_AGENT;
        let named = blocks.iter().flatten();
        let has_blocks = memory || named.clone().next().is_some() || !self.memory.skills.is_empty();
        let has_soul = blocks.as_ref().is_some_and(|blocks| blocks.contains_key(SOUL));
        let is_own_prompt = is_default || self.system_prompt != DEFAULT_SYSTEM_PROMPT;
        let mut config = ContextConfig::new();
        if has_blocks && !has_soul && is_own_prompt && !self.system_prompt.trim().is_empty() {
            let soul = Provider::fixed(self.system_prompt.as_str());
            config = config.with_context(SOUL, BlockOptions::from_provider(soul))?;
        }
        if memory {
            let options = BlockOptions::from_provider(Provider::stored(Owner::Agent));
            config =
                config.with_context(MEMORY, options.describe(MEMORY_PURPOSE).max_tokens(MEMORY_TOKENS))?;
        }
        for (label, block) in named {
            config = config.with_context(label, options(block))?;
        }
        Ok(config)
    }
}

/// One block for the skills of one folder, called like it.
fn with_skills(config: ContextConfig, folder: &Path) -> Result<ContextConfig, String> {
    let Some(label) = folder.file_name().and_then(OsStr::to_str) else {
        return Err(format!("{} has no name that a block could have", folder.display()));
    };
    if !folder.is_dir() {
        return Err(format!("{} is no folder", folder.display()));
    }
    let store = SkillStore::folder(folder).map_err(|problem| problem.to_string())?;
    let options = BlockOptions::from_provider(Provider::Skills(Arc::new(store)));
    config.with_context(label, options.describe(SKILLS_PURPOSE)).map_err(|problem| problem.to_string())
}

fn options(block: &BlockConfig) -> BlockOptions {
    let initial = block.initial.clone().unwrap_or_default();
    let provider = if block.readonly {
        Provider::fixed(initial)
    } else {
        Provider::Stored { owner: Owner::Agent, initial }
    };
    BlockOptions { description: block.description.clone(), max_tokens: block.max_tokens, provider }
}
