//! Where the coordinator sits, and since when it is taken for dead.

use super::super::limits;
use super::story::*;
use crate::event::{Change, DeathCause, GroupState, LinkFault, RebalanceCause, RoundTrips, Source};
use crate::ids::{Generation, NodeId};
use crate::sorted::SortedMap;

fn dead(cause: DeathCause, unsent: u32) -> Change {
    Change::CoordinatorDead {
        node: NodeId(1),
        cause,
        detail: None,
        unsent,
        again: 0,
    }
}

#[test]
fn the_first_member_that_takes_it_for_dead_says_since_when_and_why() {
    let mut story = Story::default();
    story.at(0).probe("a", found(1)).probe("b", found(1));
    story.at(100).probe("a", dead(DeathCause::Disconnect, 1));
    story.at(200).probe("b", dead(DeathCause::SessionOver, 2));
    let death = story.group().death().unwrap();
    assert_eq!(
        (death.since, death.cause, death.unsent),
        (at(100), DeathCause::Disconnect, 3)
    );
    assert_eq!(
        story.board.coordinators().next().unwrap().dead,
        Some((at(200), DeathCause::SessionOver))
    );
}

#[test]
fn brokers_count_the_groups_that_move_between_them() {
    let mut story = Story::default();
    story.at(0).probe("a", found(1));
    story.at(200).probe("a", found(2));
    story.at(300).probe("a", found(1));
    story.at(400).probe("a", found(2));
    let rows = story.board.coordinators();
    let rows: Vec<_> = rows
        .map(|row| (row.node, row.came, row.went, row.moved))
        .collect();
    assert_eq!(
        rows,
        [(NodeId(1), 1, 2, Some(at(400))), (NodeId(2), 2, 1, Some(at(400)))]
    );
}

#[test]
fn one_of_several_members_that_lost_it_does_not_make_it_dead() {
    let mut story = Story::default();
    story.probe("a-7", joined("a", 1)).probe("b-7", joined("b", 1));
    story.probe("a-7", found(1));
    story.at(100).probe("a-7", dead(DeathCause::Timeout, 0));
    assert!(story.group().death().is_none());
    story.at(101).probe("b-7", dead(DeathCause::Disconnect, 0));
    let death = story.group().death().unwrap();
    assert_eq!((death.since, death.cause), (at(100), DeathCause::Timeout));
    story.at(102).probe("b-7", found(1));
    assert!(story.group().death().is_none());
}

#[test]
fn with_no_member_of_ours_left_an_answer_to_anybody_says_it_lives() {
    let mut story = Story::default();
    story
        .embedded("s-7", joined("s", 1))
        .probe("a-7", joined("a", 1))
        .probe("a-7", found(1));
    let expired = Change::MemberExpired {
        cause: "silent".into(),
    };
    story
        .at(100)
        .embedded("a-7", expired)
        .probe("a-7", dead(DeathCause::SessionOver, 0));
    assert!(story.group().death().is_some());
    story.at(200).embedded("s-7", received(1, 0));
    assert!(story.group().death().is_none());
}

#[test]
fn found_again_it_lives_since_then() {
    let mut story = Story::default();
    story.probe("a", found(1));
    story.at(50).probe("b", found(1));
    assert_eq!(
        story.group().coordinator.as_ref().unwrap().since,
        at(0),
        "the same one, still"
    );
    story.at(100).probe("a", dead(DeathCause::NotCoordinator, 0));
    story.at(300).probe("a", found(2));
    let seat = story.group().coordinator.clone().unwrap();
    assert_eq!((seat.node, seat.since, seat.dead), (NodeId(2), at(300), None));
}

#[test]
fn late_news_of_the_one_before_does_not_kill_the_new_one() {
    let mut story = Story::default();
    story.probe("a", found(2));
    story.at(100).probe("b", dead(DeathCause::NotCoordinator, 0));
    assert!(story.group().death().is_none());
}

#[test]
fn a_coordinator_never_seen_alive_can_be_dead() {
    let mut story = Story::default();
    story.probe("a", dead(DeathCause::Disconnect, 0));
    let seat = story.group().coordinator.clone().unwrap();
    assert_eq!((seat.host, seat.port), (None, None));
    assert!(story.group().death().is_some());
}

#[test]
fn why_it_is_not_found_stands_until_it_is() {
    let mut story = Story::default();
    story.at(5).probe(
        "a",
        Change::CoordinatorNotFound {
            error: None,
            cause: Some(LinkFault::Disconnect),
            detail: Some("connection refused".into()),
        },
    );
    let not_found = story.group().not_found.clone().unwrap();
    assert_eq!(
        (not_found.at, not_found.cause),
        (at(5), Some(LinkFault::Disconnect))
    );
    assert_eq!(story.members(), ["a"]);
    story.probe("a", found(1));
    assert_eq!(story.group().not_found, None);
}

