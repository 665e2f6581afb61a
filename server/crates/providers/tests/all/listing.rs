//! Which models there are, and what is said about those that are not.

use crate::fixture::{Fixture, KEY, Reply, options, registry};
use model::{ErrorClass, ModelError};
use providers::{
    Entropy, GUIDE, ListProblem, Listing, ModelInfo, Now, Origin, ProviderConfig, Registry, RegistryOptions,
    Secret,
};
use serde_json::{Value, json};

fn models(models: &Value) -> Reply {
    Reply::json(200, &json!({ "object": "list", "data": models }))
}

fn info(name: &str, origin: Origin, context_window: Option<u64>) -> ModelInfo {
    let provider = name.split('/').next().expect("a part").to_owned();
    ModelInfo { name: name.to_owned(), provider, origin, context_window }
}

fn guide() -> ModelInfo {
    info(GUIDE, Origin::Builtin, None)
}

#[tokio::test]
async fn configured_and_local_models_are_listed_with_the_guide() {
    let remote = Fixture::start([models(&json!([
        { "id": "z-chat", "context_length": 8_000 },
        { "id": "text-embedding-3" },
        { "id": "org/a-chat", "owned_by": "org", "meta": { "n_ctx_train": 4_096 } },
    ]))])
    .await;
    let local = Fixture::start([models(&json!([{ "id": "qwen3:8b" }]))]).await;
    let config = ProviderConfig { models: vec!["extra".into(), "z-chat".into()], ..remote.config() };
    let found = ProviderConfig::custom("ollama", &local.base_url, None);
    let options = RegistryOptions { local: vec![found], ..options() };
    let listing = registry(config, &options).survey().await;
    let expected = vec![
        info("acme/extra", Origin::Configured, None),
        info("acme/org/a-chat", Origin::Configured, Some(4_096)),
        info("acme/z-chat", Origin::Configured, Some(8_000)),
        info("ollama/qwen3:8b", Origin::Found, None),
        guide(),
    ];
    assert_eq!(listing, Listing { models: expected, problems: vec![] });
    let seen = remote.seen().into_iter().map(|seen| (seen.path, seen.headers.get("authorization").cloned()));
    let bearer = format!("Bearer {KEY}").parse().expect("a header");
    assert_eq!(seen.collect::<Vec<_>>(), [("/v1/models".to_owned(), Some(bearer))]);
}

/// llama.cpp gives its list under both names, OpenRouter gives its models an id and a title, others nothing but a list.
#[tokio::test]
async fn every_shape_of_a_list_is_read() {
    let shapes = [
        json!({ "models": [{ "name": "m", "model": "m" }], "object": "list", "data": [{ "id": "m", "meta": { "n_ctx": 9 } }] }),
        json!({ "data": [{ "id": "m", "name": "Acme: M", "context_length": 9 }, { "id": 7 }, { "id": "m".repeat(257) }, { "title": "x" }, null] }),
        json!({ "models": [{ "name": "m", "max_model_len": 9 }], "data": null }),
        json!([{ "id": "m", "context_window": 9 }]),
    ];
    for shape in shapes {
        let server = Fixture::start([Reply::json(200, &shape)]).await;
        let listing = registry(server.config(), &options()).survey().await;
        let expected = vec![info("acme/m", Origin::Configured, Some(9)), guide()];
        assert_eq!(listing, Listing { models: expected, problems: vec![] }, "{shape}");
    }
}

#[tokio::test]
async fn only_configured_providers_are_missed_and_nobody_is_waited_for() {
    let refusing = Fixture::start([Reply::json(401, &json!({}))]).await;
    let silent = Fixture::start([Reply::stream().hold()]).await;
    let absurd = Fixture::start([Reply::page(200, "text/html", "<html>")]).await;
    let configs = vec![
        refusing.config(),
        ProviderConfig::custom("absurd", &absurd.base_url, None),
        ProviderConfig {
            models: vec!["m".into()],
            ..ProviderConfig::custom("dead", "http://127.0.0.1:1/v1", None)
        },
    ];
    let local = vec![
        ProviderConfig::custom("silent", &silent.base_url, None),
        ProviderConfig::custom("elsewhere", "http://192.0.2.1/v1", None),
    ];
    let registry =
        Registry::new(configs, &RegistryOptions { local, ..options() }).expect("a good configuration");
    let listing = registry.survey().await;
    assert_eq!(listing.models, [info("dead/m", Origin::Configured, None), guide()]);
    let problem = |provider: &str, class, text: &str| ListProblem {
        provider: provider.to_owned(),
        error: ModelError::new(class, text),
    };
    let expected = [
        problem("acme", ErrorClass::Auth, "acme does not list its models (401)."),
        problem("absurd", ErrorClass::Protocol, "absurd answered with something that is no list of models."),
    ];
    assert_eq!(listing.problems.get(..2), Some(&expected[..]));
    let last = listing.problems.get(2).map(|problem| (problem.provider.as_str(), problem.error.class));
    assert_eq!((last, listing.problems.len()), (Some(("dead", ErrorClass::Connection)), 3));
}

