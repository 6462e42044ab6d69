//! Chance, as a sequence from a seed has it.

use shared::split_mix;

/// Numbers without a pattern, the same for the same seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn of(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        split_mix::next(&mut self.0)
    }

    /// Less than `bound`; 0 where that is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// True once in so many times.
    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}
