//! Stories of tool servers: how they are called, and what happens when they break.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests: a story that breaks shall stop at once"
)]

mod address;
mod process;
mod support;
