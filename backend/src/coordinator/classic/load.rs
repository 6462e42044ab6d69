//! How a group goes to another broker, and how it comes back from its records (protocol.md 3.8; Kafka's `onUnloaded`,
//! `onLoaded` and `replay` of a GroupMetadata record).

use std::collections::BTreeSet;

use shared::error_code as code;
use shared::event::{Change, Joined, RebalanceCause};
use shared::ids::{Generation, GroupId, InstanceId, MemberId};
use shared::protocol::offsets_log::{GroupMetadataValue, MemberMetadata};
use shared::time::Millis;

use super::join::timeout;
use super::story::Cause;
use super::{Desk, Group, Member, Protocol, Protocols, State, Timeouts};
use crate::coordinator::offsets_log::{Kept, Loading, tell_missing};
use crate::coordinator::timers::Timer;
use crate::coordinator::{NodeId, Origin};

impl Group {
    /// The group is another broker's from now on: what waits is answered 16, nothing rings any more.
    pub(crate) fn unload(&mut self, desk: &mut Desk, node: NodeId, partition: i32) {
        self.give_appends_up(desk);
        for id in self.ids_in_order() {
            if let Some(mut member) = self.members.remove(&id) {
                self.answer_parked(desk, &mut member, code::NOT_COORDINATOR, id.as_str());
                self.part_with(desk, &mut member);
            }
        }
        self.pending_sync.clear();
        self.instances.clear();
        self.leader = None;
        let pending: Vec<MemberId> = self.pending.keys().cloned().collect();
        for id in pending {
            self.drop_pending(desk, id.as_str());
        }
        self.forget_offsets(desk);
        let id = &self.id;
        desk.timers
            .cancel(&mut self.join_alarm, || Timer::JoinPhase(id.clone()));
        desk.timers
            .cancel(&mut self.sync_alarm, || Timer::SyncPhase(id.clone()));
        if self.established {
            self.transition(desk, State::Dead, Cause::Unloaded { node, partition });
        } else {
            // Nobody was told that it is there.
            self.state = State::Dead;
        }
    }

    /// The group as its records have it: Stable or Empty. `before` are the members it had when it went from here.
    pub(crate) fn loaded(
        desk: &mut Desk,
        id: GroupId,
        kept: Kept,
        loading: Loading,
        before: Option<&BTreeSet<MemberId>>,
    ) -> Self {
        let mut group = Self::new(id);
        for (key, value) in kept.offsets {
            group.restore(desk, key, value);
        }
        group.restore_members(desk, kept.group.unwrap_or_default());
        if before.is_none() {
            group.establish(desk, None);
        }
        group.established = true;
        group.protocol_type_told.clone_from(&group.protocol_type);
        desk.observe(
            &group.id,
            None,
            Change::GroupLoaded {
                node: loading.node,
                partition: loading.partition,
                took_ms: desk.since(loading.since),
                generation: Generation(group.generation),
            },
        );
        let to = group.state.into();
        desk.observe(&group.id, None, Change::GroupState { from: None, to });
        for member in group.in_order() {
            if before.is_none_or(|before| !before.contains(&member.id)) {
                let joined = member.joined(group.generation, None);
                desk.observe(&group.id, Some(&member.id), Change::MemberJoined(joined));
            }
            group.tell_assigned(desk, member);
        }
        if let Some(before) = before {
            tell_missing(desk, &group, before, &group.id);
        }
        group.keep_or_forget_later(desk);
        if group.members.len() > desk.config.max_size {
            let cause = Cause::Rebalance {
                why: RebalanceCause::CoordinatorMoved,
                member: None,
            };
            group.rebalance(desk, cause);
        }
        group
    }

    fn restore_members(&mut self, desk: &mut Desk, value: GroupMetadataValue) {
        self.generation = value.generation;
        self.protocol_type = Some(value.protocol_type).filter(|kind| !kind.is_empty());
        if value.members.is_empty() {
            return;
        }
        let protocol = value.protocol.unwrap_or_default();
        for record in value.members {
            self.restore_member(desk, &protocol, record);
        }
        let leader = value.leader.filter(|id| self.members.contains_key(id.as_str()));
        if let Some(leader) = leader {
            self.leader = Some(leader.into());
        }
        self.protocol = Some(protocol);
        self.story.settled();
        // What the log says is where it stands: no move of ours led here.
        (self.previous, self.state) = (State::CompletingRebalance, State::Stable);
    }

    /// A member with a full session from now. Of two under one name the first counts: no record of a coordinator has that.
    fn restore_member(&mut self, desk: &mut Desk, protocol: &str, record: MemberMetadata) {
        let instance = record.group_instance_id.map(InstanceId::from);
        let id = MemberId::from(record.member_id);
        let taken = instance
            .as_ref()
            .is_some_and(|name| self.instances.contains_key(name));
        if taken || self.members.contains_key(&id) {
            return;
        }
        let from = Origin {
            client_id: &record.client_id,
            host: &record.client_host,
        };
        let mut member = Member::arriving(id.clone(), self.next_seat, instance, from);
        self.next_seat += 1;
        let rebalance = if record.rebalance_timeout < 0 {
            record.session_timeout
        } else {
            record.rebalance_timeout
        };
        member.timeouts = Timeouts {
            session: timeout(record.session_timeout),
            rebalance: timeout(rebalance),
        };
        member.protocols = Protocols::new([Protocol {
            name: protocol.to_owned(),
            metadata: record.subscription,
        }]);
        member.assignment = record.assignment;
        member.is_new = false;
        member.has_been_in = true;
        self.add(desk, member);
        self.renew(desk, id.as_str());
    }
}

impl Member {
    /// What is told of it when it is in; `took` where its own joining is told. Kafka's admin answers and its log name the
    /// first that took a static seat; told is who has it.
    pub(super) fn joined(&self, generation: i32, took: Option<Millis>) -> Joined {
        let (client_id, host) = match &self.holder {
            Some((client_id, host)) => (client_id, host),
            None => (&self.client_id, &self.host),
        };
        Joined {
            generation: Some(Generation(generation)),
            client_id: Some(client_id.as_ref().into()),
            host: Some(host.as_ref().into()),
            instance_id: self.instance.clone(),
            took_ms: took.map(|took| took.0),
            session_timeout_ms: Some(self.timeouts.session.0),
            rebalance_timeout_ms: Some(self.timeouts.rebalance.0),
            heartbeat_interval_ms: None,
            ..Joined::default()
        }
    }
}
