//! What of a message can be found: the texts of its text parts, and what its tools were asked, gave and failed with,
//! names of files and titles of sources beside them.
//!
//! Not found is what a model thought to itself: it repeats the words of the question, so it would bury the answers.
//! Nor are addresses, embedded data, and what of a huge message goes beyond the limits.

use crate::search::marks::marks;
use crate::search::words::{Token, sequence, tokens, with_pairs};
use crate::store::{search, words};
use db::{DbError, WriteTx};
use protocol::limits::{SEARCH_INDEXED_MAX_BYTES, SEARCH_VALUE_MAX_BYTES};
use protocol::{Message, Part, ToolPart};
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields of a part nobody here knows that hold what is said or done.
const KNOWN_FIELDS: [&str; 6] = ["text", "toolName", "input", "output", "result", "errorText"];

/// Makes a stored message findable by `texts`, and by nothing it was found by before.
pub(crate) async fn index(tx: &mut WriteTx, session: &str, id: &str, texts: &Texts) -> Result<(), DbError> {
    let columns = texts.columns();
    search::enter(tx, session, id, columns.digest).await.map_err(|e| tx.error(e))?;
    let distinct = Value::from_iter(columns.words.iter().map(String::as_str)).to_string();
    words::learn(tx, &distinct).await.map_err(|e| tx.error(e))?;
    search::write(tx, session, id, &columns).await.map_err(|e| tx.error(e))
}

/// Words of messages that go for good. Where no other message holds them, they must not stay behind.
#[derive(Debug, Default)]
pub(crate) struct Forgetting(BTreeSet<String>);

impl Forgetting {
    /// Adds the words of a message.
    pub(crate) fn add(&mut self, texts: &Texts) {
        self.0.extend(texts.columns().words);
    }

    /// Forgets those that no message holds any more; the messages they were of must be gone.
    pub(crate) async fn sweep(self, tx: &mut WriteTx) -> Result<(), DbError> {
        if self.0.is_empty() {
            return Ok(());
        }
        words::sweep(tx, &Value::from_iter(self.0).to_string()).await.map_err(|e| tx.error(e))
    }
}

/// The texts of a message by which it is found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Texts {
    /// What is said.
    pub(crate) said: String,
    /// What tools were asked and gave.
    pub(crate) used: String,
}

impl Texts {
    /// Those of a message.
    pub(crate) fn of(message: &Message) -> Self {
        let mut texts = Self::default();
        for part in &message.parts {
            texts.take(part);
        }
        texts
    }

    fn take(&mut self, part: &Part) {
        match part {
            Part::Text(part) => self.say(&part.text),
            Part::Tool(tool) => self.take_tool(tool),
            Part::File(file) => self.note(file.filename.as_deref().unwrap_or_default()),
            Part::SourceUrl(source) => self.note(source.title.as_deref().unwrap_or_default()),
            Part::SourceDocument(source) => {
                self.note(&source.title);
                self.note(source.filename.as_deref().unwrap_or_default());
            }
            Part::Unknown(part) => {
                for field in KNOWN_FIELDS {
                    self.note_all(part.get(field));
                }
            }
            Part::Reasoning(_) | Part::StepStart | Part::Data(_) => {}
        }
    }

    fn take_tool(&mut self, tool: &ToolPart) {
        self.note(&tool.name);
        self.note(tool.call.title.as_deref().unwrap_or_default());
        self.note_all(tool.call.input.as_ref());
        self.note_all(tool.call.output.as_ref());
        self.note(tool.call.error_text.as_deref().unwrap_or_default());
    }

    fn say(&mut self, text: &str) {
        let room = SEARCH_INDEXED_MAX_BYTES.saturating_sub(self.said.len());
        add(&mut self.said, text, room);
    }

    fn note(&mut self, text: &str) {
        let room = SEARCH_INDEXED_MAX_BYTES.saturating_sub(self.used.len());
        add(&mut self.used, text, room.min(SEARCH_VALUE_MAX_BYTES));
    }

    /// All texts and numbers of a value, however deep.
    fn note_all(&mut self, value: Option<&Value>) {
        match value {
            None | Some(Value::Null | Value::Bool(_)) => {}
            Some(Value::String(text)) if text.starts_with("data:") => {}
            Some(Value::String(text)) => self.note(text),
            Some(Value::Number(number)) => self.note(&number.to_string()),
            Some(Value::Array(items)) => items.iter().for_each(|item| self.note_all(Some(item))),
            Some(Value::Object(fields)) => fields.values().for_each(|field| self.note_all(Some(field))),
        }
    }

