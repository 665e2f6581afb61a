//! Skills: entries the model reads when it needs them. Which of them are loaded is told by the conversation itself, so
//! it is right on every branch and after every restart.

mod front_matter;
mod store;

pub use store::{Layout, SkillStore};

use super::Context;
use super::error::ContextError;
use super::provider::{Provider, SkillContext, WriteSkills};
use crate::history::read;
use crate::store::{paths, sessions};
use protocol::{BlockKind, Message, MessageId, Part, Role, SkillInfo, ToolCall, ToolPart, ToolState};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Names of the tools that this module reads in conversations.
pub(super) const LOAD: &str = "load_context";
pub(super) const UNLOAD: &str = "unload_context";

const FAILURE: &str = "Error: ";
const UNLOADED: &str = "Unloaded ";

/// One skill of one block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillRef {
    /// The block.
    pub label: String,
    /// The entry.
    pub key: String,
}

impl SkillRef {
    /// The skill `key` of the block `label`.
    pub fn new(label: impl Into<String>, key: impl Into<String>) -> Self {
        Self { label: label.into(), key: key.into() }
    }

    fn of(input: &Value) -> Option<Self> {
        let text = |name: &str| input.get(name).and_then(Value::as_str);
        Some(Self::new(text("label")?, text("key")?))
    }

    /// What stands in the conversation where the skill was unloaded.
    fn marker(&self) -> String {
        format!("[skill unloaded: {}]", self.key)
    }
}

impl fmt::Display for SkillRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.label, self.key)
    }
}

/// Where in the conversation the model is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Position<'a> {
    /// The end of the path it answers to; without one, the active leaf.
    pub leaf: Option<&'a MessageId>,
    /// The answer that is being written and not stored yet.
    pub so_far: Option<&'a Message>,
}

/// How a skill is listed in its block.
pub(super) fn line(key: &str, description: Option<&str>) -> String {
    let one_line = description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    match one_line.filter(|text| !text.is_empty()) {
        Some(description) => format!("- {key}: {description}"),
        None => format!("- {key}"),
    }
}

/// Key and description of a line of a list; none for a line that lists nothing.
fn listed(line: &str) -> Option<(&str, Option<&str>)> {
    let line = line.strip_prefix("- ")?;
    Some(line.split_once(": ").map_or((line, None), |(key, description)| (key, Some(description))))
}

pub(super) fn not_found(key: &str) -> String {
    format!("Not found: {key}")
}

pub(super) fn unloaded(skill: &SkillRef) -> String {
    format!("{UNLOADED}\"{}\" from {}. Context reclaimed.", skill.key, skill.label)
}

/// The result of a load. A content that reads like a failure or like the mark of an unloaded skill is set off by an
/// empty line, so that the two can always be told apart.
pub(super) fn loaded(skill: &SkillRef, content: String) -> String {
    if is_content(skill, &content) { content } else { format!("\n{content}") }
}

fn is_content(skill: &SkillRef, output: &str) -> bool {
    !output.starts_with(FAILURE) && output != not_found(&skill.key) && output != skill.marker()
}

/// The skills whose content the model has before it, after reading `messages` in their order.
pub fn loaded_skills<'a>(messages: impl IntoIterator<Item = &'a Message>) -> BTreeSet<SkillRef> {
    let mut loaded = BTreeSet::new();
    let answers = messages.into_iter().filter(|message| message.role == Role::Assistant);
    for part in answers.flat_map(|message| &message.parts) {
        let Part::Tool(part) = part else { continue };
        match Event::of(part) {
            Some(Event::Loaded(skill)) => drop(loaded.insert(skill)),
            Some(Event::Unloaded(skill)) => drop(loaded.remove(&skill)),
            None => {}
        }
    }
    loaded
}

/// Takes every copy of a skill's content out of a message; whether there was one. A turn that unloads a skill does
/// this to the message it is writing; [`Context::unload_skill`] does it to those that are stored.
pub fn reclaim_skill(message: &mut Message, skill: &SkillRef) -> bool {
    let mut is_changed = false;
    for part in &mut message.parts {
        let Part::Tool(part) = part else { continue };
        if !matches!(Event::of(part), Some(Event::Loaded(found)) if found == *skill) {
            continue;
        }
        part.call.output = Some(Value::String(skill.marker()));
        is_changed = true;
    }
    is_changed
}

/// What a finished call says about a skill.
enum Event {
    Loaded(SkillRef),
    Unloaded(SkillRef),
}

