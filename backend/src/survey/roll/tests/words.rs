//! What is told of members beside their partitions, by the type of their group.

use shared::event::{Change, Described, RawBytes, Subscription, Tasks, Work};
use shared::protocol::connect::{ConnectAssignment, ConnectWorkerState, ConnectorTasks};
use shared::protocol::{
    ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, Message, TopicPartition,
};
use shared::time::Millis;

use super::ONE;
use crate::survey::brokers::{Cluster, Group, Member, consumer, member};

/// What was told of the members of a group, one after the other.
fn told(cluster: &Cluster) -> Vec<Described> {
    let changes = cluster.of_group("g").into_iter();
    let described = changes.filter_map(|change| match change {
        Change::MemberDescribed(what) => Some(*what),
        _ => None,
    });
    described.collect()
}

/// A cluster that has shown a group for some seconds.
fn shown(group: Group) -> Cluster {
    let mut cluster = Cluster::of(&[ONE]);
    cluster.put(ONE, "g", group);
    cluster.run(Millis(5_000));
    cluster
}

fn subscribes(topics: &[&str], rack: Option<&str>, user_data: Option<&[u8]>) -> Vec<u8> {
    let subscription = ConsumerProtocolSubscription {
        topics: topics.iter().map(|topic| (*topic).to_owned()).collect(),
        rack_id: rack.map(str::to_owned),
        user_data: user_data.map(<[u8]>::to_vec),
        ..Default::default()
    };
    subscription.to_bytes(3).unwrap()
}

fn owns(topic: &str) -> Vec<u8> {
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: vec![TopicPartition {
            topic: topic.to_owned(),
            partitions: vec![0],
        }],
        user_data: None,
    };
    assignment.to_bytes(1).unwrap()
}

fn classic(protocol_type: &str, metadata: Vec<u8>, assignment: Vec<u8>) -> Group {
    let member = Member {
        metadata,
        assignment,
        ..member("a-1", "a")
    };
    let mut group = Group::classic("Stable", &[member]);
    group.protocol_type = protocol_type.to_owned();
    group
}

fn tasks(name: &str, tasks: &[i32]) -> Tasks {
    Tasks {
        name: name.to_owned(),
        tasks: tasks.to_vec(),
    }
}

#[test]
fn a_worker_of_connect_is_told_with_its_address_its_connectors_and_tasks_once() {
    let worker = ConnectWorkerState {
        url: "http://w:8083/".to_owned(),
        ..Default::default()
    };
    let of = |connector: &str, tasks: &[i32]| ConnectorTasks {
        connector: connector.to_owned(),
        tasks: tasks.to_vec(),
    };
    let assignment = ConnectAssignment {
        leader: "a-1".to_owned(),
        leader_url: "http://l:8083/".to_owned(),
        assignment: Some(vec![of("sink", &[2, 0]), of("file", &[-1])]),
        revoked: Some(vec![of("old", &[3])]),
        delay: 300_000,
        ..Default::default()
    };
    let mut metadata = vec![0, 1];
    worker.encode(1, &mut metadata).unwrap();
    let mut bytes = vec![0, 1];
    assignment.encode(1, &mut bytes).unwrap();
    let cluster = shown(classic("connect", metadata, bytes));
    let work = Work::Connect {
        url: Some("http://w:8083/".to_owned()),
        leader_url: "http://l:8083/".to_owned(),
        runs: vec![tasks("file", &[-1]), tasks("sink", &[0, 2])],
        stops: vec![tasks("old", &[3])],
        unnamed: 0,
        delay_ms: 300_000,
    };
    let expected = Described {
        subscription: None,
        work: Some(work),
    };
    assert_eq!(told(&cluster), [expected]);
    let owns = |change: &Change| matches!(change, Change::MemberAssigned { .. });
    assert!(!cluster.of_group("g").iter().any(owns), "tasks are no partitions");
}

