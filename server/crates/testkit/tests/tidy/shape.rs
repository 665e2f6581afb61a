//! How large and how deep things may be: files, structs, test blocks, imports, properties of a component.

use crate::files::{self, note, report};
use crate::source::{Kind, only, production};

const FILE_MAX: usize = 500;
/// From here on a file is named in the output, so that it does not drift to the wall unnoticed.
const FILE_RATCHET: usize = 450;
const TEST_BLOCK_MAX: usize = 150;
const FIELDS_MAX: usize = 12;
const IMPORTS_MAX: usize = 30;
const PROPS_MAX: usize = 5;

/// Structs that mirror something outside and are as wide as that is.
const WIDE_STRUCTS: [(&str, &str); 1] = [("SessionInfo", "a row of the session list, as the wire has it")];

#[test]
fn files_stay_under_their_ceiling() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| !file.is_test()) {
        let (text, longest) = production(&file.text);
        let lines = text.lines().count();
        if lines > FILE_MAX {
            found.push(format!("{}: {lines} lines; cut it by meaning into x.rs and x/", file.path));
        } else if lines >= FILE_RATCHET {
            note(&format!("{} has {lines} lines; the ceiling is {FILE_MAX}", file.path));
        }
        if longest > TEST_BLOCK_MAX {
            found.push(format!("{}: a test block of {longest} lines; move it to x/tests.rs", file.path));
        }
    }
    report(
        &format!("A file has at most {FILE_MAX} production lines, a test block {TEST_BLOCK_MAX}."),
        &found,
    );
}

#[test]
fn files_open_with_the_sentence_of_their_idea() {
    let rust = files::rust();
    let found = rust.iter().filter(|file| !opens_with_its_idea(&file.text)).map(|file| file.path.clone());
    let rule =
        "A file opens with a `//!` sentence (a crate root may include its README) that says its one idea.";
    report(rule, &found.collect::<Vec<_>>());
}

fn opens_with_its_idea(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let sentence = first.strip_prefix("//! ").is_some_and(|words| words.split_whitespace().count() >= 3);
    sentence || first.starts_with("#![doc = include_str!(")
}

#[test]
fn modules_have_names_of_their_own() {
    let rust = files::rust();
    let found = rust.iter().filter(|file| file.path.ends_with("/mod.rs")).map(|file| file.path.clone());
    report("No mod.rs: use x.rs beside x/, so that every tab has its own name.", &found.collect::<Vec<_>>());
}

#[test]
fn structs_stay_narrow() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| !file.is_test()) {
        for (name, fields) in structs(&only(&production(&file.text).0, &[Kind::Code])) {
            if fields > FIELDS_MAX && !WIDE_STRUCTS.iter().any(|(wide, _)| *wide == name) {
                found.push(format!(
                    "{}: {name} has {fields} fields; a part of it has a name of its own",
                    file.path
                ));
            }
        }
    }
    report(&format!("A struct has at most {FIELDS_MAX} fields (wire shapes are exempt by name)."), &found);
}

/// Name and number of fields of every struct with named fields.
fn structs(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let is_open = line.trim_end().ends_with('{');
        let name = line.split("struct ").nth(1).and_then(|rest| rest.split(|c: char| !is_word(c)).next());
        let Some(name) = name.filter(|_| is_open && starts_as_struct(line)) else {
            continue;
        };
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        let fields =
            lines.by_ref().take_while(|line| line.trim_end() != end).filter(|line| is_field(line)).count();
        found.push((name.to_owned(), fields));
    }
    found
}

fn starts_as_struct(line: &str) -> bool {
    without_visibility(line.trim_start()).starts_with("struct ")
}

fn is_field(line: &str) -> bool {
    let rest = without_visibility(line.trim_start());
    let name = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
    let after = rest.strip_prefix("r#").unwrap_or(rest).trim_start_matches(is_word);
    (!name.is_empty()) && after.starts_with(':') && !after.starts_with("::")
}

fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    let rest = if rest.starts_with('(') { rest.split_once(')').map_or(rest, |(_, rest)| rest) } else { rest };
    rest.trim_start()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[test]
fn files_do_not_depend_on_half_the_house() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| !file.is_test()) {
        let imports = file.text.lines().filter(|line| line.starts_with("use ")).count();
        if imports > IMPORTS_MAX {
            found.push(format!("{}: {imports} imports; the file has more than one idea", file.path));
        }
    }
    report(&format!("A file has at most {IMPORTS_MAX} imports."), &found);
}

#[test]
fn components_take_few_properties() {
    let mut found = Vec::new();
    for file in files::rust().iter().filter(|file| file.path.starts_with("app/src/")) {
        for (name, props) in components(&only(&file.text, &[Kind::Code])) {
            if props > PROPS_MAX {
                found.push(format!("{}: {name} takes {props}; group those that belong together", file.path));
            }
        }
    }
    // The macro silences clippy's own count.
    report(&format!("A component takes at most {PROPS_MAX} properties."), &found);
}

/// Name and number of properties of every component.
fn components(code: &str) -> Vec<(String, usize)> {
    let functions = code.split("#[component").skip(1).filter_map(|rest| rest.split_once("fn "));
    functions
        .map(|(_, rest)| {
            let name = rest.chars().take_while(|c| is_word(*c)).collect();
            (name, parameters(&rest[rest.find('(').unwrap_or(0)..]))
        })
        .collect()
}

/// Counts what stands between the first parenthesis and its end.
fn parameters(list: &str) -> usize {
    let flat = list.replace("->", "  ");
    let (mut depth, mut count, mut is_empty) = (0_i32, 0, true);
    for next in flat.chars() {
        match next {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            ',' if depth == 1 => {
                count += 1;
                is_empty = true;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        is_empty &= next.is_whitespace() || (depth == 1 && next == '(');
    }
    count + usize::from(!is_empty)
}

#[cfg(test)]
mod tests {
    use super::{components, opens_with_its_idea, structs};

    #[test]
    fn fields_are_counted() {
        let code = "pub(crate) struct A<T> {\n    pub a: T,\n    pub(super) b: std::io::Error,\n    r#type: u8,\n}\nstruct B;\n";
        assert_eq!(structs(code), [("A".to_owned(), 3)]);
    }

    #[test]
    fn properties_are_counted() {
        let code = "#[component]\npub fn Row(#[prop(into)] name: Signal<(u8, u8)>, on_go: impl Fn(A, B) -> C,\n) -> impl IntoView {}\n\
                    #[component]\nfn None() -> impl IntoView {}";
        assert_eq!(components(code), [("Row".to_owned(), 2), ("None".to_owned(), 0)]);
    }

    #[test]
    fn a_heading_alone_is_no_sentence() {
        let rows = [("//! Rows of a list.", true), ("//! Rows", false), ("use a;", false), ("", false)];
        for (text, expected) in rows {
            assert_eq!(opens_with_its_idea(text), expected, "{text:?}");
        }
    }
}