impl Event {
    fn of(part: &ToolPart) -> Option<Self> {
        let ToolCall { state: ToolState::OutputAvailable, input, output, .. } = &part.call else {
            return None;
        };
        let skill = SkillRef::of(input.as_ref()?)?;
        let output = output.as_ref()?.as_str()?;
        match part.name.as_str() {
            LOAD if output == skill.marker() => Some(Self::Unloaded(skill)),
            LOAD if is_content(&skill, output) => Some(Self::Loaded(skill)),
            UNLOAD if output.starts_with(UNLOADED) => Some(Self::Unloaded(skill)),
            _ => None,
        }
    }
}

impl Context {
    /// What there is to load, block by block, and what is loaded at `position`. A block that cannot be read has
    /// nothing here; [`Context::blocks`] says why.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn skills(&self, position: Position<'_>) -> Result<Vec<SkillInfo>, ContextError> {
        let loaded = self.loaded_skills(position).await?;
        let mut skills = Vec::new();
        for block in self.blocks().await?.iter().filter(|block| block.kind == BlockKind::Skills) {
            skills.extend(block.content.lines().filter_map(|line| {
                let (key, description) = listed(line)?;
                let skill = SkillRef::new(&*block.label, key);
                let is_loaded = loaded.contains(&skill);
                let description = description.map(str::to_owned);
                Some(SkillInfo { label: skill.label, key: skill.key, description, is_loaded })
            }));
        }
        Ok(skills)
    }

    /// The skills that are loaded at `position`.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn loaded_skills(&self, position: Position<'_>) -> Result<BTreeSet<SkillRef>, ContextError> {
        let stored = self.skill_messages(position.leaf).await?;
        Ok(loaded_skills(stored.iter().chain(position.so_far)))
    }

    /// Unloads a skill: every copy of its content on the path, summarised or not, gives way to a mark, and all of that
    /// is stored when this returns. False where the skill is not loaded at `position`; whoever writes
    /// [`Position::so_far`] must [`reclaim_skill`] there.
    ///
    /// # Errors
    /// What [`crate::Session::update`] meets.
    pub async fn unload_skill(&self, skill: &SkillRef, position: Position<'_>) -> Result<bool, ContextError> {
        let stored = self.skill_messages(position.leaf).await?;
        if !loaded_skills(stored.iter().chain(position.so_far)).contains(skill) {
            return Ok(false);
        }
        for mut message in stored {
            if reclaim_skill(&mut message, skill) {
                let _is_there = self.session.update(&message).await?;
            }
        }
        Ok(true)
    }

    /// The content of a skill; none where there is no such key.
    ///
    /// # Errors
    /// [`ContextError::UnknownBlock`], [`ContextError::NotMadeOfEntries`] where the block has no skills,
    /// [`ContextError::Provider`].
    pub async fn load_skill(&self, skill: &SkillRef) -> Result<Option<String>, ContextError> {
        let view = self.view().await?;
        let skills: Arc<dyn SkillContext> = match &view.find(&skill.label)?.provider {
            Provider::Skills(provider) => Arc::clone(provider),
            Provider::WritableSkills(provider) => Arc::<dyn WriteSkills>::clone(provider),
            Provider::Stored { .. }
            | Provider::StoredEntries { .. }
            | Provider::Readonly(_)
            | Provider::Writable(_)
            | Provider::Search(_)
            | Provider::WritableSearch(_) => {
                return Err(ContextError::NotMadeOfEntries(skill.label.clone()));
            }
        };
        skills.load(&skill.key).await.map_err(ContextError::provider(&skill.label))
    }

    /// The messages of a path that speak of skills, whatever hides them from the model; oldest first. Rows that do not
    /// parse speak of nothing.
    async fn skill_messages(&self, leaf: Option<&MessageId>) -> Result<Vec<Message>, ContextError> {
        let session = self.session.id();
        let mut tx = self.session.shared().db.read().await?;
        let leaf = match leaf {
            Some(leaf) => Some(leaf.to_string()),
            None => {
                let tip = sessions::tip(&mut tx, session.as_str()).await.map_err(|e| tx.error(e))?;
                tip.and_then(|tip| tip.active_leaf)
            }
        };
        let Some(leaf) = leaf else { return Ok(Vec::new()) };
        let rows = paths::holding(&mut tx, session.as_str(), &leaf, LOAD).await.map_err(|e| tx.error(e))?;
        Ok(rows.iter().filter_map(|row| read(session, &row.id, &row.content).ok()).collect())
    }
}

#[cfg(test)]
mod tests;
