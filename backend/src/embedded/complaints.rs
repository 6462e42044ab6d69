//! How often bad connections are complained of in the log: whoever makes them must not be able to fill a disk.

use std::sync::{Mutex, PoisonError};

use shared::time::Timestamp;

use crate::limits;

/// At most one complaint in [`limits::COMPLAINT_EVERY`]; the next one says how many were left out since.
#[derive(Debug, Default)]
pub(super) struct Complaints(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    not_before: Option<Timestamp>,
    left_out: u64,
}

impl Complaints {
    /// Whether one may be written now: then how many were left out since the last.
    pub(super) fn allow(&self, now: Timestamp) -> Option<u64> {
        // Both fields are whole at any moment, so a poisoned lock holds a good state.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.not_before.is_some_and(|not_before| now < not_before) {
            state.left_out = state.left_out.saturating_add(1);
            return None;
        }
        state.not_before = Some(now + limits::COMPLAINT_EVERY);
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use shared::time::Millis;

    use super::*;

    #[test]
    fn the_first_is_told_at_once_and_then_one_each_10_s_with_how_many_were_left_out() {
        let complaints = Complaints::default();
        let start = Timestamp::from_millis(1_000);
        let told: Vec<(u64, u64)> = (0..=25_000)
            .step_by(100)
            .filter_map(|at| {
                complaints
                    .allow(start + Millis(at))
                    .map(|left_out| (at, left_out))
            })
            .collect();
        assert_eq!(told, [(0, 0), (10_000, 99), (20_000, 99)]);
    }
}
