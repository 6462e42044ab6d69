//! The bounds, against brokers in memory that have much to tell, or tell it slowly.

use shared::ids::NodeId;
use shared::protocol::ApiKey;
use shared::time::Millis;

use crate::limits;
use crate::survey::brokers::{Cluster, Group, member};

const NODES: [NodeId; 3] = [NodeId(1), NodeId(2), NodeId(3)];

/// Ten thousand groups on three brokers, every hundredth of them on its way to another state.
fn ten_thousand() -> Cluster {
    let mut cluster = Cluster::of(&NODES);
    for number in 0..10_000 {
        let state = if number % 100 == 0 {
            "PreparingRebalance"
        } else {
            "Empty"
        };
        let node = NODES[number % NODES.len()];
        cluster.put(node, &format!("group-{number}"), Group::classic(state, &[]));
    }
    cluster
}

fn keeps_the_bounds(cluster: &Cluster) {
    for node in NODES {
        assert!(cluster.most_in_flight(node) <= limits::SURVEY_IN_FLIGHT, "{node}");
        assert!(
            cluster.most_in_a_second(node) as u64 <= limits::SURVEY_IN_A_SECOND,
            "{node}"
        );
    }
}

#[test]
fn of_ten_thousand_groups_each_is_looked_at_every_two_seconds_and_changing_ones_twice_a_second() {
    let mut cluster = ten_thousand();
    cluster.run(Millis(10_000));
    assert!(
        cluster.longest_unseen() <= Millis(2_000),
        "{:?}",
        cluster.longest_unseen()
    );
    for number in (0..10_000).step_by(100) {
        let id = format!("group-{number}");
        let looks = cluster.looks(&id);
        assert!(looks >= 19, "{id}: {looks} in 10 s");
    }
    keeps_the_bounds(&cluster);
    // What /metrics tells is what the brokers saw.
    for (node, load) in cluster.survey().loads() {
        assert_eq!(load.most_in_flight, cluster.most_in_flight(node));
        assert!(load.most_in_a_second <= cluster.most_in_a_second(node));
    }
}

#[test]
fn a_slow_broker_has_no_more_requests_than_others_and_keeps_none_of_them_waiting() {
    let mut cluster = ten_thousand();
    cluster.slow(NODES[1], Millis(400));
    cluster.run(Millis(10_000));
    keeps_the_bounds(&cluster);
    for number in 0..10_000 {
        let id = format!("group-{number}");
        let unseen = cluster.unseen_for(&id);
        if NODES[number % NODES.len()] == NODES[1] {
            // Seventeen batches, two at once.
            assert!(unseen <= Millis(5_000), "{id}: {unseen:?}");
        } else {
            assert!(unseen <= Millis(2_000), "{id}: {unseen:?}");
        }
    }
}

#[test]
fn a_storm_of_all_groups_at_once_does_not_break_the_bounds() {
    let mut cluster = Cluster::of(&NODES[..1]);
    for number in 0..10_000 {
        let group = Group::classic("PreparingRebalance", &[member("a-1", "a")]);
        cluster.put(NODES[0], &format!("group-{number}"), group);
    }
    cluster.run(Millis(5_000));
    keeps_the_bounds(&cluster);
    assert!(
        cluster.longest_unseen() <= Millis(500),
        "{:?}",
        cluster.longest_unseen()
    );
}

#[test]
fn a_broker_that_takes_one_group_a_request_is_asked_no_faster_and_looked_at_as_often() {
    let mut cluster = Cluster::of(&NODES[..1]);
    cluster.oldest = true;
    for number in 0..10_000 {
        cluster.put(NODES[0], &format!("group-{number}"), Group::classic("Empty", &[]));
    }
    cluster.run(Millis(5_000));
    assert!(cluster.asked(ApiKey::OffsetFetch) > 500);
    keeps_the_bounds(&cluster);
    assert!(
        cluster.longest_unseen() <= Millis(2_000),
        "{:?}",
        cluster.longest_unseen()
    );
}

#[test]
fn what_waits_for_a_connection_that_ends_is_not_sent_on_the_next() {
    use shared::event::LinkFault;
    use shared::protocol::ListGroupsRequest;
    use shared::time::Timestamp;

    use super::Gates;
    use crate::survey::port::{Input, Lane, Link, Output};

    let (node, now) = (NODES[0], Timestamp::from_millis(1_000));
    let ask = |lane, token| Output::Ask {
        link: Link { node, lane },
        token,
        version: 5,
        request: ListGroupsRequest::default().into(),
        timeout: Millis(1_000),
        compare: None,
    };
    let token = |output: Option<Output>| match output {
        Some(Output::Ask { token, .. }) => Some(token),
        _ => None,
    };
    let mut gates = Gates::default();
    let all = limits::SURVEY_IN_FLIGHT as u64;
    for number in 0..all {
        assert_eq!(token(gates.pass(now, ask(Lane::Look, number))), Some(number));
    }
    assert_eq!(token(gates.pass(now, ask(Lane::Look, 100))), None);
    assert_eq!(token(gates.pass(now, ask(Lane::Rounds, 101))), None);
    assert_eq!(gates.deadline(), None, "an answer must come first");
    gates.heard(&Input::Ended {
        link: Link {
            node,
            lane: Lane::Look,
        },
        fault: LinkFault::Timeout,
        detail: String::new(),
    });
    assert_eq!(token(gates.release(now)), Some(101));
    assert_eq!(token(gates.release(now)), None);
    assert_eq!(gates.loads()[&node].in_flight, 1);
}
