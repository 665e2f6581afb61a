//! What a person said in a session, to be said again or in other words.

use super::{Delivery, Row, RowKey, TranscriptState};
use protocol::Role;

impl TranscriptState {
    /// What a person said, the latest first.
    pub fn said(&self) -> Vec<String> {
        self.own_words().map(|(_, text)| text).collect()
    }

    /// The row of one of these, where it stands in the transcript and can be said in other words there.
    /// Others may have come after it meanwhile, so it is known by its words, and of equal ones by the nearest
    /// place.
    pub fn row_of_said(&self, place: usize, words: &str) -> Option<RowKey> {
        let equal = self.own_words().enumerate().filter(|(_, (_, text))| text == words);
        let (_, (row, _)) = equal.min_by_key(|(at, _)| at.abs_diff(place))?;
        let may_change = row.delivery == Delivery::Settled && !self.is_taken_out(&row.message.id);
        may_change.then(|| row.key.clone())
    }

    fn own_words(&self) -> impl Iterator<Item = (&Row, String)> {
        let own = self.rows.iter().rev().filter(|row| row.message.role == Role::User);
        own.map(|row| (row, row.message.plain_text())).filter(|(_, text)| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Transcript;

    fn state(said: &[(&str, &str)]) -> TranscriptState {
        let message = |(id, text): &(&str, &str)| {
            let role = if id.starts_with('u') { "user" } else { "assistant" };
            serde_json::json!({ "id": id, "role": role, "parts": [{ "type": "text", "text": text }] })
        };
        let messages: Vec<_> = said.iter().map(message).collect();
        let transcript: Transcript =
            serde_json::from_value(serde_json::json!({ "messages": messages })).expect("a transcript");
        TranscriptState::new(transcript)
    }

    #[test]
    fn what_was_said_is_found_again_where_it_stands() {
        let said = [("u1", "go"), ("a1", "go"), ("u2", "stop"), ("u3", ""), ("u4", "go"), ("u5", "last")];
        let mut state = state(&said);
        assert_eq!(state.said(), ["last", "go", "stop", "go"]);
        let check = |place, words: &str, expected: Option<&str>| {
            let row = state.row_of_said(place, words).map(|key| key.to_string());
            assert_eq!(row.as_deref(), expected, "{place} {words}");
        };
        check(0, "last", Some("u5"));
        check(1, "go", Some("u4"));
        check(3, "go", Some("u1"));
        // One more was said since it was recalled.
        check(1, "stop", Some("u2"));
        check(0, "never said", None);
        state.rows.last_mut().expect("a row").delivery = Delivery::Unsent;
        assert_eq!(state.row_of_said(0, "last"), None, "the server does not have it yet");
    }
}
