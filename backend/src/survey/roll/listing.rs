//! What a broker's list of its groups says: which are new, which came from another broker, which are gone.

use std::collections::{BTreeSet, VecDeque};

use shared::error_code;
use shared::event::{Change, GroupState};
use shared::ids::{GroupId, NodeId};
use shared::protocol::{ListGroupsResponse, ListedGroup};
use shared::time::Timestamp;

use super::ended::Over;
use super::group::Known;
use super::{Roll, together};
use crate::limits;
use crate::survey::ledger::Ledger;
use crate::survey::look;
use crate::survey::port::{Output, Report, When};

impl Roll {
    /// The groups a broker coordinates, as it answered at `now`.
    pub(super) fn listed(
        &mut self,
        now: Timestamp,
        node: NodeId,
        answer: ListGroupsResponse,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let whole = answer.error_code == error_code::NONE;
        self.rights.listed(now, answer.error_code, out);
        self.unsettled = !whole;
        let coordinates = answer.groups.iter().any(|group| !self.is_probe(&group.group_id));
        let whole_before = self.listed_by_all();
        // Brokers list them in no order. In order, each is found near the one before it, here and on the board.
        let mut groups = answer.groups;
        groups.sort_unstable_by(|one, other| one.group_id.cmp(&other.group_id));
        for listed in groups {
            self.listed_one(now, node, listed, (whole_before, ledger), out);
        }
        let Some(seat) = self.seats.get_mut(&node) else {
            return;
        };
        let before = seat.listed_at;
        // A coordinator that still loads lists what it has read so far: nothing is missing for that.
        seat.list_again(now + limits::SURVEY_LIST_PACE);
        if !whole {
            return;
        }
        seat.told_all(now);
        seat.coordinates = coordinates;
        self.missed(now, node, before, ledger, out);
        if let Some(seat) = self.seats.get_mut(&node) {
            seat.remembered.list_is_settled = !self.unsettled;
        }
    }

    /// Since when all brokers have told all their groups twice, and since when they have told them four times, the later one first:
    /// what is new now was nowhere then. None while one has not, or does not answer: it may have had what another one has now.
    /// Not since the last list: that has what a coordinator has committed, and what it was asked just before comes later.
    fn listed_by_all(&self) -> [Option<Timestamp>; 2] {
        if self.is_blind() {
            return [None; 2];
        }
        let named = || self.seats.values().filter(|seat| seat.named);
        let last = named().map(|seat| seat.listed_before[0]).min();
        let before = named().map(|seat| seat.listed_before[2]).min();
        [last.flatten(), before.flatten()]
    }

    /// When a group was not there, as lists of all brokers tell.
    pub(super) fn absent_at(&self, id: &GroupId, ledger: &Ledger) -> [Option<Timestamp>; 2] {
        self.absent_by(id, self.listed_by_all(), ledger)
    }

    /// The same, where it is known when all brokers told their groups. Those of before another of its name was over had that one.
    fn absent_by(
        &self,
        id: &GroupId,
        lists: [Option<Timestamp>; 2],
        ledger: &Ledger,
    ) -> [Option<Timestamp>; 2] {
        let lists = where_led(id, lists, ledger);
        self.ended.get(id).map_or(lists, |over| over.absent_at(lists))
    }

    fn is_blind(&self) -> bool {
        self.seats
            .values()
            .any(|seat| seat.named && (seat.listed_at.is_none() || !seat.is_up()))
    }

    fn listed_one(
        &mut self,
        now: Timestamp,
        node: NodeId,
        listed: ListedGroup,
        (whole_before, ledger): ([Option<Timestamp>; 2], &Ledger),
        out: &mut VecDeque<Output>,
    ) {
        let id = GroupId::from(listed.group_id);
        let group_type = look::listed_type(&listed.group_type);
        let state = match &*listed.group_state {
            "" => None,
            word => Some(GroupState::from(word)),
        };
        self.makes_way(now, &id, node, ledger, out);
        if self.is_old_news(now, &id, ledger) {
            self.unsettled = true;
            return;
        }
        let absent = |roll: &Self| roll.absent_by(&id, whole_before, ledger);
        if !self.groups.contains_key(&id) {
            let mut known = Known::new(node, group_type, now);
            known.protocol_type = listed.protocol_type.into();
            // There was none: its first rebalance began after that.
            known.rested_at = absent(self);
            known.log.over_at = self.ended.get(&id).and_then(Over::written);
            known.goes_on(ledger.course(&id));
            self.comes(now, id, known, state, out);
            return;
        }
        let Some(known) = self.groups.get_mut(&id) else {
            return;
        };
        if known.node != node && ledger.leader_of(&id) != Some(node) && known.is_told_of(now) {
            // Who had it before, and has not been told yet: who has it now is asked again before that is believed.
            self.unsettled = true;
            self.look_soon(now, &id);
            return;
        }
        known.listed_at = now;
        known.missing = None;
        let moved = known.node != node;
        let retyped = known.group_type != group_type || *known.protocol_type != *listed.protocol_type;
        let changed = state.is_some() && known.state != state;
        if moved || retyped || changed {
            self.unsettled = true;
            if let Some(seat) = self.seats.get_mut(&known.node) {
                seat.unplan(&id, known);
            }
            if retyped {
                known.group_type = group_type;
                known.protocol_type = listed.protocol_type.into();
                known.goes_on(ledger.course(&id));
                out.push_back(Output::Report(Report::seen(now, &id, known.found())));
            }
            if moved {
                known.node = node;
                known.asked = false;
            }
            if known.call().is_none() {
                known.listed_as(now, &id, state.clone(), out);
            }
            known.due = now;
            if let Some(seat) = self.seats.get_mut(&node) {
                seat.plan(&id, known);
            }
            if moved {
                self.sits_anew(now, &id, out);
            }
        }
        if let Some(known) = self.groups.get_mut(&id).filter(|known| known.is_refused()) {
            // No look will say more than this.
            known.listed_as(now, &id, state, out);
            self.unsettled = true;
        }
    }

