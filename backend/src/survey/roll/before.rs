//! Groups as the run before this one left them: each is known as it was then, and not answered for since.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::board::{self, Group};
use shared::event::{Change, RebalanceCause, Rebalanced, Source};
use shared::ids::{Generation, GroupId};
use shared::time::{Timestamp, UnixMs};

use super::Roll;
use super::absence::denies;
use super::group::Known;
use super::turn::Turn;
use super::view::Configured;
use crate::limits;
use crate::survey::before::BEFORE;
use crate::survey::ledger::{Ledger, Turned};
use crate::survey::look::{Described, Look, Seen, Timeouts, Told};
use crate::survey::port::{Output, Report, When};

impl Roll {
    /// Goes on from these.
    pub(in crate::survey) fn goes_on_from(&mut self, groups: &[Arc<Group>]) {
        for group in groups.iter().take(limits::SURVEY_GROUPS) {
            let Some(known) = Known::before(group) else {
                continue;
            };
            let id = &group.key.group;
            self.seats.entry(known.node).or_default().plan(id, &known);
            self.groups.insert(id.clone(), Box::new(known));
        }
    }
}

impl Known {
    /// A group as the run before saw it last; none where it saw no coordinator or no type.
    fn before(group: &Group) -> Option<Self> {
        let (seat, group_type) = (group.coordinator.as_ref()?, group.group_type.get()?);
        let mut known = Self::new(seat.node, group_type.clone(), BEFORE);
        known.before = true;
        known.doubt = Some(None);
        known.looked_at = Some(BEFORE);
        known.protocol_type = group.protocol_type.clone().unwrap_or_default().into();
        known.state = group.state.get().cloned();
        let generation = group.generation.get().copied();
        if known.has_epochs() {
            known.epoch = generation;
            known.log.over = generation;
        } else {
            known.log.generation = generation;
            known.log.before = generation;
            known.log.lives = group.generation.source() != Some(Source::Survey);
        }
        match &group.open {
            Some(open) => known.turn = Turn::begun(open.from_generation.get().copied()),
            None => known.rested_at[0] = Some(BEFORE),
        }
        let by_settings = |member: &&Arc<board::Member>| member.classic != Some(true) && !member.is_ours();
        if let Some(member) = group
            .members
            .values()
            .find(by_settings)
            .filter(|_| known.has_epochs())
        {
            known.configured = Configured {
                session: member.session_timeout.get().copied(),
                heartbeat: member.heartbeat_interval.get().copied(),
            };
        }
        for member in group.members.values() {
            let mut seen = seen(member);
            if known.has_epochs() && by_settings(&member) {
                seen.timeouts.session = None;
            }
            known.members.insert(member.id.clone(), Box::new(seen));
        }
        Some(known)
    }

    /// When a classic group was there at the latest that was made while nobody looked, and has the name of the one that the run before
    /// left; none where it is that one, as far as is known. The log tells that it was deleted, or its record is in an earlier generation, at the
    /// same coordinator; of one that still had a member of before, the log lost its end.
    pub(super) fn made_anew_unseen(&self, look: &Look, ledger: &Ledger) -> Option<When> {
        let from = self.log.before.filter(|_| self.moved_at <= BEFORE)?;
        let told = look.told.as_ref().ok().filter(|_| !denies(look))?;
        let standing = ledger.standing(&look.group)?;
        let anew = self.log.anew || standing.generation() < from;
        if !anew || self.log.lives || self.has_one_of_before(told) {
            return None;
        }
        let first = self.log.unseen.first().and_then(|turned| turned.formed_at);
        let formed = standing.formed().map(|(at, _)| at);
        let there = first.map(When::There).or(formed);
        Some(there.unwrap_or(When::There(standing.ended().1)))
    }

    /// Whether the first look shows a member that the run before saw: its id is no other one's.
    pub(super) fn has_one_of_before(&self, told: &Told) -> bool {
        let known = |member: &Seen| self.members.contains_key(&member.id);
        self.before && told.members.iter().any(known)
    }

