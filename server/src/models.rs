//! Which model a name means: the providers' registry, and the default of a server that was told an endpoint only, or
//! nothing.

use crate::config::ModelsConfig;
use axum::http::Uri;
use db::Clock;
use futures::future::BoxFuture;
use futures::stream::{self, TryStreamExt};
use model::{ErrorClass, LanguageModel, ModelError, ModelRequest, ModelStream};
use protocol::{FIRST_LISTED, ModelInfo, ModelList, ProviderInfo, limits};
use providers::{
    Entropy, GUIDE, ListProblem, Listing, Now, Origin, ProviderConfig, Registry, RegistryOptions, Secret,
    vendor,
};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use think::ModelSource;
use tokio::sync::OnceCell;
use tokio::time::timeout;

#[cfg(test)]
mod tests;

/// The provider that `openai_base_url` makes.
const OPENAI: &str = "openai";
/// The default of a server that was told nothing: what it is called now is asked for at each use.
const OF_MACHINE: &str = "builtin/of-this-machine";

/// All models of a server.
pub struct Models {
    registry: Arc<Registry>,
    first_listed: Arc<FirstListed>,
    default: DefaultModel,
    /// Who was configured, as a page may know it.
    configured: Vec<ProviderInfo>,
}

/// The model of agents and sessions that chose none.
#[derive(Debug)]
enum DefaultModel {
    /// Somebody named it.
    Named(String),
    /// The first that the configured endpoint lists.
    OfEndpoint,
    /// The first that was found on this machine, as nothing was configured; the guide until then.
    OfMachine(OnceLock<String>),
}

/// The first model that the configured endpoint lists. It is asked at the first call, so that a server starts
/// without waiting for anybody.
#[derive(Clone)]
struct FirstListed {
    registry: Arc<Registry>,
    found: Arc<OnceCell<Arc<dyn LanguageModel>>>,
}

impl Models {
    /// The providers that are configured, those of this machine, and the built-in guide.
    ///
    /// # Errors
    /// An address that no request can be sent to.
    pub fn new(config: &ModelsConfig, clock: &Arc<dyn Clock>) -> Result<Self, ModelError> {
        let clock = Arc::clone(clock);
        let mut options = RegistryOptions::new(entropy(), Now::new(move || clock.now_ms()));
        options.retry.retries = config.retries;
        let registry = Arc::new(Registry::new(providers(config), &options)?);
        let first_listed = FirstListed { registry: Arc::clone(&registry), found: Arc::default() };
        Ok(Self {
            registry,
            first_listed: Arc::new(first_listed),
            configured: providers(config).into_iter().map(known).collect(),
            default: DefaultModel::of(config),
        })
    }

    /// The model of agents and sessions that chose none, as it is named now.
    pub fn default_name(&self) -> String {
        self.settled(self.default_alias())
    }

    /// The same as a name that is good for as long as the server runs.
    pub fn default_alias(&self) -> &str {
        match &self.default {
            DefaultModel::Named(name) => name,
            DefaultModel::OfEndpoint => FIRST_LISTED,
            DefaultModel::OfMachine(_) => OF_MACHINE,
        }
    }

    /// The host and port of the endpoint whose first model is the default; empty where another model is.
    pub fn endpoint(&self) -> String {
        let named = self.configured.iter().find(|known| known.name == OPENAI);
        let named = named.filter(|_| matches!(self.default, DefaultModel::OfEndpoint));
        let url = named.and_then(|known| known.base_url.as_deref()?.parse::<Uri>().ok());
        url.and_then(|url| url.authority().map(ToString::to_string)).unwrap_or_default()
    }

    /// Asks for the default where nobody named one, so that pages can name it: the configured endpoint, which is asked
    /// again at the first call if it does not answer in time, or else the servers of this machine.
    pub async fn settle(&self) {
        match &self.default {
            DefaultModel::Named(_) => {}
            DefaultModel::OfEndpoint => {
                let limit = Duration::from_millis(limits::FIRST_MODEL_MS);
                match timeout(limit, self.first_listed.find()).await {
                    Ok(Ok(model)) => tracing::info!(model = model.name(), "the default model"),
                    Ok(Err(error)) => tracing::warn!("the default model is not known yet: {error}"),
                    Err(_) => {
                        tracing::warn!("the default model is not known yet: the endpoint does not answer")
                    }
                }
            }
            DefaultModel::OfMachine(found) => self.know_found(found, self.registry.first_found().await),
        }
    }

    /// Goes on looking at this machine, ever less often, for the model of a server that was told nothing; its owner may
    /// start one only after the server. Returns when there is nothing to look for any more.
    pub async fn keep_looking(&self, clock: &dyn Clock) {
        let (mut pause, longest) = limits::FIRST_MODEL_LOOK_MS;
        while let DefaultModel::OfMachine(found) = &self.default
            && found.get().is_none()
        {
            clock.reached(clock.now_ms() + pause).await;
            self.know_found(found, self.registry.first_found().await);
            pause = (2 * pause).min(longest);
        }
    }

    fn know_found(&self, found: &OnceLock<String>, model: Option<String>) {
        if let Some(model) = model.filter(|_| found.get().is_none()) {
            tracing::info!(model, "the default model, found on this machine");
            let _first = found.set(model);
        }
    }

