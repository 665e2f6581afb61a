//! Tools that come with the engine and touch nothing outside: each agent chooses its own.

mod calculate;
mod clock;

pub use calculate::Calculate;
pub use clock::ClockTool;
