//! Latency over time: its percentiles by the minute, for an hour.
//!
//! Folded from the summaries alone, which everybody is sent: each second comes once, and nothing is to be taken back.

use serde::Serialize;

use super::bounded::push_last;
use super::limits;
use crate::histogram::Histogram;
use crate::time::UnixMs;
use crate::tree::FromNode;

/// What a minute is, in milliseconds.
const MINUTE: u64 = 60_000;

/// The minutes of one coordinator in one group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, FromNode)]
pub struct Pulse {
    /// Those that are over and had beats, oldest first, at most [`limits::MINUTES`]: which (minutes since 1970), and the 50th and the
    /// 99th percentile in microseconds.
    pub over: Vec<(u64, (u64, u64))>,
    /// The newest: which.
    minute: u64,
    /// Its beats so far, in microseconds.
    newest: Histogram,
}

impl Pulse {
    /// Takes the beats of a second, by bucket. Of a minute that is over they come too late.
    pub(super) fn take(&mut self, UnixMs(second): UnixMs, buckets: &[(u16, u32)]) {
        let minute = second / MINUTE;
        if minute > self.minute {
            self.over_by(minute);
        }
        if minute == self.minute {
            for (bucket, count) in buckets {
                self.newest.add(*bucket, u64::from(*count));
            }
        }
    }

    fn over_by(&mut self, minute: u64) {
        let over = std::mem::take(&mut self.newest);
        if let Some((half, most)) = over.percentile(50.0).zip(over.percentile(99.0)) {
            push_last(&mut self.over, (self.minute, (half, most)), limits::MINUTES);
        }
        self.minute = minute;
    }

    pub(super) const fn is_blank(&self) -> bool {
        self.minute == 0
    }

    /// The minutes within the hour before `now`, the newest last as far as it has gone: when each began, and the 50th and the 99th
    /// percentile in microseconds.
    #[must_use]
    pub fn hour(&self, now: UnixMs) -> Vec<(UnixMs, u64, u64)> {
        let newest = self.newest.percentile(50.0).zip(self.newest.percentile(99.0));
        let newest = newest.map(|figures| (self.minute, figures));
        let all = self.over.iter().copied().chain(newest);
        let lately = |(minute, _): &(u64, (u64, u64))| now.0 / MINUTE < minute + limits::MINUTES as u64;
        all.filter(lately)
            .map(|(minute, (half, most))| (UnixMs(minute * MINUTE), half, most))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::bucket_of;

    const NOON: u64 = 1_764_417_600_000;

    fn beats(pulse: &mut Pulse, second: u64, each: &[u64]) {
        let buckets: Vec<(u16, u32)> = each.iter().map(|us| (bucket_of(*us), 1)).collect();
        pulse.take(UnixMs(NOON + second * 1_000), &buckets);
    }

    #[test]
    fn each_minute_has_its_own_percentiles() {
        let mut pulse = Pulse::default();
        for second in 0..180 {
            let each = [10, 10, 20][second as usize / 60];
            beats(&mut pulse, second, &[each, each]);
        }
        let minutes = pulse.hour(UnixMs(NOON + 179_000));
        let at = |minute: u64| UnixMs(NOON + minute * 60_000);
        assert_eq!(minutes, [(at(0), 10, 10), (at(1), 10, 10), (at(2), 20, 20)]);
    }

    #[test]
    fn what_comes_of_a_minute_that_is_over_changes_nothing() {
        let mut pulse = Pulse::default();
        beats(&mut pulse, 0, &[10]);
        beats(&mut pulse, 60, &[10]);
        let before = pulse.clone();
        beats(&mut pulse, 59, &[31]);
        assert_eq!(pulse, before);
    }

    #[test]
    fn minutes_without_beats_have_no_figures_and_an_hour_is_kept() {
        let mut pulse = Pulse::default();
        for minute in (0..200).filter(|minute| minute % 10 != 0) {
            beats(&mut pulse, minute * 60, &[10]);
        }
        let minutes = pulse.hour(UnixMs(NOON + 199 * 60_000));
        assert_eq!(minutes.len(), 54);
        assert_eq!(minutes[0].0, UnixMs(NOON + 141 * 60_000));
        assert!(pulse.over.len() <= limits::MINUTES);
        assert!(pulse.hour(UnixMs(NOON + 400 * 60_000)).is_empty(), "long ago");
    }
}
