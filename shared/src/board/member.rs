//! One member's row: what events said of it. What follows from the time of day is computed in [`super::state`].
//!
//! - `parts`: its phase, and rows within the row; `joining`: that it is in the group; `losses`: that one of ours loses its
//!   coordinator

mod joining;
mod losses;
mod parts;

use std::sync::Arc;

use serde::Serialize;

pub(super) use self::joining::is_listing;
pub use self::losses::Losses;
pub use self::parts::{Answer, Phase, Refusal, Rejoin};
use super::beats::{Cell, Tally, Totals};
use super::limits::{CELLS, REJOINS, TALLIES};
use super::own_word::{LostBeat, Unanswered, Withheld};
use super::owned::Owned;
use super::reconciliation::Reconciliation;
use super::told::{Sources, Told};
use crate::event::{Described, Source};
use crate::histogram::Histogram;
use crate::ids::{Generation, InstanceId, MemberId};
use crate::seldom::Seldom;
use crate::time::{Millis, UnixMs};
use crate::tree::FromNode;

/// A member of a group. Built by events alone; [`Member::state`] adds the time of day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromNode)]
pub struct Member {
    /// The id the coordinator gave it; for a member of ours that has none yet, its client id.
    pub id: MemberId,
    /// Whether the coordinator has named it: `id` is its member id.
    pub named: bool,
    /// Whether it is one of Heartline's own: it tells of itself. A leader of ours also tells of others in its list.
    pub ours: bool,
    /// The client id a member of ours goes by while it has no id.
    pub goes_by: Option<MemberId>,
    /// `client.id`.
    pub client_id: Told<String>,
    /// Where it comes from, as the coordinator sees it.
    pub host: Told<String>,
    /// `group.instance.id` of a static member.
    pub instance_id: Told<InstanceId>,
    /// Its session timeout.
    pub session_timeout: Told<Millis>,
    /// Its rebalance timeout.
    pub rebalance_timeout: Told<Millis>,
    /// Its heartbeat interval as told; see [`Member::interval`] for the inferred one.
    pub heartbeat_interval: Told<Millis>,
    /// The generation it is in, or was in last.
    pub generation: Told<Generation>,
    /// What events said last about its membership.
    pub phase: Phase,
    /// Since when.
    pub phase_since: UnixMs,
    /// Why it sends no heartbeats; over once a later answer renewed its session: see [`Member::withheld`].
    pub withheld: Option<Box<Withheld>>,
    /// When its connection was cut for good, by the fault `kill` or by one of ours itself that could not leave; see
    /// [`Member::killed`].
    pub killed: Option<UnixMs>,
    /// Since when one of ours is about to leave: its LeaveGroup is on its way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<UnixMs>,
    /// Since when one of ours takes its coordinator for dead; none while it has one, or has never had one.
    pub coordinator_lost: Option<UnixMs>,
    /// How often one of ours has lost its coordinator since it was last answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub losses: Option<Box<Losses>>,
    /// The last right it was refused; over once a later answer renewed its session.
    pub refused: Option<Box<Refusal>>,
    /// When the last answer renewed its session.
    pub renewed: Told<UnixMs>,
    /// When a commit of it was last accepted, as the embedded coordinator sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<UnixMs>,
    /// Since when its JoinGroup waits at the embedded coordinator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join_since: Option<UnixMs>,
    /// When the client of its waiting JoinGroup closed the connection; the coordinator still waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abandoned: Option<UnixMs>,
    /// Since when its SyncGroup is awaited: its JoinGroup was answered and it has not sent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_due: Option<UnixMs>,
    /// In how many generations in a row before this one its SyncGroup never came.
    #[serde(default, skip_serializing_if = "super::owned::is_zero")]
    pub unsynced: u32,
    /// The JoinGroup or SyncGroup of one of ours that is out, or was last and never brought it on; its coordinator may think
    /// it answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered: Option<Box<Unanswered>>,
    /// The heartbeat of one of ours that was given up last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_beat: Option<Box<LostBeat>>,
    /// When its member id was handed out (79), where that was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<UnixMs>,
    /// What it owns, as its coordinator's or leader's assignment says; none is "not visible".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned: Option<Owned>,
    /// How far it is on its way to the assignment it was given; none where it has arrived, or its group has no such way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciling: Option<Box<Reconciliation>>,
    /// What it asked for and works on beyond its partitions, where a survey tells; members alike share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Arc<Described>>,
    /// `client.rack`, where the group's protocol tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rack: Option<String>,
    /// Whether it is a member of the classic protocol inside a group of a newer one; none is "not visible".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classic: Option<bool>,
    /// The last answer to a heartbeat of ours, as far as single ones are seen here.
    pub last_answer: Option<Box<Answer>>,
    /// The heartbeat bar, oldest first.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub cells: Seldom<Vec<Cell>>,
    /// Latency of its heartbeats but those behind another request.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub latency: Seldom<Histogram>,
    /// Its beats counted.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub totals: Seldom<Totals>,
    /// Its last joins and rejoins, newest first.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub rejoins: Seldom<Vec<Rejoin>>,
    /// Since when it is there under its id; where it asks to come in, since when it does.
    pub since: UnixMs,
    /// Who saw it.
    pub sources: Sources,
    /// Whether a join under its present id was told: one more is no newcomer's.
    pub(super) counted: bool,
    /// The generation in which the embedded coordinator told it to join again.
    pub(super) rejoin_told: Option<Generation>,
    /// Gaps between renewals, oldest first; what an untold interval is taken from.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub(super) gaps: Seldom<Vec<Millis>>,
    /// The renewal that the next gap counts from.
    pub(super) gap_from: Option<UnixMs>,
    /// Seconds whose summaries may still come, oldest first.
    #[serde(skip_serializing_if = "Seldom::is_blank")]
    pub(super) tallies: Seldom<Vec<Tally>>,
}

