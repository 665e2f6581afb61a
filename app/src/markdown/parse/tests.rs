//! Markdown and the tree it becomes.

use super::*;
use crate::markdown::formula::Place;

#[track_caller]
fn check(source: &str, expected: &[Node]) {
    assert_eq!(nodes(source, Growth::Complete, &Definitions::new()), expected);
}

fn text(text: &str) -> Node {
    Node::Text(text.to_owned())
}

fn paragraph(children: &[Node]) -> Node {
    Node::Paragraph(children.to_vec())
}

fn link(href: Option<&str>, says: &str) -> Node {
    Node::Link { href: href.map(str::to_owned), children: vec![text(says)] }
}

#[test]
fn text_and_its_dress() {
    check(
        "a *b* **c** ~~d~~ `e`",
        &[paragraph(&[
            text("a "),
            Node::Span(Dress::Emphasis, vec![text("b")]),
            text(" "),
            Node::Span(Dress::Strong, vec![text("c")]),
            text(" "),
            Node::Span(Dress::Strike, vec![text("d")]),
            text(" "),
            Node::Code("e".to_owned()),
        ])],
    );
    check("## So", &[Node::Heading(2, vec![text("So")])]);
    check("a\nb  \nc", &[paragraph(&[text("a\nb"), Node::Break, text("c")])]);
    check("> q", &[Node::Quote(vec![paragraph(&[text("q")])])]);
}

#[test]
fn lists_and_tasks() {
    let items = vec![vec![text("a")], vec![text("b")]];
    check("- a\n- b", &[Node::List { start: None, items: items.clone() }]);
    check("3. a\n4. b", &[Node::List { start: Some(3), items }]);
    let tasks =
        vec![vec![Node::Task(TaskState::Done), text("a")], vec![Node::Task(TaskState::Open), text("b")]];
    check("- [x] a\n- [ ] b", &[Node::List { start: None, items: tasks }]);
}

#[test]
fn code_keeps_its_text_and_the_fence_names_the_language() {
    let code = |language: &str, text: &str| Node::CodeBlock {
        language: language.to_owned(),
        text: text.to_owned(),
        growth: Growth::Complete,
    };
    check("```rust ignore\na  <b>\n\n*c*\n```", &[code("rust", "a  <b>\n\n*c*")]);
    check("~~~\nx\n~~~", &[code("", "x")]);
    check("```py\nunfinished", &[code("py", "unfinished")]);
}

#[test]
fn i01_formulas_stand_where_text_may() {
    let formula = |source: &str, written: &str, place: Place| {
        let (source, written) = (source.to_owned(), written.to_owned());
        Node::Formula(Formula { source, written, place, growth: Growth::Complete })
    };
    check(
        "a_b $x_1$ *c*",
        &[paragraph(&[
            text("a_b "),
            formula("x_1", "$x_1$", Place::Line),
            text(" "),
            Node::Span(Dress::Emphasis, vec![text("c")]),
        ])],
    );
    check("$$\na*b*c\n$$", &[paragraph(&[formula("a*b*c", "$$\na*b*c\n$$", Place::Own)])]);
    check("`$x$`", &[paragraph(&[Node::Code("$x$".to_owned())])]);
    check(
        "[$x$](https://example.org/$y$)",
        &[paragraph(&[Node::Link {
            href: Some("https://example.org/$y$".to_owned()),
            children: vec![formula("x", "$x$", Place::Line)],
        }])],
    );
    let growth = Growth::Complete;
    check("    $x$", &[Node::CodeBlock { language: String::new(), text: "$x$".to_owned(), growth }]);
    check("<div>$x$</div>\n", &[Node::Markup("<div>$x$</div>\n".to_owned())]);
}

#[test]
fn a_formula_that_is_being_written_is_no_markdown() {
    let shown = |source: &str| nodes(source, Growth::Open, &Definitions::new());
    let unfinished = |source: &str, written: &str, place: Place| {
        let (source, written) = (source.to_owned(), written.to_owned());
        Node::Formula(Formula { source, written, place, growth: Growth::Open })
    };
    assert_eq!(
        shown("so \\(a*b_c"),
        [paragraph(&[text("so "), unfinished("a*b_c", "\\(a*b_c", Place::Line)])],
    );
    assert_eq!(shown("$$\na*b_"), [paragraph(&[unfinished("a*b_", "$$\na*b_", Place::Own)])]);
}

#[test]
fn tables_have_a_head_rows_and_alignments() {
    let cell = |says: &str| vec![text(says)];
    check(
        "|a|b|c|\n|---|:-:|--:|\n|1|2|3|",
        &[Node::Table {
            alignments: vec![Align::Start, Align::Center, Align::End],
            head: vec![cell("a"), cell("b"), cell("c")],
            rows: vec![vec![cell("1"), cell("2"), cell("3")]],
        }],
    );
}

