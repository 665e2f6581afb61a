//! Every setting, once: its key, the shape of its value and its help. Flags, variables and the file's keys all
//! derive from this table, so a setting cannot exist in one of them only.

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its key in `bough.toml`.
    pub key: &'static str,
    /// What stands for the value in the help.
    pub value_name: &'static str,
    /// What it does, for people.
    pub help: &'static str,
}

/// All of them, in the order of the help.
pub const SETTINGS: [Setting; 15] = [
    setting("data", "FOLDER", "Where everything is kept [default: the platform's data folder for bough]"),
    setting("config", "FILE", "The configuration file [default: bough.toml in the data folder]"),
    setting(
        "instance_idle_ms",
        "MS",
        "How long nobody may use an agent instance before its file is closed, 0 for ever [default: 900000]",
    ),
    setting("addr", "HOST:PORT", "Where to listen [default: 127.0.0.1:3000]"),
    setting("base_path", "PATH", "Path that every address begins with, for a reverse proxy's sub-path"),
    setting(
        "allowed_hosts",
        "NAMES",
        "Host names besides loopback that requests may be addressed to, by commas",
    ),
    setting("allowed_origins", "ORIGINS", "Origins besides the page's own that may call, by commas"),
    setting(
        "password",
        "PASSWORD",
        "The password of this server; better given by the variable than by the flag",
    ),
    setting("password_file", "FILE", "A file with that password, as containers are given secrets"),
    setting("model", "PROVIDER/MODEL", "The default model, for example ollama/qwen3:8b or builtin/guide"),
    setting("openai_base_url", "URL", "An OpenAI-compatible endpoint, for example http://127.0.0.1:8080/v1"),
    setting("openai_api_key", "KEY", "Its key; better given by the variable than by the flag"),
    setting("provider_retries", "COUNT", "How often a failed call of a provider is tried again [default: 2]"),
    setting("auto_title", "BOOL", "Whether sessions are named after their first exchange [default: true]"),
    setting("log", "FILTER", "What is logged, in the syntax of RUST_LOG, which wins [default: info]"),
];

const fn setting(key: &'static str, value_name: &'static str, help: &'static str) -> Setting {
    Setting { key, value_name, help }
}

impl Setting {
    /// Its flag, without the dashes in front.
    pub fn flag(&self) -> String {
        self.key.replace('_', "-")
    }

    /// Its variable.
    pub fn variable(&self) -> String {
        variable_of(self.key)
    }
}

/// The variable of a key.
pub(super) fn variable_of(key: &str) -> String {
    format!("BOUGH_{}", key.to_uppercase())
}
