//! The stories of this crate, told through its public doors, one module a subject.

#[cfg(test)]
mod bounded;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod intake;
#[cfg(test)]
mod manager;
#[cfg(test)]
mod random;
#[cfg(test)]
mod support;
#[cfg(test)]
mod trash;
#[cfg(test)]
mod tree;
