//! What the scopes of grammars mean for the eye. Grammars of two hundred languages name their scopes alike, so a table
//! of beginnings is enough.

use protocol::CODE_CLASSES;
use syntect::parsing::Scope;

/// Beginnings of scopes, the more exact ones first, and the class each has.
const TABLE: [(&str, &str); 40] = [
    ("comment", "comment"),
    ("constant.character.escape", "constant"),
    ("meta.interpolation", "plain"),
    ("meta.template.expression", "plain"),
    ("string.unquoted", "plain"),
    ("string", "string"),
    ("constant", "constant"),
    ("keyword.operator.word", "keyword"),
    ("keyword.operator", "plain"),
    ("keyword.other.unit", "constant"),
    ("keyword", "keyword"),
    ("storage.type.function.arrow", "plain"),
    ("storage", "keyword"),
    ("variable.language", "keyword"),
    ("variable.function", "function"),
    ("variable.annotation", "attribute"),
    ("variable.other.key", "attribute"),
    ("variable", "plain"),
    ("entity.name.function", "function"),
    ("entity.name.tag", "keyword"),
    ("entity.name.label", "attribute"),
    ("entity.name.section", "keyword"),
    ("entity.name.constant", "constant"),
    ("entity.name", "type"),
    ("entity.other.inherited-class", "type"),
    ("entity.other.attribute-name", "attribute"),
    ("support.function", "function"),
    ("support.macro", "function"),
    ("support.constant", "constant"),
    ("support.type.property-name", "attribute"),
    ("support.type", "type"),
    ("support.class", "type"),
    ("meta.property-name", "attribute"),
    ("meta.mapping.key", "attribute"),
    ("markup.heading", "keyword"),
    ("markup.inserted", "inserted"),
    ("markup.deleted", "deleted"),
    ("markup.raw", "string"),
    ("meta.diff.range", "attribute"),
    ("meta.diff.header", "comment"),
];

/// The table, as grammars compare scopes.
#[derive(Debug)]
pub(super) struct Classes {
    rows: Vec<(Scope, usize)>,
}

impl Default for Classes {
    /// The one table there is.
    fn default() -> Self {
        let row = |(scope, name): &(&str, &str)| {
            let class = CODE_CLASSES.iter().position(|class| class == name)?;
            Some((Scope::new(scope).ok()?, class))
        };
        Self { rows: TABLE.iter().filter_map(row).collect() }
    }
}

impl Classes {
    /// The class of a place that lies within `scopes`, the innermost last: that of the innermost one that has any.
    pub(super) fn of(&self, scopes: &[Scope]) -> usize {
        let class = |scope: &Scope| {
            self.rows.iter().find(|(beginning, _)| beginning.is_prefix_of(*scope)).map(|(_, class)| *class)
        };
        scopes.iter().rev().find_map(class).unwrap_or_default()
    }
}
