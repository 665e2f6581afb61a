//! Keys of entries, made from a title or from the content; and the hash they and the frozen prompt use.

use std::fmt;

/// Length of what a key is made from, in UTF-16 units.
const SLUG_UNITS: usize = 60;

/// The key of an entry. The same title gives the same key, so that writing it again replaces the entry.
pub(crate) fn entry_key(title: Option<&str>, content: &str) -> String {
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => match slug(title) {
            Some(slug) => slug,
            None => format!("entry-{}", short_hash(title)),
        },
        None => format!("{}-{}", slug(content).as_deref().unwrap_or("entry"), short_hash(content)),
    }
}

/// The beginning of a text as lower-case words with dashes between them; none where no ASCII letter or digit is in it.
fn slug(text: &str) -> Option<String> {
    let mut units = 0;
    let start = text.chars().take_while(|c| {
        units += c.len_utf16();
        units <= SLUG_UNITS
    });
    let lower = start.collect::<String>().to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    (!slug.is_empty()).then_some(slug)
}

/// FNV-1a of 32 bits over UTF-16 units, to the base of 36.
fn short_hash(text: &str) -> String {
    let mut rest = text
        .encode_utf16()
        .fold(0x811c_9dc5_u32, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193));
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// FNV-1a of 64 bits: the same on every machine and in every version, which the standard library's is not.
#[derive(Debug, Clone)]
pub(crate) struct Fnv64(u64);

impl Default for Fnv64 {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv64 {
    /// Adds a text and its length, so that two texts never read like one.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(&text.len().to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0 =
            bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    }
}

impl fmt::Display for Fnv64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::entry_key;

    #[test]
    fn keys_are_those_the_reference_makes() {
        let long = format!("{} the rest is cut", "a".repeat(62));
        for (title, content, expected) in [
            (Some("Espresso — Basics!"), "x", "espresso-basics"),
            (None, "Steep 3 minutes", "steep-3-minutes-1m2zuls"),
            (Some("緑茶"), "x", "entry-gx42v2"),
            (None, "濃いお茶", "entry-cyxu7e"),
            (None, "---", "entry-1impw1y"),
            (Some("  "), "---", "entry-1impw1y"),
            (Some(long.as_str()), "x", &"a".repeat(60)),
        ] {
            assert_eq!(entry_key(title, content), expected, "{title:?} {content:?}");
        }
    }
}