impl Member {
    pub(super) fn new(id: MemberId, named: bool, at: UnixMs, source: Source) -> Self {
        Self {
            goes_by: (!named).then(|| id.clone()),
            id,
            named,
            ours: false,
            client_id: Told::default(),
            host: Told::default(),
            instance_id: Told::default(),
            session_timeout: Told::default(),
            rebalance_timeout: Told::default(),
            heartbeat_interval: Told::default(),
            generation: Told::default(),
            phase: if named { Phase::InGroup } else { Phase::Joining },
            phase_since: at,
            withheld: None,
            killed: None,
            leaving: None,
            coordinator_lost: None,
            losses: None,
            refused: None,
            renewed: Told::default(),
            committed: None,
            join_since: None,
            abandoned: None,
            sync_due: None,
            unsynced: 0,
            unanswered: None,
            lost_beat: None,
            issued: None,
            owned: None,
            reconciling: None,
            described: None,
            rack: None,
            classic: None,
            last_answer: None,
            cells: Seldom::default(),
            latency: Seldom::default(),
            totals: Seldom::default(),
            rejoins: Seldom::default(),
            since: at,
            sources: Sources::from(source),
            counted: false,
            rejoin_told: None,
            gaps: Seldom::default(),
            gap_from: None,
            tallies: Seldom::default(),
        }
    }

    /// What people call it: its client id, else its id.
    #[must_use]
    pub fn name(&self) -> &str {
        self.client_id
            .get()
            .map(String::as_str)
            .or_else(|| self.goes_by.as_ref().map(MemberId::as_str))
            .unwrap_or_else(|| self.id.as_str())
    }

    /// When the last answer renewed its session; none is "not visible".
    #[must_use]
    pub fn last_renewed(&self) -> Option<UnixMs> {
        self.renewed.get().copied()
    }

