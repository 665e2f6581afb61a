//! No file is forgotten: every Rust file is reached from a target of its crate, and each crate has one test binary.

use crate::files::{self, File, report, root};
use crate::source::{Kind, only, production};
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
    for name in named_modules(&file.text) {
        let child = format!("{children}/{name}");
        reach(&format!("{child}.rs"), &child, sources, reached);
    }
}

/// The modules a file names that are files of their own, those of its inline test block included.
fn named_modules(text: &str) -> Vec<String> {
    let inline_tests = if production(text).1 > 0 { &["tests/"][..] } else { &[] };
    let code = only(text, &[Kind::Code]);
    let mut names = Vec::new();
    for line in code.lines() {
        let Some((before, rest)) = line.split_once("mod ") else {
            continue;
        };
        let is_item = before.trim_start().is_empty() || before.trim_start().starts_with("pub");
        let Some(name) = rest.trim_end().strip_suffix(';').filter(|_| is_item) else {
            continue;
        };
        names.push(name.trim_start_matches("r#").to_owned());
        names.extend(inline_tests.iter().map(|folder| format!("{folder}{name}")));
    }
    names
}
