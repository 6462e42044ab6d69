//! Waiting longer after each failure: delays as an iterator, jitter passed in.
//!
//! Members, the server's connections and the page's reconnect all use this one.

use crate::split_mix;
use crate::time::Millis;

/// Where jitter comes from. Not for secrets: it only keeps clients from retrying in step.
#[derive(Clone, Debug)]
pub enum Jitter {
    /// The same number each time, in `[0, 1)`: for tests.
    Fixed(f64),
    /// Uniform in `[0, 1)`, from a seed that the caller draws.
    Seeded(u64),
}

impl Jitter {
    /// The next number in `[0, 1)`.
    fn draw(&mut self) -> f64 {
        match self {
            Self::Fixed(number) => *number,
            Self::Seeded(state) => {
                // The upper 53 bits are exactly what an f64 holds.
                (split_mix::next(state) >> 11) as f64 / (1_u64 << 53) as f64
            }
        }
    }
}

/// The delays before the first, second, third ... retry. It never ends; [`Backoff::reset`] after a success.
///
/// Kafka's `ExponentialBackoff` (KIP-580): `initial * 2^attempts`, times a factor drawn from `[1 - jitter, 1 + jitter)`,
/// never above `max`. Where `max` is no larger than `initial` every delay is `max`, without jitter.
///
/// ```
/// use shared::backoff::{Backoff, Jitter};
/// use shared::time::Millis;
///
/// let backoff = Backoff::exponential(Millis(100), Millis(1000), Jitter::Fixed(0.5));
/// assert!(backoff.take(5).eq([100, 200, 400, 800, 1000].map(Millis)));
/// ```
#[derive(Clone, Debug)]
pub struct Backoff {
    initial: Millis,
    max: Millis,
    attempts: u32,
    jitter: Jitter,
}

impl Backoff {
    /// The share by which a delay may be shorter or longer (KIP-580).
    pub const JITTER: f64 = 0.2;

    /// Delays that double from `initial` up to `max`.
    #[must_use]
    pub fn exponential(initial: Millis, max: Millis, jitter: Jitter) -> Self {
        Self {
            initial: initial.min(max),
            max,
            attempts: 0,
            jitter,
        }
    }

    /// The same delay each time, as Kafka had it before 3.7.
    #[must_use]
    pub fn constant(delay: Millis) -> Self {
        Self::exponential(delay, delay, Jitter::Fixed(0.5))
    }

    /// Starts over: the next delay is the first one again.
    pub fn reset(&mut self) {
        self.attempts = 0;
    }

    /// How many delays were given out since the start or the last reset.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl Backoff {
    /// The next delay: [`Iterator::next`] without its `Option`.
    pub fn delay(&mut self) -> Millis {
        let attempts = self.attempts;
        self.attempts = attempts.saturating_add(1);
        if self.max <= self.initial {
            return self.max;
        }
        // Capped before it is a power: 2^1100 is infinite, and 0 * infinity is no delay at all.
        let ceiling = (self.max.0 as f64 / self.initial.0.max(1) as f64).log2();
        let doubled = self.initial.0 as f64 * f64::from(attempts).min(ceiling).exp2();
        let factor = 1.0 + Self::JITTER * (2.0 * self.jitter.draw() - 1.0);
        Millis((doubled * factor).round() as u64).min(self.max)
    }
}

impl Iterator for Backoff {
    type Item = Millis;

    fn next(&mut self) -> Option<Millis> {
        Some(self.delay())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(jitter: f64) -> Vec<u64> {
        Backoff::exponential(Millis(100), Millis(1000), Jitter::Fixed(jitter))
            .take(5)
            .map(|delay| delay.0)
            .collect()
    }

    #[test]
    fn without_jitter_delays_double_up_to_the_maximum() {
        assert_eq!(delays(0.5), [100, 200, 400, 800, 1000]);
    }

    #[test]
    fn jitter_moves_a_delay_by_at_most_a_fifth_and_never_above_the_maximum() {
        assert_eq!(delays(0.0), [80, 160, 320, 640, 800]);
        assert_eq!(delays(0.999_999), [120, 240, 480, 960, 1000]);
        for seed in 0..1000 {
            let backoff = Backoff::exponential(Millis(100), Millis(1000), Jitter::Seeded(seed));
            for (delay, plain) in backoff.zip([100, 200, 400, 800, 1000]) {
                assert!(
                    (plain * 8 / 10..=plain * 12 / 10).contains(&delay.0),
                    "{delay:?} for {plain}"
                );
                assert!(delay.0 <= 1000);
            }
        }
    }

    #[test]
    fn seeds_draw_different_delays() {
        let first =
            |seed| Backoff::exponential(Millis(100_000), Millis(u64::MAX), Jitter::Seeded(seed)).next();
        assert_ne!(first(1), first(2));
        assert_eq!(first(1), first(1));
    }

    #[test]
    fn a_maximum_below_the_initial_delay_makes_it_constant() {
        let backoff = Backoff::exponential(Millis(100), Millis(50), Jitter::Fixed(0.0));
        assert!(backoff.take(3).eq([50, 50, 50].map(Millis)));
        assert!(
            Backoff::constant(Millis(100))
                .take(3)
                .eq([100, 100, 100].map(Millis))
        );
    }

    #[test]
    fn thousands_of_failures_overflow_nothing() {
        let mut backoff = Backoff::exponential(Millis(100), Millis(1000), Jitter::Fixed(0.5));
        assert_eq!(backoff.nth(5000), Some(Millis(1000)));
        let mut zero = Backoff::exponential(Millis(0), Millis(1000), Jitter::Fixed(0.5));
        assert_eq!(zero.nth(5000), Some(Millis(0)));
    }

    #[test]
    fn a_reset_starts_over() {
        let mut backoff = Backoff::exponential(Millis(100), Millis(1000), Jitter::Fixed(0.5));
        assert_eq!(backoff.nth(3), Some(Millis(800)));
        assert_eq!(backoff.attempts(), 4);
        backoff.reset();
        assert_eq!(backoff.next(), Some(Millis(100)));
    }
}
