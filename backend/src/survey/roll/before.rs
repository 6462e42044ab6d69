//! Groups as the run before this one left them: each is known as it was then, and not answered for since.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::board::{self, Group};
use shared::event::{Change, RebalanceCause, Rebalanced, Source};
use shared::ids::GroupId;
use shared::time::Timestamp;

use super::Roll;
use super::absence::denies;
use super::group::Known;
use super::turn::Turn;
use super::view::Configured;
use crate::limits;
use crate::survey::before::BEFORE;
use crate::survey::ledger::Ledger;
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
    /// left; none where it is that one, as far as is known. Its record is in an earlier generation, at the same coordinator; of one
    /// that still had a member of before, the log lost its end.
    pub(super) fn made_anew_unseen(&self, look: &Look, ledger: &Ledger) -> Option<When> {
        let from = self.log.before.filter(|_| self.moved_at <= BEFORE)?;
        let told = look.told.as_ref().ok().filter(|_| !denies(look))?;
        let standing = ledger.standing(&look.group)?;
        if standing.generation() >= from || self.log.lives || self.has_one_of_before(told) {
            return None;
        }
        Some(
            standing
                .formed()
                .map_or(When::There(standing.ended().1), |(at, _)| at),
        )
    }

    /// Whether the first look shows a member that the run before saw: its id is no other one's.
    pub(super) fn has_one_of_before(&self, told: &Told) -> bool {
        let known = |member: &Seen| self.members.contains_key(&member.id);
        self.before && told.members.iter().any(known)
    }

    /// Which rebalances a classic group had while nobody looked, as its record tells once it is read: when the last was over, and
    /// how many there were. `ran` says that one was under way when the run before ended.
    pub(super) fn turned_unseen(
        &mut self,
        id: &GroupId,
        ran: bool,
        ledger: &Ledger,
        out: &mut VecDeque<Output>,
    ) {
        let Some(standing) = ledger.standing(id) else {
            return;
        };
        let Some(from) = self.log.before.take() else {
            return;
        };
        let generation = standing.generation();
        if generation == from {
            // As it was told then.
            self.log.told = Some(standing.position);
        }
        // What was read as it was written is told as that.
        if generation <= from || standing.heard.is_some() {
            return;
        }
        let cause = RebalanceCause::NotVisible;
        let (formed_at, ended_at) = standing.ended();
        let seen = |change| Report::seen(Timestamp::default(), id, change);
        if !ran {
            let change = Change::RebalanceStarted {
                cause,
                member: None,
                from_generation: Some(from),
            };
            let report = Report {
                at: When::There(formed_at),
                at_earliest: Some(When::Here(BEFORE)),
                ..seen(change).inferred()
            };
            out.push_back(Output::Report(report));
        }
        let steps = generation.0.saturating_sub(from.0);
        let change = Change::RebalanceFinished(Rebalanced {
            generation,
            from_generation: Some(from),
            cause,
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
        });
        let report = Report {
            at: When::There(ended_at),
            ..seen(change)
        };
        out.push_back(Output::Report(report));
        // Whoever hears of an end takes the group for stable.
        self.log.ended = true;
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
