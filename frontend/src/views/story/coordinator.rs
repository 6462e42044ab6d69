//! What only a group's coordinator sees, in words.

use shared::error_code;
use shared::event::{Change, LogAccess, RoundTrips, TopicPartitions};
use shared::histogram::Histogram;
use shared::ids::{Generation, MemberId, NodeId};
use shared::time::Millis;

use super::{Story, code_tone, in_brackets, link_fault, name};
use crate::views::tone::Tone;
use crate::views::words::{self, described, spelled};

pub(super) fn tell(change: &Change) -> Story {
    use Change as C;
    match change {
        C::MemberIdIssued { client_id, host } => Story::new(
            Tone::Dim,
            format!(
                "A member id was handed out to {} at {}; it is awaited now.",
                spelled(client_id),
                spelled(host)
            ),
        ),
        C::MemberIdExpired { waited_ms } => Story::new(
            Tone::Bad,
            format!(
                "The id was never used: dropped after {}.",
                words::took(Millis(*waited_ms))
            ),
        ),
        C::JoinReceived { client_id, host, .. } => Story::new(
            Tone::Move,
            format!("JoinGroup of {} at {} came.", spelled(client_id), spelled(host)),
        ),
        C::JoinAbandoned {
            waited_ms,
            rebalance_timeout_ms,
        } => Story::new(
            Tone::Late,
            format!(
                "Its client gave JoinGroup up after {}; the coordinator may hold it for {}.",
                words::span(Millis(*waited_ms)),
                words::span(Millis(*rebalance_timeout_ms))
            ),
        ),
        C::GenerationFormed {
            generation,
            leader,
            protocol,
            members,
        } => formed(*generation, leader.as_ref(), protocol.as_deref(), *members),
        C::SyncReceived { generation } => {
            Story::new(Tone::Move, format!("SyncGroup for generation {generation} came."))
        }
        C::RequestRefused {
            api, error, times, ..
        } => refused(api, *error, *times),
        C::AppendFailed { partition, error } => Story::new(
            Tone::Bad,
            format!("The group could not be stored in __consumer_offsets-{partition}."),
        )
        .with_code(Some(*error)),
        _ => of_loads(change),
    }
}

fn of_loads(change: &Change) -> Story {
    use Change as C;
    match change {
        C::GroupUnloaded { node, partition } => Story::new(
            Tone::Late,
            format!("Node {node} no longer coordinates __consumer_offsets-{partition}."),
        ),
        C::GroupLoading { node, partition } => Story::new(
            Tone::Move,
            format!("Node {node} reads the group from __consumer_offsets-{partition}."),
        ),
        C::GroupLoaded {
            node,
            took_ms,
            generation,
            ..
        } => Story::new(
            Tone::Ok,
            format!(
                "Node {node} has read the group, generation {generation}, in {}.",
                words::took(Millis(*took_ms))
            ),
        ),
        C::BrokerSilent { node, cause, detail } => Story::new(
            Tone::Bad,
            format!(
                "Node {node} does not answer: {}{}.",
                link_fault(*cause),
                in_brackets(detail.as_deref())
            ),
        ),
        C::BrokerLatency { node, trips } => Story::new(Tone::Dim, round_trips(*node, trips)),
        C::OffsetsLog { access } => offsets_log(*access),
        C::OffsetsLogLeaderless(some) => Story::new(Tone::Late, words::leaderless(*some)),
        C::BrokerAnswers { node, .. } => Story::new(Tone::Ok, format!("Node {node} answers.")),
        C::BrokerGone { node } => Story::new(
            Tone::Late,
            format!("Node {node} is no longer one of the cluster's brokers."),
        ),
        _ => of_offsets(change),
    }
}

fn of_offsets(change: &Change) -> Story {
    match change {
        Change::MemberAssigned {
            partitions: Some(topics),
            unnamed,
            ..
        } => owned(topics, *unnamed),
        Change::CommitReceived { error, .. } if *error != error_code::NONE => {
            Story::new(code_tone(*error), "A commit was refused.").with_code(Some(*error))
        }
        Change::CommitReceived { .. } => Story::new(Tone::Ok, "A commit came."),
        Change::GroupProgress { lag, .. } => Story::new(Tone::Dim, format!("{}.", words::lag(lag))),
        Change::GroupDescribed { told } => {
            Story::new(Tone::Dim, format!("{} facts, seen at once.", told.len()))
        }
        Change::MemberDescribed(what) => Story::new(Tone::Dim, described::sentence(what)),
        _ => Story::new(Tone::Dim, "It has an assignment that is not readable from here."),
    }
}

fn formed(generation: Generation, leader: Option<&MemberId>, protocol: Option<&str>, members: u32) -> Story {
    let leader = leader
        .map(|id| format!(", led by {}", name(id)))
        .unwrap_or_default();
    let protocol = protocol
        .map(|protocol| format!(", by {}", spelled(protocol)))
        .unwrap_or_default();
    let members = words::count(u64::from(members), "member", "members");
    Story::new(
        Tone::Move,
        format!("Generation {generation} is formed of {members}{leader}{protocol}."),
    )
}

fn refused(api: &str, error: i16, times: u32) -> Story {
    let times = if times > 1 {
        format!(" {times} times")
    } else {
        String::new()
    };
    Story::new(code_tone(error), format!("{} was refused{times}.", spelled(api))).with_code(Some(error))
}

fn owned(topics: &[TopicPartitions], unnamed: u32) -> Story {
    let named: usize = topics.iter().map(|topic| topic.partitions.len()).sum();
    let count = words::count(named as u64 + u64::from(unnamed), "partition", "partitions");
    let list = if topics.is_empty() {
        String::new()
    } else {
        format!(": {}", words::partitions(topics))
    };
    Story::new(Tone::Dim, format!("It owns {count}{list}."))
}

fn offsets_log(access: LogAccess) -> Story {
    let (tone, text) = match access {
        LogAccess::Reading => (Tone::Dim, "The offsets log is being read."),
        LogAccess::Read => (Tone::Ok, "The offsets log is read."),
        LogAccess::Denied => (Tone::Bad, "The offsets log may not be read."),
        LogAccess::Absent => (Tone::Dim, "There is no offsets log yet."),
    };
    Story::new(tone, text)
}

fn round_trips(node: NodeId, trips: &[RoundTrips]) -> String {
    let each = trips.iter().filter_map(|trip| {
        let mut latency = Histogram::default();
        for (bucket, count) in trip.buckets.iter() {
            latency.add(*bucket, u64::from(*count));
        }
        let median = words::latency(latency.percentile(50.0)?);
        Some(format!("{} in {median}", spelled(&trip.api)))
    });
    let each: Vec<String> = each.collect();
    format!("Node {node} answered {}.", each.join(", "))
}
