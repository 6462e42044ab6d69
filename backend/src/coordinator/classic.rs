//! Classic groups, as Kafka's brokers coordinate them (Kafka's `ClassicGroup` and its part of `GroupMetadataManager`;
//! protocol.md 3.2-3.7).
//!
//! # Layout
//!
//! - [`state`]: the states and the moves between them; [`Group::transition`] is their only writer
//! - [`member`], [`protocols`]: who is in and what they speak
//! - [`join`], [`sync`], [`beat`], [`leave`], [`commit`]: one file a request; [`seat`]: a static member that comes back
//! - [`append`]: what is stored, and what waits for that
//! - [`rebalance`]: from the first JoinGroup to the answers; [`expiry`]: what deadlines do; [`load`]: how a group goes to
//!   another broker and comes back
//! - [`story`]: a rebalance as it will be told; [`assignment`]: what a member owns; [`answers`], [`describe`]: what is said back

mod answers;
mod append;
mod assignment;
mod beat;
mod commit;
mod describe;
mod expiry;
#[cfg(any(test, feature = "fuzz"))]
mod invariants;
mod join;
mod leave;
mod load;
mod member;
mod protocols;
mod rebalance;
mod seat;
mod state;
mod story;
mod sync;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use shared::error_code as code;
use shared::ids::{GroupId, InstanceId, MemberId};
use shared::time::{Millis, Timestamp};

use super::AppendId;
use super::desk::Desk;
use super::timers::{Alarm, Timer};
use append::Waiting;
use commit::Offsets;
pub(crate) use commit::{Committed, answer_each, names_a_partition};
pub(crate) use member::{Member, Parked, Timeouts};
use protocols::Support;
pub(crate) use protocols::{Protocol, Protocols};
pub(crate) use state::State;
use story::Story;

/// One classic group.
#[derive(Debug)]
pub(crate) struct Group {
    id: GroupId,
    state: State,
    /// The state before; a group that was empty gathers members for a while.
    previous: State,
    generation: i32,
    protocol_type: Option<String>,
    /// That, as it was told last.
    protocol_type_told: Option<String>,
    protocol: Option<String>,
    leader: Option<MemberId>,
    members: BTreeMap<MemberId, Member>,
    /// Static members by their own name.
    instances: BTreeMap<InstanceId, MemberId>,
    /// Ids that were handed out (79) and not used yet.
    pending: BTreeMap<MemberId, PendingId>,
    /// Members that have been told the generation and have not asked for their part of the assignment.
    pending_sync: BTreeSet<MemberId>,
    support: Support,
    parked_joins: usize,
    next_seat: u64,
    phase: JoinPhase,
    join_alarm: Alarm,
    sync_alarm: Alarm,
    retention: Alarm,
    /// Somebody has asked to be let in, or an offset was committed: until then nobody is told that it is there.
    established: bool,
    offsets: Offsets,
    /// What was handed to the log and not told of yet.
    appends: BTreeMap<AppendId, Waiting>,
    story: Story,
    /// Of the progress told last; none where none was.
    pub(super) progress_told: Option<u64>,
}

/// An id that was handed out and not used yet.
#[derive(Clone, Copy, Debug)]
struct PendingId {
    alarm: Alarm,
    since: Timestamp,
}

/// What the end of the join phase's alarm means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JoinPhase {
    /// Whoever has not rejoined by now is out.
    Rejoining,
    /// The group was empty: each newcomer may prolong the wait, by this delay at most, while time remains.
    Gathering {
        delay: Millis,
        remaining: Millis,
        newcomer: bool,
    },
}

impl Group {
    pub(crate) fn new(id: GroupId) -> Self {
        Self {
            id,
            state: State::Empty,
            previous: State::Empty,
            generation: 0,
            protocol_type: None,
            protocol_type_told: None,
            protocol: None,
            leader: None,
            members: BTreeMap::new(),
            instances: BTreeMap::new(),
            pending: BTreeMap::new(),
            pending_sync: BTreeSet::new(),
            support: Support::default(),
            parked_joins: 0,
            next_seat: 0,
            phase: JoinPhase::Rejoining,
            join_alarm: Alarm::default(),
            sync_alarm: Alarm::default(),
            retention: Alarm::default(),
            established: false,
            offsets: Offsets::default(),
            appends: BTreeMap::new(),
            story: Story::default(),
            progress_told: None,
        }
    }

    /// The only writer of the state: one move, one event. A move that the table does not have is none.
    fn transition(&mut self, desk: &mut Desk, to: State, cause: story::Cause) {
        let from = self.state;
        debug_assert!(to.may_follow(from), "{from:?} -> {to:?}");
        if !to.may_follow(from) {
            return;
        }
        (self.previous, self.state) = (from, to);
        let change = self.story.moved(desk.now, (from, to), cause, self.generation);
        desk.observe(&self.id, None, change);
        self.keep_or_forget_later(desk);
    }

    /// An empty group is kept for as long as its offsets are, or for a while where it has none.
    fn keep_or_forget_later(&mut self, desk: &mut Desk) {
        let timer = || Timer::Retention(self.id.clone());
        if self.state == State::Empty && self.established {
            let config = &desk.config;
            let kept = if self.offsets.is_empty() {
                config.empty_group_retention
            } else {
                config.offsets_retention
            };
            let due = desk.after(kept);
            desk.timers.set(&mut self.retention, due, timer);
        } else {
            desk.timers.cancel(&mut self.retention, timer);
        }
    }

