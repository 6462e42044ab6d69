//! Incidents of kinds A, C, D, E, F, M: members that are silent or lost, partitions nobody reads.

use super::stage::*;
use crate::event::{Change, DeathCause, Lag, PartitionProgress, RebalanceCause, Source, TopicPartitions};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

fn expired(stage: &mut Stage, group: &str, member: &str) {
    let cause = "Silent past its session.".into();
    stage.tell(
        group,
        Source::Embedded,
        Some(member),
        Change::MemberExpired { cause },
    );
}

#[test]
fn a01_a_slow_survivor_is_named_and_the_coordinator_is_not() {
    let mut stage = Stage::default();
    let (one, two) = (client("source-37a1", "/a"), client("source-2cb8", "/b"));
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", one), ("two-1", two)],
        6,
    );
    stage.at(95_000).beat("one-1", 0);
    expired(&mut stage, "orders", "two-1");
    stage.started(RebalanceCause::MemberTimedOut, "two-1");
    stage
        .at(104_796)
        .join("one-1", one)
        .formed("one-1", 1)
        .in_group("one-1", one);
    stage.finished(RebalanceCause::MemberTimedOut, "two-1", 9796);
    stage.at(105_000).is_calm();
    has(
        &stage.says(Verdict::Stable),
        &[
            "generation 1 to 2",
            "source-2cb8 was silent past its session; done in 9.8 s, because source-37a1 was slow to join again (9.8 s), not because \
             the coordinator was slow",
            "source-2cb8 of /b expired 10 s ago",
            "and has not come back",
        ],
    );
}

#[test]
fn who_came_last_but_at_once_is_not_why_a_rebalance_was_slow() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    stage.started(RebalanceCause::MemberJoined, "one-1");
    stage.at(2).join("one-1", one).join("two-1", two);
    stage
        .at(6_000)
        .formed("one-1", 2)
        .in_group("one-1", one)
        .in_group("two-1", two);
    stage.finished(RebalanceCause::MemberJoined, "one-1", 6_000);
    let said = stage.at(7_000).says(Verdict::Stable);
    has(&said, &["done in 6 s."]);
    assert!(!said.contains("slow"), "{said}");
}

#[test]
fn c18_c24_a_silent_member_is_compared_with_those_that_are_heard() {
    let mut stage = Stage::default();
    let members = [
        ("one-1", client("one", "/a")),
        ("two-1", client("two", "/b")),
        ("three-1", client("three", "/c")),
    ];
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &members, 10);
    for beat in 1..6 {
        stage.at(beat * 3000).beats(&["one-1", "two-1"]);
    }
    has(
        &stage.says(Verdict::MemberSilent),
        &[
            "three last answered 15 s ago",
            "its session is 10 s: over by 5 s",
            "No heartbeat of it ever came to our coordinator",
            "answered 2 others on other hosts (last just now)",
            "GC or CPU is not visible from here",
        ],
    );
}

#[test]
fn c30_members_of_one_host_in_two_groups_point_at_the_host() {
    let mut stage = Stage::default();
    for group in ["orders", "audit"] {
        for (member, host) in [("jvm-1", "/a"), ("other-1", "/b")] {
            let joined = stage.joined(client(if member == "jvm-1" { "jvm" } else { "other" }, host));
            stage.tell(
                group,
                Source::Embedded,
                Some(member),
                Change::MemberJoined(joined),
            );
        }
    }
    stage.at(9000);
    for group in ["orders", "audit"] {
        let beat = Change::HeartbeatReceived {
            generation: Generation(0),
            error: 0,
        };
        stage.tell(group, Source::Embedded, Some("other-1"), beat);
    }
    has(
        &stage.says(Verdict::MemberLate),
        &[
            "2 members of 2 groups from /a fell silent at the same moment while 1 member on another host is heard",
            "paused (GC, CPU) or cut off",
        ],
    );
}

#[test]
fn c22_a_member_that_never_beat_says_so_after_its_end() {
    let mut stage = Stage::default();
    let net = Client {
        session: 300_000,
        ..client("net", "/a")
    };
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "net-1",
        &[("net-1", net), ("other-1", client("other", "/b"))],
        10,
    );
    stage.at(300_010).beat("other-1", 0);
    expired(&mut stage, "orders", "net-1");
    has(
        &stage.says(Verdict::Stable),
        &[
            "net of /a expired",
            "(silent for 5 min, its session is 5 min)",
            "No heartbeat of it ever came to our coordinator: its connection for heartbeats never worked",
        ],
    );
}

#[test]
fn f47_e41_an_empty_group_says_who_was_last_and_what_waits() {
    let mut stage = Stage::default();
    let first = Client {
        instance: Some("i1"),
        ..client("app", "/a")
    };
    stage.rebalance(RebalanceCause::MemberJoined, "i1-1", &[("i1-1", first)], 10);
    stage.at(100_000).of(
        "i1-1",
        Change::MemberReplaced {
            cause: "Its instance id came again.".into(),
            by: Some("i1-2".into()),
        },
    );
    stage.in_group("i1-2", first).beat("i1-2", 0);
    stage.at(110_000);
    expired(&mut stage, "orders", "i1-2");
    stage.group_of(Change::GroupState {
        from: None,
        to: "Empty".into(),
    });
    let left = PartitionProgress {
        topic: "t".into(),
        partition: 0,
        committed: Some(10),
        end: Some(52),
        committed_at: None,
        lag: None,
        gone: false,
    };
    stage.group_of(Change::GroupProgress {
        partitions: vec![left],
        unnamed: 0,
        lag: Lag::default(),
    });
    stage.at(4_000_000);
    has(
        &stage.says(Verdict::Empty),
        &[
            "app of /a expired 1 h 5 min ago",
            "has not come back",
            "Instance i1: 2 member ids within 1 min 40 s, and none now",
            "42 records wait to be read",
        ],
    );
}

