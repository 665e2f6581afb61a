//! The effective configuration as TOML for people. Secrets are masked.

use super::{AgentConfig, Config};
use toml::{Table, Value};

/// What `bough check` prints.
pub(super) fn report(config: &Config) -> String {
    let file = match &config.file {
        Some(path) => format!("# read from {}\n", path.display()),
        None => "# no configuration file\n".to_owned(),
    };
    let mut table = settings(config);
    if !config.models.providers.is_empty() {
        let providers = Value::Table(super::providers::report(&config.models.providers));
        let _none = table.insert("providers".to_owned(), providers);
    }
    let agents = config.agents.iter().map(|agent| (agent.name.clone(), describe(agent)));
    let _none = table.insert("agents".to_owned(), Value::Table(agents.collect()));
    file + &toml::to_string(&table).unwrap_or_default()
}

fn settings(config: &Config) -> Table {
    let (listen, models) = (&config.listen, &config.models);
    let lines = [
        ("data", Some(Value::from(config.data.folder.display().to_string()))),
        ("instance_idle_ms", Some(Value::from(idle_ms(config)))),
        ("addr", Some(Value::from(listen.addr.to_string()))),
        ("base_path", Some(Value::from(listen.base_path.clone()))),
        ("allowed_hosts", Some(Value::from(listen.allowed_hosts.clone()))),
        ("allowed_origins", Some(Value::from(listen.allowed_origins.clone()))),
        ("password", config.password.as_ref().map(|_| Value::from("••••"))),
        ("model", models.model.clone().map(Value::from)),
        ("openai_base_url", models.openai_base_url.clone().map(Value::from)),
        ("openai_api_key", models.openai_api_key.as_ref().map(|key| Value::from(key.masked()))),
        ("provider_retries", Some(Value::from(i64::from(models.retries)))),
        ("auto_title", Some(Value::from(models.auto_title))),
        ("log", Some(Value::from(config.log.filter.clone()))),
    ];
    lines.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn idle_ms(config: &Config) -> i64 {
    config.data.instance_idle.map_or(0, |idle| i64::try_from(idle.as_millis()).unwrap_or(i64::MAX))
}

/// All that is in force; what is absent has its default.
fn describe(agent: &AgentConfig) -> Value {
    let mut agent = agent.clone();
    for server in &mut agent.mcp_servers {
        let masked = server.secrets.iter().map(|(header, secret)| (header.clone(), secret.masked()));
        server.headers = masked.collect();
    }
    Value::try_from(agent).unwrap_or_else(|_| Value::Table(Table::new()))
}