#[test]
fn what_concerns_a_whole_cluster_is_kept_beside_the_groups() {
    let mut story = Story::default();
    story.at(3).tell(
        Source::Survey,
        None,
        None,
        Change::NotAuthorized {
            error: 31,
            right: "DESCRIBE on the cluster".into(),
        },
    );
    story.tell(
        Source::Survey,
        None,
        None,
        Change::Gap {
            what: "the offsets log".into(),
            from: at(0),
            to: at(2),
            why: "no leader".into(),
        },
    );
    story.tell(
        Source::Embedded,
        None,
        None,
        Change::FaultPlayed {
            fault: crate::fault::Fault::Stop,
        },
    );
    assert_eq!(story.board.groups().len(), 0);
    assert_eq!(story.board.refusals[0].refusal.error, 31);
    assert_eq!(story.board.gaps[0].why, "no leader");
    assert_eq!(story.board.faults[0].seq, 3);
}

#[test]
fn a_cluster_that_cannot_be_reached_is_told_of_until_a_member_has_reached_it() {
    let mut story = Story::default();
    let unreachable = Change::CoordinatorNotFound {
        error: None,
        cause: Some(LinkFault::Disconnect),
        detail: Some("connection refused".into()),
    };
    story.at(7).tell(Source::Probe, None, None, unreachable);
    assert_eq!(story.board.not_found.as_ref().unwrap().at, at(7));
    assert_eq!(story.board.groups().len(), 0);
    story.probe("a", found(1));
    assert_eq!(story.board.not_found, None);
}

#[test]
fn one_member_that_lost_it_and_found_it_again_does_not_make_it_new() {
    let mut story = Story::default();
    for id in ["a-7", "b-7"] {
        story.probe(id, joined(id, 1)).probe(id, found(1));
    }
    let since = |story: &Story| story.group().coordinator.as_ref().unwrap().since;
    story.at(100).probe("a-7", dead(DeathCause::SessionOver, 1));
    story.at(200).probe("a-7", found(1));
    assert_eq!(since(&story), at(0), "b never lost it");
    story.at(300).probe("a-7", dead(DeathCause::Disconnect, 0));
    story.at(301).probe("b-7", dead(DeathCause::Disconnect, 0));
    story.at(400).probe("b-7", found(1));
    story.at(500).probe("a-7", found(1));
    assert_eq!(since(&story), at(400), "nobody had it before");
}

#[test]
fn a_rebalance_that_ran_when_the_group_was_given_up_is_cut_off_and_not_open_for_ever() {
    let (node, partition) = (NodeId(1), 7);
    let loaded = |generation| Change::GroupLoaded {
        node: NodeId(2),
        partition,
        took_ms: 5,
        generation: Generation(generation),
    };
    let mut story = Story::default();
    story
        .embedded("a-7", joined("a", 3))
        .group_of(Source::Embedded, Change::RebalanceFinished(bare(3, Some(2))));
    let timed_out = |from| started(RebalanceCause::MemberTimedOut, Some("b-7"), Some(from));
    story.at(100).group_of(Source::Embedded, timed_out(3));
    story
        .at(200)
        .group_of(Source::Embedded, Change::GroupUnloaded { node, partition });
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.state.get(), None, "nobody coordinates it");
    let cut_off = |story: &Story| {
        let all = &story.group().coordination;
        let of = |load: &Option<crate::board::Load>| load.as_ref().and_then(|load| load.cut_off);
        (of(&all.unloaded), of(&all.loaded))
    };
    assert_eq!(cut_off(&story), (Some(at(100)), None));
    let stable = Change::GroupState {
        from: None,
        to: GroupState::Stable,
    };
    story
        .at(300)
        .group_of(Source::Embedded, loaded(3))
        .group_of(Source::Embedded, stable);
    assert_eq!(
        cut_off(&story),
        (Some(at(100)), None),
        "there was none to cut off"
    );
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));

    // The next one is a row of its own, from its own start.
    story.at(1000).group_of(Source::Embedded, timed_out(3));
    story
        .at(1500)
        .group_of(Source::Embedded, Change::RebalanceFinished(bare(4, Some(3))));
    let row = &story.group().rebalances[0];
    assert_eq!(row.started.get(), Some(&at(1000)));
    assert_eq!(story.group().rebalances.len(), 2);

    // Read again without having gone, as after a restart of the coordinator.
    story.at(2000).group_of(Source::Embedded, timed_out(4));
    story.at(2100).group_of(Source::Embedded, loaded(4));
    assert!(story.group().open.is_none());
    assert_eq!(cut_off(&story).1, Some(at(2000)));
}