#[test]
fn a_worker_of_connect_runs_what_it_ran_when_it_joined_without_what_it_stops_and_what_is_new() {
    let of = |connector: &str, tasks: &[i32]| ConnectorTasks {
        connector: connector.to_owned(),
        tasks: tasks.to_vec(),
    };
    let encoded = |assignment: ConnectAssignment| {
        let mut bytes = vec![0, 2];
        assignment.encode(2, &mut bytes).unwrap();
        bytes
    };
    let ran = encoded(ConnectAssignment {
        assignment: Some(vec![of("file", &[-1]), of("sink", &[0, 1])]),
        ..Default::default()
    });
    let worker = ConnectWorkerState {
        url: "http://w:8083/".to_owned(),
        allocation: Some(ran),
        ..Default::default()
    };
    let mut metadata = vec![0, 2];
    worker.encode(2, &mut metadata).unwrap();
    let new = encoded(ConnectAssignment {
        assignment: Some(vec![of("file", &[0])]),
        revoked: Some(vec![of("sink", &[1])]),
        ..Default::default()
    });
    let told = told(&shown(classic("connect", metadata, new)));
    let [
        Described {
            work: Some(Work::Connect { runs, stops, .. }),
            ..
        },
    ] = &*told
    else {
        panic!("{told:?}");
    };
    assert_eq!(*runs, [tasks("file", &[-1, 0]), tasks("sink", &[0])]);
    assert_eq!(*stops, [tasks("sink", &[1])]);
}

#[test]
fn bytes_of_an_unknown_protocol_are_told_as_they_are_up_to_a_bound() {
    let cluster = shown(classic("sr", b"{}".to_vec(), vec![0xab; 5_000]));
    let [
        Described {
            subscription: Some(Subscription { user_data, .. }),
            work:
                Some(Work::Opaque {
                    protocol_type,
                    assignment,
                }),
        },
    ] = &*told(&cluster)
    else {
        panic!("{:?}", told(&cluster));
    };
    assert_eq!(user_data, &Some(RawBytes::of(b"{}", 2)));
    assert_eq!(protocol_type, "sr");
    assert_eq!(assignment.length, 5_000);
    assert_eq!(assignment.hex, "ab".repeat(RawBytes::SHOWN));
}

#[test]
fn bytes_that_are_not_what_their_protocol_says_cost_nobody_else_anything() {
    let bad = Member {
        assignment: vec![0, 0, 0x7f, 0xff, 0xff, 0xff],
        metadata: vec![0],
        ..member("a-1", "a")
    };
    let good = Member {
        assignment: owns("t"),
        metadata: subscribes(&["t"], None, None),
        ..member("b-1", "b")
    };
    let cluster = shown(Group::classic("Stable", &[bad, good]));
    let opaque = |what: &Described| matches!(what.work, Some(Work::Opaque { .. }));
    assert!(
        matches!(&*told(&cluster), [what] if opaque(what)),
        "{:?}",
        told(&cluster)
    );
    let assigned = |change: &&Change| matches!(change, Change::MemberAssigned { .. });
    assert_eq!(cluster.of_group("g").iter().filter(assigned).count(), 1);
}

#[test]
fn what_a_classic_consumer_subscribes_to_is_told_where_it_says_more_than_what_it_owns() {
    let one = shown(classic("consumer", subscribes(&["t"], None, None), owns("t")));
    assert_eq!(told(&one), []);
    let two = shown(classic(
        "consumer",
        subscribes(&["u", "t"], None, Some(&[7])),
        owns("t"),
    ));
    let expected = Subscription {
        topics: vec!["t".to_owned(), "u".to_owned()],
        user_data: Some(RawBytes::of(&[7], 1)),
        ..Subscription::default()
    };
    let told = told(&two);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].subscription.as_ref(), Some(&expected));
}

