#![doc = include_str!("../README.md")]

mod backup;
mod clock;
mod data_dir;
mod database;
mod error;
mod ids;
mod look;
mod migrate;
mod private;
mod restore;
mod tx;

pub use clock::{Clock, SystemClock};
pub use data_dir::{DataDir, DataDirLock};
pub use database::Database;
pub use error::DbError;
pub use ids::{IdSource, UuidSource};
pub use restore::Restored;
pub use tx::{ReadTx, WriteTx};
