//! How a text becomes words: the one place that knows, for what is stored, asked and marked alike.
//!
//! A word is a run of letters and digits, in lower case and without accents. Scripts that put no spaces between words
//! (and emoji) are cut into single signs, so that any piece of a sentence is found, even one sign alone.

use crate::search::stem::stem;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

/// Letters of a word that count; the rest of a longer run of letters is noise, such as encoded bytes.
const WORD_MAX_CHARS: usize = 64;
/// Stands in the index where something stands between two signs, so that these are not taken for neighbours. No text
/// contains it as a word: it is of no script.
const GAP: &str = "\u{e000}";

/// How far the wide form of an ASCII letter is from it.
const WIDE: u32 = 0xfee0;

/// A word or sign of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// As it is compared.
    pub(crate) text: String,
    /// Where it stands.
    pub(crate) range: Range<usize>,
    class: Class,
    /// Whether something stands between it and the token before.
    is_apart: bool,
}

impl Token {
    /// Whether it is a sign of a script without spaces.
    pub(crate) fn is_sign(&self) -> bool {
        self.class == Class::Sign
    }

    /// Whether something stands between it and the token before it that counts: between words it does not.
    fn is_apart_from(&self, before: &Self) -> bool {
        self.is_apart && (self.is_sign() || before.is_sign())
    }

    /// Whether it and the token before it are signs with nothing between them.
    fn is_neighbour_of(&self, before: &Self) -> bool {
        self.is_sign() && before.is_sign() && !self.is_apart
    }

    /// What the word has in common with its other forms.
    pub(crate) fn stem(&self) -> String {
        if self.is_sign() { self.text.clone() } else { stem(&self.text) }
    }
}

/// The tokens of a text, one after the other.
pub(crate) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0, is_apart: false }
}

/// See [`tokens`].
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    is_apart: bool,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let rest = self.text.get(self.at..)?;
            let first = rest.chars().next()?;
            let (length, token) = match class(first) {
                Class::Sign => {
                    let (length, sign) = composed(rest, first);
                    (length, Some(sign.to_string()))
                }
                Class::Letter => {
                    let word = rest.find(|c| class(c) != Class::Letter && !is_mark(c)).unwrap_or(rest.len());
                    (word, Some(fold(rest.get(..word)?)).filter(|folded| !folded.is_empty()))
                }
                Class::Other => (first.len_utf8(), None),
            };
            let range = self.at..self.at + length;
            self.at = range.end;
            match token {
                Some(text) => {
                    let is_apart = std::mem::take(&mut self.is_apart);
                    return Some(Token { text, range, class: class(first), is_apart });
                }
                None => self.is_apart |= !is_mark(first),
            }
        }
    }
}

/// Texts of tokens as they stand in the index one after the other, the gaps between signs included.
pub(crate) fn sequence(tokens: impl Iterator<Item = Token>) -> Vec<String> {
    let mut sequence = Vec::new();
    let mut before: Option<Token> = None;
    for token in tokens {
        if before.as_ref().is_some_and(|before| token.is_apart_from(before)) {
            sequence.push(GAP.to_owned());
        }
        sequence.push(token.text.clone());
        before = Some(token);
    }
    sequence
}

/// Neighbouring signs as one word, in order, between `others`: what stands in the place of each token, if anything. A
/// gap stands between pairs that do not overlap, so that a phrase of pairs is a phrase of signs.
pub(crate) fn with_pairs(tokens: &[Token], others: impl Fn(&Token) -> Option<String>) -> Vec<String> {
    let mut sequence = Vec::new();
    let mut before: Option<&Token> = None;
    // Whether the last word of the sequence is a pair, and whether it ends with the token before.
    let (mut is_pair, mut is_open) = (false, false);
    for token in tokens {
        let pair = before.filter(|before| token.is_neighbour_of(before));
        if let Some(before) = pair {
            if is_pair && !is_open {
                sequence.push(GAP.to_owned());
            }
            sequence.push(format!("{}{}", before.text, token.text));
            is_pair = true;
        } else if let Some(other) = others(token) {
            sequence.push(other);
            is_pair = false;
        }
        is_open = pair.is_some();
        before = Some(token);
    }
    sequence
}

