//! A coordinator that answers, but late: measured by our own members' heartbeats.

use super::Round;
use super::thresholds::{SLOW_ANSWERS, SLOW_FACTOR, SLOW_LEAST_US, SLOW_RECENT_MS};
use super::words::{count, escaped, micros};
use super::{Finding, Verdict};
use crate::board::{Cell, Group, Member};
use crate::event::Source;
use crate::histogram::{Histogram, bucket_of};
use crate::ids::NodeId;
use crate::time::UnixMs;

/// At least half of our members are answered much slower than usual, or too slow for their interval.
pub(super) fn slow(round: &Round<'_>, group: &Group, now: UnixMs) -> Option<Finding> {
    let measured: Vec<(&Member, u64)> = group
        .members
        .values()
        .filter(|member| member.is_ours())
        .filter_map(|member| Some((&**member, recent(member, now)?)))
        .collect();
    let before = before(group);
    let usual = before.percentile(50.0)?;
    let is_slow = |(member, latency): &&(&Member, u64)| {
        let interval = member
            .interval()
            .map_or(u64::MAX, |interval| interval.every.0.saturating_mul(1000));
        *latency >= SLOW_LEAST_US && (*latency >= usual.saturating_mul(SLOW_FACTOR) || *latency >= interval)
    };
    let slow: Vec<&(&Member, u64)> = measured.iter().filter(is_slow).collect();
    if slow.is_empty() || slow.len() * 2 < measured.len() {
        return None;
    }
    let (worst, latency) = slow.iter().max_by_key(|(_, latency)| *latency)?;
    let node = group.coordinator.as_ref().map(|seat| seat.node);
    let broker = node.map_or_else(
        || "The coordinator".to_owned(),
        |node| format!("The coordinator, broker {node},"),
    );
    Some(Finding {
        verdict: Verdict::CoordinatorSlow,
        sentence: format!(
            "{broker} answers the heartbeats of {} of {} in {} (p99 of all before: {}, half of them {}).{}",
            slow.len(),
            count(measured.len(), "member of ours", "members of ours"),
            micros(*latency),
            before
                .percentile(99.0)
                .map_or_else(|| "not known".to_owned(), micros),
            micros(usual),
            others(round, group, node)
        ),
        evidence: format!(
            "Observed by our own members ({} worst): the median of the last answers. Whether the broker or the network before it is \
             slow is not visible from here.",
            escaped(worst.name())
        ),
        member: None,
    })
}

/// The latency of all answers before those that are slow now; of all, where every one is slow. A stretch longer than the
/// heartbeat bars is in it with its beginning.
fn before(group: &Group) -> Histogram {
    let all = group.latency();
    let mut before = all.clone();
    for member in group.members.values().filter(|member| member.is_ours()) {
        let answers = member.cells.iter().rev().filter_map(|cell| match cell {
            Cell::Beat(beat) if beat.source == Source::Probe && !beat.behind => {
                Some((u64::from(beat.latency_us?), 1))
            }
            Cell::Second(second) if second.source == Source::Probe => {
                Some((second.slowest_us?, second.count.into()))
            }
            Cell::Beat(_) | Cell::Second(_) | Cell::Failed { .. } => None,
        });
        for (latency, count) in answers.take_while(|(latency, _)| *latency >= SLOW_LEAST_US) {
            before.subtract(bucket_of(latency), count);
        }
    }
    if before.is_empty() { all } else { before }
}

/// The median of its last answers but those behind another request, in microseconds; none where there are too few.
fn recent(member: &Member, now: UnixMs) -> Option<u64> {
    let mut answers: Vec<u64> = member
        .cells
        .iter()
        .rev()
        .take_while(|cell| now.since(cell.at()).0 <= SLOW_RECENT_MS)
        .filter_map(|cell| match cell {
            Cell::Beat(beat) if beat.source == Source::Probe && !beat.behind => {
                beat.latency_us.map(u64::from)
            }
            Cell::Second(second) if second.source == Source::Probe => second.slowest_us,
            Cell::Beat(_) | Cell::Second(_) | Cell::Failed { .. } => None,
        })
        .take(SLOW_ANSWERS as usize)
        .collect();
    if (answers.len() as u64) < SLOW_ANSWERS {
        return None;
    }
    answers.sort_unstable();
    answers.get(answers.len() / 2).copied()
}

/// How fast the other coordinators are, for comparison.
fn others(round: &Round<'_>, group: &Group, node: Option<NodeId>) -> String {
    round.fastest_other(&group.key.cluster, node).map_or_else(
        || " No other coordinator is measured to compare with.".to_owned(),
        |(latency, node)| format!(" Broker {node} usually answers in {}.", micros(latency)),
    )
}
