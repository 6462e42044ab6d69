//! What only a coordinator sees: ids handed out, who has joined and who has not, who leads, what is assigned, how far
//! the group has read, refusals, moves and loads.

use std::sync::Arc;

use super::{Group, News};
use crate::board::bounded::{push_last, push_newest};
use crate::board::coordination::{
    AbandonedJoin, AppendFailure, Coordination, Load, PendingId, RefusedRequest,
};
use crate::board::limits;
use crate::board::member::{Member, Phase};
use crate::board::rebalance::{Awaited, AwaitedEnd, Rebalance};
use crate::board::text::clipped;
use crate::event::{Change, Evidence, GroupState, RebalanceCause, Source};
use crate::ids::{Generation, MemberId};
use crate::time::{Millis, UnixMs};

impl Group {
    /// Folds what is not of a member's beats, membership or rebalances; everything else is left alone.
    pub(super) fn apply_protocol(&mut self, member: Option<&MemberId>, news: &News<'_>) {
        let at = news.at;
        match (news.change, member) {
            (Change::MemberIdIssued { client_id, host }, Some(id)) => {
                let pending = PendingId {
                    id: id.clone(),
                    client_id: clipped(client_id),
                    host: clipped(host),
                    at,
                };
                push_last(&mut self.coordination().pending, pending, limits::PENDING);
            }
            (Change::MemberIdExpired { .. }, Some(id)) => {
                let name = self.take_pending(id).map(|pending| pending.client_id);
                self.awaited(id, name, AwaitedEnd::NeverUsed, at);
            }
            (Change::JoinReceived { .. }, Some(id)) => self.join_received(id, news),
            (
                Change::JoinAbandoned {
                    waited_ms,
                    rebalance_timeout_ms,
                },
                Some(id),
            ) => self.join_abandoned(id, Millis(*waited_ms), Millis(*rebalance_timeout_ms), at),
            (
                Change::GenerationFormed {
                    generation,
                    leader,
                    protocol,
                    members,
                },
                _,
            ) => self.generation_formed(*generation, leader.as_ref(), protocol.as_ref(), *members, news),
            (Change::SyncReceived { .. }, Some(id)) => {
                if let Some(row) = self.row(id, news) {
                    row.sync_due = None;
                    row.unsynced = 0;
                    row.abandoned = None;
                }
            }
            (
                Change::MemberExpired { .. }
                | Change::MemberEvicted { .. }
                | Change::MemberLeft { .. }
                | Change::MemberFenced { .. },
                Some(id),
            ) if news.source == Source::Embedded => self.removed(id, news.change, at),
            _ => self.apply_work(member, news),
        }
    }

    /// What was refused, what could not be stored, and what becomes of the group's log.
    pub(super) fn apply_storage(&mut self, member: Option<&MemberId>, news: &News<'_>) {
        let at = news.at;
        match news.change {
            Change::RequestRefused {
                api,
                error,
                client_id,
                host,
                times,
            } => {
                let refused = RefusedRequest {
                    member: member.cloned(),
                    api: clipped(api),
                    error: *error,
                    client_id: clipped(client_id),
                    host: clipped(host),
                    since: at,
                    at,
                    times: u64::from(*times),
                };
                tell_refused(self.coordination(), refused);
            }
            Change::AppendFailed { partition, error } => {
                let all = self.coordination();
                let before = all
                    .append_failed
                    .as_ref()
                    .filter(|known| known.error == *error && at.since(known.at) <= limits::RUN_GAP);
                let times = before.map_or(1, |known| known.times.saturating_add(1));
                all.append_failed = Some(AppendFailure {
                    partition: *partition,
                    error: *error,
                    at,
                    times,
                });
                self.restarts(RebalanceCause::StorageFailed, None);
            }
            _ => self.apply_load(news),
        }
    }

