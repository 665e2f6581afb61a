//! Text of models to views: split into blocks while it grows, parsed block by block, never taken for markup.

pub mod code;
mod colours;
mod diagram;
mod direction;
pub mod document;
pub mod drawings;
mod formula;
mod formula_text;
mod kept;
mod lists;
pub mod painter;
pub mod parse;
mod pieces;
pub mod render;
pub mod text;
