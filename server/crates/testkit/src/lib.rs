#![doc = include_str!("../README.md")]

mod cases;
mod database;
mod fakes;
mod messages;

pub use cases::{Cases, check_cases};
pub use database::{TempDatabase, left_database, temp_database};
pub use fakes::{FakeClock, SeqIds};
pub use messages::{assistant, message, user};
