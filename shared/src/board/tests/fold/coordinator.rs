//! What only a coordinator tells, at random.

use proptest::prelude::*;

use super::{code, generation};
use crate::event::{
    Change, Described, Lag, PartitionProgress, Reconciling, Subscription, Tasks, TopicPartitions, Work,
};
use crate::ids::{Generation, MemberId, NodeId};

/// Whether only a coordinator can tell it.
pub(super) const fn is_of_coordinator(change: &Change) -> bool {
    matches!(
        change,
        Change::MemberIdIssued { .. }
            | Change::MemberIdExpired { .. }
            | Change::JoinReceived { .. }
            | Change::JoinAbandoned { .. }
            | Change::GenerationFormed { .. }
            | Change::SyncReceived { .. }
            | Change::MemberAssigned { .. }
            | Change::MemberDescribed(_)
            | Change::MemberReconciling(_)
            | Change::GroupProgress { .. }
            | Change::RequestRefused { .. }
            | Change::AppendFailed { .. }
            | Change::GroupUnloaded { .. }
            | Change::GroupLoading { .. }
            | Change::GroupLoaded { .. }
    )
}

fn caller() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn someone() -> impl Strategy<Value = Option<MemberId>> {
    prop::option::of(prop::sample::select(vec!["a-7", "b-7", "c-7", "nobody"]).prop_map(MemberId::from))
}

fn progress() -> impl Strategy<Value = Change> {
    let offset =
        || prop_oneof![4 => (0..20_i64).prop_map(Some), 1 => Just(None), 1 => any::<i64>().prop_map(Some)];
    let row = (0..3_i32, offset(), offset()).prop_map(|(partition, committed, end)| PartitionProgress {
        topic: "demo".into(),
        partition,
        committed,
        end,
        committed_at: None,
        lag: None,
        gone: false,
    });
    (prop::collection::vec(row, 0..4), 0..2_u32).prop_map(|(partitions, unnamed)| Change::GroupProgress {
        lag: Lag::of(&partitions),
        partitions,
        unnamed,
    })
}

fn assigned() -> impl Strategy<Value = Change> {
    let partitions = prop::collection::vec(0..6_i32, 0..4);
    (generation(), prop::option::of(partitions), any::<u32>()).prop_map(
        |(generation, partitions, unnamed)| Change::MemberAssigned {
            generation: Some(Generation(generation)),
            partitions: partitions.map(|partitions| {
                vec![TopicPartitions {
                    topic: "demo".into(),
                    partitions,
                }]
            }),
            unnamed: unnamed % 2,
        },
    )
}

fn described() -> impl Strategy<Value = Change> {
    let topics = prop::collection::vec(prop::sample::select(vec!["a", "b"]), 0..3);
    let tasks = prop::option::of(prop::collection::vec(-1..3_i32, 0..3));
    (prop::option::of(topics), tasks).prop_map(|(topics, tasks)| {
        Change::MemberDescribed(Box::new(Described {
            subscription: topics.map(|topics| Subscription {
                topics: topics.into_iter().map(str::to_owned).collect(),
                ..Subscription::default()
            }),
            work: tasks.map(|tasks| Work::Connect {
                url: None,
                leader_url: "http://w:8083/".into(),
                runs: vec![Tasks {
                    name: "file".into(),
                    tasks,
                }],
                stops: Vec::new(),
                unnamed: 0,
                delay_ms: 0,
            }),
        }))
    })
}

fn reconciling() -> impl Strategy<Value = Change> {
    let part = || {
        prop::collection::vec(0..6_i32, 0..3).prop_map(|partitions| {
            let topic = "demo".to_owned();
            vec![TopicPartitions { topic, partitions }]
        })
    };
    (generation(), generation(), part(), part()).prop_map(|(epoch, target, gives_up, awaits)| {
        Change::MemberReconciling(Reconciling {
            epoch: Generation(epoch),
            target_epoch: Generation(target),
            gives_up,
            awaits,
            unnamed: 0,
        })
    })
}

pub(super) fn of_coordinator() -> impl Strategy<Value = Change> {
    let (node, partition) = (NodeId(1), 3);
    let host = || "/127.0.0.1".to_owned();
    prop_oneof![
        1 => caller().prop_map(move |client_id| Change::MemberIdIssued {
            client_id,
            host: host()
        }),
        1 => any::<u64>().prop_map(|waited_ms| Change::MemberIdExpired { waited_ms }),
        3 => caller().prop_map(move |client_id| Change::JoinReceived {
            client_id,
            host: host(),
            session_timeout_ms: Some(6000),
        }),
        1 => (any::<u64>(), any::<u64>()).prop_map(|(waited_ms, rebalance_timeout_ms)| Change::JoinAbandoned {
            waited_ms,
            rebalance_timeout_ms
        }),
        3 => (generation(), someone(), any::<u32>()).prop_map(|(generation, leader, members)| {
            Change::GenerationFormed {
                generation: Generation(generation),
                leader,
                protocol: Some("range".into()),
                members,
            }
        }),
        2 => generation().prop_map(|generation| Change::SyncReceived {
            generation: Generation(generation)
        }),
        2 => assigned(),
        2 => reconciling(),
        2 => described(),
        2 => progress(),
        1 => (code(), caller(), any::<u32>()).prop_map(move |(error, client_id, times)| Change::RequestRefused {
            api: "JoinGroup".into(),
            error,
            client_id,
            host: host(),
            times,
        }),
        1 => code().prop_map(move |error| Change::AppendFailed { partition, error }),
        1 => Just(Change::GroupUnloaded { node, partition }),
        1 => Just(Change::GroupLoading { node, partition }),
        1 => (any::<u64>(), generation()).prop_map(move |(took_ms, generation)| Change::GroupLoaded {
            node,
            partition,
            took_ms,
            generation: Generation(generation),
        }),
    ]
}
