//! What the coordinator could not store of a group: it answers, and neither it nor the members are gone for that.

use super::thresholds::{AFTERMATH_MS, LOOKED_UP_MS};
use super::words::{ago, many, span};
use crate::board::{AppendFailure, Group};
use crate::error_code;
use crate::event::RebalanceCause;
use crate::time::UnixMs;

/// Whether members take the coordinator for dead because it answered 15 or 16 to what it could not store: it is there, and
/// answers their JoinGroups.
pub(super) fn explains_the_death(group: &Group) -> bool {
    let failed = group.coordination.append_failed.as_ref();
    let death = group.coordinator.as_ref().and_then(|seat| seat.dead.as_deref());
    failed.zip(death).is_some_and(|(failed, death)| {
        death.cause.is_answer() && death.since.since(failed.at).0 <= LOOKED_UP_MS
    })
}

/// What could not be stored lately, and what came of it.
pub(super) fn unstored(group: &Group, now: UnixMs) -> Option<String> {
    let failed = group.coordination.append_failed.as_ref();
    let failed = failed.filter(|failed| now.since(failed.at).0 <= AFTERMATH_MS)?;
    Some(format!(
        "{} of the group could not be stored, the last {} (__consumer_offsets-{}: {}){}: the coordinator answers, and the members are \
         innocent.",
        many(failed.times, "write", "writes"),
        ago(now.since(failed.at)),
        failed.partition,
        error_code::label(failed.error),
        given_up(group, failed)
    ))
}

/// How many generations had no assignment for it.
fn given_up(group: &Group, failed: &AppendFailure) -> String {
    let run = group.run.as_ref().filter(|run| run.since <= failed.at);
    let times = run.and_then(|run| run.causes.get(&RebalanceCause::StorageFailed));
    match (times, run) {
        (Some(times), Some(run)) if *times > 0 => format!(
            ", and {} followed within {} for it",
            many(*times, "rebalance", "rebalances"),
            span(run.last.since(run.since))
        ),
        _ => String::new(),
    }
}
