//! Versions of one message side by side, so that one of them can be kept; and the models that shall make some.

mod column;
mod models;
mod sheet;
mod stored;

use super::signals::Chat;
use super::transcript::RowKey;
use leptos::prelude::*;
use models::SeveralModels;
use protocol::MessageId;
use sheet::CompareSheet;

/// What stands over the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// All versions of the message of which this is one.
    Versions(MessageId),
    /// The list of models, of which some shall answer what this row answers.
    Models(RowKey),
}

/// Id of what stands over the page, a native popover.
const COMPARE_ID: &str = "compare";

/// What stands over the page of a chat.
pub fn beside(chat: Chat, what: Compared) -> AnyView {
    match what {
        Compared::Versions(known) => view! { <CompareSheet chat known/> }.into_any(),
        Compared::Models(row) => view! { <SeveralModels chat row/> }.into_any(),
    }
}

/// The column that a key leads to from one of `count`; none for other keys. The ends do not join.
fn column_after(key: &str, here: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowRight" => Some((here + 1).min(last)),
        "ArrowLeft" => Some(here.saturating_sub(1)),
        "Home" => Some(0),
        "End" => Some(last),
        digit => digit.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at <= last),
    }
}

/// What the sheet is called.
fn heading(versions: usize, to_come: usize) -> String {
    let noun = if versions == 1 { "version" } else { "versions" };
    match to_come {
        0 => format!("{versions} {noun}"),
        1 => format!("{versions} {noun}, 1 being written"),
        more => format!("{versions} {noun}, 1 being written and {} to come", more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_walk_through_the_columns() {
        let check = |key: &str, here: usize, expected: Option<usize>| {
            assert_eq!(column_after(key, here, 3), expected, "{key}");
        };
        check("ArrowRight", 0, Some(1));
        check("ArrowRight", 2, Some(2));
        check("ArrowLeft", 0, Some(0));
        check("Home", 2, Some(0));
        check("End", 0, Some(2));
        check("3", 0, Some(2));
        check("4", 0, None);
        check("0", 0, None);
        check("x", 0, None);
        assert_eq!(column_after("End", 0, 0), None);
    }

    #[test]
    fn the_heading_says_what_is_missing() {
        assert_eq!(heading(2, 0), "2 versions");
        assert_eq!(heading(1, 1), "1 version, 1 being written");
        assert_eq!(heading(2, 3), "2 versions, 1 being written and 2 to come");
    }
}
