//! What is asked in rounds, every few seconds: how far groups have read, and the timeouts of groups of the newer types.
//!
//! - `desk`: one broker's desk: its connection, what it is still to be asked in this round
//! - `committed`: what groups have committed, from their coordinators (OffsetFetch)
//! - `shares`: how far share groups have come, which commit nothing (DescribeShareGroupOffsets)
//! - `ends`: where the logs end: from any broker who leads them (Metadata), from the leaders where they end (ListOffsets)
//! - `names`: who coordinates groups of certain names, from any broker, where nothing else tells (FindCoordinator)
//! - `timeouts`: how groups are set, from any broker (DescribeConfigs)
//!
//! A round has three steps, each over when all is answered or its time is up: commits; leaders and settings; ends. Then each
//! group is told whose standing differs from what was told last. The connections are this part's own: whatever fails here, the
//! looks at who is in the groups go on.

mod committed;
mod desk;
mod ends;
mod hidden;
mod names;
mod shares;
mod timeouts;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use shared::event::GroupType;
use shared::ids::{GroupId, NodeId};
use shared::protocol::AnyResponse;
use shared::time::Timestamp;

use self::committed::{Committed, Standing};
use self::desk::{Asked, Desk, What};
use self::ends::Ends;
use self::names::Names;
use self::timeouts::Settings;
use super::ledger::Ledger;
use super::line::Line;
use super::port::{Input, Output};
use super::roll::Roll;
use crate::limits;

/// The rounds.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    desks: BTreeMap<NodeId, Desk>,
    step: Step,
    /// How many steps there were: what comes late of an earlier one no longer counts.
    steps: u64,
    /// When the step is over at the latest; at rest: when the next round begins.
    until: Timestamp,
    /// When the round began.
    began: Timestamp,
    /// Whether a round is due and it is not yet known which groups there are.
    early: bool,
    /// The last group of the round before, where that had no room for all; the next one goes on after it.
    after: Option<GroupId>,
    groups: BTreeMap<GroupId, Standing>,
    /// Partitions committed in this round.
    rows: usize,
    ends: Ends,
    settings: Settings,
    names: Names,
    tokens: u64,
}

/// What a round is at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Rest,
    Commits,
    Anybody,
    Ends,
}

impl Rounds {
    /// What happened on one of its connections; what is learnt for the roll goes there.
    pub(super) fn handle(
        &mut self,
        now: Timestamp,
        input: Input,
        roll: &mut Roll,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        match input {
            Input::Opened { link, versions } => {
                if let Some(desk) = self.desks.get_mut(&link.node) {
                    desk.line = Line::Up(versions);
                    desk.failed = false;
                }
            }
            Input::Ended { link, .. } => {
                let lost = self.desks.get_mut(&link.node).map(|desk| desk.ended(now));
                self.settings.lost(lost.unwrap_or_default());
            }
            Input::Answered {
                link,
                token,
                response,
                ..
            } => self.answered(now, link.node, token, response, roll, out),
            Input::Same { .. } | Input::Found { .. } | Input::NotFound { .. } | Input::Time => {}
        }
        self.go_on(now, roll, ledger, out);
    }

    /// Begins a round, asks, and goes to the next step, as far as that is due.
    pub(super) fn go_on(&mut self, now: Timestamp, roll: &Roll, ledger: &Ledger, out: &mut VecDeque<Output>) {
        loop {
            if self.step == Step::Rest {
                if self.until > now {
                    return;
                }
                self.early = !roll.is_whole() || roll.first_until().is_some();
                if self.early {
                    return;
                }
                self.begin(now, roll, ledger, out);
            }
            self.ask_on(now, out);
            if self.until > now && self.waits() {
                return;
            }
            self.next_step(now, ledger, out);
        }
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        if self.step == Step::Rest {
            return (!self.early).then_some(self.until);
        }
        let retries = self.desks.values().filter_map(Desk::retry);
        retries.chain([self.until]).min()
    }

