//! Groups of others, as a survey of a real cluster tells of them.

use frontend::model::address::{Address, View};
use frontend::model::ping::{Beside, Pong};
use frontend::model::{Action, Page};
use shared::event::{
    Change, Departure, Described, GroupState, GroupType, Joined, Lag, Leaderless, LinkFault, LogAccess,
    PartitionProgress, RawBytes, Reconciling, RoundTrips, Source, Subscription, Tasks, TopicPartitions, Work,
};
use shared::histogram::bucket_of;
use shared::ids::{Generation, NodeId};
use shared::sorted::SortedMap;
use shared::time::UnixMs;

use super::super::stage::{NOON, Stage};

const ONE: &str = "app-1-5f2c91ab-0a1b-4c3d-8e4f-00000000000a";
const TWO: &str = "app-2-91ab5f2c-1b0a-4d3c-9e4f-00000000000b";
const THREE: &str = "app-3-0a1b5f2c-1b0a-4d3c-9e4f-00000000000c";
const FOUR: &str = "app-4-5f2c0a1b-1b0a-4d3c-9e4f-00000000000d";

/// A group that a survey sees, in a generation or epoch.
fn found(stage: &mut Stage, id: &str, group_type: GroupType, state: GroupState, epoch: Option<i32>) {
    stage.turn_to(id);
    let tell = |stage: &mut Stage, change| stage.tell(Source::Survey, None, change);
    tell(
        stage,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    let (node, port) = (NodeId(2), 9_092);
    let host = "broker-2".to_owned();
    tell(stage, Change::CoordinatorFound { node, host, port });
    tell(
        stage,
        Change::GroupState {
            from: None,
            to: state,
        },
    );
    if let Some(epoch) = epoch {
        let change = Change::GenerationFormed {
            generation: Generation(epoch),
            leader: None,
            protocol: Some("uniform".to_owned()),
            members: 2,
        };
        tell(stage, change);
    }
}

fn listed(stage: &mut Stage, id: &str, joined: Joined) {
    let joined = Joined {
        client_id: Some(id.get(..5).unwrap_or(id).to_owned()),
        host: Some("/172.17.0.4".to_owned()),
        ..joined
    };
    stage.tell(Source::Survey, Some(id), Change::MemberJoined(joined));
}

fn partitions(topic: &str, partitions: &[i32]) -> TopicPartitions {
    TopicPartitions {
        topic: topic.to_owned(),
        partitions: partitions.to_vec(),
    }
}

fn owns(stage: &mut Stage, id: &str, numbers: &[i32]) {
    let change = Change::MemberAssigned {
        generation: Some(Generation(7)),
        partitions: Some(vec![partitions("orders", numbers)]),
        unnamed: 0,
    };
    stage.tell(Source::Survey, Some(id), change);
}

fn described(stage: &mut Stage, id: &str, subscription: Option<Subscription>, work: Option<Work>) {
    let what = Described { subscription, work };
    stage.tell(Source::Survey, Some(id), Change::MemberDescribed(Box::new(what)));
}

fn tasks(name: &str, tasks: &[i32]) -> Vec<Tasks> {
    vec![Tasks {
        name: name.to_owned(),
        tasks: tasks.to_vec(),
    }]
}

fn read(
    partition: i32,
    committed: Option<i64>,
    end: Option<i64>,
    committed_at: Option<u64>,
) -> PartitionProgress {
    PartitionProgress {
        topic: "orders".into(),
        partition,
        committed,
        end,
        committed_at: committed_at.map(|ms| UnixMs(NOON + ms)),
        lag: None,
        gone: false,
    }
}

/// A member that tells an empty rack, as librdkafka does, and one that is gone.
fn empty_rack_and_gone(stage: &mut Stage) {
    let racked = |rack: &str| Joined {
        rack: Some(rack.to_owned()),
        ..Joined::default()
    };
    listed(stage, THREE, racked(""));
    listed(stage, FOUR, racked("eu-1b"));
    let gone = Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "the coordinator no longer lists it".to_owned(),
    };
    stage.tell(Source::Survey, Some(FOUR), gone);
}

