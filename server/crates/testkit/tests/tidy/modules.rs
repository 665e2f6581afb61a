//! No file is forgotten: every Rust file is reached from a target of its crate, and each crate has one test binary.

use crate::files::{self, File, report, root};
use crate::source::{Kind, only};
use cargo_metadata::{MetadataCommand, TargetKind};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_file_is_compiled() {
    let sources: BTreeMap<String, File> =
        files::rust().into_iter().map(|file| (file.path.clone(), file)).collect();
    let mut reached = BTreeSet::new();
    for (path, _) in targets() {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        reach(&path, folder, &sources, &mut reached);
    }
    let forgotten = sources.keys().filter(|path| !reached.contains(*path)).cloned();
    report(
        "A file that no `mod` names is never compiled, and its tests never run.",
        &forgotten.collect::<Vec<_>>(),
    );
}

#[test]
fn a_crate_has_one_test_binary() {
    let mut binaries: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, kinds) in targets() {
        let Some((folder, _)) = path.split_once("/tests/").filter(|_| kinds.contains(&TargetKind::Test))
        else {
            continue;
        };
        if !path.ends_with("/tests/tidy/main.rs") {
            binaries.entry(folder.to_owned()).or_default().push(path.clone());
        }
    }
    let found = binaries.values().filter(|paths| paths.len() > 1).map(|paths| paths.join(" and "));
    report(
        "Each test binary is linked anew: make it a module of the one there is.",
        &found.collect::<Vec<_>>(),
    );
}

/// The first file of every target, from the root.
fn targets() -> Vec<(String, Vec<TargetKind>)> {
    let root = root();
    let metadata = MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let targets = metadata.packages.iter().flat_map(|package| &package.targets);
    targets
        .map(|target| {
            let path =
                target.src_path.as_std_path().strip_prefix(&root).expect("a target inside the checkout");
            (path.to_string_lossy().replace('\\', "/"), target.kind.clone())
        })
        .collect()
}

/// Follows a file whose modules stand in the folder `children`.
fn reach(path: &str, children: &str, sources: &BTreeMap<String, File>, reached: &mut BTreeSet<String>) {
    let Some(file) = sources.get(path).filter(|_| reached.insert(path.to_owned())) else { return };
    for module in modules(&file.text) {
        match module {
            Module::Named(name) => {
                let child = format!("{children}/{name}");
                reach(&format!("{child}.rs"), &child, sources, reached);
            }
            Module::At(place) => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let child = format!("{folder}/{place}");
                reach(&child, child.trim_end_matches(".rs"), sources, reached);
            }
        }
    }
}

/// A module that is a file of its own.
#[derive(Debug, PartialEq)]
enum Module {
    Named(String),
    At(String),
}

/// The modules that a source names.
fn modules(text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut place = None;
    // In an inline `mod tests` the files of its modules stand in tests/.
    let is_inside = |line: &str| line.starts_with(' ');
    for (line, code) in text.lines().zip(only(text, &[Kind::Code]).lines()) {
        if let Some(path) = line.trim_start().strip_prefix("#[path = \"") {
            place = path.split('"').next().map(str::to_owned);
        }
        let Some((before, rest)) = code.split_once("mod ") else { continue };
        let is_item = before.trim_start().is_empty() || before.trim_start().starts_with("pub");
        let Some(name) = rest.trim_end().strip_suffix(';').filter(|_| is_item) else { continue };
        let name = name.trim_start_matches("r#");
        let folder = if is_inside(code) { "tests/" } else { "" };
        found.push(place.take().map_or_else(|| Module::Named(format!("{folder}{name}")), Module::At));
    }
    found
}

#[test]
fn modules_are_found_by_name_and_by_path() {
    let text =
        "mod a;\npub(crate) mod b;\n#[path = \"all/c.rs\"]\nmod c;\n// mod d;\nmod tests {\n    mod e;\n}\n";
    let named = |name: &str| Module::Named(name.to_owned());
    assert_eq!(modules(text), [named("a"), named("b"), Module::At("all/c.rs".to_owned()), named("tests/e")]);
}
