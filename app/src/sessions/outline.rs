//! How the list of sessions is laid out: pinned ones first, then by the reader's days; what was forked or
//! spawned stands below what it came from. Pure: the time and the reader's offset from UTC come in.

use super::state::{SessionList, rank};
use crate::format::MINUTE_MS;
use protocol::{SessionId, SessionInfo};

const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// Deeper than this nothing is moved further to the side.
const DEPTH_MAX: u8 = 3;

/// A run of sessions under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its heading.
    pub heading: Heading,
    /// Its sessions from top to bottom.
    pub rows: Vec<Entry>,
}

/// One session in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which.
    pub id: SessionId,
    /// How far it stands to the side: 0 where it has no parent in the list.
    pub depth: u8,
    /// Whether others stand below it, or are folded away there.
    pub is_parent: bool,
}

/// What a group of sessions has in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Heading {
    /// Kept at the top.
    Pinned,
    /// Something last happened today.
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

impl Heading {
    /// As it is shown.
    pub fn label(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
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

/// The sessions under their headings. Children of those in `folded` are left out. A family stands where its newest
/// member would; a pinned session leaves its parent.
pub fn groups(list: &SessionList, folded: &[SessionId], now: u64, offset_minutes: i32) -> Vec<Group> {
    let families = Families::of(list);
    let mut groups: Vec<Group> = Vec::new();
    let mut add = |heading: Heading, root: usize| {
        if groups.last().is_none_or(|group| group.heading != heading) {
            groups.push(Group { heading, rows: Vec::new() });
        }
        if let Some(group) = groups.last_mut() {
            families.write(root, folded, 0, &mut group.rows);
        }
    };
    let open = families.open.iter().enumerate();
    let pinned = open.clone().filter(|(_, session)| session.pinned_at.is_some());
    pinned.for_each(|(at, _)| add(Heading::Pinned, at));
    // Newest first, so each family is met by its newest member.
    let mut written = vec![false; families.open.len()];
    for (at, session) in open {
        let root = families.root_of(at);
        let is_new = written.get_mut(root).is_some_and(|written| !std::mem::replace(written, true));
        let is_pinned = families.open.get(root).is_some_and(|root| root.pinned_at.is_some());
        if is_new && !is_pinned {
            add(Heading::of(session.updated_at, now, offset_minutes), root);
        }
    }
    groups
}

/// Who stands below whom, by places in the list.
struct Families<'a> {
    open: Vec<&'a SessionInfo>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

impl<'a> Families<'a> {
    fn of(list: &'a SessionList) -> Self {
        let open = list.open();
        let parents: Vec<_> = open.iter().map(|session| parent_of(session, list, &open)).collect();
        let mut children = vec![Vec::new(); open.len()];
        for (at, parent) in parents.iter().enumerate() {
            if let Some(siblings) = parent.and_then(|parent| children.get_mut(parent)) {
                siblings.push(at);
            }
        }
        Self { open, parents, children }
    }

    fn root_of(&self, at: usize) -> usize {
        let mut root = at;
        while let Some(parent) = self.parents.get(root).copied().flatten() {
            root = parent;
        }
        root
    }

    fn write(&self, at: usize, folded: &[SessionId], depth: u8, rows: &mut Vec<Entry>) {
        let (Some(session), Some(children)) = (self.open.get(at), self.children.get(at)) else { return };
        rows.push(Entry { id: session.id.clone(), depth, is_parent: !children.is_empty() });
        if folded.contains(&session.id) {
            return;
        }
        let below = (depth + 1).min(DEPTH_MAX);
        children.iter().for_each(|child| self.write(*child, folded, below, rows));
    }
}

/// The place of what a session stands below: its parent, if that is in the list and the session is not kept at the top
/// itself. A parent is older than its child; a file that says otherwise could make a circle.
fn parent_of(session: &SessionInfo, list: &SessionList, open: &[&SessionInfo]) -> Option<usize> {
    let parent = session.parent_session_id.as_ref().filter(|_| session.pinned_at.is_none())?;
    let parent = list.get(parent)?;
    let age = |session: &SessionInfo| (session.created_at, session.id.clone());
    let is_older = age(parent) < age(session);
    // Newest first, hence the other way round.
    is_older.then(|| open.binary_search_by(|known| rank(parent).cmp(&rank(known))).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::session;
    use super::*;

    /// 2026-06-15T12:00:00Z.
    const NOON: u64 = 1_781_524_800_000;
    const HOUR: u64 = 3_600_000;

    #[track_caller]
    fn check_day(hours_ago: u64, offset_hours: i32, expected: Heading) {
        assert_eq!(Heading::of(NOON - hours_ago * HOUR, NOON, offset_hours * 60), expected);
    }

    #[test]
    fn days_are_the_readers_own() {
        // J13: at noon UTC it is 02:00 next day in Kiritimati and 04:00 in Los Angeles.
        check_day(0, 0, Heading::Today);
        check_day(11, 0, Heading::Today);
        check_day(13, 0, Heading::Yesterday);
        check_day(3, 14, Heading::Yesterday);
        check_day(1, 14, Heading::Today);
        check_day(5, -8, Heading::Yesterday);
        check_day(4, -8, Heading::Today);
        check_day(24 * 7, 0, Heading::Week);
        check_day(24 * 8, 0, Heading::Month);
        check_day(24 * 31, 0, Heading::Older);
        assert_eq!(Heading::of(NOON + 48 * HOUR, NOON, 0), Heading::Today, "a clock ahead of ours");
    }

    fn child(id: &str, parent: &str, hours_ago: u64) -> SessionInfo {
        let parent_session_id = Some(parent.into());
        SessionInfo { parent_session_id, created_at: 2, ..session(id, NOON - hours_ago * HOUR) }
    }

    fn pinned(session: SessionInfo) -> SessionInfo {
        SessionInfo { pinned_at: Some(1), ..session }
    }

    /// The list as a person sees it: headings, and rows with a step to the side for each level.
    #[track_caller]
    fn check(sessions: Vec<SessionInfo>, folded: &[&str], expected: &[&str]) {
        let mut list = SessionList::default();
        sessions.into_iter().for_each(|session| list.put(session));
        let folded: Vec<SessionId> = folded.iter().map(|id| (*id).into()).collect();
        let tell = |row: Entry| {
            let step = "-".repeat(usize::from(row.depth) + 1);
            format!("{step}{}{}", row.id, if row.is_parent { "+" } else { "" })
        };
        let mut seen = Vec::new();
        for group in groups(&list, &folded, NOON, 0) {
            seen.push(group.heading.label().to_owned());
            seen.extend(group.rows.into_iter().map(tell));
        }
        assert_eq!(seen, expected);
    }

    fn old(id: &str, hours_ago: u64) -> SessionInfo {
        session(id, NOON - hours_ago * HOUR)
    }

    #[test]
    fn pinned_ones_come_first_and_headings_do_not_repeat() {
        let sessions =
            vec![old("a", 1), pinned(old("b", 900)), old("c", 20), old("d", 21), pinned(old("e", 2))];
        check(sessions, &[], &["Pinned", "-e", "-b", "Today", "-a", "Yesterday", "-c", "-d"]);
        check(vec![], &[], &[]);
    }

    #[test]
    fn forks_stand_below_their_parent_where_its_newest_is() {
        let sessions =
            || vec![old("a", 50), child("b", "a", 3), child("c", "b", 1), child("d", "a", 2), old("e", 2)];
        check(sessions(), &[], &["Today", "-a+", "--d", "--b+", "---c", "-e"]);
        check(sessions(), &["b"], &["Today", "-a+", "--d", "--b+", "-e"]);
        check(sessions(), &["a", "e"], &["Today", "-a+", "-e"]);
    }

    #[test]
    fn a_child_without_its_parent_stands_alone() {
        check(vec![child("b", "gone", 1)], &[], &["Today", "-b"]);
        let aside = SessionInfo { archived_at: Some(1), ..old("a", 1) };
        check(vec![aside, child("b", "a", 1)], &[], &["Today", "-b"]);
        check(vec![old("a", 2), pinned(child("b", "a", 1))], &[], &["Pinned", "-b", "Today", "-a"]);
        check(vec![pinned(old("a", 2)), child("b", "a", 1)], &[], &["Pinned", "-a+", "--b"]);
    }

    #[test]
    fn no_circle_holds_the_page_up() {
        let sessions = vec![child("a", "b", 1), child("b", "a", 2), child("c", "c", 3)];
        check(sessions, &[], &["Today", "-a+", "--b", "-c"]);
    }
}
