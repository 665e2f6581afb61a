//! What the model is told about the tools. Pure: blocks in, names, sentences and schemas out.

use crate::context::config::BlockSpec;
use crate::context::skills::{LOAD, UNLOAD};
use protocol::{BlockKind, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const SET: &str = "set_context";
pub(super) const SEARCH: &str = "search_context";

/// Which blocks each tool is for, by label.
#[derive(Debug, Default)]
pub(super) struct Menu {
    writable: Vec<String>,
    /// A line for each writable block.
    lines: Vec<String>,
    /// Whether some writable block is made of entries.
    has_entries: bool,
    pub(super) skills: Vec<String>,
    pub(super) search: Vec<String>,
}

impl Menu {
    pub(super) fn of(specs: &[Arc<BlockSpec>]) -> Self {
        let mut menu = Self::default();
        for spec in specs {
            let label = &spec.label;
            let kind = match spec.provider.kind() {
                BlockKind::Text => "writable",
                BlockKind::Skills => {
                    menu.skills.push(label.clone());
                    "skill collection, keyed entries"
                }
                BlockKind::Search => {
                    menu.search.push(label.clone());
                    "searchable, keyed entries"
                }
            };
            if spec.provider.is_writable() {
                let description = spec.description.as_deref().unwrap_or("no description");
                menu.writable.push(label.clone());
                menu.lines.push(format!("- \"{label}\" ({kind}): {description}"));
                menu.has_entries |= spec.provider.kind() != BlockKind::Text;
            }
        }
        menu
    }

    /// The tools that are of use; `loaded` are the loaded skills.
    pub(super) fn tools(&self, loaded: &[String]) -> Vec<ToolSpec> {
        let mut tools = Vec::new();
        if !self.writable.is_empty() {
            tools.push(self.set());
        }
        if !self.skills.is_empty() {
            tools.push(self.load());
            tools.push(self.unload(loaded));
        }
        if !self.search.is_empty() {
            tools.push(self.search());
        }
        tools
    }

    fn set(&self) -> ToolSpec {
        let description = format!(
            "Write to a context block. What you write is stored durably and is there in later conversations; the \
             system prompt shows it after its next refresh.\n\nBlocks you can write to:\n{}",
            self.lines.join("\n")
        );
        let mut properties = json!({
            "label": one_of(&self.writable, "The block to write to"),
            "content": { "type": "string", "description": "The text to write" },
            "action": {
                "type": "string",
                "enum": ["replace", "append"],
                "description": "Whether the text takes the place of the block's content (the default) or is added at \
                    its end. Entries are always replaced."
            },
        });
        if let Some(properties) = properties.as_object_mut().filter(|_| self.has_entries) {
            let metadata = json!({
                "type": "object",
                "description": "For a block with keyed entries: what the entry is",
                "properties": {
                    "title": { "type": "string", "description": "Its name; the same title replaces the entry" },
                    "description": { "type": "string", "description": "What it is about, in one line" },
                },
            });
            let _none = properties.insert("metadata".to_owned(), metadata);
        }
        tool(SET, description, &properties, &["label", "content"])
    }

    fn load(&self) -> ToolSpec {
        let description = "Read an entry of a skill block in full. The block's section in the system prompt lists \
            the keys.";
        tool(LOAD, description.to_owned(), &self.skill_input(), &["label", "key"])
    }

    fn unload(&self, loaded: &[String]) -> ToolSpec {
        let loaded = if loaded.is_empty() { "nothing".to_owned() } else { loaded.join(", ") };
        let description = format!(
            "Give the room of a loaded entry back when you no longer need it; it can be loaded again. Currently \
             loaded: {loaded}."
        );
        tool(UNLOAD, description, &self.skill_input(), &["label", "key"])
    }

    fn search(&self) -> ToolSpec {
        let properties = json!({
            "label": one_of(&self.search, "The block to search"),
            "query": { "type": "string", "description": "Words that must all be found, in any order" },
        });
        tool(SEARCH, "Search a searchable context block.".to_owned(), &properties, &["label", "query"])
    }

    fn skill_input(&self) -> Value {
        json!({
            "label": one_of(&self.skills, "The skill block"),
            "key": { "type": "string", "description": "The key of the entry, as listed" },
        })
    }
}

fn one_of(labels: &[String], description: &str) -> Value {
    json!({ "type": "string", "enum": labels, "description": description })
}

fn tool(name: &str, description: String, properties: &Value, required: &[&str]) -> ToolSpec {
    let parameters = json!({ "type": "object", "properties": properties, "required": required });
    ToolSpec { name: name.to_owned(), description: Some(description), parameters: Some(parameters) }
}
