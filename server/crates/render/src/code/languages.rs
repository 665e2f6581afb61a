//! Which grammar a fence means. People name languages by name, by file extension, or by a habit that is neither.

use syntect::parsing::{SyntaxReference, SyntaxSet};

/// Habits, and what the grammars know instead.
const HABITS: [(&str, &str); 16] = [
    ("console", "bash"),
    ("csharp", "cs"),
    ("docker", "dockerfile"),
    ("golang", "go"),
    ("hcl", "tf"),
    ("jsonc", "json"),
    ("json5", "js"),
    ("mjs", "js"),
    ("node", "js"),
    ("ps", "ps1"),
    ("python3", "py"),
    ("shell", "bash"),
    ("shellscript", "bash"),
    ("sh-session", "bash"),
    ("vue", "html"),
    ("zsh", "bash"),
];

/// Words that say that no language is meant.
const NONE: [&str; 6] = ["", "none", "output", "plain", "plaintext", "text"];

/// The grammar of a language.
pub(super) fn grammar<'a>(grammars: &'a SyntaxSet, language: &str) -> Option<&'a SyntaxReference> {
    let name = language.trim().to_ascii_lowercase();
    if NONE.contains(&name.as_str()) {
        return None;
    }
    let name = HABITS.iter().find(|(habit, _)| *habit == name).map_or(name.as_str(), |(_, known)| known);
    grammars.find_syntax_by_token(name)
}
