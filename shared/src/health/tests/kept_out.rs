//! Incidents of kinds A, B, E, F, G, L: whom a group waits for, and who is kept out by an answer.

use super::stage::*;
use crate::event::{Change, DeathCause, GroupState, Joined, RebalanceCause, Source};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

fn pair() -> [(&'static str, Client); 2] {
    [("one-1", client("one", "/a")), ("two-1", client("two", "/b"))]
}

#[test]
fn g56_a_pending_id_is_named_with_its_twin() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    let issued = |id: Client| Change::MemberIdIssued {
        client_id: id.id.into(),
        host: id.host.into(),
    };
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one], 10);
    stage.at(100_000).of("two-154b45", issued(two.1));
    stage.at(100_002).of("two-85bb1f", issued(two.1));
    stage
        .at(100_003)
        .started(RebalanceCause::MemberJoined, "two-85bb1f")
        .join("two-85bb1f", two.1);
    stage.at(102_000).join("one-1", one.1);
    stage.at(109_000).is_calm();
    stage.at(145_003);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "PreparingRebalance for 45 s: waiting for pending id two-154b45, issued to the same client (two of /b) 2 ms before two-85bb1f",
            "never used",
        ],
    );
    stage
        .of("two-154b45", Change::MemberIdExpired { waited_ms: 45_003 })
        .formed("one-1", 2);
    stage.in_group("one-1", one.1).in_group("two-85bb1f", two.1);
    stage.finished(RebalanceCause::MemberJoined, "two-85bb1f", 45_000);
    stage.at(146_000).is_calm();
    has(
        &stage.says(Verdict::Stable),
        &["done in 45 s, waiting for pending id two-154b45, issued to two and never used (45 s)"],
    );
}

#[test]
fn g54_a_leader_that_does_not_sync_keeps_all_waiting() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    stage.join("one-1", one.1).join("two-1", two.1).formed("one-1", 2);
    stage.at(100_100).of(
        "two-1",
        Change::SyncReceived {
            generation: Generation(2),
        },
    );
    stage.at(105_000).beats(&["one-1", "two-1"]).is_calm();
    stage.at(820_000).beats(&["one-1", "two-1"]);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "CompletingRebalance for 12 min: waiting for SyncGroup of one, the leader (it heartbeats",
            "all 2 members wait",
        ],
    );
}

#[test]
fn a03_a_member_told_27_that_heartbeats_and_does_not_join_is_named() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage
        .at(100_000)
        .started(RebalanceCause::MemberJoined, "three-1")
        .join("three-1", client("three", "/c"));
    stage.at(101_000).join("two-1", two.1);
    stage.at(140_000).beat("one-1", 27).beat("two-1", 27);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "PreparingRebalance for 40 s: waiting for one of /a, which was told to join again and has not for 40 s",
            "it heartbeats",
            "rebalance timeout of 5 min leaves it 4 min 20 s",
        ],
    );
}

#[test]
fn a07_b14_a_join_given_up_contradicts_what_its_client_promised() {
    for (waited_ms, rebalance_timeout_ms, parts) in [
        (60_000, 300_000, ["after 1 min", "rebalance timeout of 5 min"]),
        (
            30_000,
            2_147_483_647,
            ["after 30 s", "rebalance timeout of 24 d 21 h"],
        ),
    ] {
        let mut stage = Stage::default();
        let [one, two] = pair();
        stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one], 10);
        stage
            .at(100_000)
            .started(RebalanceCause::MemberJoined, "two-1")
            .join("two-1", two.1);
        stage.at(100_000 + waited_ms);
        stage.of(
            "two-1",
            Change::JoinAbandoned {
                waited_ms,
                rebalance_timeout_ms,
            },
        );
        stage
            .join("one-1", one.1)
            .formed("one-1", 2)
            .in_group("one-1", one.1)
            .in_group("two-1", two.1);
        stage.finished(RebalanceCause::MemberJoined, "two-1", waited_ms);
        let sentence = stage.says(Verdict::Waiting);
        has(&sentence, &parts);
        has(
            &sentence,
            &[
                "two of /b gave its JoinGroup up",
                "the timeouts contradict each other",
            ],
        );
    }
}

