//! Outages of a coordinator: what its groups' members do because of them is no fault of theirs.

use super::stage::*;
use crate::event::{Change, Departure, GroupState, Joined, LinkFault, Source};
use crate::health::Verdict;
use crate::ids::NodeId;

const BROKER: NodeId = NodeId(2);

fn sits(stage: &mut Stage, node: NodeId) {
    let (host, port) = ("broker".into(), 9092);
    stage.tell(
        "orders",
        Source::Survey,
        None,
        Change::CoordinatorFound { node, host, port },
    );
}

fn comes(stage: &mut Stage, id: &str) {
    let joined = Joined {
        client_id: Some("c".into()),
        host: Some("/10.0.0.1".into()),
        ..Joined::default()
    };
    stage.tell("orders", Source::Survey, Some(id), Change::MemberJoined(joined));
}

fn goes(stage: &mut Stage, id: &str) {
    let gone = Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "not visible".into(),
    };
    stage.tell("orders", Source::Survey, Some(id), gone);
}

fn falls_silent(stage: &mut Stage) {
    stage.of_cluster(Change::BrokerSilent {
        node: BROKER,
        cause: LinkFault::Timeout,
        detail: None,
    });
}

fn answers(stage: &mut Stage) {
    stage.of_cluster(Change::BrokerAnswers {
        node: BROKER,
        host: None,
        port: None,
    });
}

fn stable() -> Stage {
    let mut stage = Stage::default();
    sits(&mut stage, BROKER);
    let (from, to) = (None, GroupState::Stable);
    stage.tell("orders", Source::Survey, None, Change::GroupState { from, to });
    comes(&mut stage, "c-0");
    stage
}

/// Its member comes back under a new id, so many times, three minutes apart, each time after an outage of its broker or without one.
fn returns(stage: &mut Stage, from: usize, times: usize, outage: bool) {
    for time in from..from + times {
        let start = stage.now + 180_000;
        stage.at(start);
        if outage {
            falls_silent(stage);
            answers(stage.at(start + 54_000));
        }
        stage.at(start + 70_000);
        goes(stage, &format!("c-{time}"));
        stage.at(start + 71_000);
        comes(stage, &format!("c-{}", time + 1));
    }
}

#[test]
fn returns_that_follow_outages_of_the_coordinator_are_no_flapping_and_the_outage_is_named_as_their_cause() {
    let mut stage = stable();
    returns(&mut stage, 0, 4, true);
    stage.at(stage.now + 5_000);
    let said = stage.says(Verdict::Stable);
    has(
        &said,
        &[
            "Broker 2, its coordinator then, answered nobody about it for 54 s until 22 s ago",
            "by the times that is why members went and came back (inferred), no fault of theirs",
        ],
    );
    assert_eq!(stage.said("orders")[0].verdict, Verdict::Stable);
}

#[test]
fn returns_without_an_outage_are_flapping_though_there_were_outages_too() {
    let mut stage = stable();
    returns(&mut stage, 0, 2, true);
    returns(&mut stage, 2, 3, false);
    stage.at(stage.now + 5_000);
    has(
        &stage.says(Verdict::Flapping),
        &["c of /10.0.0.1 came back 3 times"],
    );
}

#[test]
fn an_outage_that_a_group_escaped_to_another_coordinator_is_remembered_by_it_and_by_no_other() {
    let mut stage = stable();
    stage.at(10_000);
    falls_silent(&mut stage);
    stage.at(22_000);
    sits(&mut stage, NodeId(3));
    answers(stage.at(60_000));
    let outages = &stage.group("orders").outages;
    let lengths: Vec<_> = outages
        .iter()
        .map(|one| (one.node, one.to.since(one.from).0))
        .collect();
    assert_eq!(lengths, [(BROKER, 12_000)]);
    // That one answers nobody later is nothing to it.
    stage.at(90_000);
    falls_silent(&mut stage);
    answers(stage.at(95_000));
    assert_eq!(stage.group("orders").outages.len(), 1);
}
