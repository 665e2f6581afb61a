//! The tree to views. Text goes into text nodes only, so nothing that a model says can become markup.

use super::code::CodeBlock;
use super::parse::{Align, Dress, Node, TaskState};
use leptos::prelude::*;

/// The views of some nodes.
pub fn views(nodes: &[Node]) -> Vec<AnyView> {
    nodes.iter().map(view_of).collect()
}

fn view_of(node: &Node) -> AnyView {
    match node {
        Node::Text(text) => text.clone().into_any(),
        Node::Code(text) => view! { <code dir="ltr">{text.clone()}</code> }.into_any(),
        Node::Span(dress, children) => span(*dress, children),
        Node::Link { href, children } => link(href.as_ref(), children),
        Node::Break => view! { <br/> }.into_any(),
        Node::Paragraph(children) => view! { <p dir="auto">{views(children)}</p> }.into_any(),
        Node::Heading(level, children) => heading(*level, children),
        Node::Quote(children) => view! { <blockquote>{views(children)}</blockquote> }.into_any(),
        Node::List { start, items } => list(*start, items),
        Node::Task(state) => task(*state),
        Node::CodeBlock { language, text } => {
            view! { <CodeBlock language=language.clone() text=text.clone()/> }.into_any()
        }
        Node::Table { alignments, head, rows } => table(alignments, head, rows),
        Node::Rule => view! { <hr/> }.into_any(),
        Node::Markup(text) => {
            view! { <p class="as-written" dir="ltr">{text.trim_end().to_owned()}</p> }.into_any()
        }
        Node::FootnoteMark(name) => view! { <sup class="footnote-mark">{name.clone()}</sup> }.into_any(),
        Node::Footnote(name, children) => view! {
            <div class="footnote">
                <sup>{name.clone()}</sup>
                <div>{views(children)}</div>
            </div>
        }
        .into_any(),
    }
}

fn span(dress: Dress, children: &[Node]) -> AnyView {
    let children = views(children);
    match dress {
        Dress::Emphasis => view! { <em>{children}</em> }.into_any(),
        Dress::Strong => view! { <strong>{children}</strong> }.into_any(),
        Dress::Strike => view! { <del>{children}</del> }.into_any(),
    }
}

fn link(href: Option<&String>, children: &[Node]) -> AnyView {
    let children = views(children);
    match href {
        Some(href) => view! {
            <a href=href.clone() target="_blank" rel="noopener noreferrer nofollow">{children}</a>
        }
        .into_any(),
        None => view! { <span class="no-link">{children}</span> }.into_any(),
    }
}

/// Headings of a message stand below the headings of the page.
fn heading(level: u8, children: &[Node]) -> AnyView {
    let children = views(children);
    match level {
        1 => view! { <h3 class="heading-1" dir="auto">{children}</h3> }.into_any(),
        2 => view! { <h4 class="heading-2" dir="auto">{children}</h4> }.into_any(),
        3 => view! { <h5 class="heading-3" dir="auto">{children}</h5> }.into_any(),
        _ => view! { <h6 class="heading-4" dir="auto">{children}</h6> }.into_any(),
    }
}

fn list(start: Option<u64>, items: &[Vec<Node>]) -> AnyView {
    let rows: Vec<AnyView> = items.iter().map(|item| list_item(item)).collect();
    match start {
        Some(1) => view! { <ol>{rows}</ol> }.into_any(),
        Some(start) => view! { <ol start=start.to_string()>{rows}</ol> }.into_any(),
        None => view! { <ul>{rows}</ul> }.into_any(),
    }
}

fn list_item(children: &[Node]) -> AnyView {
    let is_task = match children.first() {
        Some(Node::Task(_)) => true,
        Some(Node::Paragraph(inner)) => matches!(inner.first(), Some(Node::Task(_))),
        _ => false,
    };
    let class = if is_task { "task-item" } else { "" };
    view! { <li class=class dir="auto">{views(children)}</li> }.into_any()
}

fn task(state: TaskState) -> AnyView {
    let (is_done, label) = match state {
        TaskState::Done => (true, "Done"),
        TaskState::Open => (false, "To do"),
    };
    view! { <input class="task" type="checkbox" disabled checked=is_done aria-label=label/> }.into_any()
}

fn table(alignments: &[Align], head: &[Vec<Node>], rows: &[Vec<Vec<Node>>]) -> AnyView {
    let class_at = |column: usize| match alignments.get(column) {
        Some(Align::Center) => "is-center",
        Some(Align::End) => "is-end",
        Some(Align::Start) | None => "",
    };
    let head: Vec<AnyView> = (head.iter().enumerate())
        .map(|(column, cell)| {
            view! { <th scope="col" class=class_at(column) dir="auto">{views(cell)}</th> }.into_any()
        })
        .collect();
    let rows: Vec<AnyView> = rows
        .iter()
        .map(|row| {
            let cells = row.iter().enumerate().map(|(column, cell)| {
                view! { <td class=class_at(column) dir="auto">{views(cell)}</td> }.into_any()
            });
            view! { <tr>{cells.collect::<Vec<_>>()}</tr> }.into_any()
        })
        .collect();
    view! {
        <div class="table-box" tabindex="0" role="group" aria-label="Table">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
