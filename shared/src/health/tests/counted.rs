//! Numbers: those of one sentence, and of the sentences of one answer, count the same things in the same time.

use super::stage::*;
use crate::event::{Change, EvictionCause, Lag, PartitionProgress, RebalanceCause, RejoinCause, Source};
use crate::health::Verdict;
use crate::ids::Generation;

fn left(stage: &mut Stage, member: &str) {
    let cause = "LeaveGroup".into();
    stage.of(member, Change::MemberLeft { cause });
}

fn expired(stage: &mut Stage, member: &str) {
    let cause = "Silent past its session.".into();
    stage.of(member, Change::MemberExpired { cause });
}

/// One that goes and comes back two seconds apart so many times, two rebalances each, beside one that stays.
fn comes_and_goes(stage: &mut Stage, returns: u64, go: impl Fn(&mut Stage, u64, &str)) {
    let stays = ("stays-1", client("stays", "/b"));
    for turn in 0..=returns {
        let id = format!("restless-{turn}");
        let members = [stays, (&id, client("restless", "/a"))];
        stage.at(100_000 + turn * 2000);
        stage.rebalance(RebalanceCause::MemberJoined, &id, &members, 100);
        if turn < returns {
            stage.at(101_000 + turn * 2000);
            go(stage, turn, &id);
            stage.rebalance(RebalanceCause::MemberLeft, &id, &[stays], 100);
        }
    }
}

#[test]
fn returns_beyond_those_that_are_remembered_are_counted_and_the_span_is_told_of_the_last_alone() {
    let mut stage = Stage::default();
    comes_and_goes(&mut stage, 70, |stage, _, id| left(stage, id));
    let sentence = stage.says(Verdict::Flapping);
    has(
        &sentence,
        &[
            "restless of /a came back 70 times, the last 15 in 30 s under new member ids, about every 2 s",
            "It made 141 of the last 141 rebalances.",
        ],
    );
    assert!(!sentence.contains("for each return"), "{sentence}");
}

#[test]
fn returns_that_are_all_remembered_are_told_with_what_each_costs() {
    let mut stage = Stage::default();
    comes_and_goes(&mut stage, 12, |stage, _, id| left(stage, id));
    has(
        &stage.says(Verdict::Flapping),
        &[
            "came back 12 times in 24 s under",
            "It made 25 of the last 25 rebalances, 1 when it came and 2 for each return.",
        ],
    );
}

#[test]
fn the_ways_it_went_add_up_to_its_returns() {
    let mut stage = Stage::default();
    comes_and_goes(&mut stage, 5, |stage, turn, id| match turn {
        0 | 3 => expired(stage, id),
        _ => left(stage, id),
    });
    // It is gone once more, and not back yet.
    stage.at(111_000);
    left(&mut stage, "restless-5");
    has(
        &stage.says(Verdict::Flapping),
        &[
            "came back 5 times in 10 s",
            ": it left 3 times, expired 2 times (the last just now",
        ],
    );
}

#[test]
fn how_a_member_went_is_counted_as_its_coordinator_says_it_in_the_end() {
    let mut stage = Stage::default();
    comes_and_goes(&mut stage, 5, |stage, _, id| {
        let cleared = Change::RejoinNeeded {
            cause: RejoinCause::UnknownMemberId,
            error: Some(25),
            member_id_cleared: true,
            detail: None,
        };
        stage.tell("orders", Source::Probe, Some(id), cleared);
        let cause = EvictionCause::Displaced;
        stage.of(id, Change::MemberEvicted { cause });
    });
    has(
        &stage.says(Verdict::Flapping),
        &[
            ": it was evicted 5 times (the last 1.1 s ago: Removed by the coordinator when another member joined)",
        ],
    );
    let group = stage.group("orders");
    let run = group.run.as_ref().unwrap();
    assert_eq!((run.came, run.left, run.removed, run.gone), (7, 0, 5, 0));
}

