//! Which models there are and how their providers are called.

use super::sources::{Sources, invalid, is_http};
use super::{ConfigError, Environment, providers};
use ::providers::{ProviderConfig, Secret, VENDORS, Vendor};
use protocol::limits;

/// Which models there are.
#[derive(Debug, Clone)]
pub struct ModelsConfig {
    /// `model`: the default, as `provider/model`.
    pub model: Option<String>,
    /// `openai_base_url`: an OpenAI-compatible endpoint, without a slash at its end.
    pub openai_base_url: Option<String>,
    /// `openai_api_key`: its key.
    pub openai_api_key: Option<Secret>,
    /// Keys in the usual variables of known vendors (`OPENAI_API_KEY`, `OPENROUTER_API_KEY`, …), by vendor.
    pub vendor_keys: Vec<(String, Secret)>,
    /// `[providers.NAME]`: those that are set up one by one.
    pub providers: Vec<ProviderConfig>,
    /// `provider_retries`: how often a failed call is tried again.
    pub retries: u32,
    /// `auto_title`: whether sessions are named after their first exchange.
    pub auto_title: bool,
}

impl ModelsConfig {
    pub(super) fn from_sources(sources: &Sources) -> Result<Self, ConfigError> {
        let openai_base_url = base_url(sources)?;
        let openai_api_key = sources.find("openai_api_key")?.and_then(|found| Secret::new(&found.value));
        let mut vendor_keys = vendor_keys(&sources.environment);
        if let Some(key) = openai_api_key.clone().filter(|_| openai_base_url.is_none()) {
            vendor_keys.retain(|(name, _)| name != "openai");
            vendor_keys.push(("openai".to_owned(), key));
        }
        Ok(Self {
            model: model_name(sources)?,
            openai_base_url,
            openai_api_key,
            vendor_keys,
            providers: providers::from_file(sources.file.as_ref(), &sources.environment)?,
            retries: sources
                .parse("provider_retries", "a number from 0 up")?
                .unwrap_or(limits::PROVIDER_RETRIES_DEFAULT),
            auto_title: sources.parse("auto_title", "true or false")?.unwrap_or(true),
        })
    }
}

fn model_name(sources: &Sources) -> Result<Option<String>, ConfigError> {
    let Some(found) = sources.find("model")? else { return Ok(None) };
    if is_model_name(&found.value) {
        return Ok(Some(found.value));
    }
    Err(invalid(found.place, not_a_model(&found.value)))
}

fn base_url(sources: &Sources) -> Result<Option<String>, ConfigError> {
    let Some(found) = sources.find("openai_base_url")? else { return Ok(None) };
    let url = found.value.trim_end_matches('/');
    if is_http(url) {
        return Ok(Some(url.to_owned()));
    }
    Err(invalid(found.place, format!("{:?} does not begin with http:// or https://", found.value)))
}

fn vendor_keys(environment: &Environment) -> Vec<(String, Secret)> {
    let key = |vendor: &Vendor| Secret::new(environment.get(vendor.key_variable?)?);
    VENDORS.iter().filter_map(|vendor| Some((vendor.name.to_owned(), key(vendor)?))).collect()
}

/// Whether a text has the form `provider/model`; the model's own name may hold slashes.
pub(super) fn is_model_name(text: &str) -> bool {
    text.split_once('/').is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty())
}

/// The complaint about one that has not.
pub(super) fn not_a_model(text: &str) -> String {
    format!("{text:?} is not of the form PROVIDER/MODEL, such as ollama/qwen3:8b or builtin/guide")
}
