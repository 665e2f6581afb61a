//! Which models there are: everybody is asked at the same time, local servers with little patience.

use super::{BUILTIN, Entry, Registry};
use crate::dialect::{Api, anthropic};
use crate::guide::GUIDE;
use crate::http::Body;
use futures::future::join_all;
use model::{ErrorClass, ModelError};
use protocol::limits::ID_MAX_BYTES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long a server on this machine may take, whose existence is only a guess.
const LOCAL_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a configured provider may take.
const CONFIGURED_TIMEOUT: Duration = Duration::from_secs(5);
const LIST_MAX_BYTES: usize = 8 * 1024 * 1024;
const LIST_MAX_MODELS: usize = 2_000;

/// Parts of the names of models that cannot chat.
const NOT_FOR_CHAT: [&str; 10] = [
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "transcribe",
    "realtime",
    "rerank",
    "sora",
    "gpt-image",
];

/// How a model came onto the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is part of this program.
    Builtin,
    /// Its provider was configured.
    Configured,
    /// Its server was found on this machine.
    Found,
}

/// One model that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// `provider/model`.
    pub name: String,
    /// The part before the slash.
    pub provider: String,
    /// How it came onto the list.
    pub origin: Origin,
    /// How many tokens it can read, where the provider says so.
    pub context_window: Option<u64>,
}

/// A configured provider that could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListProblem {
    /// Who.
    pub provider: String,
    /// Why.
    pub error: ModelError,
}

/// Everything found, and what went wrong meanwhile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// In the order of configuration, sorted by name within a provider, the guide last.
    pub models: Vec<ModelInfo>,
    /// Configured providers that did not answer.
    pub problems: Vec<ListProblem>,
}

impl Registry {
    /// All models that can be chosen now. Providers that do not answer are left out; [`Registry::survey`] says why.
    pub async fn list(&self) -> Vec<ModelInfo> {
        self.survey().await.models
    }

    /// Asks every provider, all at once. Takes as long as the slowest, seconds at most. Dropping the future is safe.
    pub async fn survey(&self) -> Listing {
        let answers = join_all(self.providers.iter().map(|entry| self.ask(entry))).await;
        let mut listing = Listing::default();
        for (entry, answer) in self.providers.iter().zip(answers) {
            let (found, error) =
                answer.map_or_else(|error| (BTreeMap::new(), Some(error)), |found| (found, None));
            listing.models.extend(entry.infos(found));
            let problem = error.filter(|_| entry.origin == Origin::Configured);
            listing.problems.extend(problem.map(|error| ListProblem { provider: entry.name.clone(), error }));
        }
        listing.models.push(ModelInfo {
            name: GUIDE.to_owned(),
            provider: BUILTIN.to_owned(),
            origin: Origin::Builtin,
            context_window: None,
        });
        listing
    }

    /// The first model of this machine: of the servers that were found on it the first one that lists any, in the order
    /// in which they are looked for. Takes a moment. Dropping the future is safe.
    pub async fn first_found(&self) -> Option<String> {
        let found = self.providers.iter().filter(|entry| entry.origin == Origin::Found);
        let asked = found.map(|entry| async move { (entry, self.ask(entry).await) });
        let answers = join_all(asked).await;
        let mut models = answers.into_iter().filter_map(|(entry, answer)| entry.infos(answer.ok()?).next());
        models.next().map(|model| model.name)
    }

