//! What is said of groups that only a survey sees.

use super::stage::*;
use crate::board::GroupKey;
use crate::event::{
    Change, Event, Evidence, GroupState, GroupType, Joined, LinkFault, Observation, RebalanceCause,
    Rebalanced, Source, TopicPartitions,
};
use crate::health::Verdict;
use crate::ids::{ClusterId, Generation, NodeId};
use crate::member::{MoveCause, State};
use crate::time::{Millis, UnixMs};

fn told(stage: &mut Stage, change: Change) {
    stage.tell("orders", Source::Survey, None, change);
}

#[test]
fn a_group_whose_broker_does_not_answer_is_shown_as_not_answered_for_and_not_as_what_it_was() {
    let mut stage = Stage::default();
    let group_type = GroupType::Classic;
    told(
        &mut stage,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    told(
        &mut stage,
        Change::CoordinatorFound {
            node: NodeId(2),
            host: "broker-2".into(),
            port: 9092,
        },
    );
    let (from, to) = (None, GroupState::Stable);
    told(&mut stage, Change::GroupState { from, to });
    stage.at(5_000);
    stage.of_cluster(Change::BrokerSilent {
        node: NodeId(2),
        cause: LinkFault::Timeout,
        detail: None,
    });
    stage.at(8_000);
    has(
        &stage.says(Verdict::CoordinatorGone),
        &["Not answered for 3 s: broker 2, which coordinates the group, is silent"],
    );
    stage.of_cluster(Change::BrokerAnswers {
        node: NodeId(2),
        host: None,
        port: None,
    });
    stage.is_calm();
}

#[test]
fn a_group_that_a_member_of_ours_was_in_is_not_answered_for_either_and_waits_for_who_ended_in_it() {
    let mut stage = Stage::default();
    let ours = |stage: &mut Stage, change| {
        stage.tell("orders", Source::Probe, Some("m-7"), change);
    };
    let found = Change::CoordinatorFound {
        node: NodeId(2),
        host: "broker-2".into(),
        port: 9092,
    };
    ours(&mut stage, found);
    let joined = Joined {
        generation: Some(Generation(1)),
        client_id: Some("m".into()),
        session_timeout_ms: Some(45_000),
        heartbeat_interval_ms: Some(3_000),
        ..Joined::default()
    };
    ours(&mut stage, Change::MemberJoined(joined));
    let (from, to) = (None, GroupState::Stable);
    told(&mut stage, Change::GroupState { from, to });
    stage.tell(
        "orders",
        Source::Survey,
        Some("m-7"),
        Change::MemberJoined(Joined::default()),
    );
    stage.at(5_000);
    stage.of_cluster(Change::BrokerSilent {
        node: NodeId(2),
        cause: LinkFault::Timeout,
        detail: None,
    });
    stage.at(6_000);
    let (from, to, cause) = (State::Stable, State::Ended, MoveCause::LeaveEnded);
    ours(&mut stage, Change::MemberMoved { from, to, cause });
    stage.at(8_000);
    has(
        &stage.says(Verdict::CoordinatorGone),
        &["Not answered for 3 s: broker 2, which coordinates the group, is silent"],
    );
    let (node, host, port) = (NodeId(2), None, None);
    stage.of_cluster(Change::BrokerAnswers { node, host, port });
    let (from, to) = (Some(GroupState::Stable), GroupState::PreparingRebalance);
    told(&mut stage, Change::GroupState { from, to });
    stage.at(40_000);
    has(
        &stage.says(Verdict::Waiting),
        &["waiting for m, which ended without leaving: its coordinator has it until its session is over"],
    );
    let (from, to) = (Some(GroupState::PreparingRebalance), GroupState::Stable);
    told(&mut stage, Change::GroupState { from, to });
    stage.at(90_000);
    let findings = stage.said("orders");
    let silent = findings
        .iter()
        .find(|finding| finding.verdict == Verdict::MemberSilent);
    assert_eq!(silent, None, "that it is silent is our own doing");
}

#[test]
fn that_members_of_a_share_group_have_the_same_partitions_is_nothing_to_be_said() {
    for (group_type, said) in [(GroupType::Share, 0), (GroupType::Consumer, 1)] {
        let mut stage = Stage::default();
        told(
            &mut stage,
            Change::GroupFound {
                group_type,
                protocol_type: None,
            },
        );
        let (from, to) = (None, GroupState::Stable);
        told(&mut stage, Change::GroupState { from, to });
        for member in ["a", "b"] {
            let owned = Change::MemberAssigned {
                generation: Some(Generation(3)),
                partitions: Some(vec![TopicPartitions {
                    topic: "t".into(),
                    partitions: vec![0],
                }]),
                unnamed: 0,
            };
            for change in [Change::MemberJoined(Joined::default()), owned] {
                stage.tell("orders", Source::Survey, Some(member), change);
            }
        }
        stage.at(600_000);
        let findings = stage.said("orders");
        let unowned = |finding: &&crate::health::Finding| finding.verdict == Verdict::UnownedPartitions;
        assert_eq!(findings.iter().filter(unowned).count(), said);
    }
}

#[test]
fn how_long_a_rebalance_took_is_said_as_far_as_it_is_known() {
    let said = |evidence, at_earliest: Option<u64>| {
        let mut stage = Stage::default();
        let group_type = GroupType::Classic;
        told(
            &mut stage,
            Change::GroupFound {
                group_type,
                protocol_type: None,
            },
        );
        let (from, to) = (None, GroupState::Stable);
        told(&mut stage, Change::GroupState { from, to });
        stage.at(2_000);
        let at = UnixMs(START + stage.now);
        stage.board.apply(&Event {
            seq: stage.board.seq + 1,
            seen: at,
            what: Observation {
                at,
                at_earliest: at_earliest.map(|ms| UnixMs(START + ms)),
                source: Source::Survey,
                evidence,
                cluster: ClusterId::from("c"),
                group: Some("orders".into()),
                member: None,
                change: Change::RebalanceStarted {
                    cause: RebalanceCause::MemberJoined,
                    member: None,
                    from_generation: Some(Generation(1)),
                },
            },
        });
        stage.at(3_500);
        let (from, to) = (None, GroupState::Stable);
        told(&mut stage, Change::GroupState { from, to });
        let key = GroupKey::new(&ClusterId::from("c"), &"orders".into());
        let row = &stage.board.group(&key).unwrap().rebalances[0];
        let between = row.took_between().unwrap();
        (stage.says(Verdict::Stable), between, row.starts_exactly())
    };
    let (least, most) = (Millis(1_500), Millis(3_000));
    let (sentence, between, exact) = said(Evidence::Observed, None);
    has(&sentence, &["done in 1.5 s"]);
    assert!(exact && between == (least, Some(least)), "{between:?}");
    let (sentence, between, exact) = said(Evidence::Inferred, Some(500));
    has(&sentence, &["done in 1.5 s to 3 s"]);
    assert!(!exact && between == (least, Some(most)), "{between:?}");
    let (sentence, between, exact) = said(Evidence::Inferred, None);
    has(&sentence, &["done in at least 1.5 s"]);
    assert!(!exact && between == (least, None), "{between:?}");
}

#[test]
fn who_went_is_named_where_how_it_went_is_not_visible() {
    let mut stage = Stage::default();
    told(
        &mut stage,
        Change::GroupState {
            from: None,
            to: GroupState::Stable,
        },
    );
    for member in ["a", "b"] {
        stage.tell(
            "orders",
            Source::Survey,
            Some(member),
            Change::MemberJoined(Joined::default()),
        );
    }
    stage.at(1_000);
    let started = Change::RebalanceStarted {
        cause: RebalanceCause::NotVisible,
        member: Some("a".into()),
        from_generation: Some(Generation(1)),
    };
    told(&mut stage, started);
    stage.at(1_500);
    told(
        &mut stage,
        Change::RebalanceFinished(Rebalanced {
            generation: Generation(2),
            from_generation: Some(Generation(1)),
            cause: RebalanceCause::NotVisible,
            member: Some("a".into()),
            took_ms: Some(500),
            took_between_ms: None,
            join_ms: None,
            sync_ms: None,
            joined: None,
            left: Some(vec!["a".into()]),
            unnamed: 0,
            abandoned: 0,
            missed: 0,
        }),
    );
    has(
        &stage.says(Verdict::Stable),
        &["just now: a went, how is not visible from here; done in 500 ms"],
    );
}