#[test]
fn members_of_ours_that_get_another_id_are_new_ids() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    for turn in 0..8_u64 {
        stage.at(turn * 1000);
        let asks = Change::CoordinatorFound {
            node: crate::ids::NodeId(1),
            host: "b".into(),
            port: 9092,
        };
        stage.tell("orders", Source::Probe, Some("one"), asks);
        let id = format!("one-{turn}");
        stage.rebalance(RebalanceCause::StorageFailed, &id, &[(&id, one)], 10);
        stage.at(turn * 1000 + 500);
        left(&mut stage, &id);
    }
    has(
        &stage.says(Verdict::Storm),
        &[
            "8 rebalances in 7 s, one every 1 s (60 a minute)",
            "8 new member ids, 8 left, nobody was removed",
        ],
    );
}

#[test]
fn a_storm_whose_first_members_came_before_its_first_generation_counts_them() {
    let mut stage = Stage::default();
    let (one, two) = (client("one", "/a"), client("two", "/b"));
    for turn in 0..8 {
        let cause = RebalanceCause::StorageFailed;
        stage
            .at(turn * 500)
            .rebalance(cause, "one-1", &[("one-1", one), ("two-1", two)], 10);
    }
    has(
        &stage.says(Verdict::Storm),
        &["2 new member ids, 0 left, nobody was removed"],
    );
}

#[test]
fn who_is_displaced_has_not_left_and_needs_no_longer_session() {
    let mut stage = Stage::default();
    let clients = [client("one", "/a"), client("two", "/b")];
    stage.rebalance(RebalanceCause::MemberJoined, "c-0", &[("c-0", clients[0])], 10);
    for turn in 1..10_u64 {
        let (old, new) = (format!("c-{}", turn - 1), format!("c-{turn}"));
        let client = clients[turn as usize % 2];
        stage
            .at(100_000 + turn * 700)
            .started(RebalanceCause::MemberJoined, &new);
        stage.join(&new, client);
        let cause = EvictionCause::Displaced;
        stage.of(&old, Change::MemberEvicted { cause });
        stage.formed(&new, 1);
        stage.refused(&old, clients[(turn as usize + 1) % 2], "SyncGroup", 25, 1);
    }
    let sentence = stage.says(Verdict::Storm);
    has(
        &sentence,
        &[
            "made by 2 clients, 9 new member ids, 0 left, 9 were removed by the coordinator: members displace each other",
        ],
    );
    assert!(!sentence.contains("session.timeout.ms"), "{sentence}");
}

#[test]
fn a_return_is_told_with_one_time_in_all_sentences() {
    let mut stage = Stage::default();
    let (stays, back) = (("stays-1", client("stays", "/b")), client("back", "/a"));
    for turn in 0..4_u64 {
        let id = format!("back-{turn}");
        stage.at(turn * 20_000).started(RebalanceCause::MemberJoined, &id);
        stage.join(&id, back).join("stays-1", stays.1);
        // It is in the group once all have joined.
        stage.at(turn * 20_000 + 900).formed(&id, 2);
        stage.in_group(&id, back).in_group("stays-1", stays.1);
        stage.finished(RebalanceCause::MemberJoined, &id, 900);
        if turn < 3 {
            stage.at(turn * 20_000 + 19_900);
            expired(&mut stage, &id);
        }
    }
    has(
        &stage.says(Verdict::Flapping),
        &["it was back in the group as back-3 after 1 s"],
    );
    has(
        &stage.says(Verdict::Stable),
        &["and came back as back-3 after 1 s, "],
    );
}

#[test]
fn only_who_was_there_all_the_while_is_compared_with_a_member_that_was_lost() {
    let mut stage = Stage::default();
    let (one, lost, late) = (client("one", "/a"), client("lost", "/b"), client("late", "/c"));
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", one), ("lost-1", lost)],
        10,
    );
    stage.at(3000).beats(&["one-1", "lost-1"]);
    stage.at(13_000).beat("one-1", 0);
    expired(&mut stage, "lost-1");
    stage.at(14_000).rebalance(
        RebalanceCause::MemberJoined,
        "lost-2",
        &[("one-1", one), ("lost-2", lost), ("late-1", late)],
        10,
    );
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "Meanwhile the coordinator kept 1 other on other hosts: it is this member's process or its network",
        ],
    );
    // Who is heard now has nothing to say of that time.
    stage.at(25_000);
    let sentence = stage.says(Verdict::Stable);
    assert!(sentence.contains("kept 1 other on other hosts: "), "{sentence}");
}