    /// The rows of the index for it.
    pub(crate) fn columns(&self) -> Columns {
        let (mut words, mut marks) = (BTreeSet::new(), BTreeSet::new());
        let (said, said_stems) = columns_of(&self.said, &mut words, &mut marks);
        let (used, used_stems) = columns_of(&self.used, &mut words, &mut marks);
        let marks = marks.into_iter().flat_map(|mark| [' ', mark]).collect();
        Columns { said, said_stems, used, used_stems, marks, words, digest: self.digest() }
    }

    /// Tells two texts apart; the same in every version of this program.
    pub(crate) fn digest(&self) -> i64 {
        let bytes = self.said.bytes().chain([0]).chain(self.used.bytes());
        let start = 0xcbf2_9ce4_8422_2325_u64;
        let digest = bytes.fold(start, |sum, b| (sum ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        digest.cast_signed()
    }
}

/// A message as the index holds it.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) said: String,
    pub(crate) said_stems: String,
    pub(crate) used: String,
    pub(crate) used_stems: String,
    /// Those of its neighbouring words, each after a space.
    pub(crate) marks: String,
    /// Each of its words once; signs are found without being listed.
    pub(crate) words: BTreeSet<String>,
    pub(crate) digest: i64,
}

/// The words of a text in order; and, in the same order, the stems of those that differ from theirs, and the pairs of
/// its signs: a sign alone stands almost everywhere, so pairs find a piece of a sentence much faster.
fn columns_of(text: &str, words: &mut BTreeSet<String>, neighbours: &mut BTreeSet<char>) -> (String, String) {
    let all: Vec<Token> = tokens(text).collect();
    let stems = with_pairs(&all, |token| Some(token.stem()).filter(|stem| *stem != token.text));
    words.extend(all.iter().filter(|token| !token.is_sign()).map(|token| token.text.clone()));
    let sequence = sequence(all.into_iter());
    neighbours.extend(marks(&sequence));
    (sequence.join(" "), stems.join(" "))
}

/// Puts a text on a line of its own, as far as there is room.
fn add(to: &mut String, text: &str, room: usize) {
    if text.is_empty() || room == 0 {
        return;
    }
    if !to.is_empty() {
        to.push('\n');
    }
    to.push_str(text.get(..text.floor_char_boundary(room)).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(parts: &Value, said: &str, used: &str) {
        let message = json!({"id": "m", "role": "assistant", "parts": parts});
        let texts = Texts::of(&serde_json::from_value(message).unwrap());
        assert_eq!(texts, Texts { said: said.to_owned(), used: used.to_owned() });
    }

    #[test]
    fn what_is_said_and_done_is_found_and_what_is_thought_is_not() {
        check(&json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]), "one\ntwo", "");
        check(&json!([{"type": "reasoning", "text": "hm"}, {"type": "step-start"}]), "", "");
        let tool = json!({"type": "tool-read", "toolCallId": "c", "state": "output-available",
            "input": {"path": "a.rs", "n": 7}, "output": {"lines": ["zebra", null, true], "image": "data:x"}});
        check(&json!([tool]), "", "read\na.rs\n7\nzebra");
        let failed = json!({"type": "dynamic-tool", "toolName": "grep", "toolCallId": "c", "state": "output-error",
            "input": "i", "errorText": "no such file"});
        check(&json!([failed]), "", "grep\ni\nno such file");
        check(&json!([{"type": "tool-old", "result": {"found": "yak"}}]), "", "yak");
        check(
            &json!([{"type": "file", "mediaType": "text/plain", "url": "data:,secret", "filename": "notes.txt"}]),
            "",
            "notes.txt",
        );
        check(&json!([{"type": "data-x", "data": "hidden"}]), "", "");
    }

    #[test]
    fn huge_texts_are_found_by_their_beginning() {
        let message = |text: &str| Message::text("m", protocol::Role::User, text);
        let texts = Texts::of(&message(&"é".repeat(SEARCH_INDEXED_MAX_BYTES)));
        assert_eq!(texts.said.len(), SEARCH_INDEXED_MAX_BYTES);
        let mut long = Texts::default();
        long.note(&"x".repeat(SEARCH_VALUE_MAX_BYTES + 1));
        long.note("second");
        assert_eq!(long.used.len(), SEARCH_VALUE_MAX_BYTES + "\nsecond".len());
    }

    #[test]
    fn only_stems_that_differ_and_pairs_of_signs_stand_beside_the_words() {
        let texts = Texts { said: "Running a run, 今日".to_owned(), used: String::new() };
        let columns = texts.columns();
        assert_eq!(
            (columns.said.as_str(), columns.said_stems.as_str()),
            ("running a run \u{e000} 今 日", "run 今日")
        );
        assert_ne!(columns.digest, Texts::default().digest());
    }
}
