//! What the hub remembers: the newest events as they are, older ones packed, bounded in bytes, single heartbeats the shortest.
//!
//! A reader is told from where on nothing is missing; it never takes a hole for silence.

use std::collections::VecDeque;
use std::sync::Arc;

use shared::time::UnixMs;

use super::numbered::{Numbered, Tier};
use super::pack::Pack;
use crate::limits;

/// The newest events in order of their numbers.
#[derive(Debug)]
pub(super) struct History {
    beats: Ring,
    summaries: Ring,
    transitions: Ring,
}

/// Events of one tier, oldest first.
#[derive(Debug)]
struct Ring {
    packs: VecDeque<Arc<Pack>>,
    /// Of the packs, in bytes.
    weight: usize,
    bound: usize,
    /// The newest, at most [`limits::HISTORY_LIVE`].
    live: VecDeque<Arc<Numbered>>,
    /// The number of the newest event that was forgotten; 0 where none was.
    forgotten: u64,
}

/// A stretch of the history, still packed: whoever asked for it unpacks it.
#[derive(Debug)]
pub(super) struct Stretch {
    packs: Vec<Arc<Pack>>,
    live: Vec<Arc<Numbered>>,
    after: u64,
    limit: usize,
}

impl Stretch {
    /// Its events, in order; with packs among them this takes milliseconds.
    pub(super) fn events(self) -> Vec<Arc<Numbered>> {
        let mut events = self.live;
        for pack in self.packs {
            let later = pack
                .events()
                .into_iter()
                .filter(|event| event.event.seq > self.after);
            events.extend(later);
        }
        events.sort_by_key(|event| event.event.seq);
        events.truncate(self.limit);
        events
    }

    /// Whether some of them are to be unpacked first.
    pub(super) fn is_packed(&self) -> bool {
        !self.packs.is_empty()
    }
}

impl History {
    /// An empty history with the bounds of [`limits`].
    pub(super) fn new() -> Self {
        Self::bounded(
            limits::HISTORY_BEATS,
            limits::HISTORY_SUMMARIES,
            limits::HISTORY_TRANSITIONS,
        )
    }

    /// A history that goes on after what earlier runs left: packs by tier, and the number above which they are whole.
    pub(super) fn after_earlier(packs: [(Vec<Pack>, u64); Tier::ALL.len()]) -> Self {
        let mut history = Self::new();
        let rings = [
            &mut history.beats,
            &mut history.summaries,
            &mut history.transitions,
        ];
        for (ring, (packs, whole_above)) in rings.into_iter().zip(packs) {
            ring.forgotten = whole_above;
            ring.weight = packs.iter().map(Pack::weight).sum();
            ring.packs = packs.into_iter().map(Arc::new).collect();
        }
        history
    }

    /// An empty history that keeps so many bytes of each tier.
    fn bounded(beats: usize, summaries: usize, transitions: usize) -> Self {
        Self {
            beats: Ring::new(beats),
            summaries: Ring::new(summaries),
            transitions: Ring::new(transitions),
        }
    }

    /// Keeps an event; its number must be above all kept.
    pub(super) fn push(&mut self, event: Arc<Numbered>) {
        match event.tier() {
            Tier::Beats => self.beats.push(event),
            Tier::Summaries => self.summaries.push(event),
            Tier::Transitions => self.transitions.push(event),
        }
    }

    /// When there is something to pack.
    pub(super) fn deadline(&self) -> Option<UnixMs> {
        let rings = [&self.beats, &self.summaries, &self.transitions];
        rings.into_iter().filter_map(Ring::deadline).min()
    }

    /// Packs a few hundred events, the oldest that are not packed: less than a millisecond's work, for when nothing else is due.
    pub(super) fn settle(&mut self, now: UnixMs) {
        for ring in [&mut self.beats, &mut self.summaries, &mut self.transitions] {
            if ring.deadline().is_some_and(|due| due <= now) {
                ring.pack();
            }
        }
    }

    /// Above this number every transition and every summary is kept: what a viewer can resume from, and what a
    /// board can be folded from (a summary stands for its beats).
    pub(super) fn whole_above(&self) -> u64 {
        self.summaries.forgotten.max(self.transitions.forgotten)
    }

    /// Above this number every event is kept, single heartbeats too.
    pub(super) fn every_beat_above(&self) -> u64 {
        self.whole_above().max(self.beats.forgotten)
    }

    /// The oldest kept events with numbers above `after`, at most `limit`, in order.
    pub(super) fn after(&self, after: u64, limit: usize) -> Stretch {
        let mut stretch = Stretch {
            packs: Vec::new(),
            live: Vec::new(),
            after,
            limit,
        };
        for ring in [&self.beats, &self.summaries, &self.transitions] {
            ring.add_after(after, limit, &mut stretch);
        }
        stretch
    }
}

impl Ring {
    const fn new(bound: usize) -> Self {
        Self {
            packs: VecDeque::new(),
            weight: 0,
            bound,
            live: VecDeque::new(),
            forgotten: 0,
        }
    }

    fn push(&mut self, event: Arc<Numbered>) {
        self.live.push_back(event);
        while self.live.len() > limits::HISTORY_LIVE {
            self.pack();
        }
    }

    fn deadline(&self) -> Option<UnixMs> {
        let enough = self.live.len() >= limits::HISTORY_SETTLED + limits::HISTORY_PACK;
        let oldest = self.live.front().filter(|_| enough)?;
        Some(UnixMs(oldest.event.seen.0 + limits::HISTORY_SETTLES_MS))
    }