    /// Whether nothing keeps it: nobody ever asked to be let in, and no offset came of it or is about to.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.state == State::Dead || (!self.established && self.appends.is_empty())
    }

    /// From now on it is listed. Kafka writes a record of a group with its first JoinGroup, whatever becomes of that. `speaks` is
    /// the protocol type that is asked for, where it has none of its own yet.
    pub(crate) fn establish(&mut self, desk: &mut Desk, speaks: Option<&str>) {
        let protocol_type = self.protocol_type.as_deref().or(speaks);
        let news = protocol_type.is_some() && self.protocol_type_told.as_deref() != protocol_type;
        if !self.established || news {
            self.protocol_type_told = protocol_type.map(str::to_owned);
            let found = shared::event::Change::GroupFound {
                group_type: shared::event::GroupType::Classic,
                protocol_type: self.protocol_type_told.clone(),
            };
            desk.observe(&self.id, None, found);
        }
        if !std::mem::replace(&mut self.established, true) {
            self.keep_or_forget_later(desk);
        }
    }

    /// Its members by id.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// Members by order of arrival.
    fn in_order(&self) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.members.values().collect();
        members.sort_unstable_by_key(|member| member.seat);
        members
    }

    /// Their ids in that order, for a loop that changes members.
    fn ids_in_order(&self) -> Vec<MemberId> {
        self.in_order()
            .into_iter()
            .map(|member| member.id.clone())
            .collect()
    }

    fn all_have_joined(&self) -> bool {
        self.parked_joins == self.members.len() && self.pending.is_empty()
    }

    /// The longest any member asked for.
    fn rebalance_timeout(&self) -> Millis {
        self.members
            .values()
            .map(|member| member.timeouts.rebalance)
            .max()
            .unwrap_or_default()
    }

    fn is_leader(&self, member: &MemberId) -> bool {
        self.leader.as_ref() == Some(member)
    }

    /// Kafka's `validateMember`: the code that refuses a request under these names, in this order of checks.
    fn check_member(&self, member: &str, instance: Option<&str>) -> Result<(), i16> {
        if let Some(instance) = instance {
            match self.instances.get(instance) {
                None => return Err(code::UNKNOWN_MEMBER_ID),
                Some(holder) if holder.as_str() != member => return Err(code::FENCED_INSTANCE_ID),
                Some(_) => {}
            }
        }
        if self.members.contains_key(member) {
            Ok(())
        } else {
            Err(code::UNKNOWN_MEMBER_ID)
        }
    }

    /// The member (by the given id) speaks: its session starts over.
    fn renew(&mut self, desk: &mut Desk, member: &str) {
        if let Some(member) = self.members.get_mut(member) {
            let (wait, timer) = (member.timeouts.session, || {
                Timer::Session(self.id.clone(), member.id.clone())
            });
            let due = desk.after(wait);
            desk.timers.set(&mut member.session, due, timer);
        }
    }

    /// Takes a member in. It has no generation yet.
    fn add(&mut self, desk: &mut Desk, member: Member) {
        if self.leader.is_none() {
            self.leader = Some(member.id.clone());
        }
        if let Some(instance) = &member.instance {
            self.instances.insert(instance.clone(), member.id.clone());
        }
        self.support.add(&member.protocols);
        self.parked_joins += usize::from(member.join.is_some());
        self.story.came(&member.id);
        desk.load.members += 1;
        desk.load.bytes += member.bytes();
        self.members.insert(member.id.clone(), member);
    }

    /// Takes a member out, answers what it has parked (25: it may join anew) and hands its leadership on.
    fn remove(&mut self, desk: &mut Desk, id: &str) -> Option<Member> {
        let mut member = self.members.remove(id)?;
        self.answer_parked(desk, &mut member, code::UNKNOWN_MEMBER_ID, "");
        self.pending_sync.remove(id);
        if let Some(instance) = &member.instance {
            self.instances.remove(instance);
        }
        if self.is_leader(&member.id) {
            self.leader = self
                .members
                .values()
                .min_by_key(|member| member.seat)
                .map(|first| first.id.clone());
        }
        self.story.went(&member.id);
        self.part_with(desk, &mut member);
        Some(member)
    }

    /// A member that was taken out counts no more, and its session never ends.
    fn part_with(&mut self, desk: &mut Desk, member: &mut Member) {
        self.support.remove(&member.protocols);
        let timer = || Timer::Session(self.id.clone(), member.id.clone());
        desk.timers.cancel(&mut member.session, timer);
        desk.load.members -= 1;
        desk.load.bytes -= member.bytes();
    }

    fn drop_pending(&mut self, desk: &mut Desk, id: &str) -> Option<PendingId> {
        let (id, mut pending) = self.pending.remove_entry(id)?;
        desk.load.pending -= 1;
        desk.load.bytes -= id.as_str().len();
        desk.timers
            .cancel(&mut pending.alarm, || Timer::Pending(self.id.clone(), id));
        Some(pending)
    }
}
