//! The list of sessions as a tab knows it: order, groups by local day, deletions that can be undone. Pure: the time
//! and the reader's offset from UTC come in.

use protocol::{SessionId, SessionInfo, SessionPage};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// The sessions a tab knows, newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionList {
    sessions: Vec<SessionInfo>,
    /// Ask with this for older ones.
    cursor: Option<String>,
    /// Deleted in this tab; frames that were on their way do not bring them back.
    deleted: Vec<SessionId>,
    is_loaded: bool,
}

/// A run of sessions under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its heading.
    pub age: Age,
    /// Its sessions, newest first.
    pub ids: Vec<SessionId>,
}

/// How long ago something last happened in a session, by the reader's days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Age {
    /// Today.
    Today,
    /// The day before.
    Yesterday,
    /// The six days before that.
    Week,
    /// The 23 days before that.
    Month,
    /// Before that.
    Older,
}

impl Age {
    /// The heading.
    pub fn label(self) -> &'static str {
        match self {
            Self::Today => "Today",
            Self::Yesterday => "Yesterday",
            Self::Week => "Previous 7 days",
            Self::Month => "Previous 30 days",
            Self::Older => "Older",
        }
    }

    /// Of a moment, seen at `now` by a reader `offset_minutes` east of UTC.
    pub fn of(moment: u64, now: u64, offset_minutes: i32) -> Self {
        let day = |time: u64| (time as i64 + i64::from(offset_minutes) * MINUTE_MS).div_euclid(DAY_MS);
        match day(now) - day(moment) {
            ..=0 => Self::Today,
            1 => Self::Yesterday,
            2..=7 => Self::Week,
            8..=30 => Self::Month,
            _ => Self::Older,
        }
    }
}

impl SessionList {
    /// Takes the first page, once; later news come one by one.
    pub fn load(&mut self, page: SessionPage) {
        if !self.is_loaded {
            self.is_loaded = true;
            self.extend(page);
        }
    }

    /// Adds the sessions of a further page.
    pub fn extend(&mut self, page: SessionPage) {
        for session in page.sessions {
            if self.get(&session.id).is_none() {
                self.put(session);
            }
        }
        self.cursor = page.next_cursor;
    }

    /// A session is new or changed.
    pub fn put(&mut self, session: SessionInfo) {
        if self.deleted.contains(&session.id) {
            return;
        }
        self.sessions.retain(|known| known.id != session.id);
        let rank = |it: &SessionInfo| (it.updated_at, it.created_at, it.id.clone());
        let at = self.sessions.partition_point(|known| rank(known) > rank(&session));
        self.sessions.insert(at, session);
    }

    /// A session is gone.
    pub fn remove(&mut self, id: &SessionId) -> Option<SessionInfo> {
        let at = self.sessions.iter().position(|known| known.id == *id)?;
        Some(self.sessions.remove(at))
    }

    /// This tab deletes a session: it leaves at once.
    pub fn delete(&mut self, id: &SessionId) -> Option<SessionInfo> {
        let gone = self.remove(id)?;
        self.deleted.push(id.clone());
        Some(gone)
    }

    /// A deletion was undone, or did not work.
    pub fn undelete(&mut self, session: SessionInfo) {
        self.deleted.retain(|id| *id != session.id);
        self.put(session);
    }

    /// Gives a session another name. Its old one.
    pub fn rename(&mut self, id: &SessionId, name: &str) -> Option<String> {
        let session = self.sessions.iter_mut().find(|known| known.id == *id)?;
        Some(std::mem::replace(&mut session.name, name.to_owned()))
    }

    /// One session.
    pub fn get(&self, id: &SessionId) -> Option<&SessionInfo> {
        self.sessions.iter().find(|known| known.id == *id)
    }

    /// All that are known, newest first.
    pub fn all(&self) -> &[SessionInfo] {
        &self.sessions
    }

    /// Whether there is no session at all.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// The cursor to ask for older sessions with.
    pub fn cursor(&self) -> Option<String> {
        self.cursor.clone()
    }

