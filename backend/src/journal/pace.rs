//! When to write: what happened waits for a second at most, however much comes after it.

use shared::time::Timestamp;

use crate::limits;

/// When what waits is to be written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    due: Option<Timestamp>,
}

impl Pace {
    /// Something came.
    pub(super) fn came(&mut self, now: Timestamp) {
        self.due.get_or_insert(now + limits::JOURNAL_PACE);
    }

    /// When to write; none while nothing waits.
    pub(super) const fn due(&self) -> Option<Timestamp> {
        self.due
    }

    /// All that waited was written at `now`, or it could not be: then that is tried again.
    pub(super) fn wrote(&mut self, now: Timestamp, is_written: bool) {
        self.due = (!is_written).then(|| now + limits::JOURNAL_PACE);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::time::Millis;

    use super::*;

    proptest! {
        /// What a `kill -9` costs at most: whatever is not written then came within the last second, and the time that writing took.
        #[test]
        fn whatever_came_is_written_a_second_later_however_much_comes_meanwhile(
            waits in proptest::collection::vec(0..1_500_u64, 1..200),
            writing in 0..700_u64,
        ) {
            let mut pace = Pace::default();
            let mut waiting: Vec<Timestamp> = Vec::new();
            let mut now = Timestamp::from_millis(1_000);
            for wait in waits {
                let comes = now + Millis(wait);
                while let Some(due) = pace.due().filter(|due| *due <= comes) {
                    let begun = due.max(now);
                    now = begun + Millis(writing);
                    for came in waiting.drain(..) {
                        let most = limits::JOURNAL_PACE.0 + writing;
                        prop_assert!(begun <= came + Millis(most), "{came:?}, written at {begun:?}");
                    }
                    pace.wrote(now, true);
                }
                now = now.max(comes);
                waiting.push(comes);
                pace.came(now);
                prop_assert!(pace.due().is_some());
            }
        }
    }

    #[test]
    fn what_could_not_be_written_is_tried_again_a_second_later() {
        let (mut pace, now) = (Pace::default(), Timestamp::from_millis(5_000));
        assert_eq!(pace.due(), None, "nothing waits");
        pace.came(now);
        pace.wrote(now, false);
        assert_eq!(pace.due(), Some(now + limits::JOURNAL_PACE));
        pace.wrote(now, true);
        assert_eq!(pace.due(), None);
    }
}