/// The runs of neighbouring signs in a sequence, each as the pairs it consists of; a sign alone is none.
pub(crate) fn runs_of_pairs(sequence: &[String]) -> Vec<Vec<String>> {
    let runs = sequence.chunk_by(|left, right| is_one_sign(left) && is_one_sign(right));
    let runs = runs.filter(|run| run.len() > 1);
    runs.map(|run| run.windows(2).map(<[String]>::concat).collect()).collect()
}

/// Whether a text of a sequence is a sign.
pub(crate) fn is_one_sign(text: &str) -> bool {
    text.chars().next().is_some_and(is_sign) && text.chars().nth(1).is_none()
}

/// How many of `tokens`, from the first one on, look like `sequence`; 0 where they do not.
pub(crate) fn length_of(
    sequence: &[String],
    tokens: &[Token],
    is_same: impl Fn(&String, &str) -> bool,
) -> usize {
    let mut expected = sequence.iter();
    let mut before: Option<&Token> = None;
    for (at, token) in tokens.iter().enumerate() {
        let Some(mut word) = expected.next() else { return at };
        if before.is_some_and(|before| token.is_apart_from(before)) {
            let after_gap = expected.next().filter(|_| word == GAP);
            let Some(after_gap) = after_gap else { return 0 };
            word = after_gap;
        }
        if !is_same(word, &token.text) {
            return 0;
        }
        before = Some(token);
    }
    if expected.next().is_none() { tokens.len() } else { 0 }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Part of a word.
    Letter,
    /// A word by itself.
    Sign,
    /// Neither.
    Other,
}

fn class(c: char) -> Class {
    if is_sign(c) && narrow(c) == c {
        Class::Sign
    } else if c.is_alphanumeric() {
        Class::Letter
    } else {
        Class::Other
    }
}

/// Scripts without spaces between words, with their punctuation, and pictures.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'     // Thai, Lao
        | '\u{1000}'..='\u{109f}'   // Burmese
        | '\u{1100}'..='\u{11ff}'   // Hangul, in pieces
        | '\u{1780}'..='\u{17ff}'   // Khmer
        | '\u{2600}'..='\u{27bf}'   // pictures
        | '\u{2e80}'..='\u{2fff}'   // radicals
        | '\u{3001}'..='\u{9fff}'   // punctuation, kana, ideographs
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{f900}'..='\u{faff}'   // ideographs
        | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ffef}' // wide and narrow forms, but for letters and digits
        | '\u{1f000}'..='\u{1faff}' // pictures
        | '\u{20000}'..='\u{3ffff}' // ideographs
    )
}

/// A letter or digit as wide as an ideograph, as it stands among others; anything else as it is.
fn narrow(c: char) -> char {
    match c {
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(c) - WIDE).unwrap_or(c)
        }
        _ => c,
    }
}

/// Changes the look of the character before it and is no reason to tell two texts apart.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The sign that a text begins with, put together where it is written in pieces, and how long it stands there.
fn composed(text: &str, first: char) -> (usize, char) {
    let mut sign = (first.len_utf8(), first);
    for next in text.chars().skip(1) {
        let Some(whole) = compose(sign.1, next) else { break };
        sign = (sign.0 + next.len_utf8(), whole);
    }
    sign
}