#[test]
fn round_trips_add_up_by_request_in_the_row_of_their_broker() {
    let mut story = Story::default();
    for second in 1..=3_u64 {
        let trips = ["ApiVersions", "DescribeGroups"].map(|api| RoundTrips {
            api: api.into(),
            buckets: SortedMap::from([(100, 2)]),
        });
        let change = Change::BrokerLatency {
            node: NodeId(4),
            trips: trips.to_vec(),
        };
        story.at(second * 1000).tell(Source::Survey, None, None, change);
    }
    let rows: Vec<_> = story.board.coordinators().collect();
    assert_eq!(rows.len(), 1);
    let counts = rows[0]
        .trips
        .iter()
        .map(|row| (row.api.as_str(), row.latency.count()));
    assert_eq!(
        counts.collect::<Vec<_>>(),
        [("ApiVersions", 6), ("DescribeGroups", 6)]
    );
}

#[test]
fn requests_beyond_the_bound_get_no_row() {
    let mut story = Story::default();
    for number in 0..limits::APIS + 5 {
        let trips = vec![RoundTrips {
            api: format!("Api{number}"),
            buckets: SortedMap::from([(100, 1)]),
        }];
        let node = NodeId(4);
        story
            .at(1000)
            .tell(Source::Survey, None, None, Change::BrokerLatency { node, trips });
    }
    let rows: Vec<_> = story.board.coordinators().collect();
    assert_eq!(rows[0].trips.len(), limits::APIS);
    assert!(rows[0].trips.iter().all(|row| row.latency.count() == 1));
}

#[test]
fn a_right_that_is_missing_on_a_cluster_stands_there_once_and_until_it_is_there() {
    let mut story = Story::default();
    let missing = |right: &str| Change::NotAuthorized {
        error: 31,
        right: right.into(),
    };
    for (second, right) in [
        (3, "DESCRIBE on the cluster"),
        (4, "READ on topic t"),
        (5, "DESCRIBE on the cluster"),
    ] {
        story.at(second).tell(Source::Survey, None, None, missing(right));
    }
    let rights = |story: &Story| -> Vec<String> {
        let rows = story.board.refusals.iter();
        rows.map(|row| row.refusal.right.clone()).collect()
    };
    assert_eq!(rights(&story), ["DESCRIBE on the cluster", "READ on topic t"]);
    let right = "DESCRIBE on the cluster".into();
    story.tell(Source::Survey, None, None, Change::Authorized { right });
    assert_eq!(rights(&story), ["READ on topic t"]);
}

/// The fault `move` with an older state (docs/contract.md): what came since is lost, and its generations come once more.
#[test]
fn after_an_older_state_was_read_the_generations_that_come_again_are_other_rebalances() {
    let mut story = Story::default();
    for (generation, ms) in [(4, 4_000), (5, 5_000)] {
        story
            .at(ms)
            .embedded("a-7", rejoined("a", generation, 900))
            .group_of(
                Source::Embedded,
                Change::RebalanceFinished(bare(generation, Some(generation - 1))),
            );
    }
    story.at(10_000).group_of(
        Source::Embedded,
        Change::GroupLoaded {
            node: NodeId(2),
            partition: 7,
            took_ms: 5,
            generation: Generation(4),
        },
    );
    assert_eq!(story.group().generation.get(), Some(&Generation(4)));
    story
        .at(11_000)
        .group_of(
            Source::Embedded,
            started(RebalanceCause::LeaderRejoined, Some("a-7"), Some(4)),
        )
        .at(12_000)
        .embedded("a-7", rejoined("a", 5, 30))
        .group_of(Source::Embedded, Change::RebalanceFinished(bare(5, Some(4))));
    let group = story.group();
    assert!(group.open.is_none(), "the first of that number is not its end");
    assert_eq!(group.state.get(), Some(&GroupState::Stable));
    assert_eq!(group.generation.get(), Some(&Generation(5)));
    assert_eq!(group.rebalances_total.values().sum::<u64>(), 3);
    let newest = &group.rebalances[0];
    assert_eq!(newest.cause(), RebalanceCause::LeaderRejoined);
    assert_eq!(newest.started.get(), Some(&at(11_000)));
    assert_eq!(story.member("a-7").rejoins[0].took_ms.get(), Some(&30));
}

#[test]
fn a_broker_that_answers_that_it_does_not_coordinate_a_group_is_not_dead() {
    let row = |story: &Story| story.board.coordinators.values().next().unwrap().dead;
    let mut story = Story::default();
    story.probe("a", found(1));
    story.at(50).probe("a", dead(DeathCause::Disconnect, 0));
    assert_eq!(row(&story), Some((at(50), DeathCause::Disconnect)));
    story.at(60).probe("a", dead(DeathCause::NotCoordinator, 0));
    assert_eq!(row(&story), None);
    story.at(70).probe("a", dead(DeathCause::Timeout, 0));
    let node = NodeId(1);
    story.at(80).tell(
        Source::Survey,
        None,
        None,
        Change::BrokerAnswers {
            node,
            host: None,
            port: None,
        },
    );
    assert_eq!(row(&story), None);
}
