//! Which events restart a member's session at its coordinator.

use super::Change;
use crate::error_code::{
    NONE, OFFSET_METADATA_TOO_LARGE, REBALANCE_IN_PROGRESS, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION,
};

impl Change {
    /// Whether it is a single heartbeat, or a single commit, that restarted the member's session.
    ///
    /// A coordinator restarts the session when it answers a Heartbeat 0 or 27 (protocol.md 3.5), and when it accepts an OffsetCommit
    /// of a generation; what an answer does to the member's own timer is in the event. `None` for all that is neither.
    #[must_use]
    pub const fn renews(&self) -> Option<bool> {
        match self {
            Self::HeartbeatAnswered { renews, .. } => Some(*renews),
            Self::HeartbeatReceived { error, .. } => Some(matches!(*error, NONE | REBALANCE_IN_PROGRESS)),
            Self::CommitReceived { generation, error } => {
                // Who commits was judged before what it commits: an error of a partition is no refusal of the member.
                let accepted = matches!(
                    *error,
                    NONE | UNKNOWN_TOPIC_OR_PARTITION | OFFSET_METADATA_TOO_LARGE | UNKNOWN_TOPIC_ID
                );
                Some(accepted && generation.0 >= 0)
            }
            _ => None,
        }
    }
}
