//! What may lie in the checkout: the shop window at the top, known kinds of files, nothing large.

use crate::files::{self, report};
use std::collections::BTreeSet;

const VISIBLE: [&str; 12] = [
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "app",
    "end2end",
    "frontend",
    "public",
    "server",
    "style",
];

const HIDDEN: [&str; 9] = [
    ".cargo",
    ".ci",
    ".clippy.toml",
    ".config",
    ".deny.toml",
    ".editorconfig",
    ".github",
    ".gitignore",
    ".rustfmt.toml",
];

const EXTENSIONS: [&str; 18] = [
    "css", "html", "ico", "json", "jsonl", "lock", "md", "png", "rs", "snap", "sql", "sse", "svg", "toml",
    "ts", "tsx", "txt", "woff2",
];

const BLOB_MAX_BYTES: u64 = 1_500_000;
const README_MAX_LINES: usize = 120;

#[test]
fn the_top_level_is_a_shop_window() {
    let all = files::all();
    let entries: BTreeSet<&str> = all.iter().filter_map(|file| file.path.split('/').next()).collect();
    let is_known = |entry: &&&str| VISIBLE.contains(*entry) || HIDDEN.contains(*entry);
    let found = entries.iter().filter(|entry| !is_known(entry)).map(|entry| (*entry).to_owned());
    report(
        "The top level is a fixed list: papers go to server/docs, scripts to .ci.",
        &found.collect::<Vec<_>>(),
    );
}

#[test]
fn only_known_kinds_of_files_come_in() {
    let mut found = Vec::new();
    for file in files::all() {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let has_no_extension = !name.trim_start_matches('.').contains('.');
        let is_named = name.starts_with("LICENSE") || name.starts_with('.') || name == "Makefile";
        let is_script_or_licence = file.path.starts_with(".ci/") || (has_no_extension && is_named);
        let is_known = name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension));
        if !is_known && !is_script_or_licence {
            found.push(format!("{}: use a known kind, or add its extension to the list", file.path));
        }
        if file.bytes > BLOB_MAX_BYTES {
            found.push(format!("{}: {} bytes; generate it, or shrink it", file.path, file.bytes));
        }
    }
    report(&format!("Files are of known kinds and at most {BLOB_MAX_BYTES} bytes."), &found);
}

#[test]
fn the_readme_is_short_and_names_the_two_commands() {
    let all = files::all();
    let Some(readme) = all.iter().find(|file| file.path == "README.md") else {
        return;
    };
    let lines = readme.text.lines().count();
    assert!(
        lines <= README_MAX_LINES,
        "README.md has {lines} lines; at most {README_MAX_LINES}: move the rest to server/docs"
    );
    for command in ["make serve", "make test"] {
        assert!(readme.text.contains(command), "README.md does not name `{command}`");
    }
}

#[test]
fn crates_explain_themselves() {
    let all = files::all();
    let roots = all.iter().filter(|file| {
        file.path.ends_with("/src/lib.rs") && file.text.contains("include_str!(\"../README.md\")")
    });
    let missing = roots.filter_map(|root| {
        let readme = root.path.replace("src/lib.rs", "README.md");
        (!all.iter().any(|file| file.path == readme)).then_some(readme)
    });
    report("A crate that includes its README has one.", &missing.collect::<Vec<_>>());
}
