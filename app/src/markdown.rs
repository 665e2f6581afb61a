//! Text of models to views: split into blocks while it grows, parsed block by block, never taken for markup.

pub mod code;
pub mod document;
pub mod painter;
pub mod parse;
pub mod render;
pub mod text;