#[test]
fn f51_a_host_that_does_not_resolve_is_named() {
    let mut stage = Stage::default();
    let found = Change::CoordinatorFound {
        node: NodeId(7),
        host: "1b34de8e9eaa".into(),
        port: 9092,
    };
    let dead = Change::CoordinatorDead {
        node: NodeId(7),
        cause: DeathCause::Disconnect,
        detail: Some("its name cannot be resolved: no such host".into()),
        unsent: 0,
        again: 0,
    };
    stage
        .tell("orders", Source::Probe, Some("p"), found)
        .tell("orders", Source::Probe, Some("p"), dead);
    has(
        &stage.says(Verdict::CoordinatorGone),
        &[
            "advertised host 1b34de8e9eaa does not resolve here",
            "an advertised listener",
        ],
    );
}

fn assigned(partitions: &[i32]) -> Change {
    Change::MemberAssigned {
        generation: Some(Generation(1)),
        partitions: Some(vec![TopicPartitions {
            topic: "t".into(),
            partitions: partitions.to_vec(),
        }]),
        unnamed: 0,
    }
}

fn progress(committed: i64, end: i64) -> Change {
    let partitions = (0..3).map(|partition| PartitionProgress {
        topic: "t".into(),
        partition,
        committed: Some(committed),
        end: Some(end),
        committed_at: None,
        lag: None,
        gone: false,
    });
    Change::GroupProgress {
        partitions: partitions.collect(),
        unnamed: 0,
        lag: Lag::default(),
    }
}

/// Two members in a Stable group that beat until `ms`.
fn two_that_own(one: &[i32], two: &[i32], ms: u64) -> Stage {
    let mut stage = Stage::default();
    let members = [("one-1", client("one", "/a")), ("two-1", client("two", "/b"))];
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &members, 10);
    stage
        .of("one-1", assigned(one))
        .of("two-1", assigned(two))
        .group_of(progress(5, 5));
    stage.at(4000).is_calm();
    stage.at(ms).beats(&["one-1", "two-1"]);
    stage
}

#[test]
fn e43_a_member_with_nothing_while_others_are_full() {
    let stage = two_that_own(&[0, 1, 2], &[], 60_000);
    has(
        &stage.says(Verdict::UnownedPartitions),
        &["two has 0 partitions while 1 other shares 3 partitions, since generation 1"],
    );
}

#[test]
fn partitions_without_an_owner_and_with_two_are_named() {
    let stage = two_that_own(&[0], &[1], 60_000);
    has(
        &stage.says(Verdict::UnownedPartitions),
        &["1 partition has no owner: t-2; nothing waits in them yet"],
    );
    let stage = two_that_own(&[0, 1], &[1, 2], 60_000);
    has(
        &stage.says(Verdict::UnownedPartitions),
        &["1 partition has more than one owner: t-1 is read by one and two"],
    );
    two_that_own(&[0, 1], &[2], 60_000).is_calm();
}

#[test]
fn m86_alive_and_not_working() {
    let mut stage = two_that_own(&[0, 1], &[2], 60_000);
    for minute in 1..=1592_u64 {
        let records = 5 + i64::try_from(minute).unwrap() * 100;
        stage.at(60_000 + minute * 60_000).beats(&["one-1", "two-1"]);
        let rows = (0..3).map(|partition| PartitionProgress {
            topic: "t".into(),
            partition,
            committed: Some(if partition == 2 { 5 } else { records }),
            end: Some(records),
            committed_at: None,
            lag: None,
            gone: false,
        });
        stage.group_of(Change::GroupProgress {
            partitions: rows.collect(),
            unnamed: 0,
            lag: Lag::default(),
        });
    }
    has(
        &stage.says(Verdict::NotProgressing),
        &[
            "two commits nothing for 1 d 3 h on 1 partition: t-2",
            "159100 records came meanwhile and 159200 are left to read",
            "It heartbeats all the while (last just now)",
        ],
    );
}

#[test]
fn a_slow_coordinator_is_measured_against_its_own_past() {
    let mut stage = Stage::default();
    let joined = stage.joined(client("ours", "/a"));
    stage.tell(
        "orders",
        Source::Probe,
        Some("ours-1"),
        Change::MemberJoined(joined),
    );
    for beat in 1..40_u64 {
        let latency_us = if beat < 30 { 2000 } else { 640_000 };
        let answer = Change::HeartbeatAnswered {
            generation: Generation(0),
            latency_us,
            error: 0,
            renews: true,
            behind: None,
        };
        stage
            .at(beat * 3000)
            .tell("orders", Source::Probe, Some("ours-1"), answer);
        if beat < 30 {
            let calm = stage.said("orders");
            assert!(
                calm.iter().all(|said| said.verdict != Verdict::CoordinatorSlow),
                "{calm:?}"
            );
        }
    }
    has(
        &stage.says(Verdict::CoordinatorSlow),
        &[
            "answers the heartbeats of 1 of 1 member of ours in 640 ms (p99 of all before: 2 ms, half of them 2 ms)",
            "No other coordinator is measured",
        ],
    );
}

#[test]
fn d37_a_member_id_that_is_the_groups_id_is_flagged() {
    let mut stage = Stage::default();
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "orders",
        &[("orders", client("app", "/a"))],
        10,
    );
    stage.at(20_000);
    has(
        &stage.says(Verdict::MemberSilent),
        &["Its member id is the group's id: no coordinator names members so"],
    );
}