#[tokio::test]
async fn the_first_model_of_this_machine_is_that_of_the_first_server_that_has_one() {
    let silent = Fixture::start([Reply::stream().hold()]).await;
    let empty = Fixture::start([models(&json!([{ "id": "nomic-embed-text" }]))]).await;
    let full = Fixture::start([models(&json!([{ "id": "z" }, { "id": "org/a" }]))]).await;
    let last = Fixture::start([models(&json!([{ "id": "b" }]))]).await;
    let remote = Fixture::start([models(&json!([{ "id": "c" }]))]).await;
    let servers = [("silent", &silent), ("empty", &empty), ("full", &full), ("last", &last)];
    let custom = |(name, server): (&str, &Fixture)| ProviderConfig::custom(name, &server.base_url, None);
    let local: Vec<ProviderConfig> = servers.map(custom).into();
    let found =
        |local: Vec<ProviderConfig>| registry(remote.config(), &RegistryOptions { local, ..options() });
    assert_eq!(found(local.clone()).first_found().await.as_deref(), Some("full/org/a"));
    assert_eq!(found(local[..1].to_vec()).first_found().await, None);
    assert_eq!(remote.seen().len(), 0, "only this machine is asked");
}

#[test]
fn names_lead_to_models_or_to_advice() {
    let config = ProviderConfig::custom("acme", "https://api.acme.example/v1", Secret::new(KEY));
    let registry = registry(config, &RegistryOptions::new(Entropy::fixed(0), Now::new(|| 0)));
    for name in ["acme/m-1", "acme/org/m-2", "ollama/qwen3:8b", "builtin/guide"] {
        assert_eq!(registry.model(name).expect("a model").name(), name);
    }
    let rows = [
        (
            "openai/gpt-x",
            "There is no provider `openai` here: set OPENAI_API_KEY or name its key in bough.toml.",
        ),
        (
            "ollamma/x",
            "There is no provider `ollamma` here: known are builtin, acme, ollama, llamacpp, lmstudio, vllm.",
        ),
        ("builtin/x", "There is no provider `builtin` here: the only built-in model is builtin/guide."),
        (
            "qwen3",
            "`qwen3` is no model name: it must be provider/model, such as ollama/qwen3:8b or builtin/guide.",
        ),
        (
            "acme/",
            "`acme/` is no model name: it must be provider/model, such as ollama/qwen3:8b or builtin/guide.",
        ),
    ];
    for (name, text) in rows {
        let error = registry.model(name).err();
        assert_eq!(error, Some(ModelError::new(ErrorClass::UnknownModel, text)));
    }
}

#[test]
fn wrong_configurations_are_refused_at_once() {
    let config = |name: &str, url: &str| ProviderConfig::custom(name, url, None);
    let good = "http://127.0.0.1:1/v1";
    let rows = [
        (
            vec![config("a/b", good)],
            "The provider name `a/b` may only hold letters, digits, dots, dashes and underscores.",
        ),
        (vec![config("builtin", good)], "The provider name `builtin` is taken by the built-in guide."),
        (vec![config("a", good), config("a", good)], "The provider name `a` is used twice."),
        (vec![config("a", "nonsense")], "The base URL of provider a is wrong: relative URL without a base."),
    ];
    for (configs, text) in rows {
        let error = Registry::new(configs, &options()).err();
        assert_eq!(error, Some(ModelError::new(ErrorClass::BadRequest, text)));
    }
}

#[tokio::test]
async fn a_context_window_is_asked_for_once_and_again_after_a_failure() {
    let list = models(&json!([{ "id": "org/m", "max_model_len": 40_960 }, { "id": "n" },
        { "id": "l", "meta": { "n_ctx": 8_192, "n_ctx_train": 131_072 } }]));
    let fixture = Fixture::start([Reply::json(503, &json!({})), list]).await;
    let registry = registry(fixture.config(), &options());
    let rows = [
        ("acme/org/m", None),
        ("acme/org/m", Some(40_960)),
        ("acme/l", Some(8_192)),
        ("acme/n", None),
        ("acme/unknown", None),
        ("nobody/m", None),
        (GUIDE, None),
    ];
    for (name, window) in rows {
        assert_eq!(registry.context_window(name).await, window, "{name}");
    }
    assert_eq!(fixture.seen().len(), 2);
}
