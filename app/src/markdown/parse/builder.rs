//! The parser's flat events to the tree: a stack of open elements, closed in order.

use super::{Align, Dress, Node, TaskState, allowed};
use crate::markdown::document::Growth;
use crate::markdown::formula::Lifted;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, Tag};
use std::ops::Range;

/// Elements deeper than this lose their dress: nobody reads them, and views are built by recursion.
const DEPTH_MAX: usize = 32;

/// Builds a tree from events.
#[derive(Debug)]
pub(super) struct Builder<'a> {
    /// The text, and the formulas that were taken out of it.
    lifted: &'a Lifted,
    /// What the parser reads.
    source: &'a str,
    growth: Growth,
    open: Vec<Open>,
    done: Vec<Node>,
}

/// An element whose end has not come.
#[derive(Debug)]
struct Open {
    kind: Kind,
    children: Vec<Node>,
    /// Cells of the row that is being read, or items of the list.
    groups: Vec<Vec<Node>>,
    /// Rows of the table that is being read.
    rows: Vec<Vec<Vec<Node>>>,
}

#[derive(Debug)]
enum Kind {
    Paragraph,
    Heading(u8),
    Quote,
    Code(String),
    List(Option<u64>),
    Item,
    Table(Vec<Align>),
    Row,
    Cell,
    Span(Dress),
    Link(Option<String>),
    Image(Option<String>),
    Footnote(String),
    Markup,
    /// An element that only holds others.
    Group,
}

impl Kind {
    fn of(tag: Tag<'_>, lifted: &Lifted) -> Self {
        match tag {
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as u8),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => Kind::Code(language(&lifted.restore(&info))),
            Tag::CodeBlock(CodeBlockKind::Indented) => Kind::Code(String::new()),
            Tag::HtmlBlock => Kind::Markup,
            Tag::List(start) => Kind::List(start),
            Tag::Item => Kind::Item,
            Tag::FootnoteDefinition(name) => Kind::Footnote(lifted.restore(&name)),
            Tag::Table(alignments) => Kind::Table(alignments.into_iter().map(align).collect()),
            Tag::TableHead | Tag::TableRow => Kind::Row,
            Tag::TableCell => Kind::Cell,
            Tag::Emphasis => Kind::Span(Dress::Emphasis),
            Tag::Strong => Kind::Span(Dress::Strong),
            Tag::Strikethrough => Kind::Span(Dress::Strike),
            Tag::Link { dest_url, .. } => Kind::Link(allowed(&lifted.restore(&dest_url))),
            Tag::Image { dest_url, .. } => Kind::Image(allowed(&lifted.restore(&dest_url))),
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => Kind::Group,
        }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn new(lifted: &'a Lifted, source: &'a str, growth: Growth) -> Self {
        Self { lifted, source, growth, open: Vec::new(), done: Vec::new() }
    }