    /// All models that can be chosen just now. Every provider is asked; one that does not answer in time lists nothing.
    pub async fn list(&self) -> ModelList {
        let listing = self.registry.survey().await;
        self.settle_by(&listing).await;
        let mut providers = self.configured.clone();
        for ListProblem { provider, error } in &listing.problems {
            tracing::info!(provider = %provider, "a provider lists no models: {error}");
            let asked = providers.iter_mut().find(|known| known.name == *provider);
            asked.into_iter().for_each(|known| known.problem = Some(error.to_string()));
        }
        for model in &listing.models {
            if !providers.iter().any(|known| known.name == model.provider) {
                providers.push(ProviderInfo { name: model.provider.clone(), ..ProviderInfo::default() });
            }
        }
        let models = listing.models.into_iter();
        let models = models.map(|model| ModelInfo { name: model.name, provider: model.provider }).collect();
        ModelList { models, default: self.default_name(), providers }
    }

    /// What did not answer at the start may have told its first model now.
    async fn settle_by(&self, listing: &Listing) {
        match &self.default {
            DefaultModel::Named(_) => {}
            DefaultModel::OfEndpoint => {
                let first = &self.first_listed;
                let _still_unknown = first.found.get_or_try_init(async || first.pick(listing)).await;
            }
            DefaultModel::OfMachine(found) => {
                let first = listing.models.iter().find(|model| model.origin == Origin::Found);
                self.know_found(found, first.map(|model| model.name.clone()));
            }
        }
    }
}

impl DefaultModel {
    fn of(config: &ModelsConfig) -> Self {
        match &config.model {
            Some(name) => Self::Named(name.clone()),
            None if config.openai_base_url.is_some() => Self::OfEndpoint,
            None if providers(config).is_empty() => Self::OfMachine(OnceLock::new()),
            // Which of a vendor's many models is meant only a person knows.
            None => Self::Named(GUIDE.to_owned()),
        }
    }
}

impl ModelSource for Models {
    fn model(&self, name: &str) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if name == FIRST_LISTED {
            return Ok(Arc::clone(&self.first_listed) as Arc<dyn LanguageModel>);
        }
        self.registry.model(&self.settled(name))
    }

    fn settled(&self, name: &str) -> String {
        let found = match (&self.default, name) {
            (DefaultModel::OfMachine(found), OF_MACHINE) => Some(found.get().map_or(GUIDE, String::as_str)),
            (_, FIRST_LISTED) => self.first_listed.found.get().map(|model| model.name()),
            (DefaultModel::Named(_) | DefaultModel::OfEndpoint | DefaultModel::OfMachine(_), _) => None,
        };
        found.unwrap_or(name).to_owned()
    }

    /// The guide would only cut the question, which is done already.
    fn makes_titles(&self, name: &str) -> bool {
        self.settled(name) != GUIDE
    }

    fn context_window<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Option<u64>> {
        let limit = Duration::from_millis(limits::FIRST_MODEL_MS);
        Box::pin(async move {
            let name = self.settled(name);
            timeout(limit, self.registry.context_window(&name)).await.ok().flatten()
        })
    }
}

impl FirstListed {
    async fn find(&self) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let found = self.found.get_or_try_init(async || self.pick(&self.registry.survey().await));
        found.await.cloned()
    }

    fn pick(&self, listing: &Listing) -> Result<Arc<dyn LanguageModel>, ModelError> {
        if let Some(model) = listing.models.iter().find(|model| model.provider == OPENAI) {
            return self.registry.model(&model.name);
        }
        let problem = listing.problems.iter().find(|problem| problem.provider == OPENAI);
        let nothing = "the endpoint lists no model; name one with BOUGH_MODEL=openai/NAME";
        Err(problem.map_or_else(|| ModelError::new(ErrorClass::UnknownModel, nothing), |it| it.error.clone()))
    }
}

impl LanguageModel for FirstListed {
    fn name(&self) -> &str {
        self.found.get().map_or(FIRST_LISTED, |model| model.name())
    }

    fn call(&self, request: ModelRequest) -> ModelStream {
        let this = self.clone();
        let begin = async move { Ok(this.find().await?.call(request)) };
        Box::pin(stream::once(begin).try_flatten())
    }
}

/// What a page may know of a provider: never a key, only its end, and no address that names a person.
fn known(provider: ProviderConfig) -> ProviderInfo {
    ProviderInfo {
        name: provider.name,
        base_url: Some(provider.base_url).filter(|url| !url.contains('@')),
        key_hint: provider.api_key.as_ref().map(Secret::masked),
        problem: None,
    }
}

/// The endpoint that was named, those of the file, and every known vendor whose key is at hand, the first of one name. A
/// key that was meant for a vendor goes to that vendor only: the named endpoint gets the key that was named with it, or
/// none.
fn providers(config: &ModelsConfig) -> Vec<ProviderConfig> {
    let named = config.openai_base_url.as_ref();
    let named = named.map(|url| ProviderConfig::custom(OPENAI, url, config.openai_api_key.clone()));
    let mut all: Vec<ProviderConfig> = named.into_iter().collect();
    let vendors = config.vendor_keys.iter();
    let vendors =
        vendors.filter_map(|(name, key)| Some(ProviderConfig::of(vendor(name)?, Some(key.clone()))));
    for provider in config.providers.iter().cloned().chain(vendors) {
        if all.iter().all(|known| known.name != provider.name) {
            all.push(provider);
        }
    }
    all
}

/// Chance for waits and ids; the standard library's own, which is fresh for each process.
fn entropy() -> Entropy {
    let (seed, count) = (RandomState::new(), AtomicU64::new(0));
    Entropy::new(move || seed.hash_one(count.fetch_add(1, Ordering::Relaxed)))
}
