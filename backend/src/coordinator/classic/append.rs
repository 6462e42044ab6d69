//! What a group stores, and what it does when the log has it or could not take it (protocol.md 3.3, 3.4, 4.2; Kafka's
//! append futures in `GroupMetadataManager`).
//!
//! A record is written when a JoinGroup makes the group, when an assignment is handed out, when the group becomes empty, when a static member takes its seat
//! back in a stable group, and for each commit. Whoever asked is answered when the log has it.

use std::collections::BTreeMap;

use shared::error_code as code;
use shared::event::RebalanceCause;
use shared::ids::MemberId;
use shared::protocol::offsets_log::{
    GroupMetadataKey, GroupMetadataValue, MemberMetadata, OffsetCommitKey, OffsetsRecord,
};

use super::commit::Committing;
use super::seat::Replacement;
use super::story::Cause;
use super::{Desk, Group, Member};
use crate::coordinator::AppendId;
#[cfg(any(test, feature = "fuzz"))]
use crate::coordinator::Ticket;
use crate::coordinator::offsets_log::partition_of;

/// What waits for an append.
#[derive(Debug)]
pub(super) enum Waiting {
    /// The leader's assignment, and with it everybody's SyncGroup.
    Assignment {
        generation: i32,
        leader: MemberId,
        parts: BTreeMap<MemberId, Vec<u8>>,
    },
    /// A static member that took its seat back.
    Replacement(Box<Replacement>),
    /// A commit.
    Commit(Committing),
    /// Nobody; the group goes on whatever becomes of it.
    Nobody,
}

impl Waiting {
    /// Bytes of what it brings: room is kept for them.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Assignment { parts, .. } => parts.values().map(Vec::len).sum(),
            Self::Commit(commit) => commit.bytes(),
            Self::Replacement(_) | Self::Nobody => 0,
        }
    }

    /// The request that is answered then; SyncGroups are the members' own.
    #[cfg(any(test, feature = "fuzz"))]
    pub(super) const fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Replacement(seat) => Some(seat.parked.ticket),
            Self::Commit(commit) => Some(commit.ticket()),
            Self::Assignment { .. } | Self::Nobody => None,
        }
    }

    /// Offsets it would add.
    pub(super) const fn offsets(&self) -> usize {
        match self {
            Self::Commit(commit) => commit.new,
            Self::Assignment { .. } | Self::Replacement(_) | Self::Nobody => 0,
        }
    }
}

impl Group {
    /// Hands records to the log.
    pub(super) fn append(&mut self, desk: &mut Desk, records: Vec<OffsetsRecord>, waiting: Waiting) {
        desk.load.bytes += waiting.bytes();
        desk.load.offsets += waiting.offsets();
        let append = desk.append(&self.id, partition_of(self.id.as_str()), records);
        self.appends.insert(append, waiting);
    }

    /// The group as it stands, with nobody waiting for it.
    pub(crate) fn append_standing(&mut self, desk: &mut Desk) {
        let record = self.record(|member| member.assignment.clone());
        self.append(desk, vec![record], Waiting::Nobody);
    }

    /// Takes back what the log says of a group that is forgotten.
    pub(super) fn append_tombstones(&self, desk: &mut Desk) {
        let tombstone = |(topic, partition)| {
            let key = OffsetCommitKey {
                group: self.id.as_str().into(),
                topic,
                partition,
            };
            OffsetsRecord::Commit(key, None)
        };
        let mut records: Vec<OffsetsRecord> = self.offsets.keys().map(tombstone).collect();
        records.push(OffsetsRecord::Group(self.key(), None));
        desk.append(&self.id, partition_of(self.id.as_str()), records);
    }

    /// The log has it, or has not.
    pub(crate) fn appended(&mut self, desk: &mut Desk, append: AppendId, result: Result<(), i16>) {
        let Some(waiting) = self.appends.remove(&append) else {
            return;
        };
        desk.load.bytes -= waiting.bytes();
        desk.load.offsets -= waiting.offsets();
        match (waiting, result) {
            (
                Waiting::Assignment {
                    generation,
                    leader,
                    parts,
                },
                result,
            ) => {
                if self.awaits_assignment(generation) {
                    match result {
                        Ok(()) => self.hand_out(desk, parts),
                        Err(error) => self.assignment_lost(desk, &leader, error),
                    }
                }
            }
            (Waiting::Replacement(seat), Ok(())) => self.seat_taken(desk, &seat),
            (Waiting::Replacement(seat), Err(error)) => {
                self.seat_given_back(desk, *seat, append_error(error))
            }
            (Waiting::Commit(commit), result) => self.committed_or_not(desk, commit, result),
            (Waiting::Nobody, _) => {}
        }
    }

    /// Nothing that is under way is waited for any more: the group is another broker's.
    pub(super) fn give_appends_up(&mut self, desk: &mut Desk) {
        while let Some((append, _)) = self.appends.first_key_value() {
            let append = *append;
            self.appended(desk, append, Err(code::NOT_LEADER_OR_FOLLOWER));
        }
    }

    fn assignment_lost(&mut self, desk: &mut Desk, leader: &MemberId, error: i16) {
        self.refuse_syncs(desk, append_error(error));
        self.rebalance(desk, Cause::by(RebalanceCause::StorageFailed, leader));
    }

    fn key(&self) -> GroupMetadataKey {
        GroupMetadataKey {
            group: self.id.as_str().into(),
        }
    }

    /// The group's record, with the assignment that `part` says.
    pub(super) fn record(&self, part: impl Fn(&Member) -> Vec<u8>) -> OffsetsRecord {
        let protocol = self.protocol.as_deref().unwrap_or_default();
        let member = |member: &Member| MemberMetadata {
            member_id: member.id.as_str().into(),
            group_instance_id: member.instance.as_ref().map(|id| id.as_str().into()),
            client_id: member.client_id.as_ref().into(),
            client_host: member.host.as_ref().into(),
            rebalance_timeout: i32::try_from(member.timeouts.rebalance.0).unwrap_or(i32::MAX),
            session_timeout: i32::try_from(member.timeouts.session.0).unwrap_or(i32::MAX),
            subscription: member.protocols.metadata(protocol).unwrap_or_default().into(),
            assignment: part(member),
        };
        let value = GroupMetadataValue {
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            generation: self.generation,
            protocol: self.protocol.clone(),
            leader: self.leader.as_ref().map(|id| id.as_str().into()),
            current_state_timestamp: -1,
            members: self.in_order().into_iter().map(member).collect(),
        };
        OffsetsRecord::Group(self.key(), Some(value))
    }
}

/// What a member is told when the log could not take something (Kafka's `appendGroupMetadataErrorToResponseError`).
pub(super) const fn append_error(error: i16) -> i16 {
    match error {
        code::UNKNOWN_TOPIC_OR_PARTITION | code::NOT_ENOUGH_REPLICAS | code::REQUEST_TIMED_OUT => {
            code::COORDINATOR_NOT_AVAILABLE
        }
        code::NOT_LEADER_OR_FOLLOWER | code::KAFKA_STORAGE_ERROR => code::NOT_COORDINATOR,
        code::MESSAGE_TOO_LARGE | code::RECORD_LIST_TOO_LARGE | code::INVALID_FETCH_SIZE => {
            code::UNKNOWN_SERVER_ERROR
        }
        other => other,
    }
}
