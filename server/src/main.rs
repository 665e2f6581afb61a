//! The bough binary.
fn main() {}
