//! Which way a text runs, by the first letter in it that has a direction: what `dir="auto"` says of one
//! element, for elements that hold others. Pure.

use super::parse::Node;
use std::ops::RangeInclusive;

/// Letters that are written from the right: Hebrew, Arabic, Syriac, Thaana, N'Ko and their neighbours.
const FROM_RIGHT: [RangeInclusive<char>; 5] = [
    '\u{590}'..='\u{8ff}',
    '\u{fb1d}'..='\u{fdff}',
    '\u{fe70}'..='\u{fefe}',
    '\u{10800}'..='\u{10fff}',
    '\u{1e800}'..='\u{1efff}',
];

/// The direction of the first letter that has one, as the attribute `dir` spells it.
pub fn direction(nodes: &[Node]) -> Option<&'static str> {
    first(nodes).map(|is_from_right| if is_from_right { "rtl" } else { "ltr" })
}

fn first(nodes: &[Node]) -> Option<bool> {
    nodes.iter().find_map(|node| match node {
        Node::Text(text) => text.chars().find(|letter| letter.is_alphabetic()).map(is_from_right),
        Node::Span(_, inner)
        | Node::Link { children: inner, .. }
        | Node::Paragraph(inner)
        | Node::Heading(_, inner)
        | Node::Quote(inner) => first(inner),
        Node::List { items, .. } => items.iter().find_map(|item| first(item)),
        Node::Table { head, .. } => head.iter().find_map(|cell| first(cell)),
        Node::Code(_)
        | Node::Break
        | Node::Task(_)
        | Node::Rule
        | Node::Markup(_)
        | Node::FootnoteMark(_)
        | Node::Footnote(..)
        | Node::CodeBlock { .. }
        | Node::Formula(_) => None,
    })
}

fn is_from_right(letter: char) -> bool {
    FROM_RIGHT.iter().any(|range| range.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_decides() {
        let check = |text: &str, expected: Option<&str>| {
            let quote = [Node::Rule, Node::Quote(vec![Node::Paragraph(vec![Node::Text(text.into())])])];
            assert_eq!(direction(&quote), expected, "{text}");
        };
        check("اقتباس", Some("rtl"));
        check("שלום world", Some("rtl"));
        check("12, «اقتباس»", Some("rtl"));
        check("A quotation, اقتباس", Some("ltr"));
        check("123 …", None);
        check("", None);
    }
}
