//! JoinGroup (protocol.md 3.3; Kafka's `classicGroupJoinToClassicGroup` and what it calls).

use shared::error_code as code;
use shared::event::{Change, EvictionCause, RebalanceCause};
use shared::ids::{InstanceId, MemberId};
use shared::protocol::JoinGroupRequest;
use shared::time::{Millis, Timestamp};

use super::answers::join_refused;
use super::story::Cause;
use super::{Desk, Group, JoinPhase, Member, Parked, PendingId, Protocol, Protocols, State, Timeouts};
use crate::coordinator::desk::Load;
use crate::coordinator::timers::Timer;
use crate::coordinator::{Call, NEW_MEMBER_TIMEOUT, Origin};

/// From this version on a dynamic member must come with the id it was given (KIP-394).
const KNOWN_ID_REQUIRED: i16 = 4;

/// A JoinGroup, taken apart.
pub(super) struct Joining<'a> {
    pub(super) call: Call<'a>,
    timeouts: Timeouts,
    instance: Option<InstanceId>,
    protocol_type: String,
    pub(super) protocols: Protocols,
}

impl Joining<'_> {
    pub(super) const fn parked(&self) -> Parked {
        Parked {
            ticket: self.call.ticket,
            version: self.call.version,
        }
    }
}

impl Group {
    /// A member asks to be let in, or again.
    pub(crate) fn join(&mut self, desk: &mut Desk, call: Call<'_>, request: JoinGroupRequest) {
        let id = request.member_id.clone();
        if !self.has_seat_for(&id, desk.config.max_size) {
            return self.turn_away(desk, call, &id);
        }
        let joining = taken_apart(call, request);
        let refused = if self.state == State::Dead {
            Some(code::COORDINATOR_NOT_AVAILABLE)
        } else if !self.speaks(&joining.protocol_type, &joining.protocols) {
            Some(code::INCONSISTENT_GROUP_PROTOCOL)
        } else if !self.fits(&desk.load, &id, joining.protocols.bytes()) {
            Some(code::COORDINATOR_NOT_AVAILABLE)
        } else {
            None
        };
        if let Some(error) = refused {
            desk.reply(call.ticket, join_refused(call.version, error, &id));
        } else if id.is_empty() {
            self.join_anew(desk, joining);
        } else if self.pending.contains_key(id.as_str()) {
            self.join_with_given_id(desk, joining, &id);
        } else {
            self.rejoin(desk, joining, &id);
        }
    }

    /// `group.max.size` (KIP-389): while joins are collected the parked ones count, so that of a group that is too large
    /// the last to rejoin stay out.
    fn has_seat_for(&self, id: &str, max_size: usize) -> bool {
        let member = self.members.get(id);
        match self.state {
            State::Empty | State::Dead => true,
            State::PreparingRebalance => {
                member.is_some_and(|member| member.join.is_some()) || self.parked_joins < max_size
            }
            State::CompletingRebalance | State::Stable => member.is_some() || self.members.len() < max_size,
        }
    }

    /// Whether the coordinator may keep what this join brings: a newcomer, somebody with an id it was given, or a member.
    fn fits(&self, load: &Load, id: &str, bytes: usize) -> bool {
        let one_more = if id.is_empty() {
            load.has_room_for_id() && load.has_room_for_member()
        } else {
            self.members.contains_key(id) || load.has_room_for_member()
        };
        one_more && load.has_room_for_bytes(bytes)
    }

    fn turn_away(&mut self, desk: &mut Desk, call: Call<'_>, id: &str) {
        self.drop_pending(desk, id);
        if let Some(member) = self.remove(desk, id) {
            let cause = EvictionCause::GroupFull;
            desk.observe(&self.id, Some(&member.id), Change::MemberEvicted { cause });
        }
        desk.reply(
            call.ticket,
            join_refused(call.version, code::GROUP_MAX_SIZE_REACHED, ""),
        );
    }