    /// Where the group's log is given up, read, and read to its end.
    fn apply_load(&mut self, news: &News<'_>) {
        let at = news.at;
        let load = |node, partition| Load {
            node,
            partition,
            at,
            took: None,
            generation: None,
            cut_off: None,
        };
        match news.change {
            Change::GroupUnloaded { node, partition } => {
                let cut_off = self.cut_rebalance_off(news.source);
                let all = self.coordination();
                all.unloaded = Some(Load {
                    cut_off,
                    ..load(*node, *partition)
                });
                all.loading = None;
            }
            Change::GroupLoading { node, partition } => {
                self.coordination().loading = Some(load(*node, *partition));
            }
            Change::GroupLoaded {
                node,
                partition,
                took_ms,
                generation,
            } => {
                let cut_off = self.cut_rebalance_off(news.source);
                let all = self.coordination();
                all.loading = None;
                all.loaded = Some(Load {
                    took: Some(Millis(*took_ms)),
                    generation: Some(*generation),
                    cut_off,
                    ..load(*node, *partition)
                });
                self.goes_back_to(*generation, news.source);
                self.start_sessions_over(at, news.source);
            }
            _ => {}
        }
    }

    /// The coordinator is back: each member has a full session from now on to show itself.
    pub(in crate::board) fn start_sessions_over(&mut self, at: UnixMs, source: Source) {
        for row in self.members.values_mut() {
            Arc::make_mut(row).renewed.tell_latest(at, source);
        }
    }

    fn coordination(&mut self) -> &mut Coordination {
        Arc::make_mut(&mut self.coordination)
    }

    /// The id handed out, once it is used or over.
    pub(super) fn take_pending(&mut self, id: &MemberId) -> Option<PendingId> {
        let place = self
            .coordination
            .pending
            .iter()
            .position(|pending| pending.id == *id)?;
        Some(self.coordination().pending.remove(place))
    }

    /// A member waits in JoinGroup: it is a member of the group from now on, for its coordinator too.
    fn join_received(&mut self, id: &MemberId, news: &News<'_>) {
        let Change::JoinReceived {
            client_id,
            host,
            session_timeout_ms,
        } = news.change
        else {
            return;
        };
        let (at, source) = (news.at, news.source);
        let issued = self.take_pending(id).map(|pending| pending.at);
        let (name, new) = (clipped(client_id), self.row_id(id).is_none());
        if new && self.take_over(id, Some(&name), true).is_none() {
            if !news.room.member {
                return;
            }
            let mut row = Member::new(id.clone(), true, at, source);
            row.phase = Phase::Joining;
            self.insert_new(row);
        }
        let Some(row) = self.row(id, news) else { return };
        // Nobody waits for one that comes for the first time.
        let was_in = !new && row.phase != Phase::Joining;
        row.client_id.tell(Some(name.clone()), source);
        row.host.tell(Some(clipped(host)), source);
        row.session_timeout.tell(session_timeout_ms.map(Millis), source);
        row.issued = row.issued.or(issued);
        row.join_since = Some(at);
        row.abandoned = None;
        if !row.is_ours() && row.phase != Phase::Joining {
            row.enter(Phase::Rejoining, at);
        }
        if row.is_counted_first(at) {
            self.newcomer(at);
        }
        let (cause, leader) = (RebalanceCause::SubscriptionChanged, &self.coordination.leader);
        let cause = match leader.as_ref() == Some(id) {
            _ if new => RebalanceCause::MemberJoined,
            true => RebalanceCause::LeaderRejoined,
            false => cause,
        };
        self.restarts(cause, Some(id));
        if was_in {
            self.awaited(id, Some(name), AwaitedEnd::Joined, at);
        }
    }

    fn join_abandoned(&mut self, id: &MemberId, waited: Millis, allowed: Millis, at: UnixMs) {
        if let Some(row) = self.members.get_mut(id) {
            Arc::make_mut(row).abandoned = Some(at);
        }
        let row = self.members.get(id);
        let abandoned = AbandonedJoin {
            member: id.clone(),
            name: row.and_then(|row| row.client_id.get().cloned()),
            host: row.and_then(|row| row.host.get().cloned()),
            at,
            waited,
            allowed,
        };
        push_newest(&mut self.coordination().abandoned, abandoned, limits::ABANDONED);
    }