    /// Which names probe groups of ours begin with.
    pub(super) fn probes_are(&mut self, probes: &GroupId) {
        self.names.begin_with(probes);
    }

    /// Who coordinates groups of such names, where it had to be asked.
    pub(super) fn named(&self) -> Arc<BTreeMap<GroupId, NodeId>> {
        self.names.found()
    }

    /// Of how many groups of each broker the last round had no time to ask.
    pub(super) fn put_off(&self) -> impl Iterator<Item = (NodeId, usize)> {
        self.desks.iter().map(|(node, desk)| (*node, desk.put_off))
    }

    /// Which groups a round asks about, and whom.
    fn begin(&mut self, now: Timestamp, roll: &Roll, ledger: &Ledger, out: &mut VecDeque<Output>) {
        self.dismiss(roll, out);
        for (node, address) in roll.addresses() {
            let desk = self.desks.entry(node).or_default();
            if desk.address.as_ref() != Some(address) {
                if desk.address.replace(address.clone()).is_some() && desk.line.is_linked() {
                    self.settings.lost(desk.ended(now));
                    out.push_back(Output::Close {
                        link: desk::link(node),
                    });
                }
                desk.line = Line::Down { retry: now };
            }
        }
        self.groups.retain(|id, _| roll.has(id));
        self.settings.begin(now, roll, out);
        self.names.begin(now, ledger.is_denied(), roll.busy());
        self.rows = 0;
        let mut room = limits::ROUND_PARTITIONS;
        let after = self.after.take();
        for (id, node, group_type) in roll.groups() {
            if after.as_ref().is_some_and(|after| id <= after) || matches!(group_type, GroupType::Other(_)) {
                continue;
            }
            if room == 0 {
                // The next round goes on from there.
                break;
            }
            let standing = self.groups.entry(id.clone()).or_default();
            room = room.saturating_sub(standing.size.max(1));
            standing.shares = *group_type == GroupType::Share;
            if let Some(desk) = self.desks.get_mut(&node) {
                if !standing.shares {
                    desk.groups.push_back(id.clone());
                } else if desk.shares_wait <= now {
                    desk.shares.push_back(id.clone());
                }
            }
            self.after = (room == 0).then(|| id.clone());
        }
        self.desks.values_mut().for_each(Desk::begin);
        self.began = now;
        self.enter(now, Step::Commits);
    }

    /// Brokers that are no more have no desk.
    fn dismiss(&mut self, roll: &Roll, out: &mut VecDeque<Output>) {
        let there: BTreeSet<NodeId> = roll.addresses().map(|(node, _)| node).collect();
        for (node, desk) in self.desks.extract_if(.., |node, _| !there.contains(node)) {
            if desk.line.is_linked() {
                out.push_back(Output::Close {
                    link: desk::link(node),
                });
            }
            self.settings.lost(desk.asked);
        }
    }

    fn enter(&mut self, now: Timestamp, step: Step) {
        self.step = step;
        self.steps += 1;
        self.until = now + limits::ROUND_STEP;
    }

    fn next_step(&mut self, now: Timestamp, ledger: &Ledger, out: &mut VecDeque<Output>) {
        for desk in self.desks.values_mut() {
            if self.step == Step::Commits {
                desk.count_put_off(self.steps);
            }
            desk.drop_rest();
        }
        match self.step {
            Step::Commits => {
                self.ends.begin(now, self.groups.values(), out);
                self.enter(now, Step::Anybody);
            }
            Step::Anybody => {
                self.ends.by_leader(&mut self.desks);
                self.enter(now, Step::Ends);
            }
            Step::Ends | Step::Rest => {
                self.tell(now, ledger, out);
                self.step = Step::Rest;
                self.steps += 1;
                self.until = (self.began + limits::ROUND_PACE).max(now + limits::ROUND_PAUSE);
            }
        }
    }

    /// Tells the groups whose standing is known anew.
    fn tell(&mut self, now: Timestamp, ledger: &Ledger, out: &mut VecDeque<Output>) {
        for (id, standing) in &mut self.groups {
            out.extend(standing.report(now, id, &self.ends, ledger));
        }
    }

