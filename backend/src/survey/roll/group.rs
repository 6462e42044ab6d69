//! One group as it was seen last, and what a new look at it says.

use std::collections::{BTreeMap, VecDeque};

use shared::error_code;
use shared::event::{Change, GroupState, GroupType, Joined};
use shared::ids::{Generation, GroupId, MemberId, NodeId};
use shared::time::Timestamp;

use super::absence::{denies, is_of_none};
use super::heard::InLog;
use super::turn::Turn;
use super::view::Configured;
use super::{changes, departure, reconciling, together, words};
use crate::survey::comings::Comings;
use crate::survey::ledger::{Ledger, Stamp};
use crate::survey::look::{Describe, Look, Seen, Told};
use crate::survey::port::{Output, Report};

/// What is known of a group.
#[derive(Debug)]
pub(super) struct Known {
    /// Its coordinator: who lists it.
    pub(super) node: NodeId,
    /// Its type.
    pub(super) group_type: GroupType,
    /// What its members speak; empty where nobody ever joined.
    pub(super) protocol_type: Box<str>,
    /// Its state, as told last.
    pub(super) state: Option<GroupState>,
    /// When it was on a list last.
    pub(super) listed_at: Timestamp,
    /// Since when it is on no whole list of its coordinator.
    pub(super) missing: Option<Timestamp>,
    /// Since when its coordinator answers that it has no such group.
    pub(super) absent: Option<Timestamp>,
    /// When its coordinator told of it last, and whether it is told that it has not for too long, with which code it was refused last.
    pub(super) answered_at: Timestamp,
    pub(super) doubt: Option<Option<i16>>,
    /// Since when it is this coordinator's to tell of it.
    pub(super) moved_at: Timestamp,
    /// When it is to be looked at next.
    pub(super) due: Timestamp,
    /// Whether that is asked right now, and since when.
    pub(super) asked: bool,
    pub(super) asked_at: Timestamp,
    /// Whether it is as the run before this one left it: no look has told of it since.
    pub(super) before: bool,
    pub(super) epoch: Option<Generation>,
    /// Each in a box: a node of the map has room for eleven, and most groups have fewer.
    pub(super) members: BTreeMap<MemberId, Box<Seen>>,
    /// As its settings tell.
    pub(super) configured: Configured,
    /// The last look, and the last two at which it was at rest, the later one first; before all looks, when it was not there.
    pub(super) looked_at: Option<Timestamp>,
    pub(super) rested_at: [Option<Timestamp>; 2],
    /// What the offsets log says.
    pub(super) log: InLog,
    /// With which code the last look was refused.
    pub(super) refused: Option<i16>,
    /// The codes of the rights that were told to be missing since the last look, the last one last: at most one of each kind.
    pub(super) denied: Vec<i16>,
    /// Who came and went since it was at rest last.
    pub(super) turn: Turn,
    /// What the offsets log had of it at the last look.
    pub(super) stamp: Option<Stamp>,
}

impl Known {
    pub(super) fn new(node: NodeId, group_type: GroupType, now: Timestamp) -> Self {
        Self {
            node,
            group_type,
            protocol_type: Box::default(),
            state: None,
            listed_at: now,
            missing: None,
            absent: None,
            answered_at: now,
            doubt: None,
            moved_at: now,
            due: now,
            asked: false,
            asked_at: now,
            before: false,
            epoch: None,
            members: BTreeMap::new(),
            configured: Configured::default(),
            looked_at: None,
            rested_at: [None; 2],
            log: InLog::default(),
            refused: None,
            denied: Vec::new(),
            turn: Turn::default(),
            stamp: None,
        }
    }

    /// The call that tells of it.
    pub(super) const fn call(&self) -> Option<Describe> {
        Describe::of(&self.group_type)
    }

    /// That it is there, as the lists tell it.
    pub(super) fn found(&self) -> Change {
        Change::GroupFound {
            group_type: self.group_type.clone(),
            protocol_type: Some(self.protocol_type.clone().into()),
        }
    }

    /// Whether the last look at it was refused.
    pub(super) const fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Whether it is on its way to another state.
    pub(super) fn is_changing(&self) -> bool {
        let rebalances = self.state.as_ref().is_some_and(GroupState::is_rebalancing);
        rebalances || self.log.ended || self.refused.is_some() || self.missing.is_some()
    }

