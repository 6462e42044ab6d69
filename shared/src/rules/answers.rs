//! What a code in an answer makes a member do: the table (request, code, rules) -> effect, as data.
//!
//! Kafka writes it as one `if ... else if` per response handler: `HeartbeatCompletionHandler` (today
//! `HeartbeatResponseHandler`), `GroupCoordinatorResponseHandler` (`FindCoordinatorResponseHandler`),
//! `JoinGroupResponseHandler`, `SyncGroupResponseHandler`, `LeaveGroupResponseHandler`. Facts: protocol.md 1.5 and 1.8.

use std::fmt;

use crate::protocol::ApiKey;

use Effect::{Accept, CoordinatorDead, Fatal, Fenced, Over, Rejoin, Retry, TakeMemberId};

/// The requests of a member's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupRequest {
    Heartbeat,
    FindCoordinator,
    JoinGroup,
    SyncGroup,
    LeaveGroup,
}

impl GroupRequest {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Heartbeat,
        Self::FindCoordinator,
        Self::JoinGroup,
        Self::SyncGroup,
        Self::LeaveGroup,
    ];

    /// Its number on the wire.
    #[must_use]
    pub const fn key(self) -> ApiKey {
        match self {
            Self::Heartbeat => ApiKey::Heartbeat,
            Self::FindCoordinator => ApiKey::FindCoordinator,
            Self::JoinGroup => ApiKey::JoinGroup,
            Self::SyncGroup => ApiKey::SyncGroup,
            Self::LeaveGroup => ApiKey::LeaveGroup,
        }
    }
}

/// Kafka's name of the API.
impl fmt::Display for GroupRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.key().fmt(f)
    }
}

/// What an answer makes the member do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is what was asked for.
    Accept,
    /// Nothing changes; the request is made again after the backoff (a Heartbeat: by [`super::FailedHeartbeat`]).
    Retry,
    /// This node is not, or no longer, the coordinator: it is forgotten and looked up again. The membership is kept.
    CoordinatorDead,
    /// The member must join, at once, having forgotten something first.
    Rejoin(Forget),
    /// The answer names the id to join with, at once (KIP-394).
    TakeMemberId,
    /// Another member holds the instance id: the member ends and must not start again (KIP-345).
    Fenced,
    /// No retry can mend it: the member ends.
    Fatal,
    /// Leaving did not succeed, and there is nothing to be done about it: the member ends.
    Over,
}

/// What a member forgets before it joins again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forget {
    /// Nothing: same member id, and the generation until a new one is given.
    Nothing,
    /// Its member id.
    MemberId,
    /// Its generation; it is unjoined.
    Generation,
    /// Its generation and its member id; it is unjoined.
    Both,
}

impl Forget {
    /// Whether the member id is among it.
    #[must_use]
    pub const fn member_id(self) -> bool {
        matches!(self, Self::MemberId | Self::Both)
    }

    /// Whether the generation is among it.
    #[must_use]
    pub const fn generation(self) -> bool {
        matches!(self, Self::Generation | Self::Both)
    }
}

/// The effect of each code in the answer to one request, by Kafka's names of the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// 0.
    pub none: Effect,
    /// 14.
    pub coordinator_load_in_progress: Effect,
    /// 15.
    pub coordinator_not_available: Effect,
    /// 16.
    pub not_coordinator: Effect,
    /// 22.
    pub illegal_generation: Effect,
    /// 23.
    pub inconsistent_group_protocol: Effect,
    /// 24.
    pub invalid_group_id: Effect,
    /// 25.
    pub unknown_member_id: Effect,
    /// 26.
    pub invalid_session_timeout: Effect,
    /// 27.
    pub rebalance_in_progress: Effect,
    /// 30.
    pub group_authorization_failed: Effect,
    /// 35.
    pub unsupported_version: Effect,
    /// 79.
    pub member_id_required: Effect,
    /// 81.
    pub group_max_size_reached: Effect,
    /// 82.
    pub fenced_instance_id: Effect,
    /// Any other.
    pub other: Effect,
}

impl Codes {
    /// 0 is accepted, and every error does the same.
    const fn any_error(effect: Effect) -> Self {
        Self {
            none: Accept,
            coordinator_load_in_progress: effect,
            coordinator_not_available: effect,
            not_coordinator: effect,
            illegal_generation: effect,
            inconsistent_group_protocol: effect,
            invalid_group_id: effect,
            unknown_member_id: effect,
            invalid_session_timeout: effect,
            rebalance_in_progress: effect,
            group_authorization_failed: effect,
            unsupported_version: effect,
            member_id_required: effect,
            group_max_size_reached: effect,
            fenced_instance_id: effect,
            other: effect,
        }
    }

