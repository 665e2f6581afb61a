//! Reads the beginning of a JSON text: what is open is closed, what is not yet clear is left out.

use serde_json::Value;

/// The value that a beginning stands for; none while nothing can be said.
pub(super) fn read(beginning: &str) -> Option<Value> {
    let mut scan = Scan::default();
    for (at, next) in beginning.char_indices() {
        scan.take(at, next);
    }
    let whole = beginning.get(..scan.escape_at.unwrap_or(beginning.len()))?;
    let quote = if scan.is_text { "\"" } else { "" };
    let closed = format!("{whole}{quote}{}", closers(&scan.open));
    serde_json::from_str(&closed).ok().or_else(|| {
        let (at, open) = scan.safe?;
        serde_json::from_str(&format!("{}{}", beginning.get(..at)?, closers(&open))).ok()
    })
}

#[derive(Default)]
struct Scan {
    /// What is open, outermost first, by the character that will close it.
    open: Vec<char>,
    /// Inside a string.
    is_text: bool,
    /// Where an escape began that is not complete.
    escape_at: Option<usize>,
    /// Hex digits that an escape still needs.
    digits_left: u8,
    /// The last place where the text can be cut, and what is open there.
    safe: Option<(usize, Vec<char>)>,
}

impl Scan {
    fn take(&mut self, at: usize, next: char) {
        match (self.is_text, next) {
            (true, _) => self.take_text(at, next),
            (false, '"') => self.is_text = true,
            (false, '{') => self.nest(at, '}'),
            (false, '[') => self.nest(at, ']'),
            (false, '}' | ']') => {
                let _closed = self.open.pop();
                self.safe = Some((at + 1, self.open.clone()));
            }
            (false, ',') => self.safe = Some((at, self.open.clone())),
            (false, _) => {}
        }
    }

    fn nest(&mut self, at: usize, closer: char) {
        self.open.push(closer);
        self.safe = Some((at + 1, self.open.clone()));
    }

    fn take_text(&mut self, at: usize, next: char) {
        if self.digits_left > 0 {
            self.digits_left -= 1;
        } else if self.escape_at.is_some_and(|start| at == start + 1) && next == 'u' {
            self.digits_left = 4;
        } else if self.escape_at.is_none() {
            match next {
                '\\' => self.escape_at = Some(at),
                '"' => self.is_text = false,
                _ => {}
            }
            return;
        }
        if self.digits_left == 0 {
            self.escape_at = None;
        }
    }
}

fn closers(open: &[char]) -> String {
    open.iter().rev().collect()
}
