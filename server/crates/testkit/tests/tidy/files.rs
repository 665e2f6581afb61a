//! The checkout as the rules see it: every file that belongs to the project, nothing that was built or installed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One file of the project.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    /// Size on disk.
    pub(crate) bytes: u64,
    /// The content; empty for what is not text.
    pub(crate) text: String,
}

/// What is built, installed or left behind by a run, wherever it stands.
const FOREIGN: [&str; 8] = [
    ".git",
    ".tools",
    "node_modules",
    "playwright-report",
    "target",
    "test-results",
    "__screenshots__",
    ".idea",
];
/// What a run leaves at the root or beside a test.
const FOREIGN_EXTENSIONS: [&str; 5] = ["db", "db-shm", "db-wal", "new", "profraw"];

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).expect("testkit stands three folders below the root").to_path_buf()
}

/// All files, sorted by path.
pub(crate) fn all() -> Vec<File> {
    let root = root();
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "no Cargo.toml in {}", root.display());
    files
}

/// All Rust files, sorted by path.
pub(crate) fn rust() -> Vec<File> {
    all().into_iter().filter(|file| file.path.ends_with(".rs")).collect()
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let is_data = folder == root && name == "data";
        if is_data || FOREIGN.iter().any(|foreign| name == *foreign) {
            continue;
        }
        // A file may go while others work in the checkout.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            collect(root, &path, files);
        } else if !has_extension(&path, &FOREIGN_EXTENSIONS) {
            files.extend(read(root, &path));
        }
    }
}

fn read(root: &Path, path: &Path) -> Option<File> {
    let bytes = fs::read(path).ok()?;
    let relative = path.strip_prefix(root).unwrap();
    Some(File {
        path: relative.to_string_lossy().replace('\\', "/"),
        bytes: bytes.len() as u64,
        text: String::from_utf8(bytes).unwrap_or_default(),
    })
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension))
}

impl File {
    /// Tests and benchmarks have no ceiling and may do what production may not.
    pub(crate) fn is_test(&self) -> bool {
        let path = &self.path;
        ["/tests/", "/benches/"].iter().any(|folder| path.contains(folder)) || path.ends_with("/tests.rs")
    }

    /// The folder of the crate this file belongs to.
    pub(crate) fn crate_folder(&self) -> Option<&str> {
        let inner = ["/src/", "/tests/", "/benches/", "/examples/", "/migrations/"];
        let end = inner.iter().filter_map(|folder| self.path.find(folder)).min()?;
        self.path.get(..end)
    }
}

/// Fails with the rule and every place that breaks it.
pub(crate) fn report(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}\n  {}\n", found.join("\n  "));
}

/// Says something that does not fail. The macros would be captured, and nobody would see it.
pub(crate) fn note(text: &str) {
    let _written = writeln!(std::io::stderr().lock(), "tidy: {text}");
}