    /// Every waiting JoinGroup was answered: from now on each one's SyncGroup is due.
    fn generation_formed(
        &mut self,
        generation: Generation,
        leader: Option<&MemberId>,
        protocol: Option<&String>,
        members: u32,
        news: &News<'_>,
    ) {
        let at = news.at;
        let all = self.coordination();
        all.leader = leader.map(clipped);
        all.protocol = protocol.map(clipped);
        for row in self.members.values_mut() {
            if row.join_since.is_none() && row.sync_due.is_none() {
                continue;
            }
            let row = Arc::make_mut(row);
            if row.sync_due.is_some() {
                row.unsynced = row.unsynced.saturating_add(1);
            }
            row.sync_due = row.join_since.take().map(|_| at);
        }
        if let Some(open) = &mut self.open {
            Arc::make_mut(open).members = Some(members);
        }
        // The log is read, and what a survey saw to be over was that.
        let last = self.rebalances.first_mut();
        if let Some(row) = last.filter(|row| row.lacks_generation_of(&news.sighting())) {
            Arc::make_mut(row).generation = Some(generation);
        }
        let known = self.generation.get().copied();
        if known.is_none_or(|known| known < generation) {
            self.tell_generation(generation, news.source);
        }
        self.turned(generation, at, members as usize);
    }

    /// A member of the coordinator's is out; where that ends a wait for it, the open rebalance says so.
    fn removed(&mut self, id: &MemberId, change: &Change, at: UnixMs) {
        let (cause, end) = match change {
            Change::MemberExpired { .. } => (RebalanceCause::MemberTimedOut, AwaitedEnd::Removed),
            Change::MemberEvicted { .. } => (RebalanceCause::MemberEvicted, AwaitedEnd::Removed),
            Change::MemberFenced { .. } => (RebalanceCause::MemberFenced, AwaitedEnd::Removed),
            _ => (RebalanceCause::MemberLeft, AwaitedEnd::Removed),
        };
        let row = self.members.get(id);
        let due = row.and_then(|row| row.sync_due);
        let name = row
            .map(|row| row.name())
            .or_else(|| self.gone(id).map(|gone| gone.name()));
        let name = name.map(str::to_owned);
        // A leader that goes before its SyncGroup came was waited for by all the others since the generation was formed.
        let led = self.coordination.leader.as_ref() == Some(id)
            && self.state.get() == Some(&GroupState::CompletingRebalance);
        self.restarts(cause, Some(id));
        match due.filter(|_| led && !matches!(change, Change::MemberLeft { .. })) {
            Some(since) => self.waited(id, name, AwaitedEnd::NeverSynced, (since, at)),
            None => self.awaited(id, name, end, at),
        }
    }

    /// Notes whom the join phase waited for last, and how that ended.
    fn awaited(&mut self, member: &MemberId, name: Option<String>, end: AwaitedEnd, at: UnixMs) {
        if self.state.get() != Some(&GroupState::PreparingRebalance) {
            return;
        }
        let Some(started) = self.open.as_ref().and_then(|open| open.started.get().copied()) else {
            return;
        };
        // One that starts over after a generation was formed asks anew: what went by until then was no wait for a JoinGroup.
        let since = self.state_since.map_or(started, |since| since.max(started));
        self.waited(member, name, end, (since, at));
    }

    /// Keeps a wait that the open rebalance is seen to have had, unless an earlier one was longer.
    fn waited(
        &mut self,
        member: &MemberId,
        name: Option<String>,
        end: AwaitedEnd,
        (since, at): (UnixMs, UnixMs),
    ) {
        let observed = |open: &&mut Arc<Rebalance>| open.evidence.get() == Some(&Evidence::Observed);
        let Some(open) = self.open.as_mut().filter(observed).filter(|_| since < at) else {
            return;
        };
        let after = at.since(since);
        let before = open.awaited.as_ref();
        if before.is_some_and(|before| before.after > after) {
            return;
        }
        let unused = before.filter(|before| before.end == AwaitedEnd::NeverUsed && before.end == end);
        let unused_too = unused.map_or(0, |before| before.unused_too.saturating_add(1));
        Arc::make_mut(open).awaited = Some(Awaited {
            member: member.clone(),
            name,
            after,
            end,
            unused_too,
        });
    }
}

/// Counts it with those of the same client, or puts it first.
fn tell_refused(all: &mut Coordination, mut refused: RefusedRequest) {
    if let Some(place) = all.refused.iter().position(|known| known.is_like(&refused)) {
        let known = all.refused.remove(place);
        // After a long rest it is another story.
        if refused.at.since(known.at) <= limits::RUN_GAP {
            refused.since = known.since;
            refused.times = refused.times.saturating_add(known.times);
        }
    }
    push_newest(&mut all.refused, refused, limits::REFUSED);
}
