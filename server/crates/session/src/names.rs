//! Names as people compare them: however their letters were typed, in whatever case. Pure.

use unicode_normalization::UnicodeNormalization;

/// What two names have in common that differ in case only, in any script. Going through capitals also folds letters that
/// have several small forms, or whose capital is two.
pub(crate) fn folded(name: &str) -> String {
    name.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_only_are_the_same() {
        for (left, right) in [
            ("Oslo trip", "OSLO TRIP"),
            ("\u{c9}t\u{e9}", "e\u{301}TE\u{301}"),
            ("Stra\u{df}e", "STRASSE"),
            (
                "\u{3a3}\u{3af}\u{3c3}\u{3c5}\u{3c6}\u{3bf}\u{3c2}",
                "\u{3a3}\u{38a}\u{3a3}\u{3a5}\u{3a6}\u{39f}\u{3a3}",
            ),
            ("\u{416}\u{443}\u{43a}", "\u{436}\u{423}\u{41a}"),
            ("\u{10d0}\u{10d1}", "\u{1c90}\u{1c91}"),
            ("\u{4eca}\u{65e5} 1", "\u{4eca}\u{65e5} 1"),
        ] {
            assert_eq!(folded(left), folded(right));
        }
        assert_ne!(folded("ete"), folded("\u{e9}t\u{e9}"), "an accent is no case");
    }
}