    /// What a list says of the state. Of a group that can be described the description will say more.
    pub(super) fn listed_as(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        state: Option<GroupState>,
        out: &mut VecDeque<Output>,
    ) {
        let Some(to) = state else { return };
        if self.is_refused() {
            self.lists(now, id, &to, out);
        }
        // Where the log tells of a rebalance that runs, a list at rest is older.
        let old = self.log.followed && self.turn.running && !to.is_rebalancing();
        if self.state.as_ref() != Some(&to) && !old {
            self.enter(now, id, to, out);
        }
    }

    fn enter(&mut self, now: Timestamp, id: &GroupId, to: GroupState, out: &mut VecDeque<Output>) {
        let change = Change::GroupState {
            from: self.state.clone(),
            to: to.clone(),
        };
        let report = Report::seen(now, id, change).since(self.looked_at);
        out.push_back(Output::Report(report));
        self.state = Some(to);
    }

    /// Takes in what its coordinator answered at `now`.
    pub(super) fn look(
        &mut self,
        now: Timestamp,
        look: Look,
        call: Describe,
        client_id: &str,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        // Asked as what it no longer is: the list will have said so.
        if self.call() != Some(call) {
            return;
        }
        let followed = self.has_epochs() && ledger.follows(&look.group);
        let unread = self.log.told.is_none() && !self.log.followed;
        self.log.followed = followed;
        self.absent = denies(&look).then(|| self.absent.unwrap_or(now));
        match look.told {
            Ok(told) => {
                self.refused = None;
                if self.absent.is_none() {
                    self.answered_at = now;
                }
                // All of them, whatever other code came last: a coordinator that was loading has not granted them.
                for code in std::mem::take(&mut self.denied) {
                    let granted = changes::granted(&look.group, code);
                    out.extend(granted.map(|change| Output::Report(Report::seen(now, &look.group, change))));
                }
                if followed && self.log.heard.is_some_and(|heard| heard > self.asked_at) {
                    // The log has told what this answer may be older than: the next one will tell the rest, be it the same.
                    self.stamp = None;
                    return;
                }
                self.stamp = Some(ledger.stamp(&look.group));
                // Of a group that is there since it is known when, what is seen has happened.
                let found = self.before || (self.looked_at.is_none() && self.rested_at[0].is_none());
                let mut said = VecDeque::new();
                // What became of it before our start the log has not told.
                self.told(
                    now,
                    &look.group,
                    told,
                    followed && !self.before,
                    ledger,
                    &mut said,
                );
                let read = unread && (self.log.told.is_some() || self.log.followed);
                if found || read {
                    together::told(now, &look.group, said, out);
                } else {
                    out.append(&mut said);
                }
                self.looked_at = Some(now);
                self.before = false;
            }
            Err((code, _words)) => {
                let again = self.refused.replace(code) == Some(code);
                let right = error_code::is_for_want_of_a_right(code);
                if again || (right && self.denied.last() == Some(&code)) {
                    return;
                }
                if right {
                    self.denied.retain(|denied| *denied != code);
                    self.denied.push(code);
                }
                let change = changes::refusal(&look.group, call, code, client_id);
                out.push_back(Output::Report(Report::seen(now, &look.group, change)));
            }
        }
    }

    fn told(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        mut told: Told,
        followed: bool,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        if is_of_none(&told) {
            return;
        }
        let resting = self.is_rest(&told);
        let mut news = VecDeque::new();
        let classic = self.group_type == GroupType::Classic;
        let place = self.log.told;
        self.log.lives |= self.has_one_of_before(&told);
        self.turned_unseen(id, self.turn.running, ledger, out);
        let stale = classic && self.add_from_log(id, &mut told, ledger, &mut news) && !resting;
        let mut comings = self.compare(now, id, told.members, told.epoch, ledger, &mut news);
        if let Some(standing) = ledger.standing(id).filter(|_| classic) {
            comings.after(|member| standing.has(member));
        }
        if stale {
            // The log knows of an end that this answer may be older than: the next one will tell, be it the same.
            self.stamp = None;
            out.append(&mut news);
            return;
        }
        let first = self.looked_at.is_none();
        if let Some(generation) = told.epoch.filter(|_| self.epoch.is_none()) {
            news.push_front(self.stands(now, id, generation, told.assignor.take()));
        }
        let came = first && self.rested_at[0].is_some();
        // Who is there at the first look did not all come with the rebalance that the log had told of by then.
        let inherited = first && self.turn.running;
        // Of a group that the log follows it tells each of them, and when.
        if (!first || came) && !followed && !self.turn.running && self.turns(told.epoch, resting) {
            self.starts(now, id, &comings, resting, out);
        }
        if self.turn.running && !inherited {
            self.turn.add(comings);
        }
        if self.lags(told.epoch, resting, followed) {
            self.stamp = None;
            out.append(&mut news);
            return;
        }
        if std::mem::take(&mut self.log.ended) && told.state != GroupState::Stable {
            // The next one runs already.
            self.state = None;
        }
        if self.state.as_ref() != Some(&told.state) {
            self.enter(now, id, told.state, out);
        }
        out.append(&mut news);
        if resting {
            self.rests(now, id, told.epoch, out);
        }
        if self.log.told != place {
            self.settles(id, ledger);
        }
        self.epoch = told.epoch.or(self.epoch);
    }

