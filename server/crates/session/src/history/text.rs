//! A path as JSON text: what was checked when it was written goes out as it is stored, with no message made of it.

use super::{Reach, Reading, Rows, Standing, Taken, read};
use crate::error::BrokenRow;
use db::{DbError, ReadTx};
use protocol::{Message, SessionId};
use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// The messages of a path as a JSON array, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathText {
    /// The array, in UTF-8.
    pub json: Vec<u8>,
    /// What could not be read and is not in it.
    pub broken: Vec<BrokenRow>,
}

impl PathText {
    pub(crate) fn empty() -> Self {
        Self { json: b"[]".to_vec(), broken: Vec::new() }
    }
}

/// Which messages a text is to go without.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// What their JSON holds, and hardly any other: only such messages are looked at.
    pub mark: &'static str,
    /// Whether it is one of them.
    pub is_one: fn(&Message) -> bool,
}

/// Rows that were taken, the last of the path first.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    left_out: Option<LeftOut>,
    pieces: Vec<Piece>,
    broken: Vec<BrokenRow>,
}

/// Some messages.
#[derive(Debug, Default)]
struct Piece {
    contents: Vec<u8>,
    rows: Vec<Row>,
}

/// One message.
#[derive(Debug)]
enum Row {
    /// As it is stored, at this place of the contents.
    Stored(Range<usize>),
    /// Written anew.
    Written(Vec<u8>),
}

impl Reading<Texts> {
    /// Reads the path to `leaf`, on which `standing` stand, as text.
    pub(crate) async fn text_of(
        tx: &mut ReadTx,
        session: &SessionId,
        (leaf, standing): (String, Standing),
        left_out: Option<LeftOut>,
    ) -> Result<PathText, DbError> {
        let mut reading = Self::up_from(leaf, standing);
        reading.history.left_out = left_out;
        reading.read(tx, session, Reach::WHOLE).await?;
        reading.history.broken.reverse();
        Ok(PathText { json: reading.history.joined(), broken: reading.history.broken })
    }
}

impl Rows for Texts {
    fn take(&mut self, session: &SessionId, taken: Taken) {
        let mut rows = Vec::with_capacity(taken.count);
        for place in taken.places() {
            let content = taken.chunk.content(place);
            if self.goes_out_as_it_is(&place.id, content) {
                rows.push(Row::Stored(place.bytes.clone()));
                continue;
            }
            match read(session, &place.id, content) {
                Ok(message) if self.left_out.is_some_and(|left_out| (left_out.is_one)(&message)) => {}
                Ok(message) => rows.push(Row::Written(written(&message))),
                Err(broken) => self.broken.push(broken),
            }
        }
        self.pieces.push(Piece { contents: taken.chunk.into_contents(), rows });
    }

    fn take_summary(&mut self, summary: &Message) {
        self.pieces.push(Piece { rows: vec![Row::Written(written(summary))], ..Piece::default() });
    }
}

impl Texts {
    fn goes_out_as_it_is(&self, id: &str, content: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(content) else { return false };
        let is_marked = self.left_out.is_some_and(|left_out| text.contains(left_out.mark));
        !is_marked && is_message(id, text)
    }

    fn joined(&self) -> Vec<u8> {
        let rows = || self.pieces.iter().rev().flat_map(Piece::texts);
        let mut json = Vec::with_capacity(rows().map(|text| text.len() + 1).sum::<usize>() + 2);
        json.push(b'[');
        for (number, text) in rows().enumerate() {
            if number > 0 {
                json.push(b',');
            }
            json.extend_from_slice(text);
        }
        json.push(b']');
        json
    }
}

impl Piece {
    /// The messages, oldest first.
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.iter().rev().map(|row| match row {
            Row::Stored(place) => self.contents.get(place.clone()).unwrap_or_default(),
            Row::Written(text) => text,
        })
    }
}

/// A message as it would be stored.
fn written(message: &Message) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}

/// What is looked at of a stored message. Its parts may be anything: what they are not is a part of an unknown type.
#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow, rename = "role")]
    _role: Cow<'a, str>,
    #[serde(rename = "parts")]
    _parts: Vec<IgnoredAny>,
    #[serde(default, rename = "metadata")]
    _metadata: Option<AnyObject>,
}

/// Whether a text is the message `id`, and nothing about it is so odd that it has to be read to be understood: half a
/// sign of two is no text, and this crate writes no sign outside of ASCII in that way.
fn is_message(id: &str, text: &str) -> bool {
    let is_plain = !text.contains("\\ud") && !text.contains("\\uD");
    is_plain && serde_json::from_str::<Outline<'_>>(text).is_ok_and(|outline| outline.id == id)
}

struct AnyObject;

impl<'de> Deserialize<'de> for AnyObject {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for AnyObject {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_read_as_the_same_goes_out_unread() {
        for usual in [
            r#"{"id":"a","role":"user","parts":[]}"#,
            r#"{"id":"a","role":"any","parts":[{"type":"text","text":"é \" \u0007"},7],"metadata":{"x":{}},"y":1}"#,
        ] {
            assert!(is_message("a", usual), "{usual}");
        }
        for unusual in [
            r#"{"id":"b","role":"user","parts":[]}"#,
            r#"{"id":"a","role":"user"}"#,
            r#"{"id":"a","role":1,"parts":[]}"#,
            r#"{"id":"a","role":"user","parts":{}}"#,
            r#"{"id":"a","role":"user","parts":[],"metadata":[]}"#,
            r#"{"id":"a","role":"user","parts":[]"#,
            r#"{"id":"a","role":"user","parts":[]} x"#,
            r#"{"id":"a","id":"a","role":"user","parts":[]}"#,
            r#"{"id":"a","role":"user","parts":["\ud83d"]}"#,
            r#"[]"#,
            "",
        ] {
            assert!(!is_message("a", unusual), "{unusual}");
        }
    }
}
