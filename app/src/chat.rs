//! The transcript and its composer.

pub mod composer_state;
pub mod follow;
pub mod transcript;
