//! Sessions of the list that are chosen together, to do the same with all of them. Pure: the order in which
//! they stand comes in.

use protocol::SessionId;

/// The chosen sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Sorted, so that thousands of rows can ask whether they are among them.
    chosen: Vec<SessionId>,
    /// Where a range begins: what was chosen last by itself.
    anchor: Option<SessionId>,
}

impl Selection {
    /// Whether a session is chosen.
    pub fn has(&self, id: &SessionId) -> bool {
        self.place_of(id).is_ok()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The chosen ones.
    pub fn ids(&self) -> &[SessionId] {
        &self.chosen
    }

    /// Chooses one more, or lets it go.
    pub fn toggle(&mut self, id: &SessionId) {
        match self.place_of(id) {
            Ok(at) => drop(self.chosen.remove(at)),
            Err(at) => self.chosen.insert(at, id.clone()),
        }
        self.anchor = Some(id.clone());
    }

    /// Chooses all from where a range begins to `to`, and nothing else. Where none began, it begins at
    /// `from`.
    pub fn stretch(&mut self, order: &[SessionId], from: Option<&SessionId>, to: &SessionId) {
        let place = |id: &SessionId| order.iter().position(|known| known == id);
        let anchor = self.anchor.as_ref().and_then(place).or_else(|| from.and_then(place));
        let Some(end) = place(to) else { return };
        let start = anchor.unwrap_or(end);
        self.anchor = order.get(start).cloned();
        self.choose(order.get(start.min(end)..=start.max(end)).unwrap_or_default());
    }

    /// Chooses these and nothing else.
    pub fn choose(&mut self, ids: &[SessionId]) {
        self.chosen = ids.to_vec();
        self.chosen.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    }

    /// Lets all go.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keeps those that `still` stand in the list. Whether any left.
    pub fn keep(&mut self, still: impl Fn(&SessionId) -> bool) -> bool {
        let count = self.chosen.len();
        self.chosen.retain(still);
        self.chosen.len() != count
    }

    fn place_of(&self, id: &SessionId) -> Result<usize, usize> {
        self.chosen.binary_search_by(|known| known.as_str().cmp(id.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<SessionId> {
        names.iter().map(|name| SessionId::from(*name)).collect()
    }

    /// A step of a story, and what is chosen after it.
    #[track_caller]
    fn check(selection: &mut Selection, step: impl FnOnce(&mut Selection), expected: &[&str]) {
        step(selection);
        assert_eq!(selection.ids(), ids(expected));
        assert_eq!(selection.is_empty(), expected.is_empty());
        assert!(expected.iter().all(|name| selection.has(&(*name).into())) && !selection.has(&"z".into()));
    }

    #[test]
    fn one_by_one_and_in_ranges() {
        let order = ids(&["d", "b", "a", "c"]);
        let mut selection = Selection::default();
        let it = &mut selection;
        check(it, |it| it.toggle(&"d".into()), &["d"]);
        check(it, |it| it.toggle(&"a".into()), &["a", "d"]);
        check(it, |it| it.toggle(&"d".into()), &["a"]);
        check(it, |it| it.stretch(&order, None, &"a".into()), &["a", "b", "d"]);
        check(it, |it| it.stretch(&order, Some(&"c".into()), &"b".into()), &["b", "d"]);
        check(it, |it| it.stretch(&order, None, &"gone".into()), &["b", "d"]);
        check(it, |it| assert!(it.keep(|id| id.as_str() != "b")), &["d"]);
        check(it, |it| assert!(!it.keep(|_| true)), &["d"]);
        check(it, Selection::clear, &[]);
        check(it, |it| it.stretch(&order, Some(&"b".into()), &"c".into()), &["a", "b", "c"]);
        check(it, |it| it.stretch(&order, None, &"d".into()), &["b", "d"]);
        check(it, |it| it.choose(&order), &["a", "b", "c", "d"]);
    }
}
