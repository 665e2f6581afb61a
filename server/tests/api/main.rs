//! Stories told to the real server over real sockets on loopback; models are scripted.

#[cfg(test)]
mod addresses;
mod blocks;
mod branches;
mod callers;
mod commands;
mod exchange;
mod faults;
mod openapi;
mod pages;
mod process;
mod programs;
mod render;
mod resume;
mod sessions;
mod stop;
mod support;
mod tool_servers;
mod turns;
mod wrong_input;
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
#[cfg(test)]
