//! Who may name whom. The tables are the plan of the house; a new edge is an edit here, which somebody reads.

use crate::files::{self, report, root};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// A crate of the house, and the crates of the house it names outside its tests.
const HOUSE: [(&str, &[&str]); 12] = [
    ("app", &["protocol"]),
    ("db", &[]),
    ("frontend", &["app"]),
    ("mcp", &["protocol", "think"]),
    ("model", &["protocol"]),
    ("protocol", &[]),
    ("providers", &["model", "protocol"]),
    ("render", &["protocol"]),
    ("server", &["app", "db", "mcp", "model", "protocol", "providers", "render", "session", "think"]),
    ("session", &["db", "protocol"]),
    ("testkit", &["db", "model", "protocol"]),
    ("think", &["db", "model", "protocol", "session"]),
];

/// What a crate must never name outside its tests, and what it does instead.
const BANNED: [(&str, &[&str], &str); 10] = [
    (
        "app",
        &["axum", "chrono", "regex", "reqwest", "sqlx", "tokio"],
        "ask the server through `backend::Backend`",
    ),
    ("db", &["axum", "reqwest", "serde_json"], "db opens files and knows no meanings"),
    ("frontend", &["protocol", "serde", "tokio"], "frontend only hydrates; the page is in `app`"),
    ("mcp", &["axum", "sqlx"], "mcp speaks to tool servers and stores nothing"),
    ("model", &["axum", "reqwest", "sqlx"], "model is the contract; adapters are in `providers`"),
    (
        "protocol",
        &["leptos", "rand", "sqlx", "tokio", "uuid"],
        "protocol has words only: no IO, clock or chance",
    ),
    ("providers", &["axum", "sqlx"], "providers speak to models and store nothing"),
    ("render", &["axum", "reqwest", "sqlx", "tokio"], "render draws what it is given and waits for nothing"),
    ("session", &["axum", "leptos", "reqwest"], "session is data; who serves it is above"),
    ("think", &["axum", "leptos", "reqwest"], "think is given a model and a sink; `server` composes"),
];

/// Outside crates that the words may rest on.
const PROTOCOL_MAX: usize = 3;

fn metadata() -> Metadata {
    let manifest = root().join("Cargo.toml");
    MetadataCommand::new().manifest_path(manifest).no_deps().exec().expect("cargo metadata")
}

fn named(package: &Package, kinds: &[DependencyKind]) -> Vec<String> {
    let of_kind = package.dependencies.iter().filter(|dependency| kinds.contains(&dependency.kind));
    let mut names: Vec<String> = of_kind.map(|dependency| dependency.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn is_house(name: &str) -> bool {
    HOUSE.iter().any(|(house, _)| *house == name)
}

#[test]
fn crates_name_only_those_below_them() {
    let mut found = Vec::new();
    let metadata = metadata();
    for package in &metadata.packages {
        let Some((_, expected)) = HOUSE.iter().find(|(name, _)| package.name.as_str() == *name) else {
            found.push(format!("{} is a new crate: give it its row in HOUSE", package.name));
            continue;
        };
        let mut actual = named(package, &[DependencyKind::Normal, DependencyKind::Build]);
        actual.retain(|name| is_house(name));
        if actual != *expected {
            found.push(format!("{} names {actual:?}, the table says {expected:?}", package.name));
        }
    }
    report(
        "A crate names exactly the crates of its row in HOUSE; change the row in the same change.",
        &found,
    );
}

#[test]
fn tests_borrow_from_below_and_nobody_names_the_server() {
    let mut found = Vec::new();
    for package in &metadata().packages {
        let row = HOUSE.iter().find(|(name, _)| package.name.as_str() == *name).map(|(_, row)| *row);
        for name in named(package, &[DependencyKind::Development]).iter().filter(|name| is_house(name)) {
            let is_known = row.unwrap_or_default().contains(&name.as_str());
            let is_help = ["testkit", "model", package.name.as_str()].contains(&name.as_str());
            if !is_known && !is_help {
                found.push(format!("the tests of {} name {name}", package.name));
            }
        }
    }
    report("Tests may name what their crate names, testkit, and a scripted model.", &found);
}

#[test]
fn crates_stay_out_of_what_is_not_theirs() {
    let mut found = Vec::new();
    for package in &metadata().packages {
        let names = named(package, &[DependencyKind::Normal, DependencyKind::Build]);
        for (_, banned, instead) in BANNED.iter().filter(|(name, ..)| package.name.as_str() == *name) {
            for name in names.iter().filter(|name| banned.contains(&name.as_str())) {
                found.push(format!("{} names {name}: {instead}", package.name));
            }
        }
        let outside = names.iter().filter(|name| !is_house(name)).count();
        if package.name.as_str() == "protocol" && outside > PROTOCOL_MAX {
            found.push(format!("protocol rests on {outside} outside crates; at most {PROTOCOL_MAX}"));
        }
    }
    report("A crate names nothing from its row in BANNED.", &found);
}

#[test]
fn manifests_share_versions_and_lints() {
    let mut found = Vec::new();
    for file in files::all().iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        if !file.text.contains("[lints]\nworkspace = true") {
            found.push(format!("{}: say `lints.workspace = true`", file.path));
        }
        for line in file.text.lines().filter(|line| names_a_version(line)) {
            found.push(format!("{}: `{line}`; put the version into the root manifest", file.path));
        }
    }
    report("A member takes lints and versions from the workspace.", &found);
}

fn names_a_version(line: &str) -> bool {
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let value = value.trim();
    let is_package_field = ["description", "name", "path", "default-run"].contains(&key.trim());
    let is_number = value.starts_with('"')
        && value.trim_start_matches(['"', '=', '^', '~']).starts_with(char::is_numeric);
    !is_package_field && (is_number || value.contains("version ="))
}