#[test]
fn one_that_was_answered_within_its_session_is_not_said_to_have_been_silent_for_longer() {
    let mut stage = Stage::default();
    let ours = client("ours", "/a");
    stage.rebalance(RebalanceCause::MemberJoined, "ours-1", &[("ours-1", ours)], 10);
    let mut rejoined = stage.joined(ours);
    rejoined.generation = Some(Generation(1));
    stage.at(9_700).tell(
        "orders",
        Source::Probe,
        Some("ours-1"),
        Change::MemberRejoined(rejoined),
    );
    stage.of(
        "ours-1",
        Change::HeartbeatReceived {
            generation: Generation(1),
            error: 0,
        },
    );
    stage.at(10_000);
    expired(&mut stage, "ours-1");
    stage.at(12_000);
    let said = stage.said("orders");
    assert!(
        said.iter().any(|finding| finding
            .sentence
            .contains("(answered 300 ms before, its session is 10 s)")),
        "{said:#?}"
    );
}

#[test]
fn a_storm_in_bursts_is_told_with_the_mean_of_those_whose_times_are_remembered() {
    let mut stage = Stage::default();
    let one = client("one", "/a");
    for turn in 0..20_u64 {
        // Two together, then a rest of four seconds.
        stage.at(turn / 2 * 4000 + turn % 2 * 20);
        stage.rebalance(RebalanceCause::StorageFailed, "one-1", &[("one-1", one)], 10);
    }
    // Of the last sixteen, eight gaps are 20 ms and seven nearly 4 s.
    has(
        &stage.says(Verdict::Storm),
        &["20 rebalances in 36 s, one every 1.8 s (33 a minute)"],
    );
}

#[test]
fn partitions_beyond_those_that_are_named_are_not_counted_as_none() {
    let mut stage = Stage::default();
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", client("one", "/a"))],
        10,
    );
    for (at, end) in [(1_000, 6), (130_000, 10)] {
        let named = i32::try_from(PartitionProgress::NAMED).unwrap();
        let rows = (0..named).map(|partition| PartitionProgress {
            topic: "t".into(),
            partition,
            committed: Some(5),
            end: Some(end),
            committed_at: None,
            lag: None,
            gone: false,
        });
        stage.at(at).beat("one-1", 0).group_of(Change::GroupProgress {
            partitions: rows.collect(),
            unnamed: 7,
            lag: Lag::default(),
        });
    }
    has(
        &stage.says(Verdict::NotProgressing),
        &[
            "commits nothing for 2 min 9 s on at least 64 partitions",
            "at least 256 records came meanwhile and at least 320 are left to read",
        ],
    );
}

#[test]
fn clients_that_ask_a_former_coordinator_may_be_more_than_are_remembered() {
    let mut stage = Stage::default();
    stage.rebalance(
        RebalanceCause::MemberJoined,
        "one-1",
        &[("one-1", client("one", "/a"))],
        10,
    );
    stage.at(100_000).group_of(Change::GroupUnloaded {
        node: crate::ids::NodeId(1),
        partition: 3,
    });
    stage.at(120_000);
    let hosts: Vec<String> = (0..20).map(|n| format!("/{n}")).collect();
    for host in &hosts {
        let refused = Change::RequestRefused {
            api: "JoinGroup".into(),
            error: 16,
            client_id: "app".into(),
            host: host.clone(),
            times: 1,
        };
        stage.of("app-1", refused);
    }
    has(
        &stage.says(Verdict::Refused),
        &["app of /17 and 13 more and perhaps others did not look it up again"],
    );
}
