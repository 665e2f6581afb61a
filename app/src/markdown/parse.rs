//! One block of markdown to a small tree, in which nothing dangerous can be said: no raw markup, no addresses but
//! `http`, `https` and `mailto`, no images that would be fetched.

mod builder;

use super::document::{Growth, half_typed};
use super::formula::{Formula, Lifted};
use builder::Builder;
use pulldown_cmark::{BrokenLink, CowStr, Options, Parser};
use std::borrow::Cow;
use std::collections::HashMap;

/// What `[name]: address` lines say, by folded name.
pub type Definitions = HashMap<String, String>;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// Plain text.
    Text(String),
    /// `code`
    Code(String),
    /// A formula.
    Formula(Formula),
    /// A run of text in some dress.
    Span(Dress, Vec<Node>),
    /// A link; without an address where the address is not allowed.
    Link {
        /// Where it leads.
        href: Option<String>,
        /// What it says.
        children: Vec<Node>,
    },
    /// A line that ends here.
    Break,
    /// A paragraph.
    Paragraph(Vec<Node>),
    /// A heading of level 1 to 6.
    Heading(u8, Vec<Node>),
    /// A quotation.
    Quote(Vec<Node>),
    /// A list.
    List {
        /// The first number; none for bullets.
        start: Option<u64>,
        /// Its items.
        items: Vec<Vec<Node>>,
    },
    /// The box before a task.
    Task(TaskState),
    /// A code block.
    CodeBlock {
        /// What its fence says.
        language: String,
        /// Its text.
        text: String,
        /// Whether more of it may come.
        growth: Growth,
    },
    /// A table.
    Table {
        /// Column by column.
        alignments: Vec<Align>,
        /// The first row.
        head: Vec<Vec<Node>>,
        /// The other rows.
        rows: Vec<Vec<Vec<Node>>>,
    },
    /// A line across.
    Rule,
    /// Markup that somebody wrote; shown as it was written.
    Markup(String),
    /// The mark of a footnote.
    FootnoteMark(String),
    /// A footnote.
    Footnote(String, Vec<Node>),
}

/// How a run of text is dressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dress {
    /// *So*
    Emphasis,
    /// **So**
    Strong,
    /// ~~So~~
    Strike,
}

/// Whether a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// Not.
    Open,
    /// It is.
    Done,
}

/// How a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Align {
    /// As the language does.
    Start,
    /// In the middle.
    Center,
    /// At the far side.
    End,
}

/// The tree of one block; half-typed marks of an open one count as closed. Names are looked up in `definitions`.
pub fn nodes(source: &str, growth: Growth, definitions: &Definitions) -> Vec<Node> {
    let lifted = Lifted::new(source, growth);
    let text = match growth {
        Growth::Open => Cow::Owned(half_typed(lifted.text())),
        Growth::Complete => Cow::Borrowed(lifted.text()),
    };
    let mut look_up = |link: BrokenLink<'_>| {
        let address = definitions.get(&fold(&link.reference))?;
        Some((CowStr::from(address.clone()), CowStr::from("")))
    };
    let parser = Parser::new_with_broken_link_callback(&text, options(), Some(&mut look_up));
    let mut builder = Builder::new(&lifted, &text, growth);
    for (event, place) in parser.into_offset_iter() {
        builder.take(event, place);
    }
    builder.finish()
}

/// Takes the definitions of a block. Whether there were any; the first of a name wins.
pub fn define(source: &str, definitions: &mut Definitions) -> bool {
    if !source.contains("]:") {
        return false;
    }
    let parser = Parser::new_ext(source, options());
    let mut found = false;
    for (name, definition) in parser.reference_definitions().iter() {
        found = true;
        let _first = definitions.entry(fold(name)).or_insert_with(|| definition.dest.to_string());
    }
    found
}

/// An address as it may stand in a link: absolute, and of a kind that only opens a page or a letter.
pub fn allowed(address: &str) -> Option<String> {
    let address = address.trim();
    let (scheme, rest) = address.split_once(':')?;
    let is_allowed = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let is_clean = !rest.is_empty() && !address.chars().any(char::is_control);
    (is_allowed && is_clean).then(|| address.to_owned())
}

fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
}

fn fold(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
