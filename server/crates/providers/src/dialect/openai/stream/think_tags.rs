//! Reasoning that stands in the text, between `<think>` and `</think>` at the very start of an answer, as models
//! write it and servers without a parser for it pass it on. Pure, and blind to how the text is cut.

use crate::dialect::blocks::Kind;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells reasoning from text.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    place: Place,
    /// Read, and not yet known to be one or the other.
    held: String,
}

/// Where in an answer the next letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// Before anything but blanks was said.
    #[default]
    Start,
    /// Between the tags, and only blanks were there.
    Opened,
    /// Between the tags.
    Inside,
    /// Behind the closing tag, and only blanks were there.
    Closed,
    /// Where tags mean nothing.
    Text,
}

impl Splitter {
    /// One that finds no tags.
    pub(super) fn off() -> Self {
        Self { place: Place::Text, held: String::new() }
    }

    /// What `text` adds.
    pub(super) fn split(&mut self, text: String) -> Vec<(Kind, String)> {
        if self.place == Place::Text {
            return vec![(Kind::Text, text)];
        }
        self.held.push_str(&text);
        let mut pieces = Vec::new();
        while self.step(&mut pieces) {}
        pieces
    }

    /// What is left when the text ends, here or for good: behind it tags mean nothing.
    pub(super) fn finish(&mut self) -> Option<(Kind, String)> {
        let rest = std::mem::take(&mut self.held);
        let kind = match std::mem::replace(&mut self.place, Place::Text) {
            Place::Inside => Kind::Reasoning,
            Place::Start | Place::Text => Kind::Text,
            // Blanks around a tag are part of it, and so is the beginning of a tag that never came.
            Place::Opened | Place::Closed => return None,
        };
        (!rest.is_empty()).then_some((kind, rest))
    }

    /// Takes one thing out of what is held; whether there may be more.
    fn step(&mut self, pieces: &mut Vec<(Kind, String)>) -> bool {
        match self.place {
            Place::Start => self.start(),
            Place::Opened => self.skip_blanks(Place::Inside),
            Place::Inside => self.inside(pieces),
            Place::Closed => self.skip_blanks(Place::Text),
            Place::Text => {
                let rest = std::mem::take(&mut self.held);
                pieces.extend((!rest.is_empty()).then_some((Kind::Text, rest)));
                false
            }
        }
    }

    fn start(&mut self) -> bool {
        let said = self.held.trim_start();
        if let Some(rest) = said.strip_prefix(OPEN) {
            self.held = rest.to_owned();
            self.place = Place::Opened;
            return true;
        }
        if OPEN.starts_with(said) {
            return false;
        }
        self.place = Place::Text;
        true
    }

    fn skip_blanks(&mut self, next: Place) -> bool {
        self.held = self.held.trim_start().to_owned();
        if self.held.is_empty() {
            return false;
        }
        self.place = next;
        true
    }

    fn inside(&mut self, pieces: &mut Vec<(Kind, String)>) -> bool {
        let (end, next) = match self.held.find(CLOSE) {
            Some(at) => (at, Place::Closed),
            None => (self.held.len() - beginning(&self.held), Place::Inside),
        };
        let rest = self.held.split_off(end);
        let thought = std::mem::replace(&mut self.held, rest);
        pieces.extend((!thought.is_empty()).then_some((Kind::Reasoning, thought)));
        let is_closed = next == Place::Closed;
        if is_closed {
            self.held = self.held.strip_prefix(CLOSE).unwrap_or_default().to_owned();
        }
        self.place = next;
        is_closed
    }
}

/// How many bytes at the end of `text` may be the beginning of the closing tag.
fn beginning(text: &str) -> usize {
    let lengths = (1..CLOSE.len()).rev();
    lengths
        .into_iter()
        .find(|length| CLOSE.get(..*length).is_some_and(|tag| text.ends_with(tag)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Reasoning and text of an answer that comes in these pieces.
    fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let mut splitter = Splitter::default();
        let mut said: Vec<_> =
            pieces.into_iter().flat_map(|piece| splitter.split(String::from(piece))).collect();
        said.extend(splitter.finish());
        let of = |wanted| said.iter().filter(move |(kind, _)| *kind == wanted).map(|(_, text)| text.as_str());
        (of(Kind::Reasoning).collect(), of(Kind::Text).collect())
    }

    const ROWS: [(&str, &str, &str); 12] = [
        ("<think>Hm 木.</think>Yes.", "Hm 木.", "Yes."),
        ("\n<think>\nHm.\n</think>\n\nYes.", "Hm.\n", "Yes."),
        ("<think>\n\n</think>\n\nYes.", "", "Yes."),
        ("<think>a </thin </think></think> b", "a </thin ", "</think> b"),
        ("<think>a < b and </ c</think>d", "a < b and </ c", "d"),
        ("<think>never closed </thi", "never closed </thi", ""),
        ("<thinking>no</thinking>", "", "<thinking>no</thinking>"),
        ("<thi", "", "<thi"),
        ("Use <think>x</think>.", "", "Use <think>x</think>."),
        ("  two blanks", "", "  two blanks"),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("", "", ""),
    ];

    #[test]
    fn tags_at_the_start_hold_reasoning() {
        for (answer, reasoning, text) in ROWS {
            assert_eq!(read([answer]), (reasoning.to_owned(), text.to_owned()), "{answer}");
        }
    }

    #[test]
    fn nothing_is_found_where_tags_mean_nothing() {
        let text = "<think>a</think>b".to_owned();
        assert_eq!(Splitter::off().split(text.clone()), [(Kind::Text, text)]);
    }

    proptest! {
        #[test]
        fn borders_of_pieces_do_not_matter(row in 0..ROWS.len(), cuts in prop::collection::vec(0..40_usize, 0..9)) {
            let (answer, reasoning, text) = ROWS[row];
            let mut cuts: Vec<_> = cuts.into_iter().filter(|at| answer.is_char_boundary(*at)).collect();
            cuts.extend([0, answer.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|ends| &answer[ends[0]..ends[1]]);
            prop_assert_eq!(read(pieces), (reasoning.to_owned(), text.to_owned()));
        }
    }
}
