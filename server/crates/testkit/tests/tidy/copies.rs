//! The same lines twice are a question, three times an error: repeated runs are counted against the size of the code.

use crate::files::{self, note, report};
use crate::source::{Kind, only, production};
use std::collections::HashMap;

/// Lines that make a run.
const RUN: usize = 8;
/// Runs that may be repeated in ten thousand lines of code.
const PER_TEN_THOUSAND_MAX: usize = 8;

/// A file and the lines of it that say something.
struct Code {
    path: String,
    lines: Vec<(usize, String)>,
}

#[test]
fn few_runs_of_lines_stand_twice() {
    let rust = files::rust();
    let code: Vec<Code> =
        rust.iter().filter(|file| !file.is_test()).map(|file| Code::of(&file.path, &file.text)).collect();
    let total: usize = code.iter().map(|file| file.lines.len()).sum();
    let copies = copies(&code);
    copies.iter().for_each(|copy| note(&format!("stands twice: {copy}")));
    let allowed = (total * PER_TEN_THOUSAND_MAX).div_ceil(10_000);
    let rule = format!(
        "At most {allowed} runs of {RUN} lines may stand twice in {total} lines: give the run a name."
    );
    report(&rule, if copies.len() > allowed { &copies } else { &[] });
}

impl Code {
    fn of(path: &str, text: &str) -> Self {
        let code = only(&production(text).0, &[Kind::Code, Kind::Text]);
        let numbered = code.lines().enumerate().map(|(at, line)| (at + 1, line.trim().to_owned()));
        let lines = numbered.filter(|(_, line)| says_something(line)).collect();
        Self { path: path.to_owned(), lines }
    }
}

fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
        && !line.starts_with("use ")
        && !line.starts_with("#[")
        && !line.starts_with("mod ")
}

/// Every run that an earlier place has too, each counted once however long it is.
fn copies(code: &[Code]) -> Vec<String> {
    let mut first: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut found = Vec::new();
    for (file, here) in code.iter().enumerate() {
        let mut counted_to = 0;
        for (at, window) in here.lines.windows(RUN).enumerate() {
            let run: Vec<&str> = window.iter().map(|(_, line)| line.as_str()).collect();
            let (other, place) = *first.entry(run).or_insert((file, at));
            if (other, place) != (file, at) && at >= counted_to {
                let (number, earlier) = (window[0].0, code[other].lines[place].0);
                found.push(format!("{}:{number} and {}:{earlier}", here.path, code[other].path));
            }
            if (other, place) != (file, at) {
                counted_to = at + RUN;
            }
        }
    }
    found
}

#[test]
fn a_long_run_is_one_copy() {
    let text = (0..12).map(|number| format!("let a{number} = {number};\n")).collect::<String>();
    let other = format!("// moved\n{text}let b = 1;\n");
    let code = [Code::of("a.rs", &text), Code::of("b.rs", &other), Code::of("c.rs", "let c = 2;\n")];
    assert_eq!(copies(&code), ["b.rs:2 and a.rs:1"]);
}