    /// Kafka's `supportsProtocols`: an empty group speaks whatever its first member does.
    pub(super) fn speaks(&self, protocol_type: &str, protocols: &Protocols) -> bool {
        if self.state == State::Empty {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        self.protocol_type.as_deref() == Some(protocol_type)
            && protocols
                .names()
                .any(|name| self.support.by_all(name, self.members.len()))
    }

    /// No member id yet.
    fn join_anew(&mut self, desk: &mut Desk, joining: Joining<'_>) {
        let id = desk
            .ids
            .next(joining.call.from.client_id, joining.instance.as_ref());
        let holder = joining
            .instance
            .as_ref()
            .and_then(|instance| self.instances.get(instance))
            .cloned();
        if let Some(holder) = holder {
            self.replace(desk, joining, &holder, &id);
        } else if joining.instance.is_none() && joining.call.version >= KNOWN_ID_REQUIRED {
            self.hand_out_id(desk, &joining, id);
        } else {
            self.arrive(desk, joining, &id, None);
        }
    }

    /// 79: the client must come again with this id, so that a client whose first answer is lost leaves no member behind.
    fn hand_out_id(&mut self, desk: &mut Desk, joining: &Joining<'_>, id: MemberId) {
        let mut pending = PendingId {
            alarm: Default::default(),
            since: desk.now,
        };
        let due = desk.after(joining.timeouts.session);
        desk.timers.set(&mut pending.alarm, due, || {
            Timer::Pending(self.id.clone(), id.clone())
        });
        desk.load.pending += 1;
        desk.load.bytes += id.as_str().len();
        let Parked { ticket, version } = joining.parked();
        desk.reply(
            ticket,
            join_refused(version, code::MEMBER_ID_REQUIRED, id.as_str()),
        );
        let client_id = joining.call.from.client_id.to_owned();
        let host = joining.call.from.host.to_owned();
        desk.observe(&self.id, Some(&id), Change::MemberIdIssued { client_id, host });
        self.pending.insert(id, pending);
    }

    fn join_with_given_id(&mut self, desk: &mut Desk, joining: Joining<'_>, id: &str) {
        if joining.instance.is_some() {
            // A static member is never handed an id first; Kafka fails on this with an IllegalStateException, which is
            // answered without the id.
            let Parked { ticket, version } = joining.parked();
            return desk.reply(ticket, join_refused(version, code::UNKNOWN_SERVER_ERROR, ""));
        }
        let since = self.drop_pending(desk, id).map(|pending| pending.since);
        self.arrive(desk, joining, &id.into(), since);
    }

    /// A new member takes a seat; its JoinGroup waits.
    fn arrive(&mut self, desk: &mut Desk, joining: Joining<'_>, id: &MemberId, since: Option<Timestamp>) {
        let (parked, from) = (joining.parked(), joining.call.from);
        let mut member = Member::arriving(id.clone(), self.next_seat, joining.instance, from);
        self.next_seat += 1;
        member.timeouts = joining.timeouts;
        member.protocols = joining.protocols;
        member.join = Some(parked);
        member.joining_since = since.or(Some(desk.now));
        // It has no generation yet and cannot heartbeat, and behind a parked request nobody notices a client that went:
        // so its JoinGroup itself may wait for this long only (KAFKA-7610).
        let due = desk.after(NEW_MEMBER_TIMEOUT);
        desk.timers.set(&mut member.session, due, || {
            Timer::Session(self.id.clone(), id.clone())
        });
        if self.members.is_empty() {
            self.protocol_type = Some(joining.protocol_type);
        }
        if let (State::PreparingRebalance, State::Empty, JoinPhase::Gathering { newcomer, .. }) =
            (self.state, self.previous, &mut self.phase)
        {
            *newcomer = true;
        }
        self.add(desk, member);
        self.establish(desk, None);
        self.join_received(desk, id, parked, from);
        self.rebalance_or_complete(desk, Cause::by(RebalanceCause::MemberJoined, id));
    }

    /// A member's JoinGroup waits for the others'.
    pub(super) fn join_received(&self, desk: &mut Desk, id: &MemberId, parked: Parked, from: Origin<'_>) {
        desk.waits(parked.ticket, id);
        let (client_id, host) = (from.client_id.to_owned(), from.host.to_owned());
        let session_timeout_ms = self.members.get(id).map(|member| member.timeouts.session.0);
        let change = Change::JoinReceived {
            client_id,
            host,
            session_timeout_ms,
        };
        desk.observe(&self.id, Some(id), change);
    }

    /// The client of a JoinGroup that waits has gone, or asks anew over another connection; the member is still awaited.
    pub(crate) fn join_abandoned(&self, desk: &mut Desk, id: &MemberId, waited_ms: u64) {
        if let Some(member) = self.members.get(id).filter(|member| member.join.is_some()) {
            let change = Change::JoinAbandoned {
                waited_ms,
                rebalance_timeout_ms: member.timeouts.rebalance.0,
            };
            desk.observe(&self.id, Some(id), change);
        }
    }

    /// A member that is in joins again.
    fn rejoin(&mut self, desk: &mut Desk, joining: Joining<'_>, id: &str) {
        let (parked, from) = (joining.parked(), joining.call.from);
        if let Err(error) = self.admit(desk, id, joining.instance.as_ref().map(InstanceId::as_str)) {
            return desk.reply(parked.ticket, join_refused(parked.version, error, id));
        }
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        let id = member.id.clone();
        member.joining_since.get_or_insert(desk.now);
        let change = member
            .protocols
            .difference(&joining.protocols, self.protocol.as_deref());
        let forced = self.state == State::Stable && self.is_leader(&id);
        match (self.state, change) {
            (State::Empty | State::Dead, _) => {
                desk.reply(
                    parked.ticket,
                    join_refused(parked.version, code::UNKNOWN_MEMBER_ID, id.as_str()),
                );
            }
            (State::PreparingRebalance, _) => {
                self.update(desk, &id, joining);
                self.join_received(desk, &id, parked, from);
                self.complete_join_if_all_are_here(desk);
            }
            // The answer to its first JoinGroup may have been lost: it gets it again.
            (State::CompletingRebalance | State::Stable, None) if !forced => {
                self.answer_join(desk, &id, parked)
            }
            (State::CompletingRebalance | State::Stable, change) => {
                self.update(desk, &id, joining);
                self.join_received(desk, &id, parked, from);
                let why = change.unwrap_or(RebalanceCause::LeaderRejoined);
                self.rebalance_or_complete(desk, Cause::by(why, &id));
            }
        }
    }

    /// A member that joins again while its JoinGroup waits has given that one up, whether its connection is known to be closed
    /// or not.
    fn abandon_earlier_join(&self, desk: &mut Desk, id: &MemberId) {
        let earlier = self.members.get(id).and_then(|member| member.join);
        let asker = earlier.and_then(|earlier| desk.askers.get_mut(&earlier.ticket));
        if let Some(asker) = asker.filter(|asker| !asker.gone) {
            asker.gone = true;
            let waited = desk.now.micros_since(asker.since) / 1000;
            self.join_abandoned(desk, id, waited);
        }
    }

    /// Takes over what a member's new JoinGroup says and parks it. One that was parked before is answered 27: a member
    /// waits in one place.
    pub(super) fn update(&mut self, desk: &mut Desk, id: &MemberId, joining: Joining<'_>) {
        let parked = joining.parked();
        self.abandon_earlier_join(desk, id);
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        desk.load.bytes -= member.bytes();
        self.support.remove(&member.protocols);
        member.protocols = joining.protocols;
        member.timeouts = joining.timeouts;
        self.support.add(&member.protocols);
        desk.load.bytes += member.bytes();
        match member.join.replace(parked) {
            None => self.parked_joins += 1,
            Some(before) => {
                let answer = join_refused(before.version, code::REBALANCE_IN_PROGRESS, id.as_str());
                desk.reply(before.ticket, answer);
            }
        }
    }
}

fn taken_apart(call: Call<'_>, request: JoinGroupRequest) -> Joining<'_> {
    // Version 0 has no rebalance timeout (KIP-62).
    let rebalance = if call.version == 0 {
        request.session_timeout_ms
    } else {
        request.rebalance_timeout_ms
    };
    let protocol = |p: shared::protocol::JoinGroupRequestProtocol| Protocol {
        name: p.name,
        metadata: p.metadata,
    };
    Joining {
        call,
        timeouts: Timeouts {
            session: timeout(request.session_timeout_ms),
            rebalance: timeout(rebalance),
        },
        instance: request.group_instance_id.map(InstanceId::from),
        protocol_type: request.protocol_type,
        protocols: Protocols::new(request.protocols.into_iter().map(protocol)),
    }
}

/// A timeout from the wire. At least a millisecond, so that an alarm that is set again lies ahead.
pub(super) fn timeout(ms: i32) -> Millis {
    Millis(u64::try_from(ms).unwrap_or(0).max(1))
}
