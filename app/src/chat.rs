//! The transcript and its composer.

pub mod composer;
pub mod composer_state;
pub mod ending;
pub mod follow;
pub mod header;
pub mod message;
pub mod new_chat;
pub mod page;
pub mod part;
pub mod rail;
pub mod scroller;
pub mod signals;
pub mod status;
pub mod time;
pub mod transcript;
pub mod view;
