//! Stories told to the real server over real sockets on loopback; models are scripted.

mod addresses;
mod callers;
mod process;
mod resume;
mod sessions;
mod stop;
mod support;
mod turns;
mod wrong_input;
