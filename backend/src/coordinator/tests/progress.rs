//! How far groups have read, as it is told.

use std::sync::Arc;

use shared::event::PartitionProgress;
use shared::protocol::{OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic};

use super::super::*;

struct World {
    coordinator: Coordinator,
}

impl World {
    fn new(partitions: i32) -> Self {
        let topics = Topics::parse(&format!("demo:{partitions}")).unwrap();
        Self {
            coordinator: Coordinator::new(Config::default(), Arc::new(topics), 1),
        }
    }

    fn commit(&mut self, group: &str, offsets: impl IntoIterator<Item = (i32, i64)>) {
        let partition = |(partition_index, committed_offset)| OffsetCommitRequestPartition {
            partition_index,
            committed_offset,
            ..Default::default()
        };
        let request = OffsetCommitRequest {
            group_id: group.into(),
            topics: vec![OffsetCommitRequestTopic {
                name: "demo".into(),
                partitions: offsets.into_iter().map(partition).collect(),
                ..Default::default()
            }],
            ..Default::default()
        };
        let from = Origin {
            client_id: "c",
            host: "/h",
        };
        let call = Call {
            ticket: Ticket(1),
            version: 9,
            from,
        };
        let now = Timestamp::from_millis(1);
        self.coordinator.handle(now, Input::Request(call, request.into()));
        while let Some(output) = self.coordinator.poll() {
            if let Output::Append { append, .. } = output {
                let result = Ok(());
                self.coordinator.handle(now, Input::Appended { append, result });
            }
        }
    }

    /// Group -> rows and how many more, told when the logs end there.
    fn measure(
        &mut self,
        end: impl Fn(&str, i32) -> Option<i64>,
    ) -> Vec<(String, Vec<PartitionProgress>, u32)> {
        self.coordinator.measure(Timestamp::from_millis(2), end);
        let told = std::iter::from_fn(|| self.coordinator.poll());
        let row = |output| match output {
            Output::Observed(Observed {
                group,
                change: Change::GroupProgress {
                    partitions, unnamed, ..
                },
                ..
            }) => (group.as_str().to_owned(), partitions, unnamed),
            other => panic!("{other:?}"),
        };
        told.map(row).collect()
    }
}

fn row(partition: i32, committed: Option<i64>, end: Option<i64>) -> PartitionProgress {
    PartitionProgress {
        topic: "demo".into(),
        partition,
        committed,
        end,
        committed_at: None,
        lag: None,
        gone: false,
    }
}

#[test]
fn progress_is_told_on_change_of_a_commit_or_of_an_end() {
    let mut world = World::new(2);
    assert_eq!(world.measure(|_, _| Some(7)), []);
    world.commit("g", [(0, 3), (1, 7)]);
    let rows = vec![row(0, Some(3), Some(9)), row(1, Some(7), Some(9))];
    assert_eq!(world.measure(|_, _| Some(9)), [("g".to_owned(), rows, 0)]);
    assert_eq!(world.measure(|_, _| Some(9)), [], "nothing moved");
    let rows = vec![row(0, Some(3), Some(10)), row(1, Some(7), Some(10))];
    assert_eq!(world.measure(|_, _| Some(10)), [("g".to_owned(), rows, 0)]);
    world.commit("g", [(0, 10)]);
    let rows = vec![row(1, Some(7), Some(10)), row(0, Some(10), Some(10))];
    assert_eq!(
        world.measure(|_, _| Some(10)),
        [("g".to_owned(), rows, 0)],
        "most left to read first"
    );
    assert_eq!(world.measure(|_, _| None)[0].1[0].end, None);
}

#[test]
fn the_partitions_with_most_left_are_named_and_the_others_counted() {
    let mut world = World::new(100);
    world.commit("g", (0..100).map(|partition| (partition, i64::from(partition))));
    let told = world.measure(|_, _| Some(1_000));
    let (_, rows, unnamed) = &told[0];
    assert_eq!((rows.len(), *unnamed, rows[0].partition), (64, 36, 0));
}

#[test]
fn more_than_a_bounded_number_of_partitions_is_measured_in_turns() {
    let mut world = World::new(10_000);
    let groups = limits::PROGRESS_ROWS / 10_000 + 2;
    for n in 0..groups {
        world.commit(&format!("g{n:02}"), (0..10_000).map(|partition| (partition, 1)));
    }
    let first = world.measure(|_, _| Some(1));
    let second = world.measure(|_, _| Some(1));
    assert_eq!(first.len(), groups - 2);
    assert_eq!(first.len() + second.len(), groups, "each is told once");
    assert_eq!(world.measure(|_, _| Some(1)), []);
}
