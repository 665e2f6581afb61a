//! Providers that are known by name: a table. Where two differ, the difference is a
//! column or is learned from the server's refusal, never a branch on a name.

use crate::dialect::Api;
use crate::dialect::openai::ReasoningReplay;

/// Where a vendor's models run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On this machine; looked for without being set up.
    Local,
    /// Somewhere else, with a key.
    Remote,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vendor {
    /// The part of `provider/model` before the slash.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Where its API is.
    pub base_url: &'static str,
    /// Where its models run.
    pub place: Place,
    /// The environment variable that usually holds its key.
    pub key_variable: Option<&'static str>,
    /// What its API speaks.
    pub api: Api,
    /// Whether it wants to see reasoning again.
    pub reasoning: ReasoningReplay,
}

/// Everybody who is known.
pub const VENDORS: [Vendor; 13] = [
    Vendor { api: Api::Ollama, ..local("ollama", "Ollama", "http://127.0.0.1:11434") },
    local("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
    local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
    local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
    remote("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    Vendor {
        api: Api::Anthropic,
        ..remote("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")
    },
    remote("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    remote(
        "gemini",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
    remote("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    remote("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    remote("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
    replaying(remote("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY")),
    replaying(remote("moonshot", "Moonshot", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY")),
];

/// The row with this name.
pub fn vendor(name: &str) -> Option<&'static Vendor> {
    VENDORS.iter().find(|vendor| vendor.name == name)
}

const fn local(name: &'static str, title: &'static str, base_url: &'static str) -> Vendor {
    let reasoning = ReasoningReplay::Never;
    Vendor { name, title, base_url, place: Place::Local, key_variable: None, api: Api::OpenAi, reasoning }
}

const fn remote(
    name: &'static str,
    title: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
) -> Vendor {
    Vendor { key_variable: Some(key_variable), place: Place::Remote, ..local(name, title, base_url) }
}

const fn replaying(vendor: Vendor) -> Vendor {
    Vendor { reasoning: ReasoningReplay::WithToolCalls, ..vendor }
}
