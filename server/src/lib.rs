//! The server: configuration, router, sockets, and the composition of everything below it.
//!
//! It decides nothing about conversations (that is `think`), stores nothing (that is `session`), knows no provider
//! (that is `providers`), and draws nothing (that is `app`). See `docs/architecture.md`.

mod accept;
pub mod application;
pub mod assets;
pub mod auth;
pub mod backend;
pub mod cli;
pub mod commands;
pub mod config;
mod drawings;
pub mod error;
pub mod guard;
mod guide_tools;
mod http;
pub mod instances;
pub mod models;
mod open_files;
mod router;
pub mod shutdown;
mod ssr;
mod state;
pub mod telemetry;
mod tool_servers;
mod trace;
mod ws;

pub use application::{Application, StartError};
