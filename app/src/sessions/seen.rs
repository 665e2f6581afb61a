//! Which chats got an answer while nobody looked at them in this browser. Kept in the browser, so that its tabs agree.
//! Pure.

use protocol::{SessionId, SessionInfo};

/// Chats that are remembered, those looked at last.
const REMEMBERED_MAX: usize = 1_000;

/// How far this browser has looked into each chat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// When this browser first looked: what is older counts as seen.
    since: u64,
    /// How many messages each chat had when it was looked at, the last looked at last.
    counts: Vec<(SessionId, u64)>,
}

impl Seen {
    /// Reads what a browser kept; a browser that kept nothing begins at `now`.
    pub fn parse(kept: &str, now: u64) -> Self {
        let mut lines = kept.lines();
        let Some(since) = lines.next().and_then(|line| line.parse().ok()) else {
            return Self { since: now, counts: Vec::new() };
        };
        let read = |line: &str| {
            let (count, id) = line.split_once(' ')?;
            Some((SessionId::from(id), count.parse().ok()?))
        };
        Self { since, counts: lines.filter_map(read).collect() }
    }

    /// As a browser keeps it.
    pub fn to_text(&self) -> String {
        let lines = self.counts.iter().map(|(id, count)| format!("\n{count} {id}"));
        std::iter::once(self.since.to_string()).chain(lines).collect()
    }

    /// A chat is looked at. Whether that is news.
    pub fn look(&mut self, session: &SessionInfo) -> bool {
        if self.count(&session.id) == Some(session.message_count) {
            return false;
        }
        self.counts.retain(|(id, _)| *id != session.id);
        self.counts.push((session.id.clone(), session.message_count));
        let surplus = self.counts.len().saturating_sub(REMEMBERED_MAX);
        let _forgotten = self.counts.drain(..surplus);
        true
    }

    /// Whether it has something that was not looked at. While an answer is written there is nothing to see yet.
    pub fn is_unread(&self, session: &SessionInfo) -> bool {
        !session.is_running
            && session.updated_at > self.since
            && session.message_count > self.count(&session.id).unwrap_or_default()
    }

    fn count(&self, id: &SessionId) -> Option<u64> {
        self.counts.iter().rev().find(|(known, _)| known == id).map(|(_, count)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::session;
    use super::*;

    fn with_messages(message_count: u64, updated_at: u64) -> SessionInfo {
        SessionInfo { message_count, ..session("a", updated_at) }
    }

    #[test]
    fn an_answer_is_unread_until_it_is_looked_at() {
        let mut seen = Seen::parse("", 100);
        assert!(!seen.is_unread(&with_messages(2, 100)), "older than this browser's first look");
        assert!(seen.is_unread(&with_messages(2, 101)));
        assert!(seen.look(&with_messages(2, 101)));
        assert!(!seen.look(&with_messages(2, 101)), "no news");
        assert!(!seen.is_unread(&with_messages(2, 105)), "renamed");
        let running = SessionInfo { is_running: true, ..with_messages(3, 106) };
        assert!(!seen.is_unread(&running), "still being written");
        assert!(seen.is_unread(&with_messages(4, 107)));
    }

    #[test]
    fn what_is_kept_comes_back_and_does_not_grow_for_ever() {
        let mut seen = Seen::parse("", 100);
        for number in 0..=REMEMBERED_MAX {
            assert!(seen.look(&session(&format!("s {number}"), 1)));
        }
        assert_eq!((seen.counts.len(), seen.count(&"s 0".into())), (REMEMBERED_MAX, None));
        assert_eq!(Seen::parse(&seen.to_text(), 999), seen);
        assert_eq!(Seen::parse("7\nnonsense\n3 x", 999).counts, [("x".into(), 3)]);
    }
}
