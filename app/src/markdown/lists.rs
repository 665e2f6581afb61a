//! What belongs to a list. The splitter of blocks ends a list where a fence begins in it that it takes for one of its
//! own; what is said here joins the pieces again. Joining too much is never wrong, it only makes a larger block.

/// Whether a block begins with an item of a list.
pub fn is_list(block: &str) -> bool {
    let line = block.trim_start_matches(['\n', ' ']);
    let after_digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let mark = if after_digits.len() < line.len() {
        after_digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    mark.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\n']))
}

/// Whether what follows a list may be a part of it: more of a fence that is open, what is indented, another item, or
/// nothing of which that could be told yet.
pub fn goes_on(list: &str, next: &str) -> bool {
    let next = next.trim_start_matches('\n');
    let is_indented = next.starts_with("  ") || next.starts_with('\t');
    let is_undecided = next.trim().chars().all(|char| char.is_ascii_digit());
    is_undecided || is_indented || is_list(next) || is_fence_open(list)
}

/// Whether a fence has begun and has no end.
fn is_fence_open(list: &str) -> bool {
    let mut open: Option<(char, usize)> = None;
    for line in list.lines() {
        let inside = line.trim_start_matches([' ', '\t', '>', '-', '*', '+', '.', ')']);
        let inside = inside.trim_start_matches(|char: char| char.is_ascii_digit());
        let inside = inside.trim_start_matches(['.', ')', ' ']);
        let Some(sign) = inside.chars().next().filter(|sign| matches!(sign, '`' | '~')) else { continue };
        let count = inside.chars().take_while(|char| *char == sign).count();
        let rest = inside.get(count..).unwrap_or_default();
        open = match open {
            None if count >= 3 && (sign == '~' || !rest.contains('`')) => Some((sign, count)),
            Some((begun, least)) if begun == sign && count >= least && rest.trim().is_empty() => None,
            same => same,
        };
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_lists_are_known() {
        for list in ["- a", "* a\n", "+ a", "1. a", "12) a", " - a", "\n- a", "-", "3."] {
            assert!(is_list(list), "{list:?}");
        }
        for other in ["---", "**a**", "-a", "1.5 a", "a", "", "```"] {
            assert!(!is_list(other), "{other:?}");
        }
    }

    #[test]
    fn a_list_goes_on_with_what_is_a_part_of_it() {
        for (list, next) in [
            ("1. a\n\n   ```sh\n   ls\n", "   ```\n"),
            ("1. a\n\n   ```sh\n   ls\n", "ls"),
            ("- a\n", "  ```sh\n  ls\n  ```\n"),
            ("- ```sh\n", "x"),
            ("1. a\n", "2. b"),
            ("- a\n", ""),
            ("- a\n", "\n"),
            ("1. a\n", "2"),
        ] {
            assert!(goes_on(list, next), "{list:?} {next:?}");
        }
        for (list, next) in
            [("- a\n", "b"), ("- a\n", "```sh\n"), ("- ```sh\n  ls\n  ```\n", "b"), ("- a ```b``` c\n", "b")]
        {
            assert!(!goes_on(list, next), "{list:?} {next:?}");
        }
    }
}
