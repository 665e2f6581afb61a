//! Whether messages come back from the trash to where they were, and hang rightly meanwhile. Pure.

use super::{Fault, Finding};
use crate::store::doctor::{Head, Node, Own};
use protocol::{MessageId, SessionId};
use std::collections::{HashMap, HashSet};

/// Names the messages of a session whose own parent cannot be what is noted.
pub(super) fn examine(head: &Head, nodes: &[Node], own: &[Own]) -> Vec<Finding> {
    let family = Family {
        seen: nodes.iter().map(|node| (node.id.as_str(), node.parent_id.as_deref())).collect(),
        trashed: parents(own, |own| own.is_trashed),
        displaced: parents(own, |own| !own.is_trashed),
    };
    let circles = family.circles(own);
    let is_wrong =
        |own: &&Own| circles.contains(own.id.as_str()) || !(own.is_trashed || family.hangs_rightly(own));
    let find = |own: &Own| Finding {
        fault: Fault::WrongTrash,
        session: Some(SessionId::new(head.id.as_str())),
        message: Some(MessageId::new(own.id.as_str())),
        detail: format!("it cannot have had the parent {:?}", own.parent_id),
    };
    own.iter().filter(is_wrong).map(find).collect()
}

/// Messages by id, with a parent each.
type Parents<'a> = HashMap<&'a str, Option<&'a str>>;

fn parents(own: &[Own], is_it: impl Fn(&Own) -> bool) -> Parents<'_> {
    own.iter().filter(|own| is_it(own)).map(|own| (own.id.as_str(), own.parent_id.as_deref())).collect()
}

struct Family<'a> {
    /// As the tree is seen.
    seen: Parents<'a>,
    trashed: Parents<'a>,
    /// Those that are seen, but below another message than their own parent.
    displaced: Parents<'a>,
}

impl<'a> Family<'a> {
    fn own_parent(&self, id: &str) -> Option<&'a str> {
        let all = [&self.trashed, &self.displaced, &self.seen];
        all.into_iter().find_map(|parents| parents.get(id)).copied().flatten()
    }

    /// The messages of `own` that are above themselves.
    fn circles(&self, own: &'a [Own]) -> HashSet<&'a str> {
        let (mut settled, mut circles) = (HashSet::new(), HashSet::new());
        for own in own {
            let (mut walk, mut at) = (Vec::new(), Some(own.id.as_str()));
            while let Some(id) = at.filter(|id| settled.insert(*id)) {
                walk.push(id);
                at = self.own_parent(id);
            }
            // A walk that ends at itself went around.
            let around = walk.iter().skip_while(|id| at != Some(**id));
            circles.extend(around);
        }
        circles
    }

    /// Whether a message outside of the trash hangs below the nearest one above it that is not there.
    fn hangs_rightly(&self, own: &Own) -> bool {
        let mut at = own.parent_id.as_deref();
        for _ in 0..=self.trashed.len() {
            match at.and_then(|id| self.trashed.get(id)) {
                Some(above) => at = *above,
                None => break,
            }
        }
        let nearest = at.filter(|id| self.seen.contains_key(id));
        self.seen.get(own.id.as_str()).is_some_and(|parent| *parent == nearest)
    }
}
