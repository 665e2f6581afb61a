//! The versions of one message beside each other, as far as this tab knows of them.

use super::{RowKey, TranscriptState};
use protocol::MessageId;

impl TranscriptState {
    /// The versions of a message of which one is known, oldest first: those that the server has told of, and the one
    /// that is being written.
    pub fn versions_beside(&self, known: &[MessageId]) -> Vec<MessageId> {
        let told = self.versions.values().map(|versions| &versions.ids);
        let beside = told.filter(|ids| ids.iter().any(|id| known.contains(id))).max_by_key(|ids| ids.len());
        let live = self.live.as_ref().filter(|live| live.is_another_version);
        let live = live.and_then(|live| live.fold.message_id.as_ref());
        let mut all = beside.map(|ids| ids.to_vec()).unwrap_or_default();
        for id in known.iter().chain(live) {
            if !all.contains(id) {
                all.push(id.clone());
            }
        }
        all
    }

    /// The row that shows a message, or its first words while it is being written.
    pub fn row_of(&self, id: &MessageId) -> Option<RowKey> {
        let live = self.live.as_ref().filter(|live| live.fold.message_id.as_ref() == Some(id));
        let stored = || self.shown().find(|row| row.message.id == *id).map(|row| row.key.clone());
        live.map(|live| live.row.clone()).or_else(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Message, Role, ServerFrame, Siblings, Transcript};

    fn list(ids: &[&str]) -> Transcript {
        let last = ids.last().copied().unwrap_or_default();
        let siblings = vec![Siblings { id: last.into(), ids: ids.iter().map(|id| (*id).into()).collect() }];
        let messages = vec![Message::text("q", Role::User, "q"), Message::text(last, Role::Assistant, last)];
        Transcript { messages, siblings, ..Transcript::default() }
    }

    #[test]
    fn every_version_that_is_told_of_joins_those_that_are_known() {
        let mut state = TranscriptState::new(list(&["a1", "a2"]));
        let check = |state: &TranscriptState, known: &[&str], expected: &[&str]| {
            let known: Vec<MessageId> = known.iter().map(|id| (*id).into()).collect();
            let beside: Vec<String> = state.versions_beside(&known).iter().map(ToString::to_string).collect();
            assert_eq!(beside, expected);
        };
        check(&state, &["a1"], &["a1", "a2"]);
        check(&state, &["a2"], &["a1", "a2"]);
        check(&state, &["x"], &["x"]);
        let _replies = state.apply(ServerFrame::Messages(list(&["a1", "a2", "a3"])));
        check(&state, &["a1", "a2"], &["a1", "a2", "a3"]);
        assert_eq!(state.row_of(&"a3".into()).map(|row| row.to_string()).as_deref(), Some("a3"));
        assert_eq!(state.row_of(&"a1".into()), None);
    }

    #[test]
    fn several_models_are_asked_one_after_another() {
        let mut state = TranscriptState::new(list(&["a1"]));
        let _replies = state.apply(ServerFrame::Messages(list(&["a1"])));
        let row = state.row_of(&"a1".into()).expect("a row");
        let tries = ["m/one", "m/two"].map(|model| (Some(model.to_owned()), model.into())).to_vec();
        let frames = state.retry_each(&row, tries);
        let bodies: Vec<String> =
            frames.iter().map(|frame| serde_json::to_string(frame).expect("json")).collect();
        assert!(
            bodies.len() == 2 && bodies[0].contains("m/one") && bodies[1].contains("m/two"),
            "{bodies:?}"
        );
        assert_eq!((state.versions_to_come(), state.order().len()), (2, 1));
        assert!(state.refuse(&"m/one".into(), "no such model"));
        assert_eq!(state.versions_to_come(), 1);
    }
}
