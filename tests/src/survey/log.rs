//! Rebalances of classic groups, beside the brokers' own log (its lines: protocol.md 4.7): "Preparing to rebalance" is the start
//! and names the cause, "Assignment received from leader" or "is now empty" the end.

use std::collections::BTreeMap;

use shared::event::{Change, RebalanceCause, Rebalanced};
use shared::ids::MemberId;

use crate::heartline::Heartline;
use crate::kafka::Broker;
use crate::wait::wait_until;

/// How far an end may stand from the broker's log, in milliseconds: two clocks of one machine, the record's own time and the
/// log line's.
pub(super) const APART: u64 = 50;

/// A line of the log that tells of a group's rebalances.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Line {
    /// The generation that is left, and why.
    Begun {
        from: i32,
        reason: String,
    },
    Ended {
        generation: i32,
    },
}

/// A rebalance, as the log has it. Times are in Unix milliseconds.
#[derive(Clone, Debug)]
struct Logged {
    begun_at: u64,
    ended_at: u64,
    /// The generation that it left.
    from: i32,
    /// Why it began; what else happened until its end asked for nothing new.
    reason: String,
}

/// A rebalance, as Heartline tells it.
#[derive(Clone, Debug)]
struct Told {
    at: u64,
    what: Rebalanced,
}

/// Waits until as many rebalances of a classic group as are in the brokers' logs, at least `least`, are told, and compares each
/// with the log: its generation, its end, its start, its cause, and that there is none besides.
///
/// # Panics
///
/// Where they differ.
pub async fn rebalances_are_those_of_the_log(
    heartline: &Heartline,
    brokers: &[&Broker],
    group: &str,
    least: usize,
) {
    let (told, logged) = wait_until("each rebalance of the log", async || {
        let query = format!("&kind=rebalance_finished&group={group}");
        let events = heartline.events_after(0, &query).await;
        let told: Vec<Told> = events
            .into_iter()
            .filter_map(|event| match event.what.change {
                Change::RebalanceFinished(what) => Some(Told {
                    at: event.what.at.0,
                    what,
                }),
                _ => None,
            })
            .collect();
        let logged = in_the_logs(brokers, group);
        let generations = told.iter().map(|told| &told.what.generation.0);
        if logged.len() >= least && generations.eq(logged.keys()) {
            Ok((told, logged))
        } else {
            Err((told, logged))
        }
    })
    .await;
    for (told, (generation, logged)) in told.iter().zip(&logged) {
        let both = format!("generation {generation}: {told:?}; in the log: {logged:?}");
        if told.at.abs_diff(logged.ended_at) > APART {
            // A busy broker may write its record late, behind its line: then it is the record's own time that is told.
            let written = written_at(brokers, group, *generation).await;
            let is_record = told.at > logged.ended_at && written.contains(&told.at);
            assert!(is_record, "its end: {both}; written at {written:?}");
        }
        assert!(is_right(&told.what, &logged.reason), "its cause: {both}");
        if let Some(from) = told.what.from_generation {
            assert_eq!(from.0, logged.from, "what it left: {both}");
        }
    }
    starts_are_those_of_the_log(heartline, group, &logged).await;
}

/// When a generation was written to the offsets log, in Unix milliseconds: once, and again for each static member that came back in it.
async fn written_at(brokers: &[&Broker], group: &str, generation: i32) -> Vec<u64> {
    /// A classic group's record, by its type's number (Kafka's `CoordinatorRecordType`).
    const GROUP: &str = "2";
    let mut written = Vec::new();
    for broker in brokers {
        let records = broker.offsets_log().await.into_iter();
        let of_it = records.filter(|record| {
            let (key, value) = (&record.key, &record.value["data"]);
            key["type"] == GROUP && key["data"]["group"] == group && value["generation"] == generation
        });
        written.extend(of_it.map(|record| record.at));
    }
    written
}

/// Each start that is told is one of the log's, and the log's stands between its earliest and its latest time.
async fn starts_are_those_of_the_log(heartline: &Heartline, group: &str, logged: &BTreeMap<i32, Logged>) {
    let query = format!("&kind=rebalance_started&group={group}");
    for event in heartline.events_after(0, &query).await {
        let Change::RebalanceStarted { from_generation, .. } = &event.what.change else {
            continue;
        };
        let (Some(from), Some(earliest)) = (from_generation, event.what.at_earliest) else {
            continue;
        };
        let begun: Vec<u64> = logged
            .values()
            .filter(|logged| logged.from == from.0)
            .map(|logged| logged.begun_at)
            .collect();
        let span = earliest.0.saturating_sub(APART)..=event.what.at.0 + APART;
        assert!(
            begun.iter().any(|at| span.contains(at)),
            "a start that is not in the log: {event:?}; in the log: {logged:?}"
        );
    }
}

