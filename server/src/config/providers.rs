//! The providers of `bough.toml`: one table `[providers.NAME]` each. A known vendor needs only what differs from its
//! usual row; anybody else needs a `base_url`.

use super::sources::{FileSource, check_keys, invalid, is_http, table};
use super::{ConfigError, Environment};
use ::providers::{Api, ProviderConfig, Secret, ThinkTags, vendor};
use serde::Deserialize;
use toml::{Table, Value};

const KEYS: [&str; 7] =
    ["base_url", "api_key", "api_key_variable", "api", "think_tags", "context_window", "models"];

/// One table.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ProviderTable {
    /// Where its API is.
    base_url: Option<String>,
    /// Its key.
    api_key: Option<String>,
    /// The variable that holds its key, which then stands in no file.
    api_key_variable: Option<String>,
    /// What its API speaks.
    api: Option<ApiName>,
    /// What think tags in its text are.
    think_tags: Option<ThinkTagsName>,
    /// How many tokens its models read.
    context_window: Option<u64>,
    /// Models to list even if it does not list them itself.
    models: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ApiName {
    OpenaiChat,
    Anthropic,
    Ollama,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ThinkTagsName {
    Reasoning,
    Text,
}

/// The providers of the file, by name.
pub(super) fn from_file(
    file: Option<&FileSource>,
    environment: &Environment,
) -> Result<Vec<ProviderConfig>, ConfigError> {
    let Some((file, value)) = file.and_then(|file| Some((file, file.table.get("providers")?))) else {
        return Ok(Vec::new());
    };
    let tables = table(value, &file.place("providers"))?;
    tables.iter().map(|(name, value)| provider(file, name, value, environment)).collect()
}

/// The tables for people, keys masked.
pub(super) fn report(providers: &[ProviderConfig]) -> Table {
    let describe = |provider: &ProviderConfig| {
        let lines = [
            ("base_url", Some(Value::from(provider.base_url.clone()))),
            ("api", Some(Value::from(api_name(provider.api)))),
            ("api_key", provider.api_key.as_ref().map(|key| Value::from(key.masked()))),
            ("think_tags", (provider.think_tags == ThinkTags::Text).then(|| Value::from("text"))),
            (
                "context_window",
                provider.context_window.and_then(|window| i64::try_from(window).ok()).map(Value::from),
            ),
        ];
        let lines = lines.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        (provider.name.clone(), Value::Table(lines.collect()))
    };
    providers.iter().map(describe).collect()
}

fn api_name(api: Api) -> &'static str {
    match api {
        Api::OpenAi => "openai-chat",
        Api::Anthropic => "anthropic",
        Api::Ollama => "ollama",
    }
}

fn provider(
    file: &FileSource,
    name: &str,
    value: &Value,
    environment: &Environment,
) -> Result<ProviderConfig, ConfigError> {
    let place = format!("{}: providers.{name}", file.path.display());
    check_keys(table(value, &place)?, KEYS, &place)?;
    let read: Result<ProviderTable, _> = value.clone().try_into();
    let read = read.map_err(|error| invalid(&place, error.to_string().trim().replace('\n', " ")))?;
    let known = vendor(name);
    let usual =
        known.map_or_else(|| ProviderConfig::custom(name, "", None), |row| ProviderConfig::of(row, None));
    let base_url = read.base_url.map_or(usual.base_url.clone(), |url| url.trim_end_matches('/').to_owned());
    if !is_http(&base_url) {
        return Err(invalid(format!("{place}.base_url"), "it must begin with http:// or https://"));
    }
    let variable = read.api_key_variable.as_deref().or_else(|| known.and_then(|row| row.key_variable));
    let in_variable = variable.and_then(|variable| environment.get(variable)).map(str::to_owned);
    Ok(ProviderConfig {
        base_url,
        api_key: read.api_key.or(in_variable).and_then(|key| Secret::new(&key)),
        api: match read.api {
            Some(ApiName::OpenaiChat) => Api::OpenAi,
            Some(ApiName::Anthropic) => Api::Anthropic,
            Some(ApiName::Ollama) => Api::Ollama,
            None => usual.api,
        },
        think_tags: match read.think_tags {
            Some(ThinkTagsName::Reasoning) => ThinkTags::Reasoning,
            Some(ThinkTagsName::Text) => ThinkTags::Text,
            None => usual.think_tags,
        },
        context_window: read.context_window,
        models: read.models,
        ..usual
    })
}