    /// The effect of one code.
    #[must_use]
    pub const fn effect(&self, code: i16) -> Effect {
        match code {
            0 => self.none,
            14 => self.coordinator_load_in_progress,
            15 => self.coordinator_not_available,
            16 => self.not_coordinator,
            22 => self.illegal_generation,
            23 => self.inconsistent_group_protocol,
            24 => self.invalid_group_id,
            25 => self.unknown_member_id,
            26 => self.invalid_session_timeout,
            27 => self.rebalance_in_progress,
            30 => self.group_authorization_failed,
            35 => self.unsupported_version,
            79 => self.member_id_required,
            81 => self.group_max_size_reached,
            82 => self.fenced_instance_id,
            _ => self.other,
        }
    }
}

/// The table: a row of codes for each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    pub heartbeat: Codes,
    pub find_coordinator: Codes,
    pub join_group: Codes,
    pub sync_group: Codes,
    pub leave_group: Codes,
}

impl Answers {
    /// What `code` in an answer to `request` does.
    #[must_use]
    pub const fn effect(&self, request: GroupRequest, code: i16) -> Effect {
        match request {
            GroupRequest::Heartbeat => self.heartbeat.effect(code),
            GroupRequest::FindCoordinator => self.find_coordinator.effect(code),
            GroupRequest::JoinGroup => self.join_group.effect(code),
            GroupRequest::SyncGroup => self.sync_group.effect(code),
            GroupRequest::LeaveGroup => self.leave_group.effect(code),
        }
    }

    /// Kafka 0.10.0's. No error resets the generation.
    pub(super) const V0_10: Self = Self {
        heartbeat: Codes {
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            illegal_generation: Rejoin(Forget::Nothing),
            unknown_member_id: Rejoin(Forget::MemberId),
            rebalance_in_progress: Rejoin(Forget::Nothing),
            // 30 too: the exception was raised into a future that nobody asked for its failure.
            ..Codes::any_error(Retry)
        },
        find_coordinator: Codes {
            group_authorization_failed: Fatal,
            ..Codes::any_error(Retry)
        },
        join_group: Codes {
            coordinator_load_in_progress: Retry,
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            unknown_member_id: Rejoin(Forget::MemberId),
            ..Codes::any_error(Fatal)
        },
        sync_group: Codes {
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            // The id is forgotten though the member is still known: it stays behind as a ghost (KAFKA-13419).
            illegal_generation: Rejoin(Forget::MemberId),
            unknown_member_id: Rejoin(Forget::MemberId),
            rebalance_in_progress: Rejoin(Forget::Nothing),
            ..Codes::any_error(Fatal)
        },
        leave_group: Codes::any_error(Over),
    };

    /// Today's, classic protocol.
    pub(super) const MODERN: Self = Self {
        heartbeat: Codes {
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            illegal_generation: Rejoin(Forget::Generation),
            unknown_member_id: Rejoin(Forget::Both),
            rebalance_in_progress: Rejoin(Forget::Nothing),
            group_authorization_failed: Fatal,
            fenced_instance_id: Fenced,
            ..Codes::any_error(Retry)
        },
        find_coordinator: Codes {
            coordinator_load_in_progress: Retry,
            coordinator_not_available: Retry,
            not_coordinator: Retry,
            ..Codes::any_error(Fatal)
        },
        join_group: Codes {
            coordinator_load_in_progress: Retry,
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            unknown_member_id: Rejoin(Forget::Both),
            rebalance_in_progress: Rejoin(Forget::Nothing),
            member_id_required: TakeMemberId,
            fenced_instance_id: Fenced,
            ..Codes::any_error(Fatal)
        },
        sync_group: Codes {
            coordinator_not_available: CoordinatorDead,
            not_coordinator: CoordinatorDead,
            illegal_generation: Rejoin(Forget::Generation),
            unknown_member_id: Rejoin(Forget::Both),
            rebalance_in_progress: Rejoin(Forget::Nothing),
            fenced_instance_id: Fenced,
            // 14 too: a coordinator that loads must answer SyncGroup 27 (protocol.md 3.4).
            ..Codes::any_error(Fatal)
        },
        leave_group: Codes::any_error(Over),
    };
}
