//! Where in time the viewer looks: at the last minutes, which move on, or at a stretch that was chosen and stands still.

use shared::time::UnixMs;

use super::span::Span;

/// The lengths to choose from, in milliseconds, and their names.
pub(super) const LENGTHS: [(u64, &str); 4] = [
    (60_000, "1 min"),
    (300_000, "5 min"),
    (1_800_000, "30 min"),
    (10_800_000, "3 h"),
];

/// A gaze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gaze {
    /// How long a stretch is looked at.
    pub(super) length: u64,
    /// Its end, where it stands still.
    until: Option<UnixMs>,
}

impl Default for Gaze {
    fn default() -> Self {
        Self {
            length: LENGTHS[1].0,
            until: None,
        }
    }
}

impl Gaze {
    /// What is looked at, at a moment.
    pub(super) fn span(self, now: UnixMs) -> Span {
        Span::last(self.length, self.until.unwrap_or(now))
    }

    /// Whether it moves on with time.
    pub(super) const fn follows(self) -> bool {
        self.until.is_none()
    }

    /// The last so many milliseconds, moving on.
    pub(super) const fn follow(&mut self, length: u64) {
        self.length = length;
        self.until = None;
    }

    /// Looks at a stretch. One that reaches the present moves on with it; there is nothing to see beyond.
    pub(super) fn look(&mut self, span: Span, now: UnixMs) {
        self.length = span.length();
        self.until = (span.until < now).then_some(span.until);
    }

    /// The present stands still: what is pointed at must not move away.
    pub(super) fn hold(&mut self, now: UnixMs) {
        self.until = Some(self.span(now).until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMs = UnixMs(1_000_000_000);
    const LATER: UnixMs = UnixMs(NOW.0 + 10_000);

    #[test]
    fn what_is_followed_ends_now() {
        let gaze = Gaze::default();
        assert_eq!(gaze.span(NOW).until, NOW);
        assert_eq!(gaze.span(LATER).until, LATER);
    }

    #[test]
    fn the_past_stands_still_and_reaching_the_present_follows_it_again() {
        let mut gaze = Gaze::default();
        gaze.look(gaze.span(NOW).moved(-0.5), NOW);
        let past = gaze.span(NOW);
        assert!(past.until < NOW && !gaze.follows());
        assert_eq!(gaze.span(LATER), past);
        gaze.look(past.moved(1.0), LATER);
        assert!(gaze.follows());
        assert_eq!(gaze.span(LATER).until, LATER);
    }

    #[test]
    fn what_is_held_stays_where_it_was() {
        let mut gaze = Gaze::default();
        let seen = gaze.span(NOW);
        gaze.hold(NOW);
        assert_eq!(gaze.span(LATER), seen);
        gaze.follow(60_000);
        assert_eq!(gaze.span(LATER), Span::last(60_000, LATER));
    }
}
