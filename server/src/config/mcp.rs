//! The tool servers of an agent: one table in `mcp_servers` each.

use super::sources::is_http;
use super::{Environment, is_name, name_rule};
use ::providers::Secret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The keys of one.
pub(super) const KEYS: [&str; 5] = ["name", "url", "command", "headers", "approve"];

/// One tool server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct McpConfig {
    /// Its tools' names begin with this.
    pub name: String,
    /// Where it listens; this or `command`.
    pub url: Option<String>,
    /// How it is started; this or `url`.
    pub command: Option<Vec<String>>,
    /// Headers for a `url`, by name; `${VARIABLE}` in a value stands for a variable of the environment. Empty once it
    /// is read: see `secrets`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The headers with their variables filled in.
    #[serde(skip)]
    pub secrets: Vec<(String, Secret)>,
    /// Tools that a person must approve.
    #[serde(default)]
    pub approve: Vec<String>,
}

impl McpConfig {
    /// Fills in the variables of the headers, or names what is wrong.
    pub(super) fn fill_in(&mut self, environment: &Environment) -> Result<(), String> {
        if self.url.is_none() && !self.headers.is_empty() {
            return Err("has headers and no url".to_owned());
        }
        for (header, text) in std::mem::take(&mut self.headers) {
            let filled = filled(&text, environment).map_err(|why| format!("has a header {header} {why}"))?;
            let value = Secret::new(&filled).ok_or_else(|| format!("has an empty header {header}"))?;
            self.secrets.push((header, value));
        }
        Ok(())
    }

    /// What is wrong with it, said after its name.
    pub(super) fn problem(&self) -> Option<String> {
        if !is_name(&self.name) {
            return Some(format!("is not a name of {}", name_rule()));
        }
        match (&self.url, &self.command) {
            (Some(url), None) if is_http(url) => None,
            (Some(url), None) => Some(format!("has a url that is not one of http or https: {url:?}")),
            (None, Some(words)) if words.first().is_some_and(|program| !program.is_empty()) => None,
            (None, Some(_)) => Some("has an empty command".to_owned()),
            (None, None) | (Some(_), Some(_)) => Some("needs a url or a command, one of both".to_owned()),
        }
    }
}

fn filled(text: &str, environment: &Environment) -> Result<String, String> {
    let (mut filled, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or("with a variable that does not end")?;
        let value =
            environment.get(name).ok_or_else(|| format!("with the variable {name}, which is not set"))?;
        filled.push_str(before);
        filled.push_str(value);
        rest = behind;
    }
    Ok(filled + rest)
}
