//! Context blocks: named pieces of the system prompt that people and the model read and write, in a prompt that stays
//! the same until it is refreshed.

mod config;
mod entries;
mod entry_versions;
mod error;
mod frozen;
mod key;
mod load;
mod provider;
mod query;
mod render;
mod skills;
mod text;
mod tools;
mod versions;
mod write;

pub(crate) use config::BlockSpec;
pub use config::{BlockOptions, ContextConfig};
pub use error::{BoxError, ContextError};
pub use provider::{
    Owner, Provider, ReadContext, SearchContext, SkillContext, WriteContext, WriteSearch, WriteSkills,
};
pub use skills::{Layout, Position, SkillRef, SkillStore, loaded_skills, reclaim_skill};
pub use text::{FixedText, TextObject};
pub use tools::{ContextCall, ContextEvent, ToolReply};
pub use write::{Change, Entry};
pub(crate) use write::{check_key, fits, without_nul};

use crate::session::Session;
use frozen::Held;
use std::sync::{Arc, Mutex};

/// The blocks of one session. Cloning is cheap; clones share what they have frozen.
///
/// Blocks live in the agent's file or with their providers, never here, so all handles see the same content. Dropping
/// the future of a method leaves everything as it was, except that a provider may have been written to already.
#[derive(Debug, Clone)]
pub struct Context {
    session: Session,
    config: Arc<ContextConfig>,
    config_hash: Arc<str>,
    /// The frozen prompt, where the configuration does not keep it in the file.
    frozen: Arc<Mutex<Held>>,
}

impl Session {
    /// The blocks of this session, as `config` defines them. Cheap; nothing is read yet.
    pub fn context(&self, config: &ContextConfig) -> Context {
        Context {
            session: self.clone(),
            config: Arc::new(config.clone()),
            config_hash: config.hash().into(),
            frozen: Arc::default(),
        }
    }
}