#[test]
fn i08_markup_is_text() {
    check("a <img src=x onerror=alert(1)> b", &[paragraph(&[text("a <img src=x onerror=alert(1)> b")])]);
    check("<script>alert(1)</script>\n", &[Node::Markup("<script>alert(1)</script>\n".to_owned())]);
    check(
        "<select><option>A</option></select>",
        &[paragraph(&[text("<select><option>A</option></select>")])],
    );
}

#[test]
fn i08_links_lead_only_to_pages_and_letters() {
    let check_link = |address: &str, href: Option<&str>| {
        check(&format!("[x](<{address}>)"), &[paragraph(&[link(href, "x")])]);
    };
    check_link("https://example.org/a?b=c", Some("https://example.org/a?b=c"));
    check_link("HTTP://example.org", Some("HTTP://example.org"));
    check_link("mailto:a@example.org", Some("mailto:a@example.org"));
    check_link("javascript:alert(1)", None);
    check_link("data:text/html,x", None);
    check_link("//example.org", None);
    check_link("/etc/passwd", None);
    check_link("streamdown:incomplete-link", None);
    check_link("java script:alert(1)", None);
    check_link("vbscript:x", None);
}

#[test]
fn images_are_links_and_never_fetched() {
    check(
        "![a cat](https://evil.example/?q=secret)",
        &[paragraph(&[link(Some("https://evil.example/?q=secret"), "image: a cat")])],
    );
    check("![](data:image/png;base64,AAAA)", &[paragraph(&[link(None, "image")])]);
}

#[test]
fn i01_money_is_not_a_formula() {
    check(
        "from $2bn to $4bn, R$ 12,29 and $100-$200",
        &[paragraph(&[text("from $2bn to $4bn, R$ 12,29 and $100-$200")])],
    );
}

#[test]
fn names_are_looked_up_and_unknown_ones_stay_as_written() {
    let mut definitions = Definitions::new();
    assert!(define("[The  Ref]: https://example.org/\n", &mut definitions));
    assert!(!define("no definition here", &mut definitions));
    assert_eq!(
        nodes("[x][the ref] [y]", Growth::Complete, &definitions),
        [paragraph(&[link(Some("https://example.org/"), "x"), text(" [y]"),])]
    );
    let _first = define("[the ref]: https://other.example/\n", &mut definitions);
    assert_eq!(definitions.get("the ref").map(String::as_str), Some("https://example.org/"));
}

#[test]
fn footnotes_have_marks_and_texts() {
    check(
        "a[^1]\n\n[^1]: note",
        &[
            paragraph(&[text("a"), Node::FootnoteMark("1".to_owned())]),
            Node::Footnote("1".to_owned(), vec![paragraph(&[text("note")])]),
        ],
    );
}

#[test]
fn code_is_whole_when_its_fence_has_come_though_its_list_goes_on() {
    let growth_of = |source: &str| {
        let tree = format!("{:?}", nodes(source, Growth::Open, &Definitions::new()));
        let (_, after) = tree.split_once("CodeBlock").expect("there is code");
        if after.starts_with(" { language: \"sh\", text: \"ls\", growth: Complete") {
            Growth::Complete
        } else {
            Growth::Open
        }
    };
    for (source, expected) in [
        ("1. a\n   ```sh\n   ls\n   ```\n", Growth::Complete),
        ("1. a\n   ```sh\n   ls\n   ```", Growth::Open),
        ("1. a\n   ```sh\n   ls\n   ```\n2. b", Growth::Complete),
        ("- a\n  ~~~sh\n  ls\n  ~~~\n\n  more", Growth::Complete),
        ("- a\n  ```sh\n  ls\n  ```\n", Growth::Complete),
        ("> ```sh\n> ls\n> ```\n> and", Growth::Complete),
        ("1. a\n   ```sh\n   ls", Growth::Open),
        ("1. a\n   ```sh\n   ls\n", Growth::Open),
        ("1. a\n   ```sh\n   ls\n   ``", Growth::Open),
        ("```sh\nls\n", Growth::Open),
        ("```sh\nls", Growth::Open),
    ] {
        assert_eq!(growth_of(source), expected, "{source:?}");
    }
}

#[test]
fn deep_nesting_ends_and_loses_no_text() {
    let depth_of = |source: &str| {
        let tree = format!("{:?}", nodes(source, Growth::Complete, &Definitions::new()));
        assert!(tree.contains("deepest"), "{source:.40}");
        tree.matches("Quote").count() + tree.matches("List").count() + tree.matches("Strong").count()
    };
    let lists: String = (0..200).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect();
    for source in [
        format!("{}deepest", "> ".repeat(2_000)),
        format!("{lists}{}- deepest", "  ".repeat(200)),
        format!("{}deepest{}", "**a ".repeat(300), "**".repeat(300)),
    ] {
        assert!(depth_of(&source) <= 33, "{source:.40}");
    }
}