#[test]
fn g60_dangling_joins_are_counted_by_client() {
    let mut stage = Stage::default();
    let (one, retries) = (client("one", "/a"), client("retries", "/h"));
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage
        .at(100_000)
        .started(RebalanceCause::MemberJoined, "retries-0");
    for n in 0..19_u64 {
        let id = format!("retries-{n}");
        stage.at(100_000 + n * 15_000).join(&id, retries);
        stage.at(115_000 + n * 15_000).of(
            &id,
            Change::JoinAbandoned {
                waited_ms: 15_000,
                rebalance_timeout_ms: 600_000,
            },
        );
    }
    stage.join("one-1", one);
    has(
        &stage.says(Verdict::Waiting),
        &[
            "The group has 20 members for 2 client hosts: 19 were left behind by joins given up, 19 of them by retries of /h",
        ],
    );
}

#[test]
fn i67_a_member_that_joins_and_does_not_sync_twice_carries_stale_ownership() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[one, two], 10);
    stage
        .at(100_000)
        .started(RebalanceCause::SubscriptionChanged, "two-1");
    for turn in 0..3 {
        stage
            .at(100_000 + turn * 1000)
            .join("one-1", one.1)
            .join("two-1", two.1)
            .formed("one-1", 2);
        let generation = Generation(turn as i32 + 2);
        stage.of("one-1", Change::SyncReceived { generation });
        stage.group_of(Change::GroupState {
            from: None,
            to: GroupState::PreparingRebalance,
        });
    }
    has(
        &stage.says(Verdict::Waiting),
        &["two", "has joined but not synced 2 generations in a row"],
    );
}

#[test]
fn e39_an_instance_fenced_from_its_own_host_fenced_itself() {
    for (host, parts) in [
        ("/a", ["the same host and client id", "it fenced itself"]),
        ("/z", ["from /z", "two processes are given one instance id"]),
    ] {
        let mut stage = Stage::default();
        let first = Client {
            instance: Some("i1"),
            ..client("app", "/a")
        };
        let second = Client { host, ..first };
        stage.rebalance(RebalanceCause::MemberJoined, "i1-1", &[("i1-1", first)], 10);
        stage.at(100_000).of(
            "i1-1",
            Change::MemberReplaced {
                cause: "Its instance id came again.".into(),
                by: Some("i1-2".into()),
            },
        );
        stage.in_group("i1-2", second);
        stage.at(100_050).is_calm();
        stage.at(100_400).beat("i1-1", 82);
        stage.at(101_000);
        let sentence = stage.says(Verdict::Refused);
        has(&sentence, &["Instance i1: app of /a was fenced 1 s ago, by i1-2"]);
        has(&sentence, &parts);
    }
}

#[test]
fn an_instance_taken_by_another_client_of_its_host_or_by_one_unknown_is_not_said_to_be_the_same() {
    let cases = [
        (
            Some("app"),
            Some("other"),
            Some("/a"),
            "from the same host, client id other",
            "two processes are given",
        ),
        (
            Some("app"),
            None,
            Some("/a"),
            "from /a, in since",
            "or a second one is not visible",
        ),
        (
            Some("app"),
            Some("app"),
            None,
            "that is not visible, client id app",
            "or a second one is not visible",
        ),
        (
            None,
            None,
            None,
            "from a host that is not visible, in since",
            "or a second one is not visible",
        ),
    ];
    for (before, after, host, said, meant) in cases {
        let mut stage = Stage::default();
        let mut first = stage.joined(Client {
            instance: Some("i1"),
            ..client("app", "/a")
        });
        (first.client_id, first.host) = (before.map(str::to_owned), host.map(str::to_owned));
        let second = Joined {
            client_id: after.map(str::to_owned),
            ..first.clone()
        };
        let replaced = Change::MemberReplaced {
            cause: "Its instance id came again.".into(),
            by: Some("i1-2".into()),
        };
        stage.of("i1-1", Change::MemberJoined(first));
        stage.at(100_000).of("i1-1", replaced);
        stage.of("i1-2", Change::MemberJoined(second));
        stage.at(100_400).beat("i1-1", 82);
        let sentence = stage.says(Verdict::Refused);
        has(&sentence, &[said, meant]);
    }
}

