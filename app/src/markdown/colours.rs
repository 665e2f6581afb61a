//! Code in its colours: the server's runs to pieces of text, each with a class. Pure.

use protocol::{CODE_CLASSES, Run};

/// A piece of code, and the class of its colour where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stroke<'a> {
    /// The class.
    pub class: Option<&'static str>,
    /// The piece.
    pub text: &'a str,
}

/// A text in colours. What no run reaches is plain; whatever the runs say, the text is there whole.
pub fn strokes<'a>(text: &'a str, runs: &[Run]) -> Vec<Stroke<'a>> {
    let mut rest = text;
    let mut strokes = Vec::with_capacity(runs.len() + 1);
    for Run(length, number) in runs {
        let Some((text, after)) = rest.split_at_checked(*length) else { break };
        rest = after;
        let class = CODE_CLASSES.get(*number).copied().filter(|_| *number > 0);
        strokes.push(Stroke { class, text });
    }
    if !rest.is_empty() || strokes.is_empty() {
        strokes.push(Stroke { class: None, text: rest });
    }
    strokes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, runs: &[(usize, usize)], expected: &[(Option<&str>, &str)]) {
        let runs: Vec<Run> = runs.iter().map(|(length, class)| Run(*length, *class)).collect();
        let strokes: Vec<_> = strokes(text, &runs).iter().map(|stroke| (stroke.class, stroke.text)).collect();
        assert_eq!(strokes, expected);
    }

    #[test]
    fn runs_become_strokes_and_the_rest_is_plain() {
        check("fn a", &[(2, 2), (1, 0)], &[(Some("keyword"), "fn"), (None, " "), (None, "a")]);
        check("fn", &[(2, 2)], &[(Some("keyword"), "fn")]);
        check("fn", &[], &[(None, "fn")]);
        check("", &[], &[(None, "")]);
    }

    #[test]
    fn runs_that_do_not_fit_lose_no_text() {
        check("é!", &[(1, 2), (2, 1)], &[(None, "é!")]);
        check("ab", &[(1, 99), (5, 1)], &[(None, "a"), (None, "b")]);
        check("ab", &[(usize::MAX, 1)], &[(None, "ab")]);
    }
}
