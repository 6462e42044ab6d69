//! Of a sequence that shows a difference, the shortest found that still shows one.

use super::run::{Difference, Outcome};
use super::step::{Action, Sequence};

/// Leaves out steps, one after another, for as long as `differs` still finds a difference. Groups get their names by
/// number, so that no run meets another's members.
pub(super) async fn shrink(
    sequence: &Sequence,
    found: Difference,
    mut play: impl AsyncFnMut(&Sequence) -> Outcome,
) -> (Sequence, Difference) {
    let mut shortest = sequence.clone();
    let mut difference = found;
    shortest.steps.truncate(difference.step + 1);
    let mut at = shortest.steps.len();
    while at > 0 {
        at -= 1;
        // Without its silence a sequence would tell of other things.
        if shortest
            .steps
            .get(at)
            .is_some_and(|step| matches!(step.action, Action::Pass { .. }))
        {
            continue;
        }
        let mut candidate = shortest.clone();
        candidate.steps.remove(at);
        if let Outcome::Differs(again) = play(&candidate).await {
            candidate.steps.truncate(again.step + 1);
            at = at.min(candidate.steps.len());
            (shortest, difference) = (candidate, again);
        }
    }
    (shortest, difference)
}
