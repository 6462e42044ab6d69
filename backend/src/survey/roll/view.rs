//! What the rounds need of the roll, and what they tell it.

use std::collections::VecDeque;

use shared::event::{Change, GroupType, TopicPartitions};
use shared::ids::{GroupId, NodeId};
use shared::time::{Millis, Timestamp};

use super::broker::Standing;
use super::changes::row;
use super::{Roll, together};
use crate::kafka::address::Address;
use crate::survey::port::{Output, Report};

/// The timeouts that a group's settings give its members; none where they do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::survey) struct Configured {
    /// How long a member may be silent.
    pub(in crate::survey) session: Option<Millis>,
    /// How often it is to show itself.
    pub(in crate::survey) heartbeat: Option<Millis>,
}

impl Roll {
    /// Where the brokers are reached.
    pub(in crate::survey) fn addresses(&self) -> impl Iterator<Item = (NodeId, &Address)> {
        let seats = self.seats.iter();
        seats.filter_map(|(node, seat)| Some((*node, seat.address.as_ref()?)))
    }

    /// Whether every broker that answers has told its groups, and one has.
    pub(in crate::survey) fn is_whole(&self) -> bool {
        let listed = self.seats.values().any(|seat| seat.listed_at.is_some());
        let seated = |seat: &super::Seat| {
            seat.listed_at.is_some() || seat.standing == Standing::Silent || seat.address.is_none()
        };
        listed && self.seats.values().all(seated)
    }

    /// Until when what can wait is to wait for the first look at all groups; none where that is over.
    pub(in crate::survey) const fn first_until(&self) -> Option<Timestamp> {
        if self.pictured { None } else { self.first_until }
    }

    /// Whether there is such a group.
    pub(in crate::survey) fn has(&self, group: &GroupId) -> bool {
        self.groups.contains_key(group)
    }

    /// All groups, each with its coordinator and type.
    pub(in crate::survey) fn groups(&self) -> impl Iterator<Item = (&GroupId, NodeId, &GroupType)> {
        let groups = self.groups.iter();
        groups.map(|(id, known)| (id, known.node, &known.group_type))
    }

    /// What a group's members own, where that is told.
    pub(in crate::survey) fn owned(&self, group: &GroupId) -> impl Iterator<Item = &TopicPartitions> {
        let members = self.groups.get(group).into_iter();
        let members = members.flat_map(|known| known.members.values());
        members.flat_map(|member| member.owned.iter().flatten())
    }

    /// Takes in how a group is set; its members are told with that, where it is news.
    pub(in crate::survey) fn configure(
        &mut self,
        now: Timestamp,
        group: &GroupId,
        configured: Configured,
        out: &mut VecDeque<Output>,
    ) {
        let Some(known) = self.groups.get_mut(group) else {
            return;
        };
        if known.configured == configured {
            return;
        }
        known.configured = configured;
        let said = known.members.values().map(|member| {
            let change = Change::MemberJoined(row(member, known.epoch, configured));
            Output::Report(Report::seen(now, group, change).of(&member.id))
        });
        together::told(now, group, said.collect(), out);
    }

    /// What the offsets log told of classic groups may be so no more: it tells all of it again once it can be read.
    pub(in crate::survey) fn loses_the_log(&mut self) {
        for known in self.groups.values_mut() {
            known.log.told = None;
            known.log.generation = None;
            if known.group_type == GroupType::Classic {
                // What a member is assigned from now on is of a generation that nobody tells.
                known.members.values_mut().for_each(|member| member.epoch = None);
            }
        }
    }
}
