//! The house rules as tests: each reads the checkout, lists what breaks its rule, and says what to do instead.
//!
//! Run them with `cargo tidy`. A folder that does not exist yet breaks no rule.

#[cfg(test)]
mod copies;
#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod files;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod papers;
#[cfg(test)]
mod shape;
#[cfg(test)]
mod source;
#[cfg(test)]
mod tables;
#[cfg(test)]
mod top_level;
#[cfg(test)]
mod words;
