//! The names things go by. All come from strangers: bounded where kept, escaped where shown.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::tree::FromNode;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as Kafka spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether it is the empty string, a valid id to Kafka in some places and "none yet" in others.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self(Arc::from(""))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        /// Escaped: an id with a line break or a control character stays on its line in a log.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0.escape_debug())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

text_id!(
    /// A consumer group's id. `""`, `"."` and ids of 249 characters and more are valid.
    GroupId
);
text_id!(
    /// The id the coordinator gave a member (KIP-848: the id the member made itself).
    ///
    /// A member of ours that has no id yet goes by its client id in events: see [`crate::event::Observation::member`].
    MemberId
);
text_id!(
    /// A static member's `group.instance.id` (KIP-345).
    InstanceId
);
text_id!(
    /// A Kafka cluster's id, or the embedded coordinator's own.
    ClusterId
);

/// A group's generation (classic) or epoch (KIP-848); -1 is "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(transparent)]
pub struct Generation(pub i32);

impl Generation {
    /// Not in any generation.
    pub const NONE: Self = Self(-1);
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A broker's node id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromNode)]
#[serde(transparent)]
pub struct NodeId(pub i32);

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
