//! Words that may not stand where they stand; each finding names what to write instead.

use crate::files::{self, File, report};
use crate::source::{Kind, only, production, words};

/// Put together here, so that this file does not find itself.
const OPEN_ENDS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

#[test]
fn open_ends_have_a_number() {
    let mut found = Vec::new();
    for file in files::all() {
        for (number, line) in file.text.lines().enumerate() {
            if OPEN_ENDS.iter().any(|word| is_open_end(line, word)) {
                found.push(format!("{}:{}: `{}`", file.path, number + 1, line.trim()));
            }
        }
    }
    report("An open end names its issue, as in `WORD(#12)`, or is done now.", &found);
}

fn is_open_end(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let before = line[..at].chars().next_back().is_some_and(is_inside);
        let after = &line[at + word.len()..];
        let numbered = after
            .trim_start_matches('(')
            .strip_prefix('#')
            .is_some_and(|rest| rest.starts_with(char::is_numeric));
        !before && !after.starts_with(is_inside) && !numbered
    })
}

/// Files that must name a colour, and why.
const COLOURED: [(&str, &str); 1] = [("style/tokens.css", "the one place for colours")];

#[test]
fn colours_live_in_the_tokens() {
    let mut found = Vec::new();
    let is_page = |file: &&File| file.path.starts_with("app/src/") || file.path.starts_with("style/");
    for file in files::all().iter().filter(is_page) {
        let is_source = file.path.ends_with(".rs") || file.path.ends_with(".css");
        if !is_source || file.is_test() || COLOURED.iter().any(|(path, _)| *path == file.path) {
            continue;
        }
        let text = if file.path.ends_with(".rs") {
            only(&production(&file.text).0, &[Kind::Text])
        } else {
            file.text.clone()
        };
        for (number, line) in text.lines().enumerate() {
            if let Some(colour) = colour(line) {
                found.push(format!("{}:{}: `{colour}`", file.path, number + 1));
            }
        }
    }
    report("Colours stand in style/tokens.css; use a token.", &found);
}

const COLOUR_FUNCTIONS: [&str; 8] = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "oklab(", "lab(", "lch("];
const PALETTE: [&str; 12] =
    ["gray", "slate", "zinc", "stone", "red", "amber", "yellow", "green", "blue", "indigo", "purple", "pink"];

/// The first colour a line names: a number, a function, or a class of Tailwind's own palette.
fn colour(line: &str) -> Option<String> {
    if let Some(function) = COLOUR_FUNCTIONS.iter().find(|function| has_function(line, function)) {
        return Some((*function).to_owned());
    }
    let tokens = line.split(|c: char| c.is_whitespace() || "\"':;,()[]{}".contains(c));
    tokens.map(str::to_owned).find(|token| is_hex(token) || is_palette_class(token))
}

fn has_function(line: &str, function: &str) -> bool {
    line.match_indices(function)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_'))
}

fn is_hex(token: &str) -> bool {
    let Some(digits) = token.strip_prefix('#') else {
        return false;
    };
    [3, 4, 6, 8].contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit())
}

fn is_palette_class(token: &str) -> bool {
    let mut pieces = token.rsplit('-');
    let (last, before) = (pieces.next().unwrap_or_default(), pieces.next().unwrap_or_default());
    let is_shade = last.len() >= 2 && last.chars().all(|c| c.is_ascii_digit());
    let is_plain =
        ["white", "black"].contains(&last) && ["text", "bg", "border", "fill", "stroke"].contains(&before);
    is_plain || (is_shade && PALETTE.contains(&before))
}

const PRODUCT_WORDS: [&str; 12] = [
    "agent",
    "bough",
    "branch",
    "chat",
    "conversation",
    "model",
    "overlay",
    "session",
    "sessions",
    "transcript",
    "turn",
    "branches",
];

#[test]
fn the_kit_of_controls_knows_no_product() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| file.path.starts_with("app/src/ui/")) {
        let code = only(&production(&file.text).0, &[Kind::Code, Kind::Text]);
        for (number, line) in code.lines().enumerate() {
            for word in words(line).iter().filter(|word| PRODUCT_WORDS.contains(&word.as_str())) {
                found.push(format!("{}:{}: `{word}`", file.path, number + 1));
            }
        }
    }
    report(
        "app/src/ui has no product words: pass the text in, or move the component to its feature.",
        &found,
    );
}

const CHANGING: [&str; 9] = [
    "static mut ",
    "Mutex<",
    "RwLock<",
    "Atomic",
    "RefCell<",
    " Cell<",
    "OnceLock<",
    "OnceCell<",
    "thread_local!",
];

#[test]
fn nothing_global_changes() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| !file.is_test()) {
        let code = only(&production(&file.text).0, &[Kind::Code]);
        for (number, line) in code.lines().enumerate() {
            if is_global(line) {
                found.push(format!("{}:{}: `{}`", file.path, number + 1, line.trim()));
            }
        }
    }
    report("No static that changes: what is needed is passed in.", &found);
}

fn is_global(line: &str) -> bool {
    let declares = line.split_once("static ").is_some_and(|(before, _)| {
        let before = before.trim();
        before.is_empty() || before.starts_with("pub")
    });
    line.contains("thread_local!") || (declares && CHANGING.iter().any(|word| line.contains(word)))
}

/// The engine reaches its own tables in these files of `think` only.
const THINK_STORES: [&str; 6] =
    ["recovery", "schedules/store", "settings", "store", "stream/log", "submissions/store"];

#[test]
fn the_engine_touches_its_store_in_few_places() {
    let home = "server/crates/think/src/";
    let is_other = |file: &&File| {
        let inner = file.path.strip_prefix(home).unwrap_or("stream/log");
        !file.is_test() && !THINK_STORES.iter().any(|store| inner.starts_with(store))
    };
    let uses = |file: &&File| only(&production(&file.text).0, &[Kind::Code]).contains("sqlx::query");
    let rust = files::rust();
    let found = rust.iter().filter(is_other).filter(uses).map(|file| file.path.clone());
    report("Only the files of think in THINK_STORES hold SQL.", &found.collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::{OPEN_ENDS, colour, is_global, is_open_end};

    #[test]
    fn an_open_end_is_found_unless_numbered() {
        let word = OPEN_ENDS[0];
        let rows = [
            (format!("// {word}: later"), true),
            (format!("// {word}(#12): later"), false),
            (format!("{word}S"), false),
        ];
        for (line, expected) in rows {
            assert_eq!(is_open_end(&line, word), expected, "{line:?}");
        }
    }

    #[test]
    fn colours_are_found() {
        let rows = [
            ("color: #1a2b3c;", true),
            ("background: rgb(1 2 3)", true),
            ("class=\"hover:bg-red-500\"", true),
            ("text-white", true),
            ("color: var(--ink);", false),
            ("href=\"#main\"", false),
            ("p-4 gap-12 text-ink", false),
            ("color-mix(in srgb, var(--a), var(--b))", false),
        ];
        for (line, expected) in rows {
            assert_eq!(colour(line).is_some(), expected, "{line:?}");
        }
    }

    #[test]
    fn changing_globals_are_found() {
        let rows = [
            ("static COUNT: AtomicU64 = AtomicU64::new(0);", true),
            ("pub static mut A: u8 = 0;", true),
            ("static NAMES: [&str; 1] = [\"a\"];", false),
            ("fn f(a: &'static Mutex<u8>) {}", false),
        ];
        for (line, expected) in rows {
            assert_eq!(is_global(line), expected, "{line:?}");
        }
    }
}
