//! What the keys of the tree mean. Pure.

use super::outline::Row;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Another row gets the focus.
    Focus(usize),
    /// The fork of the row is folded, or unfolded.
    Fold,
    /// Its branch is gone to.
    Go,
    /// Its message goes to the trash, with all below it.
    Prune,
}

/// What a key does where the row `here` has the focus, whose message follows `parent`.
pub fn step(key: &str, rows: &[Row], here: usize, parent: Option<usize>) -> Option<Step> {
    let (row, last) = (rows.get(here)?, rows.len() - 1);
    let down = Step::Focus((here + 1).min(last));
    Some(match key {
        "ArrowDown" => down,
        "ArrowUp" => Step::Focus(here.saturating_sub(1)),
        "Home" => Step::Focus(0),
        "End" => Step::Focus(last),
        "ArrowLeft" if row.is_fork && row.hidden == 0 => Step::Fold,
        "ArrowLeft" => Step::Focus(rows.iter().position(|row| Some(row.node) == parent).unwrap_or(here)),
        "ArrowRight" if row.hidden > 0 => Step::Fold,
        "ArrowRight" => down,
        "Enter" | " " => Step::Go,
        "Delete" => Step::Prune,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_walk_fold_go_and_prune() {
        let row = |node: usize, is_fork: bool, hidden: usize| Row { node, depth: 0, is_fork, hidden };
        // A root, an open fork, one of its versions, and another one that is a folded fork.
        let rows = [row(10, false, 0), row(11, true, 0), row(12, false, 0), row(13, true, 4)];
        let parents = [None, Some(10), Some(11), Some(11)];
        for (key, expected) in [
            ("ArrowDown", [Step::Focus(1), Step::Focus(2), Step::Focus(3), Step::Focus(3)]),
            ("ArrowUp", [Step::Focus(0), Step::Focus(0), Step::Focus(1), Step::Focus(2)]),
            ("Home", [Step::Focus(0); 4]),
            ("End", [Step::Focus(3); 4]),
            ("ArrowLeft", [Step::Focus(0), Step::Fold, Step::Focus(1), Step::Focus(1)]),
            ("ArrowRight", [Step::Focus(1), Step::Focus(2), Step::Focus(3), Step::Fold]),
            ("Enter", [Step::Go; 4]),
            (" ", [Step::Go; 4]),
            ("Delete", [Step::Prune; 4]),
        ] {
            let steps = [0, 1, 2, 3].map(|here| step(key, &rows, here, parents[here]));
            assert_eq!(steps, expected.map(Some), "{key}");
        }
        assert_eq!(step("x", &rows, 0, None), None);
        assert_eq!(step("ArrowDown", &[], 0, None), None);
    }
}
