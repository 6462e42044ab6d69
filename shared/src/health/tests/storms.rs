//! Incidents of kinds A, D, H, I, J: rebalances that do not end, clients that come back again and again.

use super::stage::*;
use crate::event::{Change, GroupState, RebalanceCause};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

fn restarted(stage: &mut Stage) {
    stage.group_of(Change::GroupState {
        from: Some(GroupState::CompletingRebalance),
        to: GroupState::PreparingRebalance,
    });
}

fn expired(stage: &mut Stage, member: &str) {
    stage.of(
        member,
        Change::MemberExpired {
            cause: "Silent past its session.".into(),
        },
    );
}

#[test]
fn h63_assignments_that_cannot_be_stored_are_a_storm_of_innocent_members() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "one-1", &[("one-1", one)], 10);
    stage.at(100_000).started(RebalanceCause::LeaderRejoined, "one-1");
    for turn in 0..30 {
        stage
            .at(100_104 + turn * 104)
            .join("one-1", one)
            .formed("one-1", 1);
        stage.group_of(Change::AppendFailed {
            partition: 32,
            error: 19,
        });
        restarted(&mut stage);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "30 rebalances in 3.1 s",
            "one every 104 ms (9.6 a second)",
            "could not store the assignment (__consumer_offsets-32: 19",
            "the members are innocent",
            "nobody came, left or was removed: the same 1 member",
        ],
    );
    stage.at(200_000);
    assert!(
        stage
            .said("orders")
            .iter()
            .all(|said| said.verdict != Verdict::Storm),
        "it is over"
    );
}

#[test]
fn j71_a_leader_that_rejoins_without_end_is_named() {
    let mut stage = Stage::default();
    let (one, two) = (client("w1", "/a"), client("w2", "/b"));
    let both = [("w1-1", one), ("w2-1", two)];
    stage.rebalance(RebalanceCause::MemberJoined, "w1-1", &both, 10);
    stage.at(100_000);
    for _ in 0..500 {
        stage.rebalance(RebalanceCause::LeaderRejoined, "w1-1", &both, 4);
    }
    let said = stage.said("orders");
    let storm = said.iter().find(|said| said.verdict == Verdict::Storm).unwrap();
    has(
        &storm.sentence,
        &[
            "500 rebalances in 2 s, one every 4 ms (250 a second)",
            "all because the leader, w1, joined again, though each of its calls succeeded",
            "the same 2 members",
        ],
    );
    has(&storm.evidence, &["not visible in the protocol", "Kafka Connect"]);
    assert_eq!(storm.member.as_ref().unwrap().as_str(), "w1-1");
}

#[test]
fn i69_rebalances_of_3_s_without_an_eviction_never_reach_balance() {
    let mut stage = Stage::default();
    let members = [
        ("a-1", client("a", "/a")),
        ("b-1", client("b", "/b")),
        ("c-1", client("c", "/c")),
    ];
    stage.rebalance(RebalanceCause::MemberJoined, "a-1", &members, 10);
    stage.at(100_000);
    for turn in 0..200 {
        let by = members[turn % 3].0;
        stage.rebalance(RebalanceCause::SubscriptionChanged, by, &members, 3000);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "200 rebalances in 10 min",
            "one every 3 s (20 a minute)",
            "nobody came, left or was removed: the same 3 members",
        ],
    );
}

#[test]
fn a05_a_storm_after_a_move_counts_new_ids_and_clients() {
    let mut stage = Stage::default();
    let clients = [client("p1", "/a"), client("p2", "/b")];
    let names: Vec<String> = (0..20).map(|n| format!("p{}-{n}", n % 2 + 1)).collect();
    stage.rebalance(RebalanceCause::MemberJoined, "x", &[("p1-x", clients[0])], 10);
    stage.at(95_000).group_of(Change::GroupLoaded {
        node: NodeId(2),
        partition: 7,
        took_ms: 400,
        generation: Generation(1),
    });
    let mut last = "p1-x".to_owned();
    for (n, id) in names.iter().enumerate() {
        stage.at(100_000 + n as u64 * 2000);
        expired(&mut stage, &last);
        stage.rebalance(RebalanceCause::MemberJoined, id, &[(id, clients[n % 2])], 500);
        last.clone_from(id);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "20 rebalances in 39 s, one every 1.9 s (31 a minute)",
            "made by 2 clients, 20 new member ids, 0 left, 20 were removed by the coordinator",
            "members displace each other",
            "5 s after broker 2 became the coordinator",
        ],
    );
}

#[test]
fn c26_a_leader_evicted_before_its_sync_says_by_how_much_it_was_late() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    stage.rebalance(RebalanceCause::MemberJoined, "two-1", &[("two-1", two)], 10);
    stage.at(100_000).started(RebalanceCause::MemberJoined, "one-0");
    for turn in 0..7 {
        let id = format!("one-{turn}");
        stage
            .at(100_000 + turn * 11_000)
            .join(&id, one)
            .join("two-1", two)
            .formed(&id, 2);
        stage.of(&id, Change::MemberJoined(stage.joined(one)));
        stage.at(110_000 + turn * 11_000);
        expired(&mut stage, &id);
        restarted(&mut stage);
        stage
            .at(110_300 + turn * 11_000)
            .refused(&id, one, "SyncGroup", 25, 1);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "one was silent past its session",
            "one's SyncGroup came 300 ms after it had been removed (its session is 10 s)",
        ],
    );
}

