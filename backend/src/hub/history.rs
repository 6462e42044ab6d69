//! What the hub remembers: the newest events, bounded in bytes, single heartbeats the shortest.
//!
//! A reader is told from where on nothing is missing; it never takes a hole for silence.

use std::collections::VecDeque;
use std::sync::Arc;

use super::numbered::{Numbered, Tier};
use crate::limits;

/// The newest events in order of their numbers.
#[derive(Debug)]
pub(super) struct History {
    beats: Ring,
    summaries: Ring,
    transitions: Ring,
}

/// Events of one tier, oldest first, bounded in bytes.
#[derive(Debug)]
struct Ring {
    events: VecDeque<Arc<Numbered>>,
    weight: usize,
    bound: usize,
    /// The number of the newest event that was forgotten; 0 where none was.
    forgotten: u64,
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
    pub(super) fn after(&self, after: u64, limit: usize) -> Vec<Arc<Numbered>> {
        let rings = [&self.beats, &self.summaries, &self.transitions];
        let mut next = rings.map(|ring| ring.position_after(after));
        let mut found = Vec::new();
        while found.len() < limit {
            let heads = rings.iter().zip(&next).enumerate();
            let oldest = heads
                .filter_map(|(ring, (events, &at))| Some((ring, events.events.get(at)?)))
                .min_by_key(|(_, event)| event.event.seq);
            let Some((ring, event)) = oldest else { break };
            found.push(Arc::clone(event));
            if let Some(at) = next.get_mut(ring) {
                *at += 1;
            }
        }
        found
    }
}

impl Ring {
    const fn new(bound: usize) -> Self {
        Self {
            events: VecDeque::new(),
            weight: 0,
            bound,
            forgotten: 0,
        }
    }

    fn push(&mut self, event: Arc<Numbered>) {
        self.weight += event.weight();
        self.events.push_back(event);
        while self.weight > self.bound {
            let Some(oldest) = self.events.pop_front() else {
                break;
            };
            self.weight -= oldest.weight();
            self.forgotten = oldest.event.seq;
        }
    }

    fn position_after(&self, seq: u64) -> usize {
        self.events.partition_point(|event| event.event.seq <= seq)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::event::{BeatSummary, Change, Source};
    use shared::ids::Generation;
    use shared::time::UnixMs;

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
        assert_eq!(seqs(&history.after(0, 10)), [1, 3]);
        assert_eq!(history.whole_above(), 0);
        assert_eq!(history.every_beat_above(), 2);
    }

    #[test]
    fn one_event_above_the_bound_is_forgotten_at_once() {
        let mut history = History::bounded(0, 0, 0);
        history.push(numbered(1, 2));
        assert!(history.after(0, 10).is_empty());
        assert_eq!(history.whole_above(), 1);
    }

    proptest! {
        #[test]
        fn pages_asked_one_after_another_hold_each_kept_event_once_in_order(
            tiers in proptest::collection::vec(0..3_u8, 0..200),
            bound in 0..20_000_usize,
            start in 0..200_u64,
            limit in 1..50_usize,
        ) {
            let mut history = History::bounded(bound, bound, bound);
            for (seq, tier) in (1..).zip(&tiers) {
                history.push(numbered(seq, *tier));
            }
            let mut paged = Vec::new();
            let mut after = start;
            loop {
                let page = seqs(&history.after(after, limit));
                let Some(&last) = page.last() else { break };
                paged.extend(page);
                after = last;
            }
            prop_assert_eq!(&paged, &seqs(&history.after(start, usize::MAX)));
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