    /// The models that a provider lists, with their context windows.
    async fn ask(&self, entry: &Entry) -> Result<BTreeMap<String, Option<u64>>, ModelError> {
        let target = entry.provider.target();
        let limit = if entry.origin == Origin::Found { LOCAL_TIMEOUT } else { CONFIGURED_TIMEOUT };
        let asked = async {
            let response = self.http.get(target, entry.list_path(), limit).await?;
            let status = response.status();
            let body = Body::new(response).whole(target, limit, LIST_MAX_BYTES).await?;
            if !status.is_success() {
                return Err(entry.refusal(status.as_u16()));
            }
            serde_json::from_slice::<Value>(&body).map_err(|_| entry.no_list())
        };
        let answer = tokio::time::timeout(limit, asked).await.map_err(|_| target.timeout(limit))??;
        let models = listed(&answer).ok_or_else(|| entry.no_list())?.into_iter().take(LIST_MAX_MODELS);
        let window = |model: &WireModel<'_>| {
            entry.context_window.or(model.context_window()).or_else(|| entry.known_window(model.id))
        };
        let models = models.filter(WireModel::is_for_chat);
        Ok(models.map(|model| (model.id.to_owned(), window(&model))).collect())
    }

    /// How many tokens the model called `name` reads, where its provider or a table tells. A provider is asked once
    /// and its answer kept; one that does not answer is asked again the next time.
    pub async fn context_window(&self, name: &str) -> Option<u64> {
        let (provider, model) = name.split_once('/')?;
        let entry = self.entry(provider)?;
        if let Some(window) = entry.known_window(model) {
            return Some(window);
        }
        let told = entry.windows.get_or_try_init(|| self.ask(entry)).await.ok()?;
        told.get(model).copied().flatten()
    }
}

impl Entry {
    fn infos(&self, mut found: BTreeMap<String, Option<u64>>) -> impl Iterator<Item = ModelInfo> {
        for model in &self.models {
            let _known = found.entry(model.clone()).or_insert_with(|| self.known_window(model));
        }
        found.into_iter().map(|(model, context_window)| ModelInfo {
            name: format!("{}/{model}", self.name),
            provider: self.name.clone(),
            origin: self.origin,
            context_window,
        })
    }

    fn list_path(&self) -> &'static str {
        match self.api {
            Api::OpenAi => "models",
            // Otherwise it lists the first twenty.
            Api::Anthropic => "models?limit=1000",
            Api::Ollama => "api/tags",
        }
    }

    /// The context window of a model, where it was configured or stands in a table.
    fn known_window(&self, model: &str) -> Option<u64> {
        let in_table = match self.api {
            Api::OpenAi | Api::Ollama => None,
            Api::Anthropic => anthropic::context_window(model),
        };
        self.context_window.or(in_table)
    }

    fn refusal(&self, status: u16) -> ModelError {
        let class = match status {
            401 | 403 => ErrorClass::Auth,
            500.. => ErrorClass::Unavailable,
            _ => ErrorClass::BadRequest,
        };
        ModelError::new(class, format!("{} does not list its models ({status}).", self.name))
    }

    fn no_list(&self) -> ModelError {
        let text = format!("{} answered with something that is no list of models.", self.name);
        ModelError::new(ErrorClass::Protocol, text)
    }
}

/// A list as servers give it: `{"data": […]}` as OpenAI's, `{"models": […]}` as Ollama's, both at once as llama.cpp's, or
/// nothing but the list. What has no name in it, or one that
/// nothing here could be called, is left out; the rest counts.
fn listed(answer: &Value) -> Option<Vec<WireModel<'_>>> {
    let list = ["data", "models"].iter().find_map(|key| answer.get(key)?.as_array());
    let list = list.or_else(|| answer.as_array())?;
    Some(list.iter().filter_map(WireModel::read).collect())
}

struct WireModel<'a> {
    id: &'a str,
    row: &'a Value,
}

impl<'a> WireModel<'a> {
    fn read(row: &'a Value) -> Option<Self> {
        let id = ["id", "name", "model"].iter().find_map(|key| row.get(key)?.as_str());
        id.filter(|id| (1..=ID_MAX_BYTES).contains(&id.len())).map(|id| Self { id, row })
    }

    fn is_for_chat(&self) -> bool {
        let name = self.id.to_lowercase();
        !NOT_FOR_CHAT.iter().any(|part| name.contains(part))
    }

    fn context_window(&self) -> Option<u64> {
        [
            "/context_length",
            "/max_model_len",
            "/context_window",
            "/max_context_length",
            "/meta/n_ctx",
            "/meta/n_ctx_train",
        ]
        .iter()
        .find_map(|pointer| self.row.pointer(pointer)?.as_u64())
    }
}
