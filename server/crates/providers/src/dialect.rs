//! The languages that providers' APIs speak. A new vendor reuses one of them and gets a row in `vendors`.
//!
//! What differs is pure and stands under the dialect's name; what all share stands beside them: `exchange` talks,
//! `answer` reads bytes, `error` gives failures their class, `quirks` remembers what a server refuses.

mod answer;
pub(crate) mod anthropic;
mod blocks;
mod call_ids;
mod error;
pub(crate) mod exchange;
mod files;
mod headers;
mod json;
pub(crate) mod ollama;
pub(crate) mod openai;
mod output;
mod quirks;

/// Which language an API speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    /// Chat completions, as OpenAI defined them and everybody else serves them.
    #[default]
    OpenAi,
    /// Messages, as Anthropic defined them.
    Anthropic,
    /// Chats, as Ollama has them besides its OpenAI-compatible ones.
    Ollama,
}