#[test]
fn that_it_says_no_more_than_what_it_owns_any_longer_is_told_too() {
    let mut cluster = shown(classic(
        "consumer",
        subscribes(&["u", "t"], None, None),
        owns("t"),
    ));
    cluster.put(
        ONE,
        "g",
        classic("consumer", subscribes(&["t"], None, None), owns("t")),
    );
    cluster.run(Millis(5_000));
    let told = told(&cluster);
    assert_eq!(told.len(), 2);
    assert_eq!(told[1], Described::default());
}

#[test]
fn what_is_not_told_while_a_group_rebalances_stands() {
    let stable = || classic("consumer", subscribes(&["u", "t"], Some("r-1"), None), owns("t"));
    let mut cluster = shown(stable());
    let silent = Group::classic("PreparingRebalance", &[member("a-1", "a")]);
    cluster.put(ONE, "g", silent);
    cluster.run(Millis(3_000));
    cluster.put(ONE, "g", stable());
    cluster.run(Millis(3_000));
    assert_eq!(told(&cluster).len(), 1);
    let racks = cluster
        .of_group("g")
        .into_iter()
        .filter_map(|change| match change {
            Change::MemberJoined(joined) => Some(joined.rack),
            _ => None,
        });
    assert_eq!(racks.collect::<Vec<_>>(), [Some("r-1".to_owned())]);
}

#[test]
fn a_member_of_a_newer_type_is_told_with_its_rack_and_what_it_subscribes_to() {
    for group_type in ["consumer", "share"] {
        let seen = Member {
            owned: vec![0],
            target: vec![0],
            topics: vec!["t".to_owned(), "u".to_owned()],
            rack: Some("r-1".to_owned()),
            ..consumer("a", "a", 3)
        };
        let cluster = shown(Group::new(group_type, "Stable", 3, &[seen]));
        let asked = told(&cluster)[0].subscription.clone().unwrap();
        assert_eq!(
            (&*asked.topics, asked.regex),
            (&["t".to_owned(), "u".to_owned()][..], None),
            "{group_type}"
        );
        let changes = cluster.of_group("g");
        let row = changes.iter().find_map(|change| match change {
            Change::MemberJoined(joined) => Some((joined.rack.clone(), joined.classic)),
            _ => None,
        });
        let classic = (group_type == "consumer").then_some(false);
        assert_eq!(row, Some((Some("r-1".to_owned()), classic)), "{group_type}");
    }
}

#[test]
fn a_member_of_a_streams_group_is_told_with_its_tasks_and_its_way_to_others() {
    let of = |epoch: i32, has: &[i32], wants: &[i32]| {
        let seen = Member {
            tasks: (has.to_vec(), wants.to_vec()),
            ..consumer("a", "a", epoch)
        };
        Group::new("streams", "Reconciling", 7, &[seen])
    };
    let mut cluster = shown(of(5, &[0, 1], &[1, 2]));
    cluster.put(ONE, "g", of(7, &[1, 2], &[1, 2]));
    cluster.run(Millis(3_000));
    let active = |what: &Described| match &what.work {
        Some(Work::Streams {
            process,
            topology_epoch: 2,
            active,
            ..
        }) if process == "process of a" => active.clone(),
        other => panic!("{other:?}"),
    };
    let tasks_of: Vec<_> = told(&cluster).iter().map(active).collect();
    assert_eq!(tasks_of, [vec![tasks("0", &[0, 1])], vec![tasks("0", &[1, 2])]]);
    let ways: Vec<_> = cluster
        .of_group("g")
        .into_iter()
        .filter_map(|change| match change {
            Change::MemberReconciling(what) => Some((what.is_over(), what.words())),
            _ => None,
        })
        .collect();
    assert_eq!(
        ways,
        [
            (
                false,
                "epoch 5 of 7; must give up active 0_0; waits for active 0_2".to_owned()
            ),
            (true, "epoch 7".to_owned()),
        ]
    );
}
