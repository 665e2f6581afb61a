//! The tree to views. Text goes into text nodes only, so nothing that a model says can become markup.
//!
//! Elements are made by name, not by type: a text has two dozen kinds of them, and each type would bring its own copy
//! of the rendering code into the browser. What says the same as before is [`kept`].

use super::code::CodeBlock;
use super::diagram::Diagram;
use super::direction::direction;
use super::formula_text::FormulaText;
use super::kept::kept;
use super::parse::{Align, Dress, Node, TaskState};
use super::pieces::is_diagram;
use leptos::html::custom;
use leptos::prelude::*;
use std::sync::Arc;

/// The views of some nodes.
pub fn views(nodes: Vec<Node>) -> Vec<AnyView> {
    nodes.into_iter().map(view_of).collect()
}

/// The name of an element as the browser itself spells it. An element that is looked at again counts as another one
/// where the two differ, and would be made anew, with all in it, for each word that comes.
pub(super) fn spelt(tag: &str) -> String {
    if cfg!(target_family = "wasm") { tag.to_ascii_uppercase() } else { tag.to_owned() }
}

/// An element that is to be made.
struct Element {
    tag: &'static str,
    class: Option<&'static str>,
    /// `auto` where the text decides its own direction.
    dir: Option<&'static str>,
    /// One more attribute.
    more: (&'static str, Option<String>),
}

impl Element {
    fn new(tag: &'static str) -> Self {
        Self { tag, class: None, dir: None, more: ("title", None) }
    }

    fn class(self, class: &'static str) -> Self {
        Self { class: Some(class), ..self }
    }

    fn dir(self, dir: &'static str) -> Self {
        Self { dir: Some(dir), ..self }
    }

    fn holding(self, children: Vec<AnyView>) -> AnyView {
        let (name, value) = self.more;
        custom(spelt(self.tag))
            .attr("class", self.class)
            .attr("dir", self.dir)
            .attr(name, value)
            .child(children)
            .into_any()
    }
}

fn view_of(node: Node) -> AnyView {
    match node {
        Node::Text(text) => text.into_any(),
        Node::Code(text) => Element::new("code").dir("ltr").holding(vec![text.into_any()]),
        Node::Span(dress, children) => Element::new(tag_of(dress)).holding(views(children)),
        Node::Link { href, children } => link(href, children),
        Node::Break => view! { <br/> }.into_any(),
        Node::Task(state) => task(state),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Markup(text) => {
            let text = text.trim_end().to_owned();
            Element::new("p").class("as-written").dir("ltr").holding(vec![text.into_any()])
        }
        Node::FootnoteMark(name) => mark(&name),
        Node::Paragraph(_)
        | Node::Heading(..)
        | Node::Quote(_)
        | Node::List { .. }
        | Node::Table { .. }
        | Node::Footnote(..)
        | Node::CodeBlock { .. }
        | Node::Formula(_) => kept(node, block),
    }
}

/// What stands by itself, or has a state of its own.
fn block(node: Node) -> AnyView {
    match node {
        Node::Paragraph(children) => Element::new("p").dir("auto").holding(views(children)),
        Node::Heading(level, children) => heading(level, children),
        Node::Quote(children) => {
            // The bar stands where the words begin. Only the painter can tell: a browser does not look again,
            // as words come, which way those inside run.
            let dir = direction(&children);
            Element { dir, ..Element::new("blockquote") }.holding(views(children))
        }
        Node::List { start, items } => list(start, items),
        Node::Table { alignments, head, rows } => table(alignments.into(), head, rows),
        Node::Footnote(name, children) => {
            let text = Element::new("div").holding(views(children));
            Element::new("div").class("footnote").holding(vec![mark(&name), text])
        }
        Node::CodeBlock { language, text, growth } if is_diagram(&language) => {
            view! { <Diagram text growth/> }.into_any()
        }
        Node::CodeBlock { language, text, growth } => view! { <CodeBlock language text growth/> }.into_any(),
        Node::Formula(formula) => view! { <FormulaText formula/> }.into_any(),
        Node::Text(_)
        | Node::Code(_)
        | Node::Span(..)
        | Node::Link { .. }
        | Node::Break
        | Node::Task(_)
        | Node::Rule
        | Node::Markup(_)
        | Node::FootnoteMark(_) => view_of(node),
    }
}

fn tag_of(dress: Dress) -> &'static str {
    match dress {
        Dress::Emphasis => "em",
        Dress::Strong => "strong",
        Dress::Strike => "del",
    }
}

fn mark(name: &str) -> AnyView {
    Element::new("sup").holding(vec![name.to_owned().into_any()])
}

fn link(href: Option<String>, children: Vec<Node>) -> AnyView {
    let children = views(children);
    match href {
        Some(href) => view! {
            <a href=href target="_blank" rel="noopener noreferrer nofollow">{children}</a>
        }
        .into_any(),
        None => Element::new("span").class("no-link").holding(children),
    }
}

/// Headings of a message stand below the headings of the page.
fn heading(level: u8, children: Vec<Node>) -> AnyView {
    let (tag, class) = match level {
        1 => ("h3", "heading-1"),
        2 => ("h4", "heading-2"),
        3 => ("h5", "heading-3"),
        _ => ("h6", "heading-4"),
    };
    Element::new(tag).class(class).dir("auto").holding(views(children))
}

fn list(start: Option<u64>, items: Vec<Vec<Node>>) -> AnyView {
    let rows = items.into_iter().map(|item| kept(item, list_item)).collect();
    let tag = if start.is_some() { "ol" } else { "ul" };
    let start = start.filter(|start| *start != 1).map(|start| start.to_string());
    Element { more: ("start", start), ..Element::new(tag) }.holding(rows)
}

fn list_item(children: Vec<Node>) -> AnyView {
    let is_task = match children.first() {
        Some(Node::Task(_)) => true,
        Some(Node::Paragraph(inner)) => matches!(inner.first(), Some(Node::Task(_))),
        _ => false,
    };
    let class = is_task.then_some("task-item");
    Element { class, ..Element::new("li").dir("auto") }.holding(views(children))
}

fn task(state: TaskState) -> AnyView {
    let (is_done, label) = match state {
        TaskState::Done => (true, "Done"),
        TaskState::Open => (false, "To do"),
    };
    view! { <input class="task" type="checkbox" disabled checked=is_done aria-label=label/> }.into_any()
}

fn table(alignments: Arc<[Align]>, head: Vec<Vec<Node>>, rows: Vec<Vec<Vec<Node>>>) -> AnyView {
    let row = |tag: &'static str, cells: Vec<Vec<Node>>| {
        kept((Arc::clone(&alignments), cells), move |(alignments, cells)| table_row(tag, &alignments, cells))
    };
    let head = Element::new("thead").holding(vec![row("th", head)]);
    let body = Element::new("tbody").holding(rows.into_iter().map(|cells| row("td", cells)).collect());
    view! {
        <div class="table-box" tabindex="0" role="group" aria-label="Table">
            {Element::new("table").holding(vec![head, body])}
        </div>
    }
    .into_any()
}

fn table_row(tag: &'static str, alignments: &[Align], cells: Vec<Vec<Node>>) -> AnyView {
    let cells = cells.into_iter().enumerate().map(|(column, cell)| {
        let class = alignments.get(column).and_then(|align| class_of(*align));
        Element { class, ..Element::new(tag).dir("auto") }.holding(views(cell))
    });
    Element::new("tr").holding(cells.collect())
}

fn class_of(align: Align) -> Option<&'static str> {
    match align {
        Align::Center => Some("is-center"),
        Align::End => Some("is-end"),
        Align::Start => None,
    }
}
