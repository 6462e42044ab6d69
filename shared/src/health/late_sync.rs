//! Members that compute, or hang, for longer than their session after a JoinGroup's answer: their SyncGroup comes too late.

use super::words::{at_least, escaped, many, span};
use crate::board::{Departed, Group, MemberState, RefusedRequest};
use crate::error_code;
use crate::time::UnixMs;

/// The last member since then whose session ran out while its SyncGroup was awaited, and by how much that was late; with a
/// space before it, empty where there is none. A longer session helps nobody who was removed for another reason.
pub(super) fn too_late_to_sync(group: &Group, since: UnixMs) -> String {
    let found = group
        .departed
        .iter()
        .filter(|gone| gone.end.at >= since && gone.end.state == MemberState::Expired)
        .find_map(|gone| Some((&**gone, refused_sync(group, gone)?)));
    let Some((gone, refused)) = found else {
        return String::new();
    };
    let session = gone.session_timeout.map_or_else(String::new, |session| {
        format!(" (its session is {})", span(session))
    });
    let before = gone.sync_due.map_or_else(String::new, |due| {
        format!(
            "{}{} was removed in CompletingRebalance {} after its JoinGroup was answered, {}{}: ",
            escaped(gone.name()),
            if gone.led { ", the leader," } else { "" },
            span(gone.end.at.since(due)),
            at_least(
                group.forgotten > 0 && group.departed.last().is_some_and(|oldest| oldest.end.at >= since)
            ),
            many(times(group, gone, since), "time", "times")
        )
    });
    format!(
        " {before}{}'s SyncGroup came {} after it had been removed{session}: a longer session.timeout.ms would have let it finish.",
        escaped(gone.name()),
        span(refused.at.since(gone.end.at))
    )
}

/// Its SyncGroup that came when it was not known any more.
fn refused_sync<'a>(group: &'a Group, gone: &Departed) -> Option<&'a RefusedRequest> {
    group.coordination.refused.iter().find(|refused| {
        refused.api == "SyncGroup"
            && refused.error == error_code::UNKNOWN_MEMBER_ID
            && refused.member.as_ref() == Some(&gone.id)
            && refused.at >= gone.end.at
    })
}

/// How often members of that client went so.
fn times(group: &Group, gone: &Departed, since: UnixMs) -> u64 {
    let alike = |other: &&std::sync::Arc<Departed>| {
        other.end.at >= since
            && other.end.state == MemberState::Expired
            && other.sync_due.is_some()
            && other.identity() == gone.identity()
    };
    group.departed.iter().filter(alike).count() as u64
}
