//! The stretch of time that is looked at: how it is moved and zoomed, and where moments stand in it.

use shared::time::UnixMs;

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its left edge.
    pub from: UnixMs,
    /// Its right edge, later than the left one.
    pub until: UnixMs,
}

/// As far as is zoomed in, in milliseconds: a heartbeat and its neighbours are apart.
const SHORTEST: u64 = 2_000;
/// As far as is zoomed out.
const LONGEST: u64 = 24 * 3_600_000;

/// What the figures at the axis may be apart, in milliseconds.
const STEPS: [u64; 16] = [
    500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000,
    1_800_000, 3_600_000, 7_200_000, 14_400_000,
];

impl Span {
    /// The last `length` milliseconds before `until`.
    #[must_use]
    pub fn last(length: u64, until: UnixMs) -> Self {
        let from = UnixMs(until.0.saturating_sub(length.clamp(SHORTEST, LONGEST)));
        Self { from, until }
    }

    /// Milliseconds from edge to edge.
    #[must_use]
    pub const fn length(self) -> u64 {
        self.until.since(self.from).0
    }

    /// `percent` as long, with the moment that stands at `share` of it where it was.
    #[must_use]
    pub fn zoomed(self, percent: u64, share: f64) -> Self {
        let length = (self.length().saturating_mul(percent) / 100).clamp(SHORTEST, LONGEST);
        let fixed = self.at(share);
        let before = portion(length, share);
        let from = UnixMs(fixed.0.saturating_sub(before));
        Self {
            from,
            until: UnixMs(from.0.saturating_add(length)),
        }
    }

    /// Moved by a share of its length, to the later where it is positive.
    #[must_use]
    pub fn moved(self, share: f64) -> Self {
        let by = portion(self.length(), share.abs());
        let to = |UnixMs(at)| {
            UnixMs(if share < 0.0 {
                at.saturating_sub(by)
            } else {
                at.saturating_add(by)
            })
        };
        Self {
            from: to(self.from),
            until: to(self.until),
        }
    }

    /// The moment at a share of it, within its edges.
    #[must_use]
    pub fn at(self, share: f64) -> UnixMs {
        UnixMs(self.from.0.saturating_add(portion(self.length(), share)))
    }

    /// Where a moment stands: 0 at the left edge, 1 at the right one, beyond them outside.
    #[must_use]
    pub fn share(self, at: UnixMs) -> f64 {
        let ms = |UnixMs(ms)| ms as f64;
        (ms(at) - ms(self.from)) / self.length().max(1) as f64
    }

    /// Whether something that lasted from one moment to another is partly within.
    #[must_use]
    pub fn shows(self, from: UnixMs, until: UnixMs) -> bool {
        from <= self.until && until >= self.from
    }

    /// Round moments within, at most `most` of them, the same while time passes; `ahead` is how far local time is ahead of UTC.
    #[must_use]
    pub fn ticks(self, most: u64, ahead_minutes: i32) -> Vec<UnixMs> {
        let enough = |step: &u64| self.length() / step < most.max(1);
        let step = STEPS.into_iter().find(enough).unwrap_or(LONGEST);
        // Round by the viewer's clock: the zone's offset may be no multiple of the step.
        let ahead = i64::from(ahead_minutes) * 60_000;
        let local = self.from.0.cast_signed().saturating_add(ahead);
        let step_signed = step.cast_signed();
        let first = local.saturating_add(step_signed - 1).div_euclid(step_signed) * step_signed - ahead;
        let first = u64::try_from(first).unwrap_or(self.until.0);
        (first..=self.until.0)
            .step_by(usize::try_from(step).unwrap_or(usize::MAX))
            .map(UnixMs)
            .collect()
    }
}

/// So much of a length; a share outside 0 to 1 counts as the nearer of them.
fn portion(length: u64, share: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and at most a day's milliseconds"
    )]
    let part = (length as f64 * share.clamp(0.0, 1.0)) as u64;
    part
}