/// Whether a cause is the log's, or is said to be not visible; and whether who is named, if anybody, is who is named there.
fn is_right(told: &Rebalanced, reason: &str) -> bool {
    use RebalanceCause as Cause;
    let causes: &[Cause] = if reason.starts_with("Adding new member ") {
        &[Cause::MemberJoined]
    } else if reason.contains("on heartbeat expiration") {
        &[Cause::MemberTimedOut]
    } else if reason.contains("LeaveGroup") {
        &[Cause::MemberLeft]
    } else if reason.starts_with("Leader ") {
        &[Cause::LeaderRejoined, Cause::SubscriptionChanged]
    } else if reason.starts_with("Updating metadata for static member ") {
        &[Cause::MemberReplaced, Cause::SubscriptionChanged]
    } else if reason.starts_with("Updating metadata for member ") {
        &[Cause::SubscriptionChanged]
    } else if reason.starts_with("Group's selectedProtocol will change ") {
        &[Cause::ProtocolChanged, Cause::MemberReplaced]
    } else if reason.ends_with("on pending sync request expiration") {
        &[Cause::MemberEvicted]
    } else {
        panic!("a reason that the tests do not know: {reason}");
    };
    let names = |member: &MemberId| reason.contains(member.as_str());
    let named = told.member.as_ref().is_none_or(names);
    named && (told.cause == Cause::NotVisible || causes.contains(&told.cause))
}

/// The rebalances of a group that have ended by the brokers' logs, by their generation. One whose end was never written, since its
/// coordinator went away meanwhile, is part of the next.
fn in_the_logs(brokers: &[&Broker], group: &str) -> BTreeMap<i32, Logged> {
    let read = |line: &str| {
        let (at, _) = line.split_once(' ')?;
        Some((at.parse::<u64>().ok()?, self::read(line, group)?))
    };
    let mut lines: Vec<(u64, Line)> = brokers.iter().flat_map(|broker| broker.log_lines(read)).collect();
    // Lines of one broker are in order already; of several, the clock of this machine tells.
    lines.sort_by_key(|(at, _)| *at);
    let mut begun: Option<(u64, i32, String)> = None;
    let mut logged = BTreeMap::new();
    for (at, line) in lines {
        match line {
            Line::Begun { from, reason } => {
                begun.get_or_insert((at, from, reason));
            }
            Line::Ended { generation } => {
                // That a group is empty is said again when it is loaded.
                if let Some((begun_at, from, reason)) = begun.take() {
                    let rebalance = Logged {
                        begun_at,
                        ended_at: at,
                        from,
                        reason,
                    };
                    logged.insert(generation, rebalance);
                }
            }
        }
    }
    logged
}

/// What a line tells of this group.
fn read(line: &str, group: &str) -> Option<Line> {
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<i32>().ok()
    };
    if let Some((_, rest)) = line.split_once(&format!("Preparing to rebalance group {group} in state ")) {
        let (_, rest) = rest.split_once("with old generation ")?;
        let (_, reason) = rest.split_once("(reason: ")?;
        let reason = reason.trim_end_matches('.');
        return Some(Line::Begun {
            from: number(rest)?,
            reason: reason.strip_suffix(')').unwrap_or(reason).to_owned(),
        });
    }
    let empty = || {
        line.contains("is now empty")
            .then(|| line.split_once(&format!("Group {group} with generation ")))
            .flatten()
    };
    let (_, rest) = line
        .split_once(&format!("for group {group} for generation "))
        .or_else(empty)?;
    Some(Line::Ended {
        generation: number(rest)?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Line, read};

    #[test]
    fn the_lines_of_kafka_4_3_are_read() {
        let begun = "1796001685 INFO GroupMetadataManager [GroupCoordinator id=1] Preparing to rebalance group g in state \
                     PreparingRebalance with old generation 3 (reason: removing member a-1 on heartbeat expiration.).";
        let line = Line::Begun {
            from: 3,
            reason: "removing member a-1 on heartbeat expiration.".to_owned(),
        };
        assert_eq!(read(begun, "g"), Some(line));
        assert_eq!(read(begun, "g2"), None);
        let assigned = "1 INFO X Assignment received from leader a-1 for group g for generation 4. The group has 1 members, 0 of \
                        which are static.";
        assert_eq!(read(assigned, "g"), Some(Line::Ended { generation: 4 }));
        let empty = "1 INFO X Group g with generation 5 is now empty.";
        assert_eq!(read(empty, "g"), Some(Line::Ended { generation: 5 }));
        assert_eq!(
            read("1 INFO X Stabilized group g generation 4 with 1 members.", "g"),
            None
        );
    }

    #[test]
    fn the_lines_of_kafka_3_9_are_read() {
        let begun = "1 INFO GroupCoordinator [GroupCoordinator 1]: Preparing to rebalance group g in state PreparingRebalance with \
                     old generation 3 (__consumer_offsets-1) (reason: removing member a-1 on LeaveGroup; client reason: closed)";
        let line = Line::Begun {
            from: 3,
            reason: "removing member a-1 on LeaveGroup; client reason: closed".to_owned(),
        };
        assert_eq!(read(begun, "g"), Some(line));
        let empty =
            "1 INFO X [GroupCoordinator 1]: Group g with generation 5 is now empty (__consumer_offsets-1)";
        assert_eq!(read(empty, "g"), Some(Line::Ended { generation: 5 }));
    }
}
