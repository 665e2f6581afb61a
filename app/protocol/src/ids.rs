//! Names of things, each a type of its own: an id of one kind can never stand where another is meant.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is; where a text must be checked, the reader of that input does it.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as it stands in frames, rows and addresses.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

id!(
    /// One conversation. The default session of an instance has the empty id (see [`SessionId::default`]).
    SessionId
);
id!(
    /// One message of a session; unique within its session only.
    MessageId
);
id!(
    /// One request for a turn, named by whoever asked for it.
    RequestId
);
id!(
    /// One call of a tool, named by the model (or by us where a provider sends none).
    ToolCallId
);
id!(
    /// One question to a person about one tool call.
    ApprovalId
);
id!(
    /// One stored, replayable stream of chunks.
    StreamId
);

impl Default for SessionId {
    /// The session that exists without being created; its id is the empty string.
    fn default() -> Self {
        Self(String::new())
    }
}

/// Prefix of the ids of synthetic overlay messages. No stored message may carry it.
pub const OVERLAY_ID_PREFIX: &str = "compaction_";

impl MessageId {
    /// Whether this names a synthetic summary message, which has no row of its own.
    pub fn is_overlay(&self) -> bool {
        self.0.starts_with(OVERLAY_ID_PREFIX)
    }
}
