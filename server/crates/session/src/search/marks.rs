//! Neighbouring words as marks of a message. Words that stand almost everywhere tell no messages apart, and comparing
//! their places everywhere is what made a phrase of them slow to find; that one stands right before the other tells.
//!
//! A mark stands for many pairs, so it only says where a phrase may be. It is one character, so that the index keeps no
//! beginnings of it, and no word holds it. Pairs of signs have words of their own.

use crate::search::words::is_one_sign;
use std::collections::BTreeSet;

/// How many marks there are: few enough to be cheap to keep, and enough for each to be in few messages.
const MARKS: u32 = 4_096;
/// The first of them, of an area that no script uses.
const FIRST: u32 = 0xe400;

/// The marks of words one after the other.
pub(crate) fn marks(sequence: &[String]) -> BTreeSet<char> {
    let neighbours = sequence.iter().zip(sequence.iter().skip(1));
    neighbours.filter_map(|(left, right)| mark(left, right)).collect()
}

/// The mark of two neighbours; the same in every version of this program.
fn mark(left: &str, right: &str) -> Option<char> {
    if is_one_sign(left) && is_one_sign(right) {
        return None;
    }
    let bytes = left.bytes().chain([0]).chain(right.bytes());
    let hash = bytes.fold(0x811c_9dc5_u32, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    char::from_u32(FIRST + (hash ^ (hash >> 16)) % MARKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str], expected: &[u32]) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let marks: Vec<u32> = marks(&words).into_iter().map(u32::from).collect();
        assert_eq!(marks, expected, "{words:?}");
    }

    #[test]
    fn two_neighbours_that_are_not_both_signs_have_a_mark_that_never_changes() {
        check(&[], &[]);
        check(&["one"], &[]);
        check(&["of", "the"], &[0xee4d]);
        check(&["the", "of"], &[0xeeba]);
        check(&["of", "the", "of", "the"], &[0xee4d, 0xeeba]);
        check(&["\u{4eca}", "\u{65e5}"], &[]);
        check(&["\u{4eca}", "a"], &[0xe433]);
    }

    #[test]
    fn marks_are_spread_over_all_of_their_area() {
        let words: Vec<String> = (0..100_000).map(|number| format!("w{number}")).collect();
        let marks = marks(&words);
        assert_eq!(marks.len(), MARKS as usize);
        assert!(marks.iter().all(|mark| (FIRST..FIRST + MARKS).contains(&u32::from(*mark))));
    }
}
