//! Heartbeats and commits of a group's members: counted once, whether they come singly, summarised, or both.

use super::{Group, News, NodeLatency};
use crate::board::beats::{BeatCell, Cell, Tally};
use crate::board::bounded::push_last;
use crate::board::departed::Departed;
use crate::board::limits::{BEAT_GAPS, CELLS, NODES, TALLIES};
use crate::board::member::{Answer, Member};
use crate::board::own_word::LostBeat;
use crate::error_code::FENCED_INSTANCE_ID;
use crate::event::{BeatSummary, Change, LinkFault, Source};
use crate::histogram::Histogram;
use crate::ids::{Generation, MemberId, NodeId};
use crate::time::{Millis, UnixMs};

/// Of how many nodes at most a group's latency is kept apart; the rest goes here, and so does that of an unknown node.
const OTHER_NODE: NodeId = NodeId(-1);

impl Group {
    /// When an answer renewed the session of any of its members.
    #[must_use]
    pub fn last_renewed(&self) -> Option<UnixMs> {
        self.members
            .values()
            .filter_map(|member| member.last_renewed())
            .max()
    }

    /// Latency over all its coordinators.
    #[must_use]
    pub fn latency(&self) -> Histogram {
        let mut all = Histogram::default();
        for node in &self.latency {
            all.merge(&node.latency);
        }
        all
    }

    /// A single heartbeat, answered or received.
    pub(super) fn beat(&mut self, id: &MemberId, news: &News<'_>) {
        let Some((cell, answer)) = single(news) else {
            return;
        };
        let tally = Tally::of_beat(id, &cell, self.node());
        self.heard(id, tally, cell.renews, news, |row| {
            if answer.is_some() {
                row.last_answer = answer.map(Box::new);
            }
            if cell.source != Source::Embedded || !row.is_ours() {
                push_last(&mut row.cells, Cell::Beat(cell), CELLS);
            }
        });
    }

    /// A single commit: it renews the session as a heartbeat does, and has no cell in the bar.
    pub(super) fn commit(&mut self, id: &MemberId, generation: Generation, news: &News<'_>) {
        let accepted = news.change.renews() == Some(true);
        let accepted_at = accepted.then_some(news.at);
        let source = news.source;
        let tally = Tally::of_commit(id, news.seen, generation, accepted_at, source, self.node());
        self.heard(id, tally, accepted, news, |_no_cell| {});
    }

    /// One sign of life of a member; `tell` is what its row keeps of it beside the count.
    fn heard(
        &mut self,
        id: &MemberId,
        tally: Tally,
        renews: bool,
        news: &News<'_>,
        tell: impl FnOnce(&mut Member),
    ) {
        let over = self.tell_departed(id, &tally);
        // Who is refused without having been seen as a member is none: its summary alone is counted.
        if self.row_id(id).is_none() && (over || !renews) {
            self.count_departed(id, tally, false);
            return;
        }
        let Some(row) = self.row(id, news) else {
            self.count_departed(id, tally, false);
            return;
        };
        if !over {
            tell_beat(row, &tally);
        }
        tell(row);
        let change = settle(&mut row.tallies, tally, false);
        change.apply_to_row(row);
        self.count(&change);
    }

    /// All heartbeats of a second: replaces what is held of it.
    pub(super) fn summary(&mut self, id: &MemberId, summary: &BeatSummary, news: &News<'_>) {
        let tally = Tally::of_summary(id, summary, news.source, self.node());
        if let Some(at) = tally.restarted_at() {
            self.answered(at);
        }
        let over = self.tell_departed(id, &tally);
        if self.row_id(id).is_none() && (over || tally.restarted_at().is_none()) {
            if !self.count_departed(id, tally.clone(), true) {
                self.count(&Settled {
                    old: None,
                    new: tally,
                });
            }
            return;
        }
        let Some(row) = self.row(id, news) else {
            self.count(&Settled {
                old: None,
                new: tally,
            });
            return;
        };
        if !over {
            tell_gap(row, &tally);
            if let Some(at) = tally.restarted_at() {
                row.losses_over(at);
            }
            tell_beat(row, &tally);
        }
        tell_second(row, &tally);
        let change = settle(&mut row.tallies, tally, true);
        change.apply_to_row(row);
        self.count(&change);
    }