/// Lower case, without accents. The Greek letter that looks different at the end of a word is the same letter.
fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.chars().take(WORD_MAX_CHARS).map(|c| c.to_ascii_lowercase()).collect();
    }
    let lower =
        word.nfd().map(narrow).filter(|c| !is_mark(*c)).flat_map(char::to_lowercase).filter(|c| !is_mark(*c));
    lower.map(|c| if c == 'ς' { 'σ' } else { c }).take(WORD_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sequence(tokens(text)), expected, "{text:?}");
    }

    #[test]
    fn words_are_runs_of_letters_without_case_and_accents() {
        check("", &[]);
        check("  ()*\"-- ", &[]);
        check("Crème BRÛLÉE, 2nd  try", &["creme", "brulee", "2nd", "try"]);
        check("wrong-book foo_bar a::b don't", &["wrong", "book", "foo", "bar", "a", "b", "don", "t"]);
        check("e\u{301}te\u{301} İzmir ΣΊΣΥΦΟΣ Ёлка", &["ete", "izmir", "σισυφοσ", "елка"]);
        check("Σίσυφος σοφός", &["σισυφοσ", "σοφοσ"]);
        check(&"x".repeat(70), &["x".repeat(64).as_str()]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_into_signs() {
        check("今日は", &["今", "日", "は"]);
        check("用Rust写", &["用", "rust", "写"]);
        check("한국어를", &["한", "국", "어", "를"]);
        check("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}", &["한", "구"]);
        check("か\u{3099}\u{304b}", &["が", "か"]);
        check("ＲＵＳＴで２０２６年！", &["rust", "で", "2026", "年", "！"]);
        check("👍🏽 ok", &["👍", "🏽", GAP, "ok"]);
        check("❤\u{fe0f}", &["❤"]);
    }

    #[test]
    fn signs_that_are_not_neighbours_are_kept_apart() {
        check("今 日", &["今", GAP, "日"]);
        check("今。日", &["今", "。", "日"]);
        check("a, b", &["a", "b"]);
        check("用 Rust", &["用", GAP, "rust"]);
        check("-今", &["今"]);
    }

    #[test]
    fn neighbouring_signs_make_pairs_and_a_phrase_of_pairs_is_one_of_signs() {
        let check = |text: &str, expected: &[&str]| {
            let all: Vec<Token> = tokens(text).collect();
            let long = |token: &Token| (token.text.len() > 4).then(|| token.text.clone());
            assert_eq!(with_pairs(&all, long), expected, "{text:?}");
        };
        check("", &[]);
        check("\u{4eca}", &[]);
        check("\u{4eca}\u{65e5}\u{306f}", &["\u{4eca}\u{65e5}", "\u{65e5}\u{306f}"]);
        check("\u{4eca}\u{65e5} \u{65e5}\u{306f}", &["\u{4eca}\u{65e5}", GAP, "\u{65e5}\u{306f}"]);
        check("\u{4eca}\u{65e5}a\u{65e5}\u{306f}", &["\u{4eca}\u{65e5}", GAP, "\u{65e5}\u{306f}"]);
        check("\u{4eca}\u{65e5}later\u{65e5}\u{306f}", &["\u{4eca}\u{65e5}", "later", "\u{65e5}\u{306f}"]);
        let runs = |text: &str| runs_of_pairs(&sequence(tokens(text)));
        assert_eq!(runs("\u{4eca}\u{65e5}\u{306f}"), [["\u{4eca}\u{65e5}", "\u{65e5}\u{306f}"]]);
        assert_eq!(
            runs("\u{4eca}\u{65e5}a\u{65e5} b\u{65e5}\u{306f}"),
            [["\u{4eca}\u{65e5}"], ["\u{65e5}\u{306f}"]]
        );
        assert_eq!(runs("a b \u{4eca}"), [[""; 0]; 0]);
    }

    #[test]
    fn a_token_knows_where_it_stands() {
        let text = "«Été» 今日";
        let pieces: Vec<&str> = tokens(text).map(|token| &text[token.range]).collect();
        assert_eq!(pieces, ["Été", "今", "日"]);
        let pieces: Vec<&str> = tokens("か\u{3099}x").map(|token| &"か\u{3099}x"[token.range]).collect();
        assert_eq!(pieces, ["か\u{3099}", "x"]);
    }
}