    /// Takes an event, which stands for this place in the source.
    pub(super) fn take(&mut self, event: Event<'_>, place: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(place),
            Event::Text(text) => self.words(&text),
            Event::Code(text) => self.push(Node::Code(self.lifted.restore(&text))),
            Event::Html(text) | Event::InlineHtml(text) => self.markup(&text),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.push(Node::Break),
            Event::Rule => self.push(Node::Rule),
            Event::TaskListMarker(is_done) => {
                self.push(Node::Task(if is_done { TaskState::Done } else { TaskState::Open }));
            }
            Event::FootnoteReference(name) => self.push(Node::FootnoteMark(self.lifted.restore(&name))),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    pub(super) fn finish(mut self) -> Vec<Node> {
        while !self.open.is_empty() {
            self.end(0..self.source.len());
        }
        self.done
    }

    fn start(&mut self, tag: Tag<'_>) {
        let kind = if self.open.len() < DEPTH_MAX { Kind::of(tag, self.lifted) } else { Kind::Group };
        self.open.push(Open { kind, children: Vec::new(), groups: Vec::new(), rows: Vec::new() });
    }

    fn end(&mut self, place: Range<usize>) {
        let Some(Open { kind, children, groups, rows }) = self.open.pop() else { return };
        let node = match kind {
            Kind::Item | Kind::Cell => match self.open.last_mut() {
                Some(Open { kind: Kind::List(_) | Kind::Row, groups, .. }) => return groups.push(children),
                _ => return self.spill(children),
            },
            Kind::Row => match self.open.last_mut() {
                Some(Open { kind: Kind::Table(_), rows, .. }) => return rows.push(groups),
                _ => return self.spill(groups.into_iter().flatten()),
            },
            Kind::Group => return self.spill(children),
            Kind::Paragraph => Node::Paragraph(children),
            Kind::Heading(level) => Node::Heading(level, children),
            Kind::Quote => Node::Quote(children),
            Kind::Code(language) => {
                let growth = if is_over(self.source, place) { Growth::Complete } else { self.growth };
                Node::CodeBlock { language, text: code_text(&children), growth }
            }
            Kind::List(start) => Node::List { start, items: groups },
            Kind::Table(alignments) => {
                let mut rows = rows.into_iter();
                Node::Table { alignments, head: rows.next().unwrap_or_default(), rows: rows.collect() }
            }
            Kind::Span(dress) => Node::Span(dress, children),
            Kind::Link(href) => Node::Link { href, children },
            // An image is never fetched: its address would tell a stranger who reads what.
            Kind::Image(href) => Node::Link { href, children: image_text(children) },
            Kind::Footnote(name) => Node::Footnote(name, children),
            Kind::Markup => Node::Markup(plain(&children)),
        };
        self.push(node);
    }

    /// The children of an element that is not shown itself.
    fn spill(&mut self, children: impl IntoIterator<Item = Node>) {
        for node in children {
            if let Node::Text(text) = &node {
                self.text(text);
            } else {
                self.push(node);
            }
        }
    }

    fn push(&mut self, node: Node) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.done.push(node),
        }
    }

    /// Text in which formulas may stand.
    fn words(&mut self, text: &str) {
        let is_as_written = matches!(self.open.last(), Some(Open { kind: Kind::Code(_) | Kind::Markup, .. }));
        if is_as_written {
            return self.text(&self.lifted.restore(text));
        }
        let mut plain = 0;
        for (at, char) in text.char_indices() {
            let Some(formula) = self.lifted.held(char).cloned() else { continue };
            self.text(text.get(plain..at).unwrap_or_default());
            self.push(Node::Formula(formula));
            plain = at + char.len_utf8();
        }
        self.text(text.get(plain..).unwrap_or_default());
    }

    /// Adjacent texts become one, so that the page holds no more nodes than it needs.
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let siblings = self.open.last_mut().map_or(&mut self.done, |open| &mut open.children);
        match siblings.last_mut() {
            Some(Node::Text(before)) => before.push_str(text),
            _ => siblings.push(Node::Text(text.to_owned())),
        }
    }

    fn markup(&mut self, text: &str) {
        let text = &self.lifted.restore(text);
        match self.open.last().map(|open| &open.kind) {
            None => self.push(Node::Markup(text.to_owned())),
            Some(_) => self.text(text),
        }
    }
}

/// The language that a fence names: its first word.
fn language(info: &str) -> String {
    info.split([' ', ',', '{']).next().unwrap_or_default().to_owned()
}

/// Whether the code at a place of a text has its end: a fence whose line is over, or something that follows it.
fn is_over(source: &str, place: Range<usize>) -> bool {
    let after = source.get(place.end..).unwrap_or_default();
    let code = source.get(place).unwrap_or_default();
    let lines = code.trim_end().rsplit_once('\n');
    let last = lines.map_or("", |(_, last)| last.trim_start_matches([' ', '\t', '>']));
    let is_fence = ['`', '~'].iter().any(|sign| last.len() >= 3 && last.chars().all(|char| char == *sign));
    !after.trim().is_empty() || is_fence && (code.ends_with('\n') || after.starts_with('\n'))
}

/// The text of a code block without the line end before its closing fence.
fn code_text(children: &[Node]) -> String {
    let mut text = plain(children);
    if text.ends_with('\n') {
        let _line_end = text.pop();
    }
    text
}

fn image_text(children: Vec<Node>) -> Vec<Node> {
    let text = plain(&children);
    vec![Node::Text(if text.is_empty() { "image".to_owned() } else { format!("image: {text}") })]
}

fn plain(nodes: &[Node]) -> String {
    let texts = nodes.iter().map(|node| match node {
        Node::Text(text) | Node::Code(text) | Node::Markup(text) => text.clone(),
        Node::Formula(formula) => formula.written.clone(),
        Node::Span(_, children) | Node::Link { children, .. } => plain(children),
        Node::Break => "\n".to_owned(),
        Node::Paragraph(_)
        | Node::Heading(..)
        | Node::Quote(_)
        | Node::List { .. }
        | Node::Task(_)
        | Node::CodeBlock { .. }
        | Node::Table { .. }
        | Node::Rule
        | Node::FootnoteMark(_)
        | Node::Footnote(..) => String::new(),
    });
    texts.collect()
}

fn align(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None | Alignment::Left => Align::Start,
        Alignment::Center => Align::Center,
        Alignment::Right => Align::End,
    }
}