/// A KIP-848 group on its way, with a member of the classic protocol; one partition never committed, one without an end.
pub(super) fn mixed() -> Stage {
    let mut stage = Stage::live("", false);
    stage.tell_cluster(Change::OffsetsLog {
        access: LogAccess::Read,
    });
    found(
        &mut stage,
        "orders",
        GroupType::Consumer,
        GroupState::Reconciling,
        Some(7),
    );
    let set = Joined {
        generation: Some(Generation(5)),
        session_timeout_ms: Some(45_000),
        rebalance_timeout_ms: Some(300_000),
        heartbeat_interval_ms: Some(5_000),
        rack: Some("eu-1a".to_owned()),
        classic: Some(false),
        ..Joined::default()
    };
    listed(&mut stage, ONE, set);
    let static_one = Joined {
        generation: Some(Generation(7)),
        instance_id: Some("instance-2".into()),
        classic: Some(true),
        ..Joined::default()
    };
    listed(&mut stage, TWO, static_one);
    empty_rack_and_gone(&mut stage);
    owns(&mut stage, ONE, &[0, 1]);
    owns(&mut stage, TWO, &[2, 3]);
    let topics = ["audit", "orders"].map(str::to_owned).to_vec();
    let subscription = Subscription {
        topics,
        ..Subscription::default()
    };
    described(&mut stage, ONE, Some(subscription), None);
    stage.tell(
        Source::Survey,
        Some(ONE),
        Change::MemberReconciling(Reconciling {
            epoch: Generation(5),
            target_epoch: Generation(7),
            gives_up: vec![partitions("orders", &[1])],
            awaits: vec![partitions("audit", &[0])],
            unnamed: 0,
        }),
    );
    stage.pass(4_000);
    let rows = vec![
        read(0, Some(4_100), Some(5_350), Some(2_500)),
        read(1, Some(12), Some(12), Some(1_000)),
        read(2, None, Some(90), None),
        read(3, Some(7), None, None),
    ];
    let change = Change::GroupProgress {
        lag: Lag::of(&rows),
        partitions: rows,
        unnamed: 0,
    };
    stage.tell(Source::Survey, None, change);
    stage.pass(1_000);
    stage
}

/// A group of Connect while the offsets log is still read, with a worker whose bytes are not readable.
pub(super) fn connect() -> Stage {
    let mut stage = Stage::live("", false);
    stage.tell_cluster(Change::OffsetsLog {
        access: LogAccess::Reading,
    });
    found(
        &mut stage,
        "connect-eu",
        GroupType::Classic,
        GroupState::Stable,
        None,
    );
    let speaks = Change::GroupFound {
        group_type: GroupType::Classic,
        protocol_type: Some("connect".to_owned()),
    };
    stage.tell(Source::Survey, None, speaks);
    listed(&mut stage, ONE, Joined::default());
    listed(&mut stage, TWO, Joined::default());
    let work = Work::Connect {
        url: Some("worker-4:8083".to_owned()),
        leader_url: "worker-5:8083".to_owned(),
        runs: tasks("orders-sink", &[-1, 0, 1]),
        stops: tasks("old-sink", &[3]),
        unnamed: 2,
        delay_ms: 300_000,
    };
    described(&mut stage, ONE, None, Some(work));
    let raw = Work::Opaque {
        protocol_type: "connect".to_owned(),
        assignment: RawBytes::of(&[0, 1, 255], 4_000),
    };
    let told = Subscription {
        user_data: Some(RawBytes::of(b"?", 1)),
        ..Subscription::default()
    };
    described(&mut stage, TWO, Some(told), Some(raw));
    stage.pass(3_000);
    stage
}

