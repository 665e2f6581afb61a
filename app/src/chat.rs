//! The transcript and its composer.

pub mod absent;
pub mod answer_bar;
pub mod composer;
pub mod composer_state;
pub mod editor_state;
mod ending;
pub mod follow;
pub mod header;
pub mod link_banner;
pub mod message;
pub mod new_chat;
pub mod page;
pub mod part;
pub mod pulse;
pub mod rail;
pub mod rows;
pub mod scroller;
pub mod session_composer;
pub mod signals;
pub mod spoken_news;
pub mod time;
pub mod transcript;
pub mod view;
