//! Who may be here: what the settings show of sign-ins and tokens. Nothing in it lets anybody in.

use serde::{Deserialize, Serialize};

/// What came in by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoginKind {
    /// A browser, in which somebody gave the password.
    Browser,
    /// A program, with a token that was made for it.
    Program,
}

/// A sign-in of a browser, or a token of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginInfo {
    /// Names it; of no use for signing in.
    pub id: String,
    /// What came in by it.
    pub kind: LoginKind,
    /// The browser and its system, as far as it says, or the name of the token.
    pub name: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: u64,
    /// When it was last used, to within a day.
    pub seen_at: u64,
    /// Whether it is the one that asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_this: bool,
}

/// All of them, the last used first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoginList {
    /// Each.
    pub logins: Vec<LoginInfo>,
}