    /// The sessions under their headings.
    pub fn groups(&self, now: u64, offset_minutes: i32) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for session in &self.sessions {
            let age = Age::of(session.updated_at, now, offset_minutes);
            match groups.last_mut().filter(|group| group.age == age) {
                Some(group) => group.ids.push(session.id.clone()),
                None => groups.push(Group { age, ids: vec![session.id.clone()] }),
            }
        }
        groups
    }
}

/// The name a session is shown under.
pub fn title(session: Option<&SessionInfo>) -> String {
    let name = session.map_or("", |session| session.name.trim());
    if name.is_empty() { "Untitled".to_owned() } else { name.to_owned() }
}

/// A name as a person typed it, as far as it is allowed; none if nothing is left of it.
pub fn clean_name(typed: &str) -> Option<String> {
    let name = typed.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.chars().take(protocol::limits::SESSION_NAME_MAX_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-06-15T12:00:00Z.
    const NOON: u64 = 1_781_524_800_000;
    const HOUR: u64 = 3_600_000;

    fn session(id: &str, updated_at: u64) -> SessionInfo {
        let fields = serde_json::json!({
            "id": id,
            "name": format!("chat {id}"),
            "input_tokens": 0,
            "output_tokens": 0,
            "estimated_cost": 0.0,
            "created_at": 1,
            "updated_at": updated_at,
            "message_count": 2,
        });
        serde_json::from_value(fields).expect("a session")
    }

    fn ids(list: &SessionList) -> Vec<&str> {
        list.sessions.iter().map(|session| session.id.as_str()).collect()
    }

    #[track_caller]
    fn check_age(hours_ago: u64, offset_hours: i32, expected: Age) {
        assert_eq!(Age::of(NOON - hours_ago * HOUR, NOON, offset_hours * 60), expected);
    }

    #[test]
    fn days_are_the_readers_own() {
        // J13: at noon UTC it is 02:00 next day in Kiritimati and 04:00 in Los Angeles.
        check_age(0, 0, Age::Today);
        check_age(11, 0, Age::Today);
        check_age(13, 0, Age::Yesterday);
        check_age(3, 14, Age::Yesterday);
        check_age(1, 14, Age::Today);
        check_age(5, -8, Age::Yesterday);
        check_age(4, -8, Age::Today);
        check_age(24 * 7, 0, Age::Week);
        check_age(24 * 8, 0, Age::Month);
        check_age(24 * 31, 0, Age::Older);
        assert_eq!(Age::of(NOON + 48 * HOUR, NOON, 0), Age::Today, "a clock ahead of ours");
    }

    #[test]
    fn the_list_is_newest_first_and_groups_do_not_repeat() {
        let mut list = SessionList::default();
        let page = SessionPage {
            sessions: vec![session("a", NOON - 30 * HOUR), session("b", NOON), session("c", NOON - HOUR)],
            next_cursor: Some("next".to_owned()),
        };
        list.load(page);
        assert_eq!(ids(&list), ["b", "c", "a"]);
        list.put(session("a", NOON + 1));
        assert_eq!(ids(&list), ["a", "b", "c"]);
        list.load(SessionPage::default());
        assert_eq!(list.cursor().as_deref(), Some("next"));
        let groups = list.groups(NOON + 20 * HOUR, 0);
        let expected = Group { age: Age::Yesterday, ids: vec!["a".into(), "b".into(), "c".into()] };
        assert_eq!(groups, [expected]);
    }

    #[test]
    fn a_deleted_session_stays_away_until_it_is_restored() {
        let mut list = SessionList::default();
        list.put(session("a", 5));
        list.put(session("b", 6));
        let gone = list.delete(&"a".into()).expect("was there");
        list.put(session("a", 9));
        assert_eq!(ids(&list), ["b"]);
        list.undelete(gone);
        assert_eq!(ids(&list), ["b", "a"]);
        assert_eq!(list.delete(&"x".into()), None);
    }

    #[test]
    fn names_are_tidied_and_never_empty() {
        let check = |typed: &str, expected: Option<&str>| assert_eq!(clean_name(typed).as_deref(), expected);
        check("  a \n b ", Some("a b"));
        check(" \t", None);
        assert_eq!(clean_name(&"é".repeat(300)).map(|name| name.chars().count()), Some(200));
        assert_eq!(title(None), "Untitled");
        assert_eq!(title(Some(&session("a", 1))), "chat a");
    }
}
