//! Where a latency stands on the chart: a logarithmic scale between round bounds.

/// Round figures of each decade.
const ROUND: [u64; 3] = [1, 2, 5];

/// 1, 2, 5, 10, 20, 50 … microseconds, up to half an hour.
const STEPS: [u64; 30] = {
    let mut steps = [0; 30];
    let mut place = 0;
    while place < steps.len() {
        steps[place] = ROUND[place % ROUND.len()] * 10_u64.pow((place / ROUND.len()) as u32);
        place += 1;
    }
    steps
};

/// A scale from `low` to `high`, both in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    low: u64,
    high: u64,
}

impl Scale {
    /// The narrowest scale between round figures that leaves room around all values.
    pub(super) fn around(values: &[u64]) -> Self {
        let (Some(low), Some(high)) = (values.iter().min(), values.iter().max()) else {
            return Self { low: 50, high: 1_000 };
        };
        let below = low.saturating_mul(4) / 5;
        let above = high.saturating_mul(5) / 4;
        let low = STEPS.iter().rfind(|step| **step <= below).unwrap_or(&1);
        let high = STEPS.iter().find(|step| **step > above && *step > low);
        Self {
            low: *low,
            high: *high.unwrap_or(&u64::MAX),
        }
    }

    /// Its share of the height, from 0 at the low bound to 1 at the high one.
    pub(super) fn share(&self, value: u64) -> f64 {
        let [low, high, value] = [self.low, self.high, value.max(1)].map(|figure| (figure as f64).ln());
        ((value - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// The figures to name at its side: every round one, or every decade where that would be too many.
    pub(super) fn ticks(&self) -> Vec<u64> {
        let mut ticks = STEPS.to_vec();
        ticks.retain(|step| *step >= self.low && *step <= self.high);
        if ticks.len() > 5 {
            ticks.retain(|step| 10_u64.pow(step.ilog10()) == *step);
        }
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_round_and_leave_room() {
        assert_eq!(Scale::around(&[97, 240]), Scale { low: 50, high: 500 });
        assert_eq!(
            Scale::around(&[97, 2_000_000]),
            Scale {
                low: 50,
                high: 5_000_000
            }
        );
        assert_eq!(Scale::around(&[0]), Scale { low: 1, high: 2 });
    }

    #[test]
    fn a_chart_without_values_still_has_a_scale() {
        assert_eq!(Scale::around(&[]).ticks(), [50, 100, 200, 500, 1_000]);
    }

    #[test]
    fn shares_rise_with_the_value_and_stay_within() {
        let scale = Scale::around(&[97, 2_000_000]);
        let shares: Vec<f64> = [0, 97, 1_000, 2_000_000, u64::MAX]
            .map(|value| scale.share(value))
            .to_vec();
        assert!(shares.is_sorted(), "{shares:?}");
        assert!(
            shares.iter().all(|share| (0.0..=1.0).contains(share)),
            "{shares:?}"
        );
    }

    #[test]
    fn a_wide_scale_names_decades_only() {
        assert_eq!(
            Scale::around(&[97, 2_000_000]).ticks(),
            [100, 1_000, 10_000, 100_000, 1_000_000]
        );
    }
}
