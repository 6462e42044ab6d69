//! A group's member as the coordinator keeps it.

use std::sync::Arc;

use shared::ids::{InstanceId, MemberId};
use shared::time::{Millis, Timestamp};

use super::protocols::Protocols;
use crate::coordinator::timers::Alarm;
use crate::coordinator::{Origin, Ticket};

/// One member (Kafka's `ClassicGroupMember`).
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: MemberId,
    /// Where it stands in the order of arrival; the lowest is first in line for leader.
    pub(crate) seat: u64,
    pub(crate) instance: Option<InstanceId>,
    pub(crate) client_id: Arc<str>,
    pub(crate) host: Arc<str>,
    /// The client id and the host of who has the static seat now, where that is not the first that took it.
    pub(crate) holder: Option<(Arc<str>, Arc<str>)>,
    pub(crate) timeouts: Timeouts,
    pub(crate) protocols: Protocols,
    pub(crate) assignment: Vec<u8>,
    /// It has not been told its generation yet, so it cannot heartbeat: its session is the time a JoinGroup may wait.
    pub(crate) is_new: bool,
    /// Its JoinGroup that waits for the join phase to end.
    pub(crate) join: Option<Parked>,
    /// Its SyncGroup that waits for the leader's.
    pub(crate) sync: Option<Parked>,
    pub(crate) session: Alarm,
    /// When the first JoinGroup came that no answered SyncGroup has followed yet.
    pub(crate) joining_since: Option<Timestamp>,
    /// Its joining has been told; from now on it rejoins.
    pub(crate) has_been_in: bool,
    /// The id that held this static member's seat before, until that one has been told that it is fenced.
    pub(crate) fenced: Option<MemberId>,
}

/// What a member asked for in its last JoinGroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    pub(crate) session: Millis,
    pub(crate) rebalance: Millis,
}

/// A request whose answer waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parked {
    pub(crate) ticket: Ticket,
    pub(crate) version: i16,
}

impl Member {
    /// A member that arrives: it has no generation yet.
    pub(crate) fn arriving(id: MemberId, seat: u64, instance: Option<InstanceId>, from: Origin<'_>) -> Self {
        Self {
            id,
            seat,
            instance,
            client_id: from.client_id.into(),
            host: from.host.into(),
            holder: None,
            timeouts: Timeouts {
                session: Millis(0),
                rebalance: Millis(0),
            },
            protocols: Protocols::default(),
            assignment: Vec::new(),
            is_new: true,
            join: None,
            sync: None,
            session: Alarm::default(),
            joining_since: None,
            has_been_in: false,
            fenced: None,
        }
    }

    pub(crate) const fn is_static(&self) -> bool {
        self.instance.is_some()
    }

    /// While its request is parked it cannot heartbeat (its connection waits), so its session does not end. A new
    /// member's does: nobody notices when the client behind a parked first JoinGroup has gone (KAFKA-7610).
    pub(crate) const fn is_excused(&self) -> bool {
        !self.is_new && (self.join.is_some() || self.sync.is_some())
    }

    /// For how long its session has run; none where it starts now, or has no end.
    pub(crate) fn session_ran(&self, now: Timestamp) -> Option<Millis> {
        let left = self.session.due()?.micros_since(now);
        let ran = self.timeouts.session.0.saturating_mul(1000).saturating_sub(left) / 1000;
        (ran > 0).then_some(Millis(ran))
    }

    /// Bytes of what it brought and was given.
    pub(crate) const fn bytes(&self) -> usize {
        self.protocols.bytes() + self.assignment.len()
    }
}
