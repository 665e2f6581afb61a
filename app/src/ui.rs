//! Plain pieces of a page. Nothing in here knows what the product is about.

pub mod copy;
pub mod edge;
pub mod icon;
pub mod lazy;
pub mod list;
pub mod logo;
pub mod menu;
pub mod picker;
pub mod toast;
pub mod when;