    /// A heartbeat of ours that got no answer: a transition, never summarised.
    pub(super) fn beat_failed(&mut self, id: &MemberId, cause: LinkFault, news: &News<'_>) {
        self.totals.failed = self.totals.failed.saturating_add(1);
        let at = news.at;
        if let Some(row) = self.row(id, news) {
            row.totals.failed = row.totals.failed.saturating_add(1);
            row.lost_beat = Some(Box::new(LostBeat { at, cause }));
            push_last(&mut row.cells, Cell::Failed { at, cause }, CELLS);
        }
    }

    /// Whether that membership is over; if so, the renewal was of the departed member's session, even where its row
    /// goes on under another id.
    fn tell_departed(&mut self, id: &MemberId, tally: &Tally) -> bool {
        if self.members.get(id).is_some_and(|row| row.named) {
            return false;
        }
        let Some(gone) = self.departed_mut(id) else {
            return false;
        };
        gone.sources.insert(tally.source);
        gone.never_beat &= tally.count == 0 && tally.commits == 0;
        gone.told |= gone.heeds
            && tally.is_told_to_rejoin()
            && gone
                .generation
                .is_none_or(|generation| tally.generation >= generation);
        if tally.has_error(FENCED_INSTANCE_ID) {
            gone.fenced_at = gone.fenced_at.max(Some(tally.from));
        }
        if let Some(at) = tally.restarted_at() {
            gone.renewed.tell_latest(at, tally.source);
        }
        true
    }

    /// The departed member whose beats came under `id`.
    fn departed_mut(&mut self, id: &MemberId) -> Option<&mut Departed> {
        if self.gone(id).is_some() {
            return self.gone_mut(id);
        }
        let alias = self.aliases.get(id)?.clone();
        self.gone_mut(&alias)
    }

    /// Counts beats of a member that is no longer in the group; whether there was such a member.
    fn count_departed(&mut self, id: &MemberId, tally: Tally, replaces: bool) -> bool {
        // Those of one that gave its id up stay with the row that went on without it, though that has departed too.
        let disowned = self.gone(id).is_some_and(|gone| gone.disowned.is_some());
        let heir = self.aliases.get(id).filter(|_| disowned);
        let heir = heir.filter(|heir| self.gone(heir).is_some()).cloned();
        let Some(gone) = self.departed_mut(heir.as_ref().unwrap_or(id)) else {
            return false;
        };
        gone.never_beat &= tally.count == 0 && tally.commits == 0;
        let change = settle(&mut gone.tallies, tally, replaces);
        gone.keep_refused();
        self.count(&change);
        true
    }

    fn count(&mut self, change: &Settled) {
        if let Some(old) = &change.old {
            self.totals.subtract(old);
            if let Some(place) = self.latency.iter().position(|entry| entry.node == old.node)
                && let Some(entry) = self.latency.get_mut(place)
            {
                old.take_from(&mut entry.latency);
                if entry.latency.is_empty() {
                    self.latency.remove(place);
                }
            }
        }
        self.totals.add(&change.new);
        if !change.new.buckets.is_empty() {
            change.new.add_to(self.latency_of(change.new.node));
        }
    }

    /// The node whose latency is measured now.
    fn node(&self) -> NodeId {
        let node = self.coordinator.as_ref().map_or(OTHER_NODE, |seat| seat.node);
        let known = self.latency.iter().any(|entry| entry.node == node);
        if known || self.latency.len() < NODES {
            node
        } else {
            OTHER_NODE
        }
    }

    fn latency_of(&mut self, node: NodeId) -> &mut Histogram {
        let place = self.latency.partition_point(|entry| entry.node < node);
        if self.latency.get(place).is_none_or(|entry| entry.node != node) {
            let latency = Histogram::default();
            self.latency.insert(place, NodeLatency { node, latency });
        }
        &mut self.latency[place].latency
    }
}

/// What a tally did to the seconds held: which one it took the place of.
struct Settled {
    old: Option<Tally>,
    new: Tally,
}

