//! "Did you mean": the known name nearest to a mistyped one.

/// The known name that is at most two edits and less than half of its letters away, if there is one.
pub(super) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates = known.into_iter().map(|name| (distance(typed, name), name));
    let (away, name) = candidates.min_by_key(|(away, _)| *away)?;
    (away <= 2 && away * 2 < name.len()).then_some(name)
}

/// How many letters must be put in, taken out or replaced (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.bytes().enumerate() {
        let mut diagonal = i;
        let mut before = i + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(before);
        for (b, above) in right.bytes().zip(row.iter().skip(1)) {
            let cheapest = (diagonal + usize::from(a != b)).min(above + 1).min(before + 1);
            diagonal = *above;
            before = cheapest;
            next.push(cheapest);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_name_and_nothing_far_away() {
        let known = ["model", "openai_base_url", "addr", "max_steps"];
        let check = |typed: &str, expected: Option<&str>| {
            assert_eq!(nearest(typed, known), expected, "{typed}");
        };
        check("modle", Some("model"));
        check("mode", Some("model"));
        check("openai_baseurl", Some("openai_base_url"));
        check("opnai_base_uri", Some("openai_base_url"));
        check("tools", None);
        check("max-steps", Some("max_steps"));
        check("adress", None);
        check("", None);
    }

    #[test]
    fn counts_edits() {
        let check = |left: &str, right: &str, expected: usize| assert_eq!(distance(left, right), expected);
        check("", "", 0);
        check("abc", "", 3);
        check("", "abc", 3);
        check("kitten", "sitting", 3);
        check("addr", "addr", 0);
    }
}
