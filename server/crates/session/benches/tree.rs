//! How fast a conversation is read and extended, and that its length does not matter.

fn main() {
    divan::main();
}