    /// Which rebalances a classic group had while nobody looked, as its record tells once it is read: where no others were, when the last
    /// was over, and how many there were.
    pub(super) fn turned_unseen(&mut self, id: &GroupId, ledger: &Ledger, out: &mut VecDeque<Output>) {
        let (Some(standing), Some(from)) = (ledger.standing(id), self.log.before) else {
            return;
        };
        let generation = standing.generation();
        if generation == from {
            // As it was told then.
            self.log.told = Some(standing.position);
        }
        if std::mem::take(&mut self.log.anew) {
            // They are of a group that it is not: the log lost the end of this one.
            self.log.unseen.clear();
        }
        // What was read as it was written is told as that.
        let is_told = generation <= from || standing.heard.is_some();
        if self.log.unseen.is_empty() && !is_told {
            let (formed_at, at) = standing.ended();
            self.log
                .unseen
                .push(turned(id, (from, generation), formed_at, at));
        }
        self.tell_unseen(id, out);
    }

    /// Tells them, one after the other. What runs when all are told began after the last: the next look will say so.
    pub(super) fn tell_unseen(&mut self, id: &GroupId, out: &mut VecDeque<Output>) {
        self.log.before = None;
        let seen = |change| Report::seen(Timestamp::default(), id, change);
        let mut since = When::Here(BEFORE);
        for turned in std::mem::take(&mut self.log.unseen) {
            let over = When::There(turned.at);
            let what = turned.rebalanced;
            let (generation, ran) = (what.generation, std::mem::take(&mut self.turn).running);
            if self.log.owes > 0 {
                self.log.owes -= 1;
            } else if !ran {
                let change = Change::RebalanceStarted {
                    cause: what.cause,
                    member: what.member.clone(),
                    from_generation: what.from_generation,
                };
                let report = Report {
                    at: When::There(turned.formed_at.unwrap_or(turned.at)),
                    at_earliest: Some(since),
                    ..seen(change).inferred()
                };
                out.push_back(Output::Report(report));
            }
            let report = Report {
                at: over,
                ..seen(Change::RebalanceFinished(what))
            };
            let report = if turned.concluded {
                report.inferred()
            } else {
                report
            };
            out.push_back(Output::Report(report));
            since = over;
            self.log.generation = Some(generation);
            self.log.over_at = Some((BEFORE, turned.at));
            self.rested_at[0] = self.rested_at[0].max(Some(BEFORE));
            // Whoever hears of an end takes the group for stable.
            self.log.ended = true;
        }
    }

    /// That a member went while nobody looked.
    pub(super) fn went_unseen(&self, change: Change) -> Change {
        match change {
            Change::MemberGone { possible, why } if self.before => Change::MemberGone {
                possible,
                why: format!("It went while Heartline was not running. {why}"),
            },
            change => change,
        }
    }
}

/// The last of the rebalances of a classic group that went from one generation to another, where no record tells of the others.
fn turned(id: &GroupId, (from, to): (Generation, Generation), formed_at: UnixMs, at: UnixMs) -> Turned {
    let steps = to.0.saturating_sub(from.0);
    Turned {
        group: id.clone(),
        rebalanced: Rebalanced {
            generation: to,
            from_generation: Some(from),
            cause: RebalanceCause::NotVisible,
            member: None,
            took_ms: None,
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: None,
            unnamed: 0,
            abandoned: 0,
            missed: u32::try_from(steps.saturating_sub(1)).unwrap_or(0),
        },
        formed_at: Some(formed_at),
        at,
        since: BEFORE,
        concluded: false,
    }
}

/// A member as it was seen last.
fn seen(member: &board::Member) -> Seen {
    Seen {
        id: member.id.clone(),
        instance: member.instance_id.get().cloned(),
        client: None,
        epoch: member.generation.get().copied(),
        owned: member.owned.as_ref().and_then(|owned| owned.partitions.clone()),
        timeouts: Timeouts {
            session: member.session_timeout.get().copied(),
            rebalance: member.rebalance_timeout.get().copied(),
        },
        target: None,
        words: None,
        described: Described::default(),
        rack: member.rack.clone(),
        classic: member.classic,
        reconciling: member.reconciling.as_ref().map(|way| Box::new(way.what.clone())),
    }
}
