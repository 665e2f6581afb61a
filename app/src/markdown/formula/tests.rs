//! What is a formula and what is money (I01).

use super::*;

/// Shows a text with `[source]` for a formula, `[[source]]` for one on its own line, `source..` for one without end.
fn shown(source: &str, growth: Growth) -> String {
    let lifted = Lifted::new(source, growth);
    assert_eq!(lifted.restore(lifted.text()), source);
    let show = |char: char| match lifted.held(char) {
        None => char.to_string(),
        Some(Formula { source, growth: Growth::Open, .. }) => format!("[{source}.."),
        Some(Formula { source, place: Place::Line, .. }) => format!("[{source}]"),
        Some(Formula { source, place: Place::Own, .. }) => format!("[[{source}]]"),
    };
    lifted.text().chars().map(show).collect()
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(shown(source, Growth::Complete), expected);
}

#[test]
fn i01_money_stays_text() {
    for money in [
        "costs $5 and $6.",
        "from $2bn to $4bn",
        "R$ 12,29 … R$ 15,83",
        "$100-$200",
        "US$5, US$6",
        "5$ and 6$",
        "**$1,000–$2,000**",
        "$5 or 6$",
        "$10k (or 20k$) a year",
        "a $5 note",
        "\\$5\\$",
        "$ 5 $",
        "| $5 | $6 |",
        "|$5|$6|",
        "${a} and ${b}, ${a}/${b}",
        "$HOME/$USER",
        "$AAPL, $TSLA",
    ] {
        check(money, money);
    }
}

#[test]
fn i01_formulas_are_found_beside_money() {
    check("$5 and $x^2$ or $2x$.", "$5 and [x^2] or [2x].");
    check("$x$, ($y$) and **$z$**", "[x], ([y]) and **[z]**");
    check("so \\(a_1\\) and \\[b_1\\]", "so [a_1] and [[b_1]]");
    check("$$\na_1 + b_1\n$$\n", "[[a_1 + b_1]]\n");
    check("- $$a$$\n- $b$", "- [[a]]\n- [b]");
    check("$\\$5$", "[\\$5]");
    check("| $a|b$ | c |", "| [a|b] | c |");
    check("é$ü$.", "é$ü$.");
    check("é $ü$.", "é [ü].");
}

#[test]
fn code_keeps_its_dollars() {
    for code in [
        "`$x$`",
        "``$x$ ` $y$``",
        "```sh\n$x$\n```\n",
        "````\n```\n$x$\n````\n",
        "> ~~~\n> $x$\n> ~~~\n",
        "- ```\n  $x$\n  ```\n",
        "```sh\n$x$",
        "```$x$```",
    ] {
        check(code, code);
    }
    check("`a` $x$ ` $y$", "`a` [x] ` [y]");
    check("```\n$x$\n```\n$y$", "```\n$x$\n```\n[y]");
    check("a\n    $x$", "a\n    [x]");
}

#[test]
fn a_formula_without_its_end_is_one_only_while_more_may_come() {
    assert_eq!(shown("so $$a_1 +", Growth::Open), "so [a_1 +..");
    assert_eq!(shown("so \\[a_1 +", Growth::Open), "so [a_1 +..");
    assert_eq!(shown("so \\(a_1 +", Growth::Open), "so [a_1 +..");
    assert_eq!(shown("so $a_1 +", Growth::Open), "so $a_1 +");
    check("so $$a_1 +", "so $$a_1 +");
    check("$$\n\na\n$$", "$$\n\na\n$$");
    check("$$$$ and \\[\\]", "$$$$ and \\[\\]");
}

#[test]
fn a_text_with_holders_of_its_own_is_left_alone() {
    check("\u{F0000} $x$", "\u{F0000} $x$");
}

#[test]
fn hostile_texts_end() {
    for piece in ["\\(", "$$", "$a", "`$``", "\\[ ", "``` ", "\n    $", "> ```\n"] {
        let text = piece.repeat(20_000 / piece.len());
        assert!(!shown(&text, Growth::Complete).is_empty(), "{piece}");
        assert!(!shown(&text, Growth::Open).is_empty(), "{piece}");
    }
}
