//! Tests of the words both sides speak: the fold row by row, the wire variant by variant, and both with chance.

#![expect(
    clippy::needless_pass_by_value,
    reason = "rows are handed over; a borrow sign at each would only be noise"
)]

#[cfg(test)]
mod attachments;
#[cfg(test)]
mod blocks;
#[cfg(test)]
mod chance;
#[cfg(test)]
mod context;
#[cfg(test)]
mod fold;
#[cfg(test)]
mod frames;
#[cfg(test)]
mod head;
#[cfg(test)]
mod merge;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod small;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod wire;