/// A streams group: tasks of all kinds.
pub(super) fn streams() -> Stage {
    let mut stage = Stage::live("", false);
    stage.tell_cluster(Change::OffsetsLog {
        access: LogAccess::Denied,
    });
    found(
        &mut stage,
        "totals",
        GroupType::Streams,
        GroupState::Stable,
        Some(3),
    );
    let seen = Joined {
        generation: Some(Generation(3)),
        classic: Some(false),
        ..Joined::default()
    };
    listed(&mut stage, ONE, seen);
    let work = Work::Streams {
        process: "7c9e".to_owned(),
        topology_epoch: 2,
        active: tasks("0", &[0, 1]),
        standby: tasks("1", &[4]),
        warmup: tasks("1", &[5]),
        unnamed: 0,
    };
    described(&mut stage, ONE, None, Some(work));
    stage.pass(3_000);
    stage
}

/// An overview where rights are missing, a broker is silent, and a group is of a type and in a state that nobody knows.
pub(super) fn hidden() -> Stage {
    let mut stage = measured();
    found(
        &mut stage,
        "tomorrow",
        GroupType::Other("quantum".to_owned()),
        GroupState::Other("Entangled".to_owned()),
        None,
    );
    found(&mut stage, "secret", GroupType::Classic, GroupState::Stable, None);
    stage.tell(
        Source::Survey,
        None,
        Change::NotAuthorized {
            error: 30,
            right: "DESCRIBE on group secret".to_owned(),
        },
    );
    for (error, right) in [
        (
            31,
            "DESCRIBE on the cluster: groups without a DESCRIBE of their own are not listed",
        ),
        (29, "READ on topic __consumer_offsets"),
        (
            29,
            "DESCRIBE on topic payments: how far groups have read it, and how much is left, is not visible",
        ),
        (
            29,
            "DESCRIBE on topic invoices: how far groups have read it, and how much is left, is not visible",
        ),
        (
            29,
            "DESCRIBE on 36 more topics: how far groups have read them, and how much is left, is not visible",
        ),
    ] {
        let right = right.to_owned();
        stage.tell_cluster(Change::NotAuthorized { error, right });
    }
    stage.tell_cluster(Change::OffsetsLog {
        access: LogAccess::Denied,
    });
    stage.tell_cluster(Change::OffsetsLogLeaderless(Leaderless {
        leaderless: 17,
        partitions: 50,
    }));
    stage.tell_cluster(Change::BrokerSilent {
        node: NodeId(2),
        cause: LinkFault::Timeout,
        detail: Some("broker-2:9092: DescribeGroups was not answered within 1500 ms".to_owned()),
    });
    stage.pass(2_000);
    stage
}

/// The brokers of that cluster: one is silent, and a group has moved to another one, which is not.
pub(super) fn coordinators() -> Stage {
    let mut stage = hidden();
    stage.turn_to("orders");
    let moved = Change::CoordinatorFound {
        node: NodeId(3),
        host: "broker-3".to_owned(),
        port: 9_092,
    };
    stage.tell(Source::Survey, None, moved);
    stage.pass(2_000);
    stage.model.go(Address::of_view(View::Coordinators));
    stage
}

/// A group of others on a broker that answers surveys.
pub(super) fn measured() -> Stage {
    let mut stage = mixed();
    let trips = [
        ("ApiVersions", 310, 4),
        ("ConsumerGroupDescribe", 900, 4),
        ("DescribeGroups", 620, 9),
    ];
    let trips = trips.map(|(api, micros, count)| RoundTrips {
        api: api.to_owned(),
        buckets: SortedMap::from([(bucket_of(micros), count)]),
    });
    stage.tell_cluster(Change::BrokerLatency {
        node: NodeId(2),
        trips: trips.into(),
    });
    let Page::Group(group) = stage.model.page() else {
        unreachable!("the only one");
    };
    let key = group.key.clone();
    stage.model.act(Action::Ping(key.clone()));
    let pong = Pong {
        node: NodeId(2),
        api: "ConsumerGroupHeartbeat".to_owned(),
        latency_us: 1_240,
        error: 25,
        right: None,
        beside: Beside {
            api_versions: Some(290),
            consumer_group_describe: Some(810),
            ..Beside::default()
        },
    };
    stage.model.pinged(stage.browser(), &key, Ok(pong));
    stage
}
