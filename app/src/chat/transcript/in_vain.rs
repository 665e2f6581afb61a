//! Rows for turns that left no message: each stands below its question for as long as no answer does. They are no
//! messages of the path, so they are laid anew whenever the path changes, and never counted.

use super::{Delivery, Row, TranscriptState};
use protocol::Role;

impl TranscriptState {
    /// Takes the rows away.
    pub(super) fn drop_in_vain(&mut self) {
        let is_message = |row: &Row| row.delivery != Delivery::InVain;
        self.rows.retain(is_message);
        if let Some(past) = &mut self.past {
            past.rows.retain(is_message);
        }
    }

    /// Puts them where they belong. What stands below the last row of a stretch is known of the end of the path only.
    pub(super) fn place_in_vain(&mut self) {
        self.drop_in_vain();
        let is_over = self.live.is_none() && self.outbox.is_empty() && self.elsewhere.is_none();
        let below = if is_over { Below::Nothing } else { Below::Unknown };
        self.rows = laid(std::mem::take(&mut self.rows), below);
        if let Some(past) = &mut self.past {
            past.rows = laid(std::mem::take(&mut past.rows), Below::Unknown);
        }
    }
}

/// What follows the last row of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    /// Nothing: no answer came, and none will.
    Nothing,
    /// An answer, perhaps.
    Unknown,
}

fn laid(rows: Vec<Row>, below: Below) -> Vec<Row> {
    let mut all = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        let is_open =
            rows.peek().map_or(below == Below::Nothing, |next| next.message.role != Role::Assistant);
        let note = is_open.then(|| Row::in_vain(&row.message)).flatten();
        all.push(row);
        all.extend(note);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Message, Transcript, TurnInfo, TurnStatus};

    fn said(id: &str) -> Message {
        let role = if id.starts_with('a') { Role::Assistant } else { Role::User };
        let mut message = Message::text(id, role, id);
        if id.starts_with('f') {
            message.set_turn(&TurnInfo {
                status: TurnStatus::Failed,
                model: "m".to_owned(),
                started_at: 5,
                finished_at: Some(9),
                error: Some("quota".to_owned()),
                usage: None,
            });
        }
        message
    }

    fn list(ids: &str) -> Transcript {
        Transcript { messages: ids.split(' ').map(said).collect(), ..Transcript::default() }
    }

    /// The rows, and what each says of its end.
    fn told(state: &TranscriptState) -> String {
        let tell = |key: &super::super::RowKey| {
            let head = state.head(key).expect("a head");
            let ending = head.ending.and_then(|ending| ending.error).unwrap_or_default();
            let mark = if head.delivery == Delivery::InVain { "!" } else { "" };
            format!("{key}{mark}{ending}{}", if head.retry.is_some() { " retry" } else { "" })
        };
        state.order().iter().map(tell).collect::<Vec<_>>().join(", ")
    }

    #[track_caller]
    fn check(ids: &str, expected: &str) {
        assert_eq!(told(&TranscriptState::new(list(ids))), expected, "{ids}");
    }

    #[test]
    fn a_turn_that_left_nothing_stands_below_its_question_while_no_answer_does() {
        check("u1 a1", "u1, a1");
        check("f1", "f1, none-f1!quota retry");
        check("f1 a1", "f1, a1");
        check("f1 u2 a2", "f1, none-f1!quota retry, u2, a2");
        check("f1 f2", "f1, none-f1!quota retry, f2, none-f2!quota retry");
    }

    #[test]
    fn the_servers_list_lays_them_anew() {
        let mut state = TranscriptState::new(list("f1 u2 a2"));
        let mut hear = |ids: &str, expected: &str| {
            let _replies = state.apply(protocol::ServerFrame::Messages(list(ids)));
            assert_eq!(told(&state), expected, "{ids}");
            assert_eq!(state.earlier(), 0);
        };
        hear("f1 u2 a2 u3 a3", "f1, none-f1!quota retry, u2, a2, u3, a3");
        hear("u3 a3", "f1, none-f1!quota retry, u2, a2, u3, a3");
        hear("f1 a1", "f1, a1");
        hear("f1", "f1, none-f1!quota retry");
    }

    #[test]
    fn another_try_takes_the_place() {
        let mut state = TranscriptState::new(list("u0 a0 f1"));
        let key = state.order().pop().expect("a row");
        let _frame = state.retry(&key, "r1".into());
        assert_eq!(told(&state), "u0, a0, f1");
        let _replies = state.apply(protocol::ServerFrame::Messages(list("u0 a0 f1")));
        assert_eq!(told(&state), "u0, a0, f1");
    }
}
