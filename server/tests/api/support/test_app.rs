//! A server in this process, through the same door as the binary, on a free port and a folder of its own.

use super::{Provider, Tab, within};
use serde_json::Value;
use server::Application;
use server::cli;
use server::config::{Config, Environment};
use std::net::SocketAddr;
use std::path::Path;
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub(crate) struct TestApp {
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    folder: TempDir,
    stopper: CancellationToken,
    server: JoinSet<std::io::Result<()>>,
}

impl TestApp {
    /// With the built-in model only.
    pub(crate) async fn start() -> Self {
        Self::with(&GUIDE, "").await
    }

    /// With a scripted provider as the default model.
    pub(crate) async fn asking(provider: &Provider) -> Self {
        Self::asking_with(provider, "").await
    }

    /// The same with a configuration file.
    pub(crate) async fn asking_with(provider: &Provider, file: &str) -> Self {
        Self::with(&provider_variables(provider), file).await
    }

    /// With variables and a configuration file.
    pub(crate) async fn with(variables: &[(&str, &str)], file: &str) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), variables, file).await
    }

    async fn in_folder(folder: TempDir, variables: &[(&str, &str)], file: &str) -> Self {
        std::fs::write(folder.path().join("bough.toml"), file).unwrap();
        let application = Application::build(config(folder.path(), variables)).await.unwrap();
        let (address, stopper) = (application.address(), application.stopper());
        let mut server = JoinSet::new();
        let _task = server.spawn(application.run_until_stopped());
        Self { address, client: client(), folder, stopper, server }
    }

    /// Stops in good order and starts again on the same data.
    pub(crate) async fn restart(self, variables: &[(&str, &str)]) -> Self {
        let file = std::fs::read_to_string(self.folder.path().join("bough.toml")).unwrap();
        let folder = self.stop().await;
        Self::in_folder(folder, variables, &file).await
    }

    /// Begins to stop.
    pub(crate) fn begin_stop(&self) {
        self.stopper.cancel();
    }

    /// Stops in good order.
    pub(crate) async fn stop(mut self) -> TempDir {
        self.stopper.cancel();
        within("the server to stop", self.server.join_next()).await.unwrap().unwrap().unwrap();
        self.folder
    }

    pub(crate) fn data(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A tab on the default session of the page's agent.
    pub(crate) async fn tab(&self) -> Tab {
        self.tab_at("/agents/assistant/default").await
    }

    pub(crate) async fn tab_at(&self, path: &str) -> Tab {
        Tab::open(self.address, path, &[]).await.unwrap_or_else(|refusal| panic!("{path}: {refusal:?}"))
    }

    /// A tab on the default session, after its greeting.
    pub(crate) async fn greeted_tab(&self) -> Tab {
        let mut tab = self.tab().await;
        let _greeting = tab.until(|frame| frame["type"] == "cf_agent_chat_messages").await;
        tab
    }

    /// Status and body of a GET.
    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        let response = within(path, self.client.get(self.url(path)).send()).await.unwrap();
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or(Value::Null))
    }

    /// The active path of the default session.
    pub(crate) async fn hist(&self) -> Vec<Value> {
        let (status, messages) = self.get("/agents/assistant/default/get-messages").await;
        assert_eq!(status, 200, "{messages}");
        messages.as_array().unwrap().clone()
    }

    /// Every stored message of the default session, in the order they were stored.
    pub(crate) async fn tree(&self) -> Vec<Value> {
        let (status, tree) = self.get("/api/v1/agents/assistant/default/sessions/~/tree").await;
        assert_eq!(status, 200, "{tree}");
        tree["nodes"].as_array().unwrap().clone()
    }
}

/// Status and body of a call of the JSON API.
pub(crate) async fn call(app: &TestApp, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let request = app.client.request(method.parse().unwrap(), app.url(path));
    let request = if let Some(body) = body { request.json(&body) } else { request };
    let response = within(path, request.send()).await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap_or(Value::Null))
}

/// Who said what, in order.
pub(crate) fn hist_text(messages: &[Value]) -> Vec<(String, String)> {
    let text = |message: &Value| -> String {
        let parts = message["parts"].as_array().cloned().unwrap_or_default();
        parts.iter().filter_map(|part| part["text"].as_str()).collect()
    };
    messages
        .iter()
        .map(|message| (message["role"].as_str().unwrap_or("?").to_owned(), text(message)))
        .collect()
}

/// What makes the guide the default model, whatever else answers on this machine.
pub(crate) const GUIDE: [(&str, &str); 1] = [("BOUGH_MODEL", "builtin/guide")];

/// What makes a scripted provider the default model.
pub(crate) fn provider_variables(provider: &Provider) -> [(&'static str, &str); 4] {
    [
        ("BOUGH_OPENAI_BASE_URL", &provider.base_url),
        ("BOUGH_MODEL", "openai/m1"),
        ("BOUGH_PROVIDER_RETRIES", "0"),
        ("BOUGH_AUTO_TITLE", "false"),
    ]
}

pub(crate) fn config(folder: &Path, variables: &[(&str, &str)]) -> Config {
    let own = [("BOUGH_ADDR", "127.0.0.1:0"), ("BOUGH_DATA", folder.to_str().unwrap())];
    let variables =
        own.iter().chain(variables).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let (_, invocation) = cli::invocation(["bough"], variables.collect::<Environment>()).unwrap();
    Config::load(invocation).unwrap()
}

pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap()
}