    /// Whether something of this step is still to be answered by a broker that may do so.
    fn waits(&self) -> bool {
        let desk = |desk: &Desk| {
            let hopeful = desk.line.is_up() || (desk.line.is_linked() && !desk.failed);
            desk.is_asked_in(self.steps) || (hopeful && desk.has_work())
        };
        self.desks.values().any(desk) || (self.wants_anybody() && self.desks.values().any(Desk::may_answer))
    }

    /// Whether there is something that any broker can be asked.
    fn wants_anybody(&self) -> bool {
        self.step == Step::Anybody && (self.ends.wants() || self.names.wants() || self.settings.wants())
    }

    /// Connects and asks as far as brokers have room.
    fn ask_on(&mut self, now: Timestamp, out: &mut VecDeque<Output>) {
        let lonely = self.wants_anybody() && !self.desks.values().any(|desk| desk.line.is_linked());
        let mut guest = lonely;
        for (node, desk) in &mut self.desks {
            if (desk.has_work() || guest)
                && desk.line.is_due(now)
                && let Some(address) = desk.address.clone()
            {
                guest = false;
                desk.line = Line::Opening;
                let link = desk::link(*node);
                out.push_back(Output::Open { link, address });
            }
            while desk.has_room() {
                let question = match self.step {
                    Step::Rest => None,
                    Step::Commits => desk.next_groups().or_else(|| desk.next_shares()),
                    Step::Anybody => self
                        .ends
                        .next_topics(desk)
                        .or_else(|| self.names.next(now, desk))
                        .or_else(|| self.settings.next(now, desk)),
                    Step::Ends => desk.next_ends(),
                };
                let Some((what, version, request)) = question else {
                    break;
                };
                self.tokens += 1;
                let step = self.steps;
                desk.asked.insert(self.tokens, Asked { step, what });
                out.push_back(Output::Ask {
                    link: desk::link(*node),
                    token: self.tokens,
                    version,
                    request,
                    timeout: limits::ROUND_ANSWER,
                    compare: None,
                });
            }
        }
    }

    fn answered(
        &mut self,
        now: Timestamp,
        node: NodeId,
        token: u64,
        response: AnyResponse,
        roll: &mut Roll,
        out: &mut VecDeque<Output>,
    ) {
        let Some(desk) = self.desks.get_mut(&node) else {
            return;
        };
        let Some(Asked { step, what }) = desk.asked.remove(&token) else {
            return;
        };
        match (what, response) {
            (What::Groups(asked), AnyResponse::OffsetFetch(answer)) if step == self.steps => {
                desk.batch = (desk.batch + 1).min(limits::SURVEY_BATCH);
                desk.heard_of(&asked);
                self.take(committed::read(asked, answer), roll);
            }
            (What::Shares, AnyResponse::DescribeShareGroupOffsets(answer)) if step == self.steps => {
                self.take(shares::read(answer), roll);
            }
            (What::Topics, AnyResponse::Metadata(answer)) => self.ends.led(now, answer, out),
            (What::Names, AnyResponse::FindCoordinator(answer)) => self.names.told(answer),
            (What::Ends, AnyResponse::ListOffsets(answer)) if step == self.steps => {
                self.ends.ended(now, answer, out);
            }
            (What::Settings(_), AnyResponse::DescribeConfigs(answer)) => {
                self.settings.told(now, answer, roll, out);
            }
            // Late, or no answer to what was asked.
            _ => {}
        }
    }

    /// Takes in where groups are.
    fn take(&mut self, told: Vec<(GroupId, Committed)>, roll: &Roll) {
        for (id, committed) in told {
            if let Some(standing) = self.groups.get_mut(&id) {
                let room = limits::ROUND_ROWS.saturating_sub(self.rows);
                let all = committed::with_owned(committed, roll.owned(&id));
                self.rows += standing.take(all, room);
            }
        }
    }
}

#[cfg(test)]
mod tests;
