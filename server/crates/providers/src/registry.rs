//! All models that can be called, by name. This is where providers are made from what was configured, and where
//! `provider/model` finds its provider.

mod listing;

pub use listing::{ListProblem, Listing, ModelInfo, Origin};

use crate::dialect::exchange::{Link, Provider};
use crate::dialect::openai::{ReasoningReplay, ThinkTags};
use crate::dialect::{Api, anthropic, ollama, openai};
use crate::entropy::Entropy;
use crate::guide::{GUIDE, Guide};
use crate::http::{HttpClient, HttpSettings, KeyScheme, RetryPolicy, Target};
use crate::now::Now;
use crate::secret::Secret;
use crate::vendors::{Place, VENDORS, Vendor, vendor};
use model::{ErrorClass, LanguageModel, ModelError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;

/// The provider of the guide; nobody else may have this name.
const BUILTIN: &str = "builtin";

/// One provider as it was configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// The part of `provider/model` before the slash.
    pub name: String,
    /// Where its API is, usually with `/v1` at the end.
    pub base_url: String,
    /// Its key, if it wants one.
    pub api_key: Option<Secret>,
    /// What its API speaks.
    pub api: Api,
    /// Whether it wants to see reasoning again.
    pub reasoning: ReasoningReplay,
    /// What think tags in its text are.
    pub think_tags: ThinkTags,
    /// Models to list even if the provider does not list them itself.
    pub models: Vec<String>,
    /// How many tokens its models read, where it does not say so itself.
    pub context_window: Option<u64>,
}

impl ProviderConfig {
    /// A provider that no table knows.
    pub fn custom(name: &str, base_url: &str, api_key: Option<Secret>) -> Self {
        Self {
            name: name.to_owned(),
            base_url: base_url.to_owned(),
            api_key,
            api: Api::OpenAi,
            reasoning: ReasoningReplay::Never,
            think_tags: ThinkTags::Reasoning,
            models: Vec::new(),
            context_window: None,
        }
    }

    /// A known provider at its usual address.
    pub fn of(vendor: &Vendor, api_key: Option<Secret>) -> Self {
        Self {
            api: vendor.api,
            reasoning: vendor.reasoning,
            ..Self::custom(vendor.name, vendor.base_url, api_key)
        }
    }
}

/// What all providers share.
#[derive(Debug, Clone)]
pub struct RegistryOptions {
    /// Waits.
    pub http: HttpSettings,
    /// Repeats.
    pub retry: RetryPolicy,
    /// Chance.
    pub entropy: Entropy,
    /// Time.
    pub now: Now,
    /// Between two pieces of the guide's speech.
    pub guide_pause: Duration,
    /// Looked for on this machine when models are listed; anything that is not on it is left out.
    pub local: Vec<ProviderConfig>,
}

impl RegistryOptions {
    /// The usual ones.
    pub fn new(entropy: Entropy, now: Now) -> Self {
        let local = VENDORS.iter().filter(|vendor| vendor.place == Place::Local);
        Self {
            http: HttpSettings::default(),
            retry: RetryPolicy::default(),
            entropy,
            now,
            guide_pause: Duration::from_millis(12),
            local: local.map(|vendor| ProviderConfig::of(vendor, None)).collect(),
        }
    }
}

/// Finds and lists models.
#[derive(Debug)]
pub struct Registry {
    providers: Vec<Entry>,
    http: HttpClient,
    guide: Arc<Guide>,
}

/// One provider, ready to be called.
#[derive(Debug)]
struct Entry {
    name: String,
    origin: Origin,
    models: Vec<String>,
    api: Api,
    /// What was configured for all its models.
    context_window: Option<u64>,
    provider: Arc<dyn Provider>,
    /// What it once told about its models.
    windows: OnceCell<BTreeMap<String, Option<u64>>>,
}

