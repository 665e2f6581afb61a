//! Where the server listens, under which path, and who may call it.

use super::ConfigError;
use super::sources::{Found, Sources, invalid};
use std::net::{Ipv4Addr, SocketAddr};

const DEFAULT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 3000);

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenConfig {
    /// `addr`: one that other machines can reach needs a password; port 0 takes any free one.
    pub addr: SocketAddr,
    /// `base_path`: empty, or `/` and a path without a slash at its end.
    pub base_path: String,
    /// `allowed_hosts`: names, besides loopback, that requests may be addressed to; lower case, without ports.
    pub allowed_hosts: Vec<String>,
    /// `allowed_origins`: origins, besides the page's own, that may call.
    pub allowed_origins: Vec<String>,
}

impl ListenConfig {
    pub(super) fn from_sources(sources: &Sources) -> Result<Self, ConfigError> {
        Ok(Self {
            addr: sources.find("addr")?.map_or(Ok(DEFAULT), |found| address(&found))?,
            base_path: sources.find("base_path")?.map_or(Ok(String::new()), |found| base_path(&found))?,
            allowed_hosts: lower_case(sources.list("allowed_hosts")?),
            allowed_origins: lower_case(sources.list("allowed_origins")?),
        })
    }
}

fn address(found: &Found) -> Result<SocketAddr, ConfigError> {
    let text = match found.value.strip_prefix("localhost:") {
        Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST),
        None => found.value.clone(),
    };
    let Ok(address) = text.parse::<SocketAddr>() else {
        let problem = format!("{:?} is not an address of the form HOST:PORT, such as {DEFAULT}", found.value);
        return Err(invalid(&found.place, problem));
    };
    Ok(address)
}

fn base_path(found: &Found) -> Result<String, ConfigError> {
    let trimmed = found.value.trim_matches('/');
    if trimmed.is_empty() {
        return Ok(String::new());
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let is_segment = |segment: &str| !segment.is_empty() && segment != ".." && segment.bytes().all(is_plain);
    if trimmed.split('/').all(is_segment) {
        Ok(format!("/{trimmed}"))
    } else {
        Err(invalid(&found.place, format!("{:?} is not a path of letters, digits and -._~", found.value)))
    }
}

fn lower_case(items: Vec<String>) -> Vec<String> {
    items.into_iter().map(|item| item.to_lowercase()).collect()
}
