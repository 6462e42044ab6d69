//! Times that a source tells, held against when they were seen: a clock that is set must make nobody late.
//!
//! The embedded coordinator's events come in the order in which they happened, so a time well before the last one, or well
//! after the moment it is seen, tells of a clock that was set. From then on its times are corrected by as much.

use shared::event::{Change, Evidence, Observation, Source};
use shared::time::UnixMs;

/// What a time may be off before its clock counts as set: events wait a little before they are seen.
const TOLERANCE_MS: u64 = 5_000;

/// The times of the embedded coordinator.
#[derive(Debug, Default)]
pub(super) struct ToldTimes {
    last: Option<UnixMs>,
    correction_ms: i64,
}

impl ToldTimes {
    /// Corrects the time of an observation. Gives what is to be told after it, where its clock has just been set.
    pub(super) fn correct(&mut self, seen: UnixMs, what: &mut Observation) -> Option<Observation> {
        if what.source != Source::Embedded {
            return None;
        }
        let by_its_clock = what.at;
        let told = UnixMs(by_its_clock.0.saturating_add_signed(self.correction_ms));
        let last = self.last.unwrap_or(told);
        let back = last.0.saturating_sub(told.0);
        let ahead = told.0.saturating_sub(seen.0);
        what.at = told.min(seen);
        self.last = Some(what.at.max(last));
        if back <= TOLERANCE_MS && ahead <= TOLERANCE_MS {
            return None;
        }
        self.correction_ms = signed(seen).saturating_sub(signed(by_its_clock));
        (what.at, self.last) = (seen, Some(seen));
        let way = if told < seen { "back" } else { "forward" };
        let by = told.0.abs_diff(seen.0);
        Some(Observation {
            at: seen,
            at_earliest: None,
            source: Source::Embedded,
            evidence: Evidence::Inferred,
            cluster: what.cluster.clone(),
            group: None,
            member: None,
            change: Change::Gap {
                what: "the coordinator's time of day".to_owned(),
                from: last,
                to: seen,
                why: format!(
                    "its clock was set {way} by about {by} ms; its events are told with the time they came at"
                ),
            },
        })
    }
}

fn signed(at: UnixMs) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use shared::event::GroupType;
    use shared::ids::ClusterId;

    use super::*;

    const NOON: u64 = 1_764_417_600_000;

    fn observation(source: Source, at: u64) -> Observation {
        let group_type = GroupType::Classic;
        Observation {
            at: UnixMs(at),
            at_earliest: None,
            source,
            evidence: Evidence::Observed,
            cluster: ClusterId::default(),
            group: None,
            member: None,
            change: Change::GroupFound {
                group_type,
                protocol_type: None,
            },
        }
    }

    /// The time an event is told with, and whether the clock counts as set with it.
    fn tell(times: &mut ToldTimes, seen: u64, at: u64) -> (u64, bool) {
        let mut what = observation(Source::Embedded, at);
        let gap = times.correct(UnixMs(seen), &mut what);
        (what.at.0, gap.is_some())
    }

    #[test]
    fn a_clock_that_is_set_is_told_of_once_and_moves_no_event() {
        for step in [-3_600_000_i64, 3_600_000, -86_400_000] {
            let mut times = ToldTimes::default();
            let off = |at: u64| at.saturating_add_signed(step);
            assert_eq!(tell(&mut times, NOON + 10, NOON), (NOON, false));
            assert_eq!(
                tell(&mut times, NOON + 1_000, off(NOON + 1_000)),
                (NOON + 1_000, true)
            );
            assert_eq!(
                tell(&mut times, NOON + 2_010, off(NOON + 2_000)),
                (NOON + 2_000, false)
            );
            // And set right again.
            assert_eq!(tell(&mut times, NOON + 3_000, NOON + 3_000), (NOON + 3_000, true));
            assert_eq!(
                tell(&mut times, NOON + 4_010, NOON + 4_000),
                (NOON + 4_000, false)
            );
        }
    }

    #[test]
    fn events_that_waited_to_be_seen_are_believed() {
        let mut times = ToldTimes::default();
        assert_eq!(tell(&mut times, NOON + 60_000, NOON), (NOON, false));
        assert_eq!(tell(&mut times, NOON + 60_001, NOON + 50), (NOON + 50, false));
        assert_eq!(tell(&mut times, NOON + 60_002, NOON + 40), (NOON + 40, false));
    }

    #[test]
    fn nothing_happens_after_it_was_seen() {
        let mut times = ToldTimes::default();
        assert_eq!(tell(&mut times, NOON, NOON + 700), (NOON, false));
    }

    #[test]
    fn history_of_other_sources_is_as_old_as_it_says() {
        let mut times = ToldTimes::default();
        for at in [NOON, NOON - 7_200_000] {
            let mut what = observation(Source::Survey, at);
            assert_eq!(times.correct(UnixMs(NOON), &mut what), None);
            assert_eq!(what.at.0, at);
        }
    }
}
