//! Conversation data: tree, branches, active leaf, sessions.