    /// What the offsets log adds to a description of a classic group. Whether the log has heard of it since it was asked for.
    fn add_from_log(
        &mut self,
        id: &GroupId,
        told: &mut Told,
        ledger: &Ledger,
        news: &mut VecDeque<Output>,
    ) -> bool {
        let Some(standing) = ledger.standing(id) else {
            return false;
        };
        for member in &mut told.members {
            if standing.has(&member.id) {
                member.epoch = Some(standing.generation());
            }
        }
        self.log.generation = Some(standing.generation());
        if self.log.told.replace(standing.position) != Some(standing.position)
            && let Some((at, change)) = standing.formed()
        {
            let report = Report {
                at,
                ..Report::seen(Timestamp::default(), id, change)
            };
            news.push_back(Output::Report(report));
        }
        standing.heard.is_some_and(|heard| heard > self.asked_at)
    }

    /// Who is new and who is no longer there, told as events; and what each owns.
    fn compare(
        &mut self,
        now: Timestamp,
        id: &GroupId,
        members: Vec<Seen>,
        epoch: Option<Generation>,
        ledger: &Ledger,
        news: &mut VecDeque<Output>,
    ) -> Comings {
        let classic = self.group_type == GroupType::Classic;
        let mut before = std::mem::take(&mut self.members);
        let mut joined = Vec::new();
        for mut member in members {
            let known = before.remove(&member.id);
            member.timeouts = ledger.timeouts(id, &member.id);
            if let Some(known) = &known {
                // What is not told now stands.
                member.epoch = member.epoch.or(known.epoch);
                member.timeouts = member.timeouts.or(known.timeouts);
            }
            let described = words::news(&mut member, known.as_deref());
            if known.as_ref().is_none_or(|known| {
                known.epoch != member.epoch || known.timeouts != member.timeouts || known.rack != member.rack
            }) {
                if known.is_none() {
                    joined.push(member.id.clone());
                }
                let took = self.log.took.remove(&member.id);
                let took = took.filter(|(generation, _)| Some(*generation) == member.epoch);
                let change = Change::MemberJoined(Joined {
                    took_ms: took.map(|(_, ms)| ms),
                    ..changes::row(&member, epoch, self.configured)
                });
                let report = Report::seen(now, id, change)
                    .of(&member.id)
                    .since(known.is_none().then_some(self.looked_at).flatten());
                news.push_back(Output::Report(report));
            }
            let (owned_before, told) = known.map_or((None, None), |known| (known.owned, known.reconciling));
            let by_tasks = member.target.as_ref().is_some_and(|target| target.has.is_some());
            if member.owned.is_none() && !by_tasks {
                // Not told now: what was told stands. What tasks read is told with the topology, or not at all.
                member.owned = owned_before;
            } else if member.owned != owned_before {
                let change = changes::assigned(&member, epoch);
                news.push_back(Output::Report(Report::seen(now, id, change).of(&member.id)));
            }
            if let Some(what) = described {
                let change = Change::MemberDescribed(Box::new(what));
                news.push_back(Output::Report(Report::seen(now, id, change).of(&member.id)));
            }
            if let Some(change) = reconciling::news(&mut member, told) {
                news.push_back(Output::Report(Report::seen(now, id, change).of(&member.id)));
            }
            if classic {
                // Told again only with settings, which classic groups have none of.
                member.client = None;
            }
            self.members.insert(member.id.clone(), Box::new(member));
        }
        let left: Vec<MemberId> = before.keys().cloned().collect();
        for gone in before.into_values() {
            let change = departure::of(now, id, &self.group_type, &gone, &self.members, ledger);
            let report = Report::seen(now, id, self.went_unseen(change)).of(&gone.id);
            news.push_back(Output::Report(report.since(self.looked_at).inferred()));
        }
        Comings { joined, left }
    }
}
