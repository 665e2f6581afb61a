//! The tools by which the model reads and writes blocks. A failed call is a sentence for the model, never an error.

mod spec;

use super::Context;
use super::error::ContextError;
use super::render::percent;
use super::skills::{self, LOAD, Position, SkillRef, UNLOAD};
use super::write::{Change, Edit, Edited, Entry};
use protocol::{Author, BlockKind, ContextBlock, ToolSpec};
use serde_json::Value;
use spec::{Menu, SEARCH, SET};

const NOTHING_FOUND: &str = "No results found.";

/// One call by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
    /// In whose name it writes.
    pub author: Author,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply {
    /// For the model; a failure begins with `Error`.
    pub text: String,
    /// For everybody else.
    pub event: Option<ContextEvent>,
}

/// What a call did, for pages and for the turn it happened in.
#[derive(Debug, Clone, PartialEq)]
pub enum ContextEvent {
    /// A text block was written.
    Written {
        /// As it is now.
        block: ContextBlock,
        /// The number of the version before it; its own where it held that text already.
        previous: u64,
    },
    /// An entry was written.
    EntryWritten {
        /// The block.
        label: String,
        /// The entry.
        key: String,
    },
    /// A block is too full for what the model wanted to write. A person should know.
    Full {
        /// The block.
        label: String,
        /// The estimated size it would have had.
        tokens: u64,
        /// Its limit.
        max_tokens: u64,
    },
    /// A skill's content is in the reply.
    Loaded(SkillRef),
    /// A skill was unloaded: the turn must [`super::reclaim_skill`] in the message it is writing.
    Unloaded(SkillRef),
}

impl ToolReply {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), event: None }
    }

    fn with(text: impl Into<String>, event: ContextEvent) -> Self {
        Self { text: text.into(), event: Some(event) }
    }

    fn failed(error: &ContextError) -> Self {
        if let ContextError::UnknownBlock(label) = error {
            return Self::plain(format!("Error: block \"{label}\" not found"));
        }
        if let ContextError::Session(error) = error {
            // What the file says is not for the model.
            tracing::error!(%error, "a block could not be read or written for the model");
            return Self::plain("Error: the agent's file could not be read or written");
        }
        let text = format!("Error: {error}");
        let ContextError::Full { label, tokens, max_tokens } = error else { return Self::plain(text) };
        let (label, tokens, max_tokens) = (label.clone(), *tokens, *max_tokens);
        Self::with(text, ContextEvent::Full { label, tokens, max_tokens })
    }
}

