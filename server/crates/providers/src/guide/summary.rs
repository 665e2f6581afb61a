//! A summary for compaction by picking sentences: poorer than a model's, but true, since it only repeats.

use super::title::shorten;

/// How many characters one token is taken for.
const CHARS_PER_TOKEN: usize = 4;
const LENGTH_MIN_CHARS: usize = 600;
const LENGTH_MAX_CHARS: usize = 8_000;
const LINE_MAX_CHARS: usize = 240;
const NOTHING: &str = "None noted.";

/// One message of the conversation, as the prompt spells it.
#[derive(Debug, PartialEq)]
struct Turn<'a> {
    role: &'a str,
    text: String,
}

/// Four sections out of the prompt of a summary: its conversation, and the key points of the summary before it.
pub(super) fn summary(prompt: &str) -> String {
    let turns = turns(prompt);
    let limit =
        (asked_tokens(prompt).unwrap_or(0) * CHARS_PER_TOKEN).clamp(LENGTH_MIN_CHARS, LENGTH_MAX_CHARS);
    let said =
        |role: &'static str| turns.iter().filter(move |turn| turn.role == role && !turn.text.is_empty());
    let topic = said("user").next().or(turns.first()).map_or(NOTHING.to_owned(), |turn| line(&turn.text));
    let state = said("assistant").next_back().map_or(NOTHING.to_owned(), |turn| line(&turn.text));
    let points = key_points(prompt, &turns, limit);
    format!(
        "## Topic\n{topic}\n\n## Key Points\n{}\n\n## Current State\n{state}\n\n## Open Items\n{}\n",
        bullets(&points),
        bullets(&open_items(&turns))
    )
}

/// Earlier points first, then what each message said, as many as fit.
fn key_points(prompt: &str, turns: &[Turn<'_>], limit: usize) -> Vec<String> {
    let earlier = earlier_points(prompt);
    let said = turns.iter().filter(|turn| !turn.text.is_empty());
    let new = said.map(|turn| match turn.role {
        "user" => format!("The user said: {}", line(&turn.text)),
        "assistant" => format!("The assistant said: {}", line(&turn.text)),
        role => format!("{role}: {}", line(&turn.text)),
    });
    let mut length = 0;
    let fits = |point: &String| {
        length += point.len();
        length <= limit
    };
    earlier.into_iter().chain(new).take_while(fits).collect()
}

/// A question at the very end that nobody has answered.
fn open_items(turns: &[Turn<'_>]) -> Vec<String> {
    let last = turns.last().filter(|turn| turn.role == "user" || turn.text.trim_end().ends_with('?'));
    last.map(|turn| line(&turn.text)).into_iter().collect()
}

/// Messages begin with a line `[role]` and are divided by `---`.
fn turns(prompt: &str) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    let mut is_inside = false;
    for line in prompt.lines() {
        let trimmed = line.trim();
        if let Some(role) = role(trimmed) {
            turns.push(Turn { role, text: String::new() });
            is_inside = true;
        } else if trimmed == "---" {
            is_inside = false;
        } else if let Some(turn) = turns.last_mut().filter(|_| is_inside) {
            turn.text.push_str(line);
            turn.text.push('\n');
        }
    }
    turns
}

fn role(line: &str) -> Option<&str> {
    let role = line.strip_prefix('[')?.strip_suffix(']')?;
    ["user", "assistant", "system"].contains(&role).then_some(role)
}

/// The list under the first heading of key points that has one; the instructions have the heading too, but no list.
fn earlier_points(prompt: &str) -> Vec<String> {
    let sections = prompt.split("\n## ").filter(|section| section.starts_with("Key Points"));
    let points = |section: &str| -> Vec<String> {
        section.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
    };
    sections.map(points).find(|points| !points.is_empty()).unwrap_or_default()
}

/// The number behind the first `~`: how long the summary should be.
fn asked_tokens(prompt: &str) -> Option<usize> {
    let digits: String = prompt.split('~').nth(1)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(|tokens: usize| tokens.min(LENGTH_MAX_CHARS))
}

fn line(text: &str) -> String {
    shorten(text, LINE_MAX_CHARS)
}

fn bullets(points: &[String]) -> String {
    if points.is_empty() {
        return NOTHING.to_owned();
    }
    points.iter().map(|point| format!("- {point}")).collect::<Vec<_>>().join("\n")
}