impl Settled {
    fn apply_to_row(&self, row: &mut Member) {
        if let Some(old) = &self.old {
            row.totals.subtract(old);
            old.take_from(&mut row.latency);
        }
        row.totals.add(&self.new);
        self.new.add_to(&mut row.latency);
    }
}

/// Adds a beat to its second, or puts a summary in its second's place.
fn settle(tallies: &mut Vec<Tally>, mut new: Tally, replaces: bool) -> Settled {
    if let Some(held) = tallies.iter_mut().find(|held| held.key() == new.key()) {
        if replaces {
            let old = std::mem::replace(held, new.clone());
            return Settled { old: Some(old), new };
        }
        // Where a second's beats straddle a move of the coordinator, they stay with the first: one place to take back from.
        new.node = held.node;
        held.merge(&new);
        return Settled { old: None, new };
    }
    let place = tallies.partition_point(|held| held.key() < new.key());
    tallies.insert(place, new.clone());
    if tallies.len() > TALLIES {
        tallies.remove(0);
    }
    Settled { old: None, new }
}

/// What beats say of the member, the same whether single or summarised.
fn tell_beat(row: &mut Member, tally: &Tally) {
    if let Some(at) = tally.restarted_at() {
        row.renewed.tell_latest(at, tally.source);
    }
    row.committed = row.committed.max(tally.committed_at);
    // A beat tells the generation it was sent with: better than nothing, worse than what any join tells.
    let known = row.generation.get().copied().unwrap_or(Generation::NONE);
    if tally.generation > known {
        row.generation.tell(Some(tally.generation), Source::Survey);
    }
    if tally.is_told_to_rejoin() {
        row.rejoin_told = row.rejoin_told.max(Some(tally.generation));
    }
}

/// Takes the gap before a second's beats: the same on a board that sees single beats, because both see summaries.
fn tell_gap(row: &mut Member, tally: &Tally) {
    let Some(renewed_at) = tally.renewed_at else {
        return;
    };
    if row.heartbeat_interval.get().is_some() || row.renewed.source().is_some_and(|best| best < tally.source)
    {
        return;
    }
    let before = row.gap_from.replace(renewed_at);
    let Some(before) = before.filter(|before| *before < renewed_at) else {
        return;
    };
    let beats = tally.renewing().max(1);
    let gap = Millis(renewed_at.since(before).0 / u64::from(beats));
    for _ in 0..(beats as usize).min(BEAT_GAPS) {
        push_last(&mut row.gaps, gap, BEAT_GAPS);
    }
}

/// Gives the second a cell where its single beats have none.
fn tell_second(row: &mut Member, tally: &Tally) {
    if tally.count == 0 || tally.source == Source::Embedded && row.is_ours() {
        return;
    }
    let single = row.cells.iter().any(|cell| match cell {
        Cell::Beat(beat) => {
            beat.source == tally.source
                && beat.generation == tally.generation
                && beat.seen.0 - beat.seen.0 % 1000 == tally.from.0
        }
        Cell::Second(second) => {
            second.source == tally.source
                && second.generation == tally.generation
                && second.from == tally.from
        }
        Cell::Failed { .. } => false,
    });
    if !single {
        push_last(&mut row.cells, Cell::Second(tally.cell()), CELLS);
    }
}

/// The event as a cell and, where it is an answer, as the last answer.
fn single(news: &News<'_>) -> Option<(BeatCell, Option<Answer>)> {
    let (generation, latency_us, error, behind) = match news.change {
        Change::HeartbeatAnswered {
            generation,
            latency_us,
            error,
            behind,
            ..
        } => (*generation, Some(*latency_us), *error, behind.as_ref()),
        Change::HeartbeatReceived { generation, error } => (*generation, None, *error, None),
        _ => return None,
    };
    let cell = BeatCell {
        at: news.at,
        seen: news.seen,
        source: news.source,
        generation,
        latency_us: latency_us.map(|us| u32::try_from(us).unwrap_or(u32::MAX)),
        error,
        behind: behind.is_some(),
        renews: news.change.renews()?,
    };
    let answer = latency_us.map(|latency_us| Answer {
        at: news.at,
        latency_us,
        error,
        behind: behind.map(super::clipped),
    });
    Some((cell, answer))
}