impl Registry {
    /// Makes all providers. Wrong addresses and names are errors here, not at the first call.
    pub fn new(configs: Vec<ProviderConfig>, options: &RegistryOptions) -> Result<Self, ModelError> {
        let http = HttpClient::new(options.http)?;
        let mut registry = Self {
            providers: Vec::new(),
            http,
            guide: Arc::new(Guide::new(options.guide_pause, options.entropy.clone())),
        };
        for config in configs {
            registry.check_name(&config.name)?;
            registry.add(config, Origin::Configured, options)?;
        }
        for config in options.local.clone() {
            let is_known = registry.entry(&config.name).is_some();
            let target = Target::new(&config.name, &config.base_url, None)?;
            if !is_known && target.is_loopback() {
                registry.add(config, Origin::Found, options)?;
            }
        }
        Ok(registry)
    }

    /// The model called `provider/model`. It is not asked whether the provider has it.
    pub fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if name == GUIDE {
            return Ok(Arc::clone(&self.guide) as Arc<dyn LanguageModel>);
        }
        let Some((provider, model)) = name.split_once('/').filter(|(_, model)| !model.is_empty()) else {
            return Err(unknown(&format!(
                "`{name}` is no model name: it must be provider/model, such as ollama/qwen3:8b or {GUIDE}."
            )));
        };
        let entry = self.entry(provider).ok_or_else(|| self.no_provider(provider))?;
        Ok(Arc::clone(&entry.provider).model(model))
    }

    fn add(
        &mut self,
        config: ProviderConfig,
        origin: Origin,
        options: &RegistryOptions,
    ) -> Result<(), ModelError> {
        let ProviderConfig { name, base_url, api_key, api, reasoning, think_tags, models, context_window } =
            config;
        // Its own API stands beside the compatible one, whose address most people know.
        let base_url = match api {
            Api::Ollama => base_url.trim().trim_end_matches('/').trim_end_matches("/v1"),
            Api::OpenAi | Api::Anthropic => &base_url,
        };
        let target = Target::new(&name, base_url, api_key)?;
        let link = |target| Link {
            target,
            http: self.http.clone(),
            retry: options.retry,
            entropy: options.entropy.clone(),
            now: options.now.clone(),
        };
        let provider = match api {
            Api::OpenAi => openai::provider(link(target), reasoning, think_tags),
            Api::Ollama => ollama::provider(link(target)),
            Api::Anthropic => anthropic::provider(link(target.with_scheme(KeyScheme::Anthropic))),
        };
        let windows = OnceCell::new();
        self.providers.push(Entry { name, origin, models, api, context_window, provider, windows });
        Ok(())
    }

    fn check_name(&self, name: &str) -> Result<(), ModelError> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let fault = if name.is_empty() || !name.chars().all(is_plain) {
            "may only hold letters, digits, dots, dashes and underscores"
        } else if name == BUILTIN {
            "is taken by the built-in guide"
        } else if self.entry(name).is_some() {
            "is used twice"
        } else {
            return Ok(());
        };
        Err(ModelError::new(ErrorClass::BadRequest, format!("The provider name `{name}` {fault}.")))
    }

    fn entry(&self, provider: &str) -> Option<&Entry> {
        self.providers.iter().find(|entry| entry.name == provider)
    }

    fn no_provider(&self, provider: &str) -> ModelError {
        let known: Vec<_> = self.providers.iter().map(|entry| entry.name.as_str()).collect();
        let advice = match vendor(provider).and_then(|vendor| vendor.key_variable) {
            Some(variable) => format!("set {variable} or name its key in bough.toml"),
            None if provider == BUILTIN => format!("the only built-in model is {GUIDE}"),
            None => format!("known are {BUILTIN}, {}", known.join(", ")),
        };
        unknown(&format!("There is no provider `{provider}` here: {advice}."))
    }
}

fn unknown(text: &str) -> ModelError {
    ModelError::new(ErrorClass::UnknownModel, text)
}
