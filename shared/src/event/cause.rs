//! Why things happen: the vocabularies inside [`super::Change`].

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Why a member takes its coordinator for dead.
    pub enum DeathCause: "cause of a dead coordinator" {
        /// The session passed without an answer that renews it.
        SessionOver = "session_over",
        /// The connection ended, could not be made, or broke the protocol.
        Disconnect = "disconnect",
        /// A request was not answered by its deadline.
        Timeout = "timeout",
        /// 15.
        CoordinatorNotAvailable = "coordinator_not_available",
        /// 16.
        NotCoordinator = "not_coordinator",
        /// It owed an answer, and another broker was named the coordinator.
        Moved = "moved",
    }
}

impl DeathCause {
    /// Whether the coordinator said so itself, so that its broker lives.
    #[must_use]
    pub const fn is_answer(self) -> bool {
        matches!(self, Self::CoordinatorNotAvailable | Self::NotCoordinator)
    }
}

vocabulary! {
    /// How far the offsets log of a cluster can be read.
    pub enum LogAccess: "access to the offsets log" {
        /// It is read, and not to its end everywhere: what it tells is not all known yet.
        Reading = "reading",
        /// All that was written before is read.
        Read = "read",
        /// The right is missing.
        Denied = "denied",
        /// There is none: no group has committed or joined yet.
        Absent = "absent",
    }
}

vocabulary! {
    /// How a connection or a request on it failed.
    pub enum LinkFault: "failure of a request" {
        /// The connection ended.
        Disconnect = "disconnect",
        /// No answer by the deadline.
        Timeout = "timeout",
        /// What came cannot be an answer.
        Garbled = "garbled",
        /// The broker does not believe who we are, or cannot prove who it is.
        Authentication = "authentication",
    }
}

vocabulary! {
    /// Why no heartbeat is due.
    pub enum WithheldReason: "reason to withhold heartbeats" {
        /// The member is in no generation.
        NoGeneration = "no_generation",
        /// It must join again, or its JoinGroup is out.
        RejoinNeeded = "rejoin_needed",
        /// It does not know its coordinator.
        CoordinatorUnknown = "coordinator_unknown",
        /// An answer told it to send nothing on that connection for a while (KIP-219).
        Throttled = "throttled",
    }
}

vocabulary! {
    /// Why a member must join again.
    pub enum RejoinCause: "cause of a rejoin" {
        /// 27.
        RebalanceInProgress = "rebalance_in_progress",
        /// 22.
        IllegalGeneration = "illegal_generation",
        /// 25.
        UnknownMemberId = "unknown_member_id",
        /// 82.
        FencedInstanceId = "fenced_instance_id",
        /// An error to JoinGroup or SyncGroup that starts the join over.
        JoinFailed = "join_failed",
        /// What it subscribes to changed.
        SubscriptionChanged = "subscription_changed",
        /// It was told to, though nothing had changed: `enforceRebalance` (KIP-568).
        Enforced = "enforced",
    }
}

vocabulary! {
    /// At which deadline or limit the coordinator removed a member, or for whom.
    pub enum EvictionCause: "cause of an eviction" {
        /// It did not join again within its rebalance timeout.
        RebalanceTimeout = "rebalance_timeout",
        /// It did not send SyncGroup within the group's rebalance timeout (KAFKA-12890, 3.0).
        SyncTimeout = "sync_timeout",
        /// 81.
        GroupFull = "group_full",
        /// Another member joined, which no Kafka takes for a reason (the fault `evict_each_other`).
        Displaced = "displaced",
    }
}

vocabulary! {
    /// The ways a member can be gone.
    pub enum Departure: "way a member can be gone" {
        /// LeaveGroup.
        Left = "left",
        /// Its session was over.
        TimedOut = "timed_out",
        /// Removed at a deadline or limit.
        Evicted = "evicted",
        /// A new member took its instance id.
        Replaced = "replaced",
    }
}

vocabulary! {
    /// Why a group rebalances.
    pub enum RebalanceCause: "rebalance cause" {
        /// A new member came.
        MemberJoined = "member_joined",
        /// A member sent LeaveGroup.
        MemberLeft = "member_left",
        /// A member's session was over.
        MemberTimedOut = "member_timed_out",
        /// A member was removed at a deadline or limit.
        MemberEvicted = "member_evicted",
        /// A member was fenced.
        MemberFenced = "member_fenced",
        /// A static member came back under a new member id.
        MemberReplaced = "member_replaced",
        /// A member subscribes to something else.
        SubscriptionChanged = "subscription_changed",
        /// The leader joined again of its own accord.
        LeaderRejoined = "leader_rejoined",
        /// A subscribed topic's partitions changed.
        MetadataChanged = "metadata_changed",
        /// The members changed their assignors.
        ProtocolChanged = "protocol_changed",
        /// The group moved to another coordinator.
        CoordinatorMoved = "coordinator_moved",
        /// The coordinator could not write the assignment.
        StorageFailed = "storage_failed",
        /// Nothing that was seen tells.
        NotVisible = "not_visible",
    }
}
