//! ListOffsets: ends, begins and moments.

use shared::protocol::{ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic};

use super::{Bench, Made};

/// Code, offset and time for one moment of a partition of `demo`.
fn at(bench: &mut Bench, version: i16, partition: i32, moment: i64) -> (i16, i64, i64) {
    let request = ListOffsetsRequest {
        topics: vec![ListOffsetsTopic {
            name: "demo".into(),
            partitions: vec![ListOffsetsPartition {
                partition_index: partition,
                timestamp: moment,
                ..Default::default()
            }],
        }],
        ..Default::default()
    };
    let told = bench.ask(version, request).topics[0].partitions[0].clone();
    let has_epoch = version >= 4 && told.error_code == 0 && told.offset >= 0;
    assert_eq!(told.leader_epoch, if has_epoch { 0 } else { -1 });
    (told.error_code, told.offset, told.timestamp)
}

fn three_batches() -> Bench {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a", "b", "c"]).at(&[100, 90, 120]).bytes());
    bench.produce(Made::of(&["d", "e"]).at(&[300, 310]).bytes());
    bench.produce(Made::of(&["f"]).at(&[200]).bytes());
    bench
}

#[test]
fn begin_and_end_are_told_in_every_version() {
    let mut bench = three_batches();
    for version in 1..=11 {
        assert_eq!(at(&mut bench, version, 0, -1), (0, 6, -1));
        assert_eq!(at(&mut bench, version, 0, -2), (0, 0, -1));
        assert_eq!(at(&mut bench, version, 1, -1), (0, 0, -1));
        assert_eq!(at(&mut bench, version, 6, -1), (3, -1, -1));
    }
}

#[test]
fn a_moment_is_that_of_the_first_record_not_before_it() {
    let mut bench = three_batches();
    for (moment, offset, time) in [
        (0, 0, 100),
        (100, 0, 100),
        (101, 2, 120),
        (121, 3, 300),
        (301, 4, 310),
        (311, -1, -1),
    ] {
        assert_eq!(at(&mut bench, 5, 0, moment), (0, offset, time), "{moment}");
    }
    assert_eq!(at(&mut bench, 5, 1, 0), (0, -1, -1));
}

#[test]
fn of_a_compressed_batch_the_first_record_stands_for_a_moment_in_it() {
    let mut bench = Bench::new();
    let made = Made {
        attributes: 1,
        compressed: Some(vec![1; 30]),
        ..Made::of(&["a", "b", "c"]).at(&[100, 150, 200])
    };
    bench.produce(made.bytes());
    bench.produce(made.bytes());
    assert_eq!(at(&mut bench, 7, 0, 180), (0, 0, 100));
    assert_eq!(at(&mut bench, 7, 0, 201), (0, -1, -1));
    assert_eq!(at(&mut bench, 7, 0, -3), (0, 2, 200));
}

#[test]
fn the_latest_time_of_all_is_found() {
    let mut bench = three_batches();
    assert_eq!(at(&mut bench, 7, 0, -3), (0, 4, 310));
    assert_eq!(at(&mut bench, 7, 1, -3), (0, -1, -1));
}

#[test]
fn special_moments_are_known_from_their_version_on() {
    let mut bench = three_batches();
    for (moment, since, expected) in [
        (-3, 7, (0, 4, 310)),
        (-4, 8, (0, 0, -1)),
        (-5, 9, (0, -1, -1)),
        (-6, 11, (0, -1, -1)),
        (-7, 12, (35, -1, -1)),
    ] {
        for version in 1..=11 {
            let expected = if version >= since { expected } else { (35, -1, -1) };
            assert_eq!(
                at(&mut bench, version, 0, moment),
                expected,
                "{moment} in version {version}"
            );
        }
    }
}

#[test]
fn another_epoch_is_refused() {
    let mut bench = three_batches();
    for (epoch, expected) in [(-1, 0), (0, 0), (1, 75)] {
        let request = ListOffsetsRequest {
            topics: vec![ListOffsetsTopic {
                name: "demo".into(),
                partitions: vec![ListOffsetsPartition {
                    current_leader_epoch: epoch,
                    timestamp: -1,
                    ..Default::default()
                }],
            }],
            ..Default::default()
        };
        assert_eq!(bench.ask(4, request).topics[0].partitions[0].error_code, expected);
    }
}

#[test]
fn a_partition_that_is_asked_for_twice_is_refused() {
    let mut bench = three_batches();
    let asked = |partition_index| ListOffsetsPartition {
        partition_index,
        timestamp: -1,
        ..Default::default()
    };
    let request = ListOffsetsRequest {
        topics: vec![ListOffsetsTopic {
            name: "demo".into(),
            partitions: vec![asked(0), asked(1), asked(0)],
        }],
        ..Default::default()
    };
    let told = bench.ask(5, request).topics[0].partitions.clone();
    let codes: Vec<i16> = told.iter().map(|partition| partition.error_code).collect();
    assert_eq!(codes, [42, 0, 42]);
}
