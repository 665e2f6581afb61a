#![doc = include_str!("../README.md")]
#![expect(
    unreachable_pub,
    clippy::needless_pass_by_value,
    reason = "components take owned props and generate public structs; both lints misfire on them"
)]

mod api;
mod app;
pub mod backend;
mod boot;
mod browser;
mod chat;
mod client;
mod connection;
mod context_panel;
mod format;
mod late;
mod login;
mod markdown;
mod palette;
pub mod routes;
mod sessions;
mod settings;
mod shell;
mod status;
mod ui;

pub use app::App;
pub use backend::Backend;
pub use boot::{BOOT_META, Boot, OFFSET_COOKIE, PANEL_COOKIE, THEME_COOKIE, Theme};
pub use context_panel::layout::{PanelLayout, Tab};
pub use login::{LoginWords, login_page};
pub use shell::shell;
pub use status::PageStatus;
