//! The past for models: the `session_search` tool, and the block that tells them how much there is to search.

use crate::context::{BoxError, ReadContext, SearchContext};
use crate::error::SessionError;
use crate::history;
use crate::manager::SessionManager;
use crate::search::query::{Query, Term};
use crate::search::snippet::excerpt;
use crate::search::{Found, Search, find};
use crate::store::sessions;
use async_trait::async_trait;
use protocol::ToolSpec;
use protocol::limits::{SEARCH_TOOL_HITS, SEARCH_TOOL_TEXT_MAX_CHARS};
use serde_json::{Value, json};

const NAME: &str = "session_search";
const NOTHING: &str = "No results found.";
const BETWEEN: &str = "\n---\n";

impl SessionManager {
    /// The tool that searches all sessions.
    pub fn session_search(&self) -> SessionSearch {
        SessionSearch { manager: self.clone() }
    }

    /// A provider for a context block that searches all sessions, for `Provider::Search`.
    pub fn searchable_history(&self) -> SearchableHistory {
        SearchableHistory { manager: self.clone() }
    }

    /// What a model reads of what was found: who spoke, and all of the text.
    async fn search_as_text(&self, text: &str) -> Result<Option<String>, SessionError> {
        let search = Search { limit: SEARCH_TOOL_HITS, ..Search::new(text) };
        let found = find(self.shared(), &search, None).await?;
        let query = Query::parse(text);
        let wanted: Vec<&Term> = query.wanted().collect();
        let entries = entries(found, &wanted);
        Ok((!entries.is_empty()).then(|| entries.join(BETWEEN)))
    }
}

fn entries(found: Found, wanted: &[&Term]) -> Vec<String> {
    let entry = |message: super::FoundMessage| {
        let role = history::role_of(message.row.role);
        let text = excerpt(&message.texts, wanted, SEARCH_TOOL_TEXT_MAX_CHARS);
        let place = if message.is_on_active_path { "" } else { ", on another branch" };
        format!("[{}{place}] {text}", role.as_str())
    };
    found.messages.into_iter().map(entry).collect()
}

/// The tool `session_search`: full-text search over all sessions that are not in the trash, all branches included.
#[derive(Debug, Clone)]
pub struct SessionSearch {
    manager: SessionManager,
}

impl SessionSearch {
    /// What a model is told about it.
    pub fn spec(&self) -> ToolSpec {
        let query = "Words that must all occur, in any form. \"A phrase\" in quotation marks, begin* for words that \
            begin so, -word to leave out, one OR other, role:user, after:2026-03-01, before:2026-04.";
        ToolSpec {
            name: NAME.to_owned(),
            description: Some(
                "Search the messages of all past and present conversations, on all branches. Use it when something \
                 said earlier may matter and is not in sight."
                    .to_owned(),
            ),
            parameters: Some(json!({
                "type": "object",
                "properties": { "query": { "type": "string", "description": query } },
                "required": ["query"],
            })),
        }
    }

    /// Runs it. What goes wrong is said to the model, never thrown.
    pub async fn call(&self, input: &Value) -> String {
        let Some(query) = input.get("query").and_then(Value::as_str) else {
            return "Error: `query` must be a text".to_owned();
        };
        match self.manager.search_as_text(query).await {
            Ok(found) => found.unwrap_or_else(|| NOTHING.to_owned()),
            Err(error) => format!("Error: {error}"),
        }
    }
}

/// The block that searches all sessions.
#[derive(Debug, Clone)]
pub struct SearchableHistory {
    manager: SessionManager,
}

impl SearchableHistory {
    /// What the block is described as.
    pub const DESCRIPTION: &str = "Cross-session conversation history";

    /// How much there is to search; none where there is nothing.
    ///
    /// # Errors
    /// Only what the file can meet.
    pub async fn summary(&self) -> Result<Option<String>, SessionError> {
        let mut tx = self.manager.shared().db.read().await?;
        let count = sessions::count(&mut tx).await.map_err(|e| tx.error(e))?;
        Ok(match count {
            0 => None,
            1 => Some("1 session available for search.".to_owned()),
            count => Some(format!("{count} sessions available for search.")),
        })
    }
}

#[async_trait]
impl ReadContext for SearchableHistory {
    async fn get(&self) -> Result<Option<String>, BoxError> {
        Ok(self.summary().await?)
    }
}

#[async_trait]
impl SearchContext for SearchableHistory {
    async fn search(&self, query: &str) -> Result<Option<String>, BoxError> {
        Ok(self.manager.search_as_text(query).await?)
    }
}
