//! The list of sessions as a tab knows it: what is known of each, what was deleted here and can come back. Pure.

use protocol::{SessionId, SessionInfo, SessionPage};

/// The sessions a tab knows. What is archived or in the trash may be known too, but does not stand in the list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionList {
    /// In the order of their ids, so that one is found quickly among thousands.
    known: Vec<SessionInfo>,
    /// Ask with this for older ones.
    cursor: Option<String>,
    /// Deleted in this tab; frames that were on their way do not bring them back.
    deleted: Vec<SessionId>,
    is_loaded: bool,
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
        match self.place_of(&session.id) {
            Ok(at) => {
                if let Some(known) = self.known.get_mut(at) {
                    *known = session;
                }
            }
            Err(at) => self.known.insert(at, session),
        }
    }

    /// A session is gone. What is heard of it after that says that it is back.
    pub fn remove(&mut self, id: &SessionId) -> Option<SessionInfo> {
        self.deleted.retain(|deleted| deleted != id);
        let at = self.place_of(id).ok()?;
        Some(self.known.remove(at))
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
        let at = self.place_of(id).ok()?;
        let session = self.known.get_mut(at)?;
        Some(std::mem::replace(&mut session.name, name.to_owned()))
    }

    /// One session, wherever it stands.
    pub fn get(&self, id: &SessionId) -> Option<&SessionInfo> {
        self.known.get(self.place_of(id).ok()?)
    }

    /// Those that stand in the list, newest first.
    pub fn open(&self) -> Vec<&SessionInfo> {
        let mut open: Vec<&SessionInfo> = Vec::with_capacity(self.known.len());
        // Ids grow with time, so from the last id on nearly every session takes the last place: this needs no sorting,
        // whose code would weigh more than all of this list.
        for session in self.known.iter().rev().filter(|session| is_open(session)) {
            let place = open.partition_point(|known| rank(known) > rank(session));
            open.insert(place, session);
        }
        open
    }

    /// Whether no session stands in the list.
    pub fn is_empty(&self) -> bool {
        !self.known.iter().any(is_open)
    }

    /// The cursor to ask for older sessions with.
    pub fn cursor(&self) -> Option<String> {
        self.cursor.clone()
    }

    /// Where a session stands in `known`, or would.
    fn place_of(&self, id: &SessionId) -> Result<usize, usize> {
        self.known.binary_search_by(|known| known.id.as_str().cmp(id.as_str()))
    }
}

/// Rows of the list that are made at once.
const PIECE: usize = 20;

/// A page of older sessions, asked for with `cursor`, in pieces that can be put on the screen one after the other.
pub fn in_pieces(page: SessionPage, cursor: &str) -> Vec<SessionPage> {
    let piece = |sessions: &[SessionInfo]| SessionPage {
        sessions: sessions.to_vec(),
        next_cursor: Some(cursor.to_owned()),
    };
    let mut pieces: Vec<SessionPage> = page.sessions.chunks(PIECE).map(piece).collect();
    let end = SessionPage { sessions: Vec::new(), next_cursor: page.next_cursor };
    match pieces.last_mut() {
        Some(last) => last.next_cursor = end.next_cursor,
        None => pieces.push(end),
    }
    pieces
}

fn is_open(session: &SessionInfo) -> bool {
    session.archived_at.is_none() && session.deleted_at.is_none()
}

/// What is newer is greater.
pub(super) fn rank(session: &SessionInfo) -> (u64, u64, &str) {
    (session.updated_at, session.created_at, session.id.as_str())
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
pub(crate) mod tests {
    use super::*;

    /// A session for tests of the list.
    pub(crate) fn session(id: &str, updated_at: u64) -> SessionInfo {
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
        list.open().iter().map(|session| session.id.as_str()).collect()
    }

    #[test]
    fn the_list_is_newest_first_and_has_each_session_once() {
        let mut list = SessionList::default();
        list.load(SessionPage {
            sessions: vec![session("a", 30), session("b", 90), session("c", 60)],
            next_cursor: Some("next".to_owned()),
        });
        assert_eq!(ids(&list), ["b", "c", "a"]);
        list.put(session("a", 91));
        assert_eq!(ids(&list), ["a", "b", "c"]);
        list.load(SessionPage::default());
        assert_eq!(list.cursor().as_deref(), Some("next"));
        list.extend(SessionPage { sessions: vec![session("c", 1), session("d", 2)], next_cursor: None });
        assert_eq!((ids(&list), list.cursor()), (vec!["a", "b", "c", "d"], None));
    }

    #[test]
    fn what_was_deleted_here_and_came_back_elsewhere_is_listed_again() {
        let mut list = SessionList::default();
        list.put(session("a", 30));
        let _gone = list.delete(&"a".into());
        list.put(session("a", 31));
        assert_eq!(ids(&list), Vec::<&str>::new(), "old news of what is going");
        let _told = list.remove(&"a".into());
        list.put(session("a", 30));
        assert_eq!(ids(&list), ["a"]);
    }

    #[test]
    fn a_page_comes_in_pieces_and_its_cursor_with_the_last() {
        let told = |count: u64| {
            let sessions = (0..count).map(|number| session(&number.to_string(), number)).collect();
            let page = SessionPage { sessions, next_cursor: Some("next".to_owned()) };
            let tell = |piece: SessionPage| (piece.sessions.len(), piece.next_cursor.unwrap_or_default());
            in_pieces(page, "this").into_iter().map(tell).collect::<Vec<_>>()
        };
        assert_eq!(told(0), [(0, "next".to_owned())]);
        assert_eq!(told(20), [(20, "next".to_owned())]);
        assert_eq!(told(41), [(20, "this".to_owned()), (20, "this".to_owned()), (1, "next".to_owned())]);
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
    fn what_is_put_aside_leaves_the_list_and_is_still_known() {
        let mut list = SessionList::default();
        list.put(session("a", 5));
        list.put(SessionInfo { archived_at: Some(7), ..session("a", 7) });
        assert_eq!((ids(&list), list.is_empty()), (vec![], true));
        assert_eq!(title(list.get(&"a".into())), "chat a");
        list.put(session("a", 8));
        assert_eq!(ids(&list), ["a"]);
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
