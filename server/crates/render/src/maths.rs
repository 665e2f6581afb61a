//! Formulas: TeX to MathML, and through an allow-list, since the converter lets markup in its input through.

use crate::too_long;
use ammonia::Builder;
use protocol::limits;
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::event::Event;
use pulldown_latex::mathml::write_mathml;
use pulldown_latex::{Parser, ParserError, Storage};
use std::collections::HashMap;
use std::io::{Error, Write};

/// Elements of MathML Core that a formula may have.
const TAGS: [&str; 28] = [
    "math",
    "maction",
    "menclose",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];
/// Attributes that only change how something is set.
const ATTRIBUTES: [&str; 29] = [
    "accent",
    "accentunder",
    "columnalign",
    "columnlines",
    "columnspacing",
    "depth",
    "dir",
    "display",
    "displaystyle",
    "fence",
    "form",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rowlines",
    "rowspacing",
    "rspace",
    "scriptlevel",
    "separator",
    "stretchy",
    "symmetric",
    "voffset",
    "width",
];
/// Commands that define others. A few of them can make a formula that never ends, so none is known here.
const DEFINING: [&str; 9] =
    ["def", "edef", "futurelet", "gdef", "let", "newcommand", "providecommand", "renewcommand", "xdef"];
/// Events of a formula; far more than any that can be read has.
const EVENTS_MAX: usize = 20_000;

/// The MathML of a formula, or why there is none.
pub(crate) fn mathml(source: &str, display_mode: DisplayMode) -> Result<String, String> {
    if source.len() > limits::RENDER_MATHS_MAX_BYTES {
        return Err(too_long("a formula", source.len(), limits::RENDER_MATHS_MAX_BYTES));
    }
    if let Some(name) = definition(source) {
        return Err(format!("`\\{name}` is not known here: formulas cannot define commands"));
    }
    let storage = Storage::new();
    let read: Result<Vec<Event<'_>>, ParserError> =
        Parser::new(source, &storage).take(EVENTS_MAX + 1).collect();
    let events = read.map_err(|error| reason(&error))?;
    if events.len() > EVENTS_MAX {
        return Err("the formula is too long".to_owned());
    }
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut page = Bounded::default();
    let events = events.into_iter().map(Ok::<_, ParserError>);
    write_mathml(&mut page, events, config).map_err(|_| "the formula is too long".to_owned())?;
    Ok(clean(&String::from_utf8_lossy(&page.bytes)))
}

fn clean(markup: &str) -> String {
    Builder::empty()
        .tags(TAGS.into())
        .generic_attributes(ATTRIBUTES.into())
        .tag_attributes(HashMap::new())
        .link_rel(None)
        .strip_comments(true)
        .clean(markup)
        .to_string()
}

fn definition(source: &str) -> Option<&'static str> {
    let commands = source.split('\\').skip(1);
    let names =
        commands.map(|rest| rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default());
    names.into_iter().find_map(|name| DEFINING.into_iter().find(|known| *known == name))
}

/// What the parser says, in one line. It draws the place with line art: the first line that is drawn is the source.
fn reason(error: &ParserError) -> String {
    let text = error.to_string();
    let mut lines = text.lines();
    let what = lines.next().unwrap_or_default();
    let what = what.strip_prefix("parsing error: ").unwrap_or(what);
    let near = lines.find_map(|line| line.strip_prefix('│').filter(|rest| !rest.trim().is_empty()));
    match near.map(|near| near.trim_start_matches('…').trim()) {
        Some(near) => format!("{what}, near `{near}`"),
        None => what.to_owned(),
    }
}

/// Takes no more than a page can bear.
#[derive(Debug, Default)]
struct Bounded {
    bytes: Vec<u8>,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > limits::RENDER_MATHML_MAX_BYTES {
            return Err(Error::other("full"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