#[test]
fn d33_two_members_that_displace_each_other() {
    let mut stage = Stage::default();
    let (one, two) = (client("node1", "/a"), client("node2", "/b"));
    let mut last = None;
    for turn in 0..10_u64 {
        let (name, client) = if turn % 2 == 0 {
            ("node1", one)
        } else {
            ("node2", two)
        };
        let id = format!("{name}-{turn}");
        stage.at(100_000 + turn * 1500);
        if let Some(last) = last.replace(id.clone()) {
            stage.of(
                &last,
                Change::MemberEvicted {
                    cause: crate::event::EvictionCause::RebalanceTimeout,
                },
            );
        }
        stage.rebalance(RebalanceCause::MemberJoined, &id, &[(&id, client)], 3);
    }
    has(
        &stage.says(Verdict::Flapping),
        &[
            "node1 of /a",
            "node2 of /b",
            "displace each other",
            "each generation has one member and lasts about 1.5 s",
            "too short for a session of 10 s",
        ],
    );
}

#[test]
fn d35_three_generations_in_eight_milliseconds() {
    let mut stage = Stage::default();
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "m-0",
        &[("m-0", client("m0", "/a"))],
        1,
    );
    stage.at(100_000);
    for (turn, name) in ["m1", "m2", "m3"].into_iter().enumerate() {
        let (old, new) = (format!("m-{turn}"), format!("m-{}", turn + 1));
        stage.at(100_000 + turn as u64 * 4);
        stage.of(
            &old,
            Change::MemberEvicted {
                cause: crate::event::EvictionCause::RebalanceTimeout,
            },
        );
        stage.rebalance(
            RebalanceCause::MemberJoined,
            &new,
            &[(&new, client(name, "/a"))],
            0,
        );
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "3 rebalances in 8 ms",
            "each by a join",
            "members displace each other",
        ],
    );
}

#[test]
fn b12_a_member_that_leaves_and_returns_is_no_crash() {
    let mut stage = Stage::default();
    let stays = ("other-1", client("other", "/b"));
    for turn in 0..5_u64 {
        let id = format!("slow-{turn}");
        stage.at(100_000 + turn * 30_000);
        stage.rebalance(
            RebalanceCause::MemberJoined,
            &id,
            &[stays, (&id, client("slow", "/a"))],
            500,
        );
        stage.at(115_000 + turn * 30_000).of(
            &id,
            Change::MemberLeft {
                cause: "LeaveGroup: consumer poll timeout has expired.".into(),
            },
        );
        stage.rebalance(RebalanceCause::MemberLeft, &id, &[stays], 500);
    }
    has(
        &stage.says(Verdict::Flapping),
        &[
            "slow of /a came back 4 times in 2 min",
            "about every 30 s",
            "left by itself each time, so it does not crash",
            "poll timeout has expired",
            "after 16 s",
        ],
    );
}

#[test]
fn c20_two_expiries_in_74_minutes_of_a_member_that_returns_at_once() {
    let mut stage = Stage::default();
    for turn in 0..3_u64 {
        let id = format!("idle-{turn}");
        stage.at(100_000 + turn * 2_200_000);
        if turn > 0 {
            expired(&mut stage, &format!("idle-{}", turn - 1));
        }
        stage.rebalance(
            RebalanceCause::MemberJoined,
            &id,
            &[(&id, client("idle", "/a"))],
            345,
        );
        stage.beat(&id, 0);
    }
    has(
        &stage.says(Verdict::Flapping),
        &[
            "idle of /a came back 2 times in 1 h 13 min",
            "each time its session ran out",
        ],
    );
}

#[test]
fn g58_restarts_without_leaving_leave_zombies() {
    let mut stage = Stage::default();
    let of_restart = Client {
        session: 45_000,
        ..client("click", "/a")
    };
    let other = ("other-1", client("other", "/b"));
    let mut members = vec![other];
    let ids: Vec<String> = (0..7).map(|n| format!("click-{n}")).collect();
    stage.at(100_000);
    for id in &ids {
        members.push((id, of_restart));
    }
    stage.rebalance(RebalanceCause::MemberJoined, "click-6", &members, 500);
    for (n, id) in ids.iter().enumerate() {
        stage.at(101_000 + n as u64 * 6000).beat(id, 0);
    }
    stage.at(142_000).beats(&["click-6", "other-1"]);
    has(
        &stage.says(Verdict::Flapping),
        &[
            "7 of 8 members come from the same host and client id, click of /a, and 6 of them are silent",
            "the next expires in 4 s",
        ],
    );
}

#[test]
fn members_of_which_nobody_tells_who_they_are_are_not_one_client_that_restarts() {
    let ids: Vec<String> = (0..7).map(|n| format!("m-{n}")).collect();
    for known in [true, false] {
        let mut stage = Stage::default();
        for id in &ids {
            let mut joined = stage.joined(client("app", "/a"));
            joined.session_timeout_ms = Some(45_000);
            if !known {
                (joined.client_id, joined.host) = (None, None);
            }
            stage.of(id, Change::MemberJoined(joined));
        }
        for (n, id) in ids.iter().enumerate() {
            stage.at(1000 + n as u64 * 6000).beat(id, 0);
        }
        stage.at(42_000).beat("m-6", 0);
        let said = stage.said("orders");
        let flaps = said.iter().any(|finding| finding.verdict == Verdict::Flapping);
        assert_eq!(flaps, known, "{said:#?}");
    }
}
