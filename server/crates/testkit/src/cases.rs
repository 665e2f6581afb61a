//! Tables that say which test shows which acceptance case, kept true: no case loses its test unnoticed.

use std::collections::HashSet;
use std::path::Path;

/// Cases by their numbers, each with the names of the tests that show it.
pub type Cases = [(&'static str, &'static [&'static str])];

/// Looks for the tests in `places`, folders seen from `home`.
///
/// # Panics
/// Where a case stands twice in the tables, or is shown by no test, or by one that does not exist.
pub fn check_cases(home: &str, places: &[&str], tables: &[&Cases]) {
    let mut tests = HashSet::new();
    for place in places {
        collect(&Path::new(home).join(place), &mut tests);
    }
    let mut seen = HashSet::new();
    for (case, shown_by) in tables.iter().copied().flatten() {
        assert!(seen.insert(case), "{case} stands twice in the table");
        assert!(!shown_by.is_empty(), "nothing shows {case}");
        let lost: Vec<&&str> = shown_by.iter().filter(|name| !tests.contains(**name)).collect();
        assert!(lost.is_empty(), "{case} should be shown by {lost:?}, which is no test any more");
    }
}

/// Adds the names of all test functions below a folder.
#[expect(clippy::expect_used, reason = "sources that cannot be read are no sources")]
fn collect(folder: &Path, names: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a folder of sources").path();
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(tests_in(&std::fs::read_to_string(&path).expect("a source")));
        }
    }
}

/// The names of the functions below a `#[test]` of any kind.
fn tests_in(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        let name =
            line.trim_start_matches("async ").strip_prefix("fn ").and_then(|rest| rest.split('(').next());
        match name {
            Some(name) if is_test => {
                found.push(name.to_owned());
                is_test = false;
            }
            Some(_) | None => {
                is_test = line.starts_with("#[test")
                    || line.starts_with("#[tokio::test")
                    || (is_test && line.starts_with("#["))
            }
        }
    }
    found
}
