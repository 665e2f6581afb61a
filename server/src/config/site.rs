//! Where the page's files are: what cargo-leptos says while it runs the server, else found beside the executable.

use super::{ConfigError, Environment};
use leptos::config::{Env, LeptosOptions};
use std::path::{Path, PathBuf};

/// The name that the front end's files begin with, fixed in the workspace's manifest.
const OUTPUT_NAME: &str = "bough";
/// The file with the hashes in the names of the front end's files; leptos looks for it beside the executable.
const HASH_FILE: &str = "hash.txt";

/// Where the page's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteConfig {
    /// `LEPTOS_SITE_ROOT`; else `site` beside the executable, or beside its folder (as cargo lays it out), or
    /// `target/site` in the working directory.
    pub root: PathBuf,
    /// `LEPTOS_OUTPUT_NAME`: what the files of the front end begin with.
    pub output_name: String,
    /// `LEPTOS_SITE_PKG_DIR`: their folder in the root.
    pub pkg_dir: String,
    /// Whether their names carry hashes. Only where the file with the hashes is there: without it a page that
    /// asks for hashed names could not be made at all.
    pub hash_files: bool,
    /// `LEPTOS_RELOAD_PORT`: where cargo-leptos tells a page to reload itself; only while it watches.
    pub reload_port: Option<u16>,
}

impl SiteConfig {
    pub(super) fn from_environment(
        environment: &Environment,
        executable: &Path,
    ) -> Result<Self, ConfigError> {
        let text = |name: &str, default: &str| environment.get(name).unwrap_or(default).to_owned();
        let beside = executable.parent().unwrap_or(Path::new("."));
        let wants_hashes = environment.get("LEPTOS_HASH_FILES") != Some("false");
        let reload_port = environment.get("LEPTOS_RELOAD_PORT").unwrap_or("3001");
        let is_watched = environment.get("LEPTOS_WATCH").is_some();
        let parsed = reload_port.parse().map_err(|_| ConfigError::Invalid {
            place: "LEPTOS_RELOAD_PORT".to_owned(),
            problem: format!("{reload_port:?} is not a port"),
        })?;
        Ok(Self {
            root: environment.get("LEPTOS_SITE_ROOT").map_or_else(|| find_root(beside), PathBuf::from),
            output_name: text("LEPTOS_OUTPUT_NAME", OUTPUT_NAME),
            pkg_dir: text("LEPTOS_SITE_PKG_DIR", "pkg"),
            hash_files: wants_hashes && beside.join(HASH_FILE).is_file(),
            reload_port: is_watched.then_some(parsed),
        })
    }

    /// The same for leptos.
    pub fn leptos_options(&self) -> LeptosOptions {
        LeptosOptions::builder()
            .output_name(self.output_name.as_str())
            .site_root(self.root.to_string_lossy().as_ref())
            .site_pkg_dir(self.pkg_dir.as_str())
            .env(if self.reload_port.is_some() { Env::DEV } else { Env::PROD })
            .reload_port(u32::from(self.reload_port.unwrap_or(3001)))
            .hash_file(HASH_FILE.into())
            .hash_files(self.hash_files)
            .build()
    }
}

fn find_root(beside: &Path) -> PathBuf {
    let candidates = [beside.join("site"), beside.join("../site")];
    candidates.into_iter().find(|folder| folder.is_dir()).unwrap_or_else(|| PathBuf::from("target/site"))
}