#[test]
fn a_full_group_says_how_many_it_has() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    stage
        .at(100_000)
        .refused("", client("three", "/c"), "JoinGroup", 81, 4);
    has(
        &stage.says(Verdict::Refused),
        &[
            "The group is full: it has 2 members",
            "JoinGroup of three of /c was answered 81",
            "4 times",
        ],
    );
}

#[test]
fn l80_a_forbidden_client_is_not_authorized_and_the_group_lives_on() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    stage
        .at(3000)
        .refused("", client("three", "/c"), "JoinGroup", 30, 1);
    has(
        &stage.says(Verdict::NotAuthorized),
        &["JoinGroup of three of /c was answered 30 GROUP_AUTHORIZATION_FAILED"],
    );
    has(&stage.says(Verdict::Stable), &["2 members"]);
}

#[test]
fn f49_requests_to_the_former_coordinator_name_who_did_not_look_it_up() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    stage.at(100_000).group_of(Change::GroupUnloaded {
        node: NodeId(1),
        partition: 3,
    });
    has(
        &stage.says(Verdict::CoordinatorGone),
        &[
            "Broker 1 gave the group up",
            "__consumer_offsets-3",
            "16 NOT_COORDINATOR",
        ],
    );
    stage
        .at(120_000)
        .refused("one-1", pair()[0].1, "JoinGroup", 16, 9);
    has(
        &stage.says(Verdict::Refused),
        &[
            "Requests still reach the former coordinator, broker 1, 20 s after the move: one of /a did not look it up again",
        ],
    );
}

#[test]
fn f45_a_lookup_that_names_who_says_16_is_a_contradiction() {
    let mut stage = Stage::default();
    let found = || Change::CoordinatorFound {
        node: NodeId(0),
        host: "b0".into(),
        port: 9092,
    };
    stage.tell("orders", Source::Probe, Some("p"), found());
    for turn in 0..3 {
        stage.at(1000 + turn * 100);
        let dead = Change::CoordinatorDead {
            node: NodeId(0),
            cause: DeathCause::NotCoordinator,
            detail: None,
            unsent: 0,
            again: 0,
        };
        stage.tell("orders", Source::Probe, Some("p"), dead);
        stage.tell("orders", Source::Probe, Some("p"), found());
    }
    stage.at(2000);
    has(
        &stage.says(Verdict::CoordinatorGone),
        &[
            "the lookup names broker 0, and broker 0 answers 16 NOT_COORDINATOR, 3 times in 1 s",
            "no member can join",
        ],
    );
}

#[test]
fn c28_a_load_is_told_while_it_runs_and_for_a_while_after() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &pair(), 10);
    stage.at(100_000).group_of(Change::GroupLoading {
        node: NodeId(2),
        partition: 3,
    });
    stage
        .at(105_000)
        .refused("one-1", pair()[0].1, "JoinGroup", 14, 14);
    has(
        &stage.says(Verdict::Loading),
        &[
            "broker 2, has been reading the group from __consumer_offsets-3 for 5 s",
            "14 were refused so far",
        ],
    );
    let loaded = Change::GroupLoaded {
        node: NodeId(2),
        partition: 3,
        took_ms: 6000,
        generation: Generation(1),
    };
    stage.at(106_000).group_of(loaded);
    stage.at(107_000).beats(&["one-1", "two-1"]).is_calm();
    has(
        &stage.says(Verdict::Stable),
        &["Broker 2 read the group from its log 1 s ago, which took 6 s"],
    );
}