    /// A group that was on no list before.
    pub(super) fn comes(
        &mut self,
        now: Timestamp,
        id: GroupId,
        mut known: Known,
        state: Option<GroupState>,
        out: &mut VecDeque<Output>,
    ) {
        if self.groups.len() >= limits::SURVEY_GROUPS {
            return;
        }
        out.push_back(Output::Report(Report::seen(now, &id, known.found())));
        let mut said: VecDeque<Output> = self.sits(now, known.node, &id).into_iter().collect();
        known.listed_as(now, &id, state, &mut said);
        if known.rested_at[0].is_none() {
            together::told(now, &id, said, out);
        } else {
            out.append(&mut said);
        }
        if let Some(seat) = self.seats.get_mut(&known.node) {
            seat.plan(&id, &known);
        }
        self.groups.insert(id, Box::new(known));
    }

    /// Where a group's coordinator is.
    pub(super) fn sits(&self, now: Timestamp, node: NodeId, group: &GroupId) -> Option<Output> {
        let address = self.seats.get(&node)?.address.as_ref()?;
        let change = Change::CoordinatorFound {
            node,
            host: address.host().to_owned(),
            port: address.port(),
        };
        Some(Output::Report(Report::seen(now, group, change)))
    }

    /// Groups that were the broker's and are not on its list: gone, once no broker that could have them lists them and their
    /// coordinator says so too. So are those of a broker that the cluster counts no more, where this one leads their partition now.
    /// `before` is when the broker told its last list.
    fn missed(
        &mut self,
        now: Timestamp,
        node: NodeId,
        before: Option<Timestamp>,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let blind = self.is_blind();
        let seats = self.seats.iter();
        let left: BTreeSet<NodeId> = seats
            .filter(|(_, seat)| !seat.named && !seat.is_up())
            .map(|(node, _)| *node)
            .collect();
        let (mut gone, mut led_elsewhere, mut unsure) = (Vec::new(), Vec::new(), false);
        for (id, known) in &mut self.groups {
            let leader = ledger.leader_of(id);
            let was_its = known.node == node || (left.contains(&known.node) && leader == Some(node));
            if known.listed_at == now || !was_its {
                continue;
            }
            self.unsettled = true;
            if known.missing.is_none() && known.node == node {
                // Lists that were the same as the one before were not read: it was on the last of them.
                known.listed_at = known.listed_at.max(before.unwrap_or_default());
            }
            let missing = *known.missing.get_or_insert(now);
            // One that moves is on no list for a moment; a broker that does not answer may have it, and so may the log's partition
            // that nobody leads, or a list that is short for want of a right.
            let left_out = known.may_be_left_out(missing, &self.rights);
            unsure |= left_out;
            let may_be_there = blind || left_out || ledger.is_led_by_nobody(id);
            let absent = known
                .gone_since()
                .is_some_and(|since| since + limits::SURVEY_MISSING <= now);
            let unsaid = missing + limits::SURVEY_UNSAID <= now && leader.is_none() && known.is_elsewhere();
            if !may_be_there && (absent || unsaid) {
                gone.push(id.clone());
            } else if let Some(leader) = leader.filter(|leader| *leader != known.node) {
                led_elsewhere.push((id.clone(), leader));
            }
        }
        if unsure {
            self.rights.matter(now);
        }
        for (id, leader) in led_elsewhere {
            self.moves(now, &id, leader, out);
        }
        for id in gone {
            let known = self.groups.get(&id);
            let (listed, since) = known.map(|known| (known.listed_at, known.missing)).unzip();
            self.goes(&id, When::Here(now), listed, out);
            self.was_over(now, id, since.flatten().unwrap_or(now));
        }
    }

    /// A group that is on no list, and whose partition another broker leads than the one it was last listed by: that one is its
    /// coordinator and is asked.
    fn moves(&mut self, now: Timestamp, id: &GroupId, leader: NodeId, out: &mut VecDeque<Output>) {
        if !self.seats.contains_key(&leader) {
            return;
        }
        let Some(known) = self.groups.get_mut(id) else {
            return;
        };
        if let Some(seat) = self.seats.get_mut(&known.node) {
            seat.unplan(id, known);
        }
        known.node = leader;
        known.asked = false;
        known.due = now;
        if let Some(seat) = self.seats.get_mut(&leader) {
            seat.plan(id, known);
        }
        self.sits_anew(now, id, out);
    }
}

/// Of times at which lists of all brokers had no such group, those at which somebody led its partition: nobody lists it else.
fn where_led(id: &GroupId, lists: [Option<Timestamp>; 2], ledger: &Ledger) -> [Option<Timestamp>; 2] {
    lists.map(|at| at.filter(|at| ledger.was_listed(id, *at)))
}