impl Context {
    /// What the model may call, told anew for each step: only tools that some block has a use for.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn tools(&self, position: Position<'_>) -> Result<Vec<ToolSpec>, ContextError> {
        let view = self.view().await?;
        let menu = Menu::of(&view.specs);
        if menu.skills.is_empty() {
            return Ok(menu.tools(&[]));
        }
        let loaded: Vec<String> =
            self.loaded_skills(position).await?.iter().map(ToString::to_string).collect();
        Ok(menu.tools(&loaded))
    }

    /// Whether a tool is one of ours.
    pub fn is_tool(name: &str) -> bool {
        [SET, LOAD, UNLOAD, SEARCH].contains(&name)
    }

    /// Runs one call; none where the tool is not one of ours.
    pub async fn call_tool(&self, call: &ContextCall, position: Position<'_>) -> Option<ToolReply> {
        let done = match call.name.as_str() {
            SET => self.call_set(call).await,
            LOAD => self.call_load(&call.input).await,
            UNLOAD => self.call_unload(&call.input, position).await,
            SEARCH => self.call_search(&call.input).await,
            _ => return None,
        };
        Some(done.unwrap_or_else(|error| ToolReply::failed(&error)))
    }

    async fn call_set(&self, call: &ContextCall) -> Result<ToolReply, ContextError> {
        let (label, input) = (text(&call.input, "label").unwrap_or_default(), &call.input);
        let view = self.view().await?;
        let spec = view.find(label)?;
        if !spec.provider.is_writable() {
            return Err(ContextError::Readonly(label.to_owned()));
        }
        let Some(content) = text(input, "content") else {
            return Ok(ToolReply::plain("Error: \"content\" must be a text"));
        };
        if spec.provider.kind() != BlockKind::Text {
            let metadata = input.get("metadata").unwrap_or(&Value::Null);
            let of = |name: &str| text(metadata, name).map(str::to_owned);
            let entry = Entry {
                key: None,
                title: of("title"),
                description: of("description"),
                content: content.to_owned(),
            };
            let key = self.set_entry(label, &entry, &call.author).await?;
            let event = ContextEvent::EntryWritten { label: label.to_owned(), key: key.clone() };
            return Ok(ToolReply::with(format!("Indexed \"{key}\" in {label}."), event));
        }
        let change = Change { author: call.author.clone(), expected_version: None };
        let Edited { block, previous } = match text(input, "action") {
            Some("append") => self.edit(label, Edit::Append(content), &change).await?,
            Some(_) | None => self.edit(label, Edit::Replace(content), &change).await?,
        };
        let said = format!("Written to {label}. Usage: {}", usage(&block));
        Ok(ToolReply::with(said, ContextEvent::Written { block, previous }))
    }

    async fn call_load(&self, input: &Value) -> Result<ToolReply, ContextError> {
        let skill = match self.skill(input).await? {
            Ok(skill) => skill,
            Err(refusal) => return Ok(refusal),
        };
        Ok(match self.load_skill(&skill).await? {
            Some(content) => {
                ToolReply::with(skills::loaded(&skill, content), ContextEvent::Loaded(skill.clone()))
            }
            None => ToolReply::plain(skills::not_found(&skill.key)),
        })
    }

    async fn call_unload(&self, input: &Value, position: Position<'_>) -> Result<ToolReply, ContextError> {
        let skill = match self.skill(input).await? {
            Ok(skill) => skill,
            Err(refusal) => return Ok(refusal),
        };
        if self.unload_skill(&skill, position).await? {
            return Ok(ToolReply::with(skills::unloaded(&skill), ContextEvent::Unloaded(skill)));
        }
        let SkillRef { label, key } = &skill;
        Ok(ToolReply::plain(format!("Skill \"{key}\" is not currently loaded in \"{label}\".")))
    }

    /// The skill a call names, if its block has skills.
    async fn skill(&self, input: &Value) -> Result<Result<SkillRef, ToolReply>, ContextError> {
        let (label, key) = (text(input, "label").unwrap_or_default(), text(input, "key").unwrap_or_default());
        let view = self.view().await?;
        let menu = Menu::of(&view.specs);
        if menu.skills.iter().any(|known| known == label) {
            return Ok(Ok(SkillRef::new(label, key)));
        }
        let known = menu.skills.join(", ");
        Ok(Err(ToolReply::plain(format!("Error: \"{label}\" is not a skill block. Skill blocks: {known}"))))
    }

    async fn call_search(&self, input: &Value) -> Result<ToolReply, ContextError> {
        let (label, query) =
            (text(input, "label").unwrap_or_default(), text(input, "query").unwrap_or_default());
        let view = self.view().await?;
        let Some(searcher) = view.find(label).ok().and_then(|spec| self.searcher(spec)) else {
            let known = Menu::of(&view.specs).search.join(", ");
            let refusal = format!("Error: \"{label}\" is not searchable. Searchable blocks: {known}");
            return Ok(ToolReply::plain(refusal));
        };
        let found = searcher.search(query).await.map_err(ContextError::provider(label))?;
        Ok(ToolReply::plain(found.unwrap_or_else(|| NOTHING_FOUND.to_owned())))
    }
}

fn text<'a>(input: &'a Value, name: &str) -> Option<&'a str> {
    input.get(name).and_then(Value::as_str)
}

fn usage(block: &ContextBlock) -> String {
    let tokens = block.tokens;
    match block.max_tokens {
        Some(max) => format!("{}% ({tokens}/{max} tokens)", percent(tokens, max)),
        None => format!("{tokens} tokens"),
    }
}
