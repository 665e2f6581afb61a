//! Stories told to the real server over real sockets on loopback; models are scripted.

#[cfg(test)]
mod addresses;
#[cfg(test)]
mod blocks;
#[cfg(test)]
mod branches;
#[cfg(test)]
mod callers;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod exchange;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod login;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod process;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod render;
#[cfg(test)]
mod resume;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod stop;
#[cfg(test)]
mod support;
#[cfg(test)]
mod tool_servers;
#[cfg(test)]
mod tour;
mod turns;
#[cfg(test)]
mod wrong_input;