    /// Packs the oldest events that are not; the oldest packs are forgotten where they are too many then.
    fn pack(&mut self) {
        if self.live.is_empty() {
            return;
        }
        let count = self.live.len().min(limits::HISTORY_PACK);
        let oldest: Vec<Arc<Numbered>> = self.live.drain(..count).collect();
        let pack = Pack::of(&oldest);
        self.weight += pack.weight();
        self.packs.push_back(Arc::new(pack));
        while self.weight > self.bound
            && let Some(oldest) = self.packs.pop_front()
        {
            self.weight -= oldest.weight();
            self.forgotten = oldest.to();
        }
        if self.live.capacity() > 4 * limits::HISTORY_SETTLED && self.live.len() < limits::HISTORY_SETTLED * 2
        {
            self.live.shrink_to_fit();
        }
    }

    /// Adds what may be among the oldest `limit` events above `after`.
    fn add_after(&self, after: u64, limit: usize, stretch: &mut Stretch) {
        // Of the first pack one event may be above, or all of them.
        let mut room = limit;
        let first = self.packs.partition_point(|pack| pack.to() <= after);
        for (index, pack) in self.packs.iter().skip(first).enumerate() {
            if room == 0 {
                return;
            }
            stretch.packs.push(Arc::clone(pack));
            room = room.saturating_sub(if index == 0 { 1 } else { pack.count() });
        }
        let first = self.live.partition_point(|event| event.event.seq <= after);
        stretch
            .live
            .extend(self.live.iter().skip(first).take(room).cloned());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::event::{BeatSummary, Change, Source};
    use shared::ids::Generation;

    use super::*;
    use crate::hub::fixtures::{self, answered, left, observation};

    fn numbered(seq: u64, tier: u8) -> Arc<Numbered> {
        let what = match tier {
            0 => answered("g", "a", 100, 0),
            1 => observation(
                Source::Probe,
                "g",
                "a",
                Change::HeartbeatsSummarised(BeatSummary {
                    from: UnixMs(0),
                    to: UnixMs(1000),
                    generation: Generation(1),
                    count: 1,
                    behind: 0,
                    errors: Default::default(),
                    renewed_at: None,
                    commits: 0,
                    committed_at: None,
                    buckets: Default::default(),
                }),
            ),
            _ => left("g", "a"),
        };
        fixtures::numbered(seq, what)
    }

    fn seqs(events: &[Arc<Numbered>]) -> Vec<u64> {
        events.iter().map(|event| event.event.seq).collect()
    }

    #[test]
    fn single_heartbeats_are_forgotten_before_transitions() {
        let mut history = History::bounded(0, 1 << 20, 1 << 20);
        for seq in 1..=3 {
            history.push(numbered(seq, u8::from(seq != 2) * 2));
        }
        for ring in [&mut history.beats, &mut history.transitions] {
            ring.pack();
        }
        assert_eq!(seqs(&history.after(0, 10).events()), [1, 3]);
        assert_eq!(history.whole_above(), 0);
        assert_eq!(history.every_beat_above(), 2);
    }

    #[test]
    fn the_newest_are_kept_as_they_are_and_all_others_packed() {
        let mut history = History::bounded(1 << 20, 1 << 20, 1 << 20);
        let last = limits::HISTORY_LIVE as u64 + 1_000;
        for seq in 1..=last {
            history.push(numbered(seq, 2));
        }
        assert!(history.transitions.live.len() <= limits::HISTORY_LIVE);
        assert!(
            history
                .deadline()
                .is_some_and(|due| due.0 > limits::HISTORY_SETTLES_MS)
        );
        while let Some(due) = history.deadline() {
            history.settle(due);
        }
        let live = history.transitions.live.len();
        assert!((limits::HISTORY_SETTLED..limits::HISTORY_SETTLED + limits::HISTORY_PACK).contains(&live));
        assert_eq!(
            seqs(&history.after(0, usize::MAX).events()),
            (1..=last).collect::<Vec<u64>>()
        );
        assert!(!history.after(last - 100, 10).is_packed());
    }

    proptest! {
        #[test]
        fn pages_asked_one_after_another_hold_each_kept_event_once_in_order(
            tiers in proptest::collection::vec(0..3_u8, 0..200),
            bound in 0..2_000_usize,
            start in 0..200_u64,
            limit in 1..50_usize,
            packs in proptest::collection::vec((0..200_usize, 0..3_usize), 0..20),
        ) {
            let mut history = History::bounded(bound, bound, bound);
            for (seq, tier) in (1..).zip(&tiers) {
                history.push(numbered(seq, *tier));
                for (_, ring) in packs.iter().filter(|(at, _)| *at as u64 == seq) {
                    [&mut history.beats, &mut history.summaries, &mut history.transitions][*ring].pack();
                }
            }
            let mut paged = Vec::new();
            let mut after = start;
            loop {
                let page = seqs(&history.after(after, limit).events());
                let Some(&last) = page.last() else { break };
                paged.extend(page);
                after = last;
            }
            prop_assert_eq!(&paged, &seqs(&history.after(start, usize::MAX).events()));
            prop_assert!(paged.windows(2).all(|pair| pair[0] < pair[1]));
            // From where nothing is said to be missing, nothing is.
            let from = history.every_beat_above().max(start);
            let whole: Vec<u64> = (from + 1..=tiers.len() as u64).collect();
            prop_assert!(paged.ends_with(&whole));
            for (ring, held) in [&history.beats, &history.summaries, &history.transitions].iter().zip(0..) {
                prop_assert!(ring.weight <= bound, "ring {held}");
            }
        }
    }
}
