//! What only a coordinator sees of a group's protocol: who leads, ids handed out and never used, joins given up,
//! requests refused, what could not be stored, moves and loads.

use serde::Serialize;

use crate::ids::{Generation, MemberId, NodeId};
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// What a coordinator tells of a group beside its members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Coordination {
    /// Who computes the assignment of the generation formed last.
    pub leader: Option<MemberId>,
    /// The assignor chosen for it.
    pub protocol: Option<String>,
    /// Member ids handed out and not used yet, oldest first, at most [`super::limits::PENDING`].
    pub pending: Vec<PendingId>,
    /// JoinGroups whose client gave up waiting, newest first, at most [`super::limits::ABANDONED`].
    pub abandoned: Vec<AbandonedJoin>,
    /// Requests answered with an error, those of last newest first, at most [`super::limits::REFUSED`].
    pub refused: Vec<RefusedRequest>,
    /// What could not be stored last.
    pub append_failed: Option<AppendFailure>,
    /// The last time its partition went to another broker.
    pub unloaded: Option<Load>,
    /// That the coordinator reads it from its log; none once it has.
    pub loading: Option<Load>,
    /// The last time it was read.
    pub loaded: Option<Load>,
}

/// A member id that was handed out (79, KIP-394) and is not used yet. The coordinator waits for it as for a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct PendingId {
    /// The id.
    pub id: MemberId,
    /// Who asked for it.
    pub client_id: String,
    /// From where.
    pub host: String,
    /// When it was handed out.
    pub at: UnixMs,
}

/// A JoinGroup whose client closed the connection before it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct AbandonedJoin {
    /// Who is still awaited.
    pub member: MemberId,
    /// What it is called, where its row tells.
    pub name: Option<String>,
    /// From where, where its row tells.
    pub host: Option<String>,
    /// When the connection ended.
    pub at: UnixMs,
    /// How long the client had waited.
    pub waited: Millis,
    /// How long the coordinator may hold it, as the client promised.
    pub allowed: Millis,
}

/// Requests of one client that were answered with the same error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct RefusedRequest {
    /// By which id.
    pub member: Option<MemberId>,
    /// Kafka's name of the API.
    pub api: String,
    /// The answer.
    pub error: i16,
    /// Who asked.
    pub client_id: String,
    /// From where.
    pub host: String,
    /// When the first was refused.
    pub since: UnixMs,
    /// When the last was.
    pub at: UnixMs,
    /// How many.
    pub times: u64,
}

impl RefusedRequest {
    /// Whether it is the same client asking the same and told the same: that may ask under a new id each time.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let of = |refused: &Self| (refused.error, refused.api.clone());
        of(self) == of(other) && self.client_id == other.client_id && self.host == other.host
    }
}

/// What could not be stored of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct AppendFailure {
    /// The partition of `__consumer_offsets`.
    pub partition: i32,
    /// The log's error.
    pub error: i16,
    /// When it failed last.
    pub at: UnixMs,
    /// How often it failed so, with no long rest between two.
    #[serde(default)]
    pub times: u64,
}

/// That a group's partition of `__consumer_offsets` was given up, is being read, or was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Load {
    /// Which broker.
    pub node: NodeId,
    /// The partition.
    pub partition: i32,
    /// When: of a load, when it began until it is over.
    pub at: UnixMs,
    /// How long reading it took; none while it runs and of a move.
    pub took: Option<Millis>,
    /// The generation that was read.
    pub generation: Option<Generation>,
    /// Since when a rebalance ran that this cut off: nobody tells its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_off: Option<UnixMs>,
}
