//! What members own and ask for, and how far groups have read.

use crate::event::*;
use crate::ids::Generation;
use crate::time::UnixMs;

pub(super) fn of_work() -> Vec<Change> {
    vec![
        Change::MemberAssigned {
            generation: Some(Generation(2)),
            partitions: Some(vec![TopicPartitions {
                topic: "demo".into(),
                partitions: vec![0, 1],
            }]),
            unnamed: 0,
        },
        Change::MemberAssigned {
            generation: None,
            partitions: None,
            unnamed: 0,
        },
        Change::MemberDescribed(Box::new(described(None))),
        Change::MemberDescribed(Box::new(described(Some(Work::Connect {
            url: Some("http://w:8083/".into()),
            leader_url: "http://l:8083/".into(),
            runs: vec![tasks("file", &[-1, 0])],
            stops: vec![tasks("old", &[3])],
            unnamed: 1,
            delay_ms: 300_000,
        })))),
        Change::MemberDescribed(Box::new(described(Some(Work::Streams {
            process: "p-1".into(),
            topology_epoch: 2,
            active: vec![tasks("0", &[0, 1])],
            standby: vec![tasks("0", &[2])],
            warmup: Vec::new(),
            unnamed: 0,
        })))),
        Change::MemberDescribed(Box::new(described(Some(Work::Opaque {
            protocol_type: "sr".into(),
            assignment: RawBytes::of(b"{}", 2),
        })))),
        Change::MemberReconciling(Reconciling {
            epoch: Generation(5),
            target_epoch: Generation(7),
            gives_up: vec![TopicPartitions {
                topic: "demo".into(),
                partitions: vec![3],
            }],
            awaits: Vec::new(),
            unnamed: 2,
        }),
    ]
}

pub(super) fn of_progress() -> Vec<Change> {
    vec![
        Change::CommitReceived {
            generation: Generation(2),
            error: 0,
        },
        Change::GroupProgress {
            partitions: vec![PartitionProgress {
                topic: "demo".into(),
                partition: 0,
                committed: None,
                end: Some(12),
                committed_at: Some(UnixMs(3)),
                lag: Some(2),
                gone: true,
            }],
            unnamed: 3,
            lag: Lag {
                left: None,
                partitions: 4,
                uncommitted: 1,
                endless: 3,
                beyond: 2,
                gone: 3,
                at_most: 1,
            },
        },
    ]
}

fn described(work: Option<Work>) -> Described {
    Described {
        subscription: Some(Subscription {
            topics: vec!["demo".into()],
            unnamed: 1,
            regex: Some("de.*".into()),
            user_data: Some(RawBytes::of(&[0, 255], 4_000)),
        }),
        work,
    }
}

fn tasks(name: &str, tasks: &[i32]) -> Tasks {
    Tasks {
        name: name.into(),
        tasks: tasks.to_vec(),
    }
}