    /// Whether it is one of Heartline's own members.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        self.ours
    }

    /// Whether a source sees its heartbeats: it is ours, or in a group of our own coordinator.
    #[must_use]
    pub const fn is_seen_beating(&self) -> bool {
        self.ours || self.sources.contains(Source::Embedded)
    }

    /// Whether no heartbeat of it, nor a commit, was ever seen by a source that would see them.
    #[must_use]
    pub fn never_beat(&self) -> bool {
        let Totals {
            answered,
            received,
            failed,
            commits,
            ..
        } = *self.totals;
        self.is_seen_beating() && answered == 0 && received == 0 && failed == 0 && commits == 0
    }

    /// Whether an error no retry can mend has ended it.
    pub(super) const fn has_failed(&self) -> bool {
        matches!(self.phase, Phase::Failed { .. })
    }

    pub(super) fn enter(&mut self, phase: Phase, at: UnixMs) {
        if self.phase != phase {
            self.phase = phase;
            self.phase_since = at;
        }
    }

    /// Whether it was one of ours that ended without leaving: that it is silent is our doing, and says nothing of the cluster. Whom the
    /// fault `kill` cut off is in a group of our own coordinator, where that is to be seen.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.killed().is_some() && !self.sources.contains(Source::Embedded)
    }

    /// One of ours ended without leaving: its coordinator has it as before, and nobody tells of its heartbeats any more.
    pub(super) fn given_up(&mut self, at: UnixMs) {
        self.ours = false;
        self.killed = Some(at);
        self.goes_by = None;
        self.withheld = None;
        self.coordinator_lost = None;
        self.losses = None;
        self.enter(Phase::InGroup, at);
    }

    /// Becomes a member without an id again, under `client_id`: the coordinator does not know it any more.
    pub(super) fn lose_id(&mut self, client_id: MemberId, at: UnixMs) {
        self.goes_by = Some(client_id.clone());
        self.id = client_id;
        self.named = false;
        self.generation = Told::default();
        self.renewed = Told::default();
        self.committed = None;
        self.counted = false;
        self.rejoin_told = None;
        self.gaps.clear();
        self.gap_from = None;
        self.join_since = None;
        self.abandoned = None;
        self.sync_due = None;
        self.unsynced = 0;
        self.issued = None;
        self.owned = None;
        self.reconciling = None;
        self.described = None;
        self.since = at;
        self.enter(Phase::Joining, at);
    }

    /// Takes in the row that one of ours had before it was named.
    pub(super) fn absorb(&mut self, unnamed: Self) {
        self.goes_by = unnamed.goes_by.or_else(|| self.goes_by.take());
        self.client_id.absorb(unnamed.client_id);
        self.host.absorb(unnamed.host);
        self.instance_id.absorb(unnamed.instance_id);
        self.session_timeout.absorb(unnamed.session_timeout);
        self.rebalance_timeout.absorb(unnamed.rebalance_timeout);
        self.heartbeat_interval.absorb(unnamed.heartbeat_interval);
        self.refused = self.refused.take().or(unnamed.refused);
        self.committed = self.committed.max(unnamed.committed);
        self.join_since = self.join_since.or(unnamed.join_since);
        self.unanswered = self.unanswered.take().or(unnamed.unanswered);
        self.lost_beat = self.lost_beat.take().or(unnamed.lost_beat);
        self.issued = self.issued.or(unnamed.issued);
        self.losses = self.losses.take().or(unnamed.losses);
        self.owned = self.owned.take().or(unnamed.owned);
        self.reconciling = self.reconciling.take().or(unnamed.reconciling);
        self.described = self.described.take().or(unnamed.described);
        self.rack = self.rack.take().or(unnamed.rack);
        self.classic = self.classic.or(unnamed.classic);
        self.last_answer = self.last_answer.take().or(unnamed.last_answer);
        self.ours |= unnamed.ours;
        self.sources.absorb(unnamed.sources);
        self.latency.merge(&unnamed.latency);
        self.totals.absorb(&unnamed.totals);
        // What came in at the coordinator has no latency: the bar of one of ours shows what it was answered.
        self.cells
            .retain(|cell| !matches!(cell, Cell::Beat(beat) if beat.source == Source::Embedded));
        let mut cells = unnamed.cells;
        cells.append(&mut self.cells);
        let over = cells.len().saturating_sub(CELLS);
        cells.drain(..over);
        self.cells = cells;
        self.rejoins.extend(unnamed.rejoins.into_inner());
        self.rejoins.truncate(REJOINS);
        let mut tallies = unnamed.tallies;
        tallies.append(&mut self.tallies);
        tallies.sort_by(|one, other| one.key().cmp(&other.key()));
        let over = tallies.len().saturating_sub(TALLIES);
        tallies.drain(..over);
        self.tallies = tallies;
    }
}
