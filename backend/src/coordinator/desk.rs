//! What a group works with while it handles one input: the moment, the settings, the timers and where answers go.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use shared::error_code as code;
use shared::event::Change;
use shared::ids::{GroupId, MemberId};
use shared::protocol::AnyResponse;
use shared::protocol::offsets_log::OffsetsRecord;
use shared::time::{Millis, Timestamp};

use super::config::Config;
use super::member_ids::MemberIds;
use super::refusals::{Asker, Refusals};
use super::timers::Timers;
use super::topics::Topics;
use super::{AppendId, Observed, Output, Ticket};
use crate::limits;

/// The coordinator's own things, lent to the group that handles an input.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) now: Timestamp,
    pub(crate) config: Config,
    pub(crate) topics: Arc<Topics>,
    pub(crate) timers: Timers,
    pub(crate) ids: MemberIds,
    pub(crate) load: Load,
    pub(crate) out: VecDeque<Output>,
    pub(crate) appends: Appends,
    /// Who waits for an answer that is told of where it is an error.
    pub(crate) askers: BTreeMap<Ticket, Asker>,
    pub(crate) refusals: Refusals,
}

/// What was handed to the log and not told of yet, with the group it is about.
#[derive(Debug, Default)]
pub(crate) struct Appends {
    next: u64,
    pub(crate) waiting: BTreeMap<AppendId, GroupId>,
}

impl Desk {
    /// Answers the request behind a ticket.
    pub(crate) fn reply(&mut self, ticket: Ticket, response: impl Into<AnyResponse>) {
        let response = response.into();
        let error = response.error_code().unwrap_or(code::NONE);
        self.out.push_back(Output::Reply { ticket, response });
        if let Some(asker) = self.askers.remove(&ticket) {
            self.refused(asker, error);
        }
    }

    /// A request was answered with an error, or with none. An id handed out is told by an event of its own, and an answer
    /// that nobody hears is none.
    pub(crate) fn refused(&mut self, asker: Asker, error: i16) {
        if !matches!(error, code::NONE | code::MEMBER_ID_REQUIRED) && !asker.gone {
            let told = self.refusals.add(self.now, asker, error);
            self.out.extend(told.map(Output::Observed));
        }
    }

    /// A request that waits is this member's.
    pub(crate) fn waits(&mut self, ticket: Ticket, member: &MemberId) {
        if let Some(asker) = self.askers.get_mut(&ticket) {
            asker.member = Some(member.clone());
        }
    }

    /// Tells what happened in a group.
    pub(crate) fn observe(&mut self, group: &GroupId, member: Option<&MemberId>, change: Change) {
        let (group, member) = (group.clone(), member.cloned());
        self.out.push_back(Output::Observed(Observed {
            group,
            member,
            change,
        }));
    }

    /// Hands records of a group to the log.
    pub(crate) fn append(
        &mut self,
        group: &GroupId,
        partition: i32,
        records: Vec<OffsetsRecord>,
    ) -> AppendId {
        self.appends.next += 1;
        let append = AppendId(self.appends.next);
        self.appends.waiting.insert(append, group.clone());
        self.out.push_back(Output::Append {
            append,
            partition,
            records,
        });
        append
    }

    /// The moment `wait` from now.
    pub(crate) fn after(&self, wait: Millis) -> Timestamp {
        self.now + wait
    }

    /// Milliseconds since a moment.
    pub(crate) const fn since(&self, earlier: Timestamp) -> u64 {
        self.now.micros_since(earlier) / 1000
    }
}

/// How much is kept of what strangers sent, against the bounds of [`limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Load {
    pub(crate) members: usize,
    pub(crate) pending: usize,
    pub(crate) offsets: usize,
    /// Metadata, assignments and ids.
    pub(crate) bytes: usize,
}

impl Load {
    pub(crate) const fn has_room_for_member(&self) -> bool {
        self.members < limits::COORDINATOR_MEMBERS
    }

    pub(crate) const fn has_room_for_id(&self) -> bool {
        self.pending < limits::COORDINATOR_PENDING_IDS
    }

    pub(crate) const fn has_room_for_bytes(&self, bytes: usize) -> bool {
        self.bytes.saturating_add(bytes) <= limits::COORDINATOR_BYTES
    }
}
