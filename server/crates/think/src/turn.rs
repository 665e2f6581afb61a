//! A turn, cut in two: the machine decides and never waits; the driver waits and never decides.
//!
//! ```text
//!   command, model event, tool result ──▶ machine ──▶ effects ──▶ driver ──▶ model, tools, store, sockets
//!                 ▲                                                  │
//!                 └───────────────────── inputs ─────────────────────┘
//! ```

pub(crate) mod continuation;
pub(crate) mod driver;
mod effect;
mod input;
mod machine;
mod offer;
pub(crate) mod overlap;
mod queue;
mod state;

pub use effect::{Effect, Ending};
pub use input::Input;
pub use machine::Machine;
pub use offer::merge;
pub use overlap::{DEBOUNCE_DEFAULT, Overlap};
pub use queue::{Generation, TurnQueue};
pub use state::{Answer, Place, Plan, PlannedTool, State};
