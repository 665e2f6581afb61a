//! Pieces of a text that are drawn by the server: what a page sends, and what it gets back.

use serde::{Deserialize, Serialize};

/// What kind of thing a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RenderKind {
    /// A block of code, to be coloured.
    Code,
    /// A formula in TeX.
    Maths,
    /// A diagram in Mermaid's language.
    Diagram,
}

/// A piece of a text that is to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RenderPiece {
    /// What it is.
    pub kind: RenderKind,
    /// Of code: the language, as its fence names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// Of a formula: whether it stands on a line of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub display: bool,
    /// Its source.
    pub text: String,
}

/// A run of code in one colour: its length in bytes of UTF-8, and its class (0 to 9, see [`CODE_CLASSES`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Run(pub usize, pub usize);

/// What the classes of a [`Run`] stand for.
pub const CODE_CLASSES: [&str; 10] = [
    "plain",
    "comment",
    "keyword",
    "string",
    "constant",
    "function",
    "type",
    "attribute",
    "inserted",
    "deleted",
];

/// A piece, drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Drawing {
    /// Code: runs that make up the text from its start; what is left over is plain.
    Runs(Vec<Run>),
    /// A formula: MathML of an allow-list.
    Mathml(String),
    /// A diagram: SVG, to be shown as an image only.
    Svg(String),
    /// It cannot be drawn, for this reason.
    Problem(String),
}

/// What is asked, or what is answered: pieces and drawings stand in the same order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Pieces<T> {
    /// One after the other.
    pub pieces: Vec<T>,
}
