//! The adapters against a server on this machine that says exactly what a test tells it to.

#[cfg(test)]
mod anthropic;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod ollama;
#[cfg(test)]
mod quirks;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod streams;
