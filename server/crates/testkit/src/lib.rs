//! For tests only: fake clock and ids, temporary databases, builders, the house rules as a test.
