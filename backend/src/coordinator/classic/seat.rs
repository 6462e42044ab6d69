//! A static member takes its seat back without the member id it had (KIP-345; protocol.md 3.3; Kafka's
//! `updateStaticMemberThenRebalanceOrCompleteJoin`).

use std::sync::Arc;

use shared::error_code as code;
use shared::event::{Change, RebalanceCause};
use shared::ids::MemberId;

use super::answers::join_refused;
use super::join::Joining;
use super::story::Cause;
use super::{Desk, Group, Parked, Protocols, State, Timeouts, Waiting};
use crate::coordinator::timers::Timer;

/// From this version on a returning static leader is told not to assign (KIP-814).
const SKIPS_ASSIGNMENT: i16 = 9;

/// A seat that was taken and is not stored yet, with all that must be as it was where that fails.
#[derive(Debug)]
pub(super) struct Replacement {
    pub(super) parked: Parked,
    new: MemberId,
    old: Before,
    /// Who led before.
    leader: MemberId,
}

/// Who had the seat.
#[derive(Debug)]
struct Before {
    id: MemberId,
    protocols: Protocols,
    timeouts: Timeouts,
    holder: Option<(Arc<str>, Arc<str>)>,
}

impl Group {
    /// The static member of that name comes back: it gets a new id and takes its old seat.
    pub(super) fn replace(&mut self, desk: &mut Desk, joining: Joining<'_>, old: &MemberId, new: &MemberId) {
        let was_stable = self.state == State::Stable;
        let leader = self.leader.clone().unwrap_or_default();
        let (parked, from) = (joining.parked(), joining.call.from);
        let Some(before) = self.members.get(old).map(|member| Before {
            id: old.clone(),
            protocols: member.protocols.clone(),
            timeouts: member.timeouts,
            holder: member.holder.clone(),
        }) else {
            return;
        };
        let why = "its instance id joined again without a member id";
        self.change_id(desk, old, new, why);
        let change = before
            .protocols
            .difference(&joining.protocols, self.protocol.as_deref());
        self.update(desk, new, joining);
        if let Some(member) = self.members.get_mut(new) {
            member.holder = Some((from.client_id.into(), from.host.into()));
        }
        self.renew(desk, new.as_str());
        if was_stable && self.elected() == self.protocol {
            // The assignment still holds: the current generation goes on.
            if let Some(member) = self.members.get_mut(new) {
                member.join = None;
                self.parked_joins -= 1;
            }
            desk.waits(parked.ticket, new);
            let record = self.record(|member| member.assignment.clone());
            let replacement = Replacement {
                parked,
                new: new.clone(),
                old: before,
                leader,
            };
            self.append(desk, vec![record], Waiting::Replacement(Box::new(replacement)));
        } else {
            self.story.went(old);
            self.story.came(new);
            self.join_received(desk, new, parked, from);
            let why = if was_stable { change } else { None }.unwrap_or(RebalanceCause::MemberReplaced);
            self.rebalance_or_complete(desk, Cause::by(why, new));
        }
    }

    /// The new id is stored: the member is told the generation that goes on.
    pub(super) fn seat_taken(&self, desk: &mut Desk, seat: &Replacement) {
        let Parked { ticket, version } = seat.parked;
        let is_leader = self.is_leader(&seat.new);
        let answer = if version >= SKIPS_ASSIGNMENT {
            let list = if is_leader {
                self.list_for_leader()
            } else {
                Vec::new()
            };
            let leader = self.leader.clone().unwrap_or_default();
            let mut answer = self.join_accepted(version, &seat.new, &leader, list);
            answer.skip_assignment = is_leader;
            answer
        } else {
            // Told the old id, a returning leader does not take itself for the leader and assigns nothing.
            self.join_accepted(version, &seat.new, &seat.leader, Vec::new())
        };
        desk.reply(ticket, answer);
    }

    /// The new id could not be stored: the old one has the seat again, as the log says.
    pub(super) fn seat_given_back(&mut self, desk: &mut Desk, seat: Replacement, error: i16) {
        let Replacement { parked, new, old, .. } = seat;
        desk.reply(parked.ticket, join_refused(parked.version, error, ""));
        if !self.members.contains_key(&new) {
            return;
        }
        self.change_id(desk, &new, &old.id, "its new member id could not be stored");
        if let Some(member) = self.members.get_mut(&old.id) {
            desk.load.bytes -= member.bytes();
            self.support.remove(&member.protocols);
            (member.protocols, member.timeouts) = (old.protocols, old.timeouts);
            self.support.add(&member.protocols);
            desk.load.bytes += member.bytes();
            (member.fenced, member.joining_since, member.has_been_in) = (None, None, true);
            member.holder = old.holder;
        }
        self.renew(desk, old.id.as_str());
    }

    /// Gives a static member's seat, with all that is in it, to another id. As in Kafka the client id and the host stay
    /// those of the first that took it.
    pub(super) fn change_id(&mut self, desk: &mut Desk, old: &MemberId, new: &MemberId, why: &str) {
        let Some(mut member) = self.members.remove(old) else {
            return;
        };
        let told = self.answer_parked(desk, &mut member, code::FENCED_INSTANCE_ID, old.as_str());
        desk.timers.cancel(&mut member.session, || {
            Timer::Session(self.id.clone(), old.clone())
        });
        let (cause, by) = (why.to_owned(), Some(new.clone()));
        desk.observe(&self.id, Some(old), Change::MemberReplaced { cause, by });
        if told {
            let cause = "its parked request was answered 82: its instance id has a new member".to_owned();
            desk.observe(&self.id, Some(old), Change::MemberFenced { cause });
        }
        member.fenced = (!told).then(|| old.clone());
        desk.load.bytes -= member.bytes();
        member.id = new.clone();
        member.is_new = false;
        member.has_been_in = false;
        member.joining_since = Some(desk.now);
        desk.load.bytes += member.bytes();
        if let Some(instance) = &member.instance {
            self.instances.insert(instance.clone(), new.clone());
        }
        if self.is_leader(old) {
            self.leader = Some(new.clone());
        }
        if self.pending_sync.remove(old) {
            self.pending_sync.insert(new.clone());
        }
        self.members.insert(new.clone(), member);
    }
}
