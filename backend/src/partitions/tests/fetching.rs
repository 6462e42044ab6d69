//! Fetch: what is there, what is waited for, and what is out of range.

use shared::protocol::{FetchPartition, FetchRequest, PartitionData, Records};
use shared::time::{Millis, Timestamp};

use super::super::Input;
use super::{Bench, Made, UNIX, batches, fetching};

fn partition(bench: &mut Bench, version: i16, request: FetchRequest) -> PartitionData {
    let answer = bench.ask(version, request);
    assert_eq!((answer.error_code, answer.session_id), (0, 0));
    answer.responses[0].partitions[0].clone()
}

fn read(data: &PartitionData) -> Vec<(i64, i32)> {
    let Some(Records(bytes)) = &data.records else {
        panic!("no records: {data:?}")
    };
    batches(bytes)
}

#[test]
fn records_come_back_as_they_went_in_at_their_offsets() {
    let mut bench = Bench::new();
    let sent = Made::of(&["a", "b", "c"]).bytes();
    bench.produce(sent.clone());
    bench.produce(Made::of(&["d"]).bytes());
    for version in 4..=12 {
        let data = partition(&mut bench, version, fetching(0));
        assert_eq!(read(&data), [(0, 3), (3, 1)]);
        assert_eq!(
            (
                data.high_watermark,
                data.last_stable_offset,
                data.log_start_offset
            ),
            (4, 4, 0)
        );
        // A batch whose middle is asked for comes whole.
        assert_eq!(
            read(&partition(&mut bench, version, fetching(1))),
            [(0, 3), (3, 1)]
        );
        assert_eq!(read(&partition(&mut bench, version, fetching(3))), [(3, 1)]);
        let Some(Records(bytes)) = data.records else {
            panic!()
        };
        // All behind the leader's epoch is the producer's.
        assert_eq!(bytes[16..sent.len()], sent[16..]);
        assert_eq!(bytes[12..16], [0; 4]);
    }
}

#[test]
fn a_topic_is_found_by_its_id_from_version_13_on() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a"]).bytes());
    let demo = bench.partitions.topics.by_name("demo").unwrap().id;
    for version in 13..=18 {
        let mut request = fetching(0);
        request.topics[0].topic_id = demo;
        assert_eq!(read(&partition(&mut bench, version, request.clone())), [(0, 1)]);
        request.topics[0].topic_id = shared::protocol::Uuid([3; 16]);
        assert_eq!(partition(&mut bench, version, request).error_code, 100);
    }
}

#[test]
fn what_is_out_of_range_or_of_another_epoch_is_refused_at_once() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a"]).bytes());
    for (offset, epoch, index, expected) in [
        (2, -1, 0, 1),
        (-1, -1, 0, 1),
        (1, -1, 1, 1),
        (0, 1, 0, 75),
        (0, -1, 6, 3),
        (0, 0, 0, 0),
    ] {
        let mut request = fetching(offset);
        let asked = &mut request.topics[0].partitions[0];
        (asked.partition, asked.current_leader_epoch) = (index, epoch);
        let data = partition(&mut bench, 12, request);
        assert_eq!(data.error_code, expected);
        assert_eq!(data.high_watermark, if expected == 0 { 1 } else { -1 });
    }
}

#[test]
fn below_the_start_of_the_log_is_out_of_range() {
    let mut bench = Bench::new();
    let batch = || Made::of(&["a", "b"]).bytes();
    bench.partitions.most_bytes = 2 * (batch().len() + crate::limits::LOG_BATCH_OVERHEAD);
    for _ in 0..3 {
        bench.produce(batch());
    }
    assert_eq!(partition(&mut bench, 12, fetching(1)).error_code, 1);
    let data = partition(&mut bench, 12, fetching(2));
    assert_eq!((read(&data), data.log_start_offset), (vec![(2, 2), (4, 2)], 2));
}

#[test]
fn a_fetch_at_the_end_waits_until_records_come() {
    let mut bench = Bench::new();
    let (ticket, answer) = bench.give(12, usize::MAX, fetching(0).into());
    assert_eq!(answer, None);
    assert_eq!(bench.partitions.deadline(), Some(bench.now + Millis(500)));
    bench.produce_to(12, 1, Made::of(&["elsewhere"]).bytes());
    assert_eq!(bench.ready, []);
    bench.produce(Made::of(&["a"]).bytes());
    assert_eq!(bench.ready, [ticket]);
    let collected = bench.partitions.collect(ticket, usize::MAX).unwrap();
    assert_eq!(read(&collected.responses[0].partitions[0]), [(0, 1)]);
    assert_eq!(
        (bench.partitions.deadline(), bench.partitions.collect(ticket, 0)),
        (None, None)
    );
}

#[test]
fn a_fetch_waits_no_longer_than_it_says() {
    let mut bench = Bench::new();
    let (ticket, _) = bench.give(12, usize::MAX, fetching(0).into());
    bench.wait(499);
    assert_eq!(bench.ready, []);
    bench.wait(1);
    assert_eq!(bench.ready, [ticket]);
    let collected = bench.partitions.collect(ticket, usize::MAX).unwrap();
    let data = &collected.responses[0].partitions[0];
    assert_eq!((read(data), data.high_watermark, data.error_code), (vec![], 0, 0));
}

#[test]
fn a_fetch_waits_for_as_many_bytes_as_it_says() {
    let mut bench = Bench::new();
    let batch = Made::of(&["a"]).bytes();
    let request = FetchRequest {
        min_bytes: 3 * batch.len() as i32,
        ..fetching(0)
    };
    bench.produce(batch.clone());
    let (ticket, answer) = bench.give(12, usize::MAX, request.clone().into());
    assert_eq!(answer, None);
    bench.produce(batch.clone());
    assert_eq!(bench.ready, []);
    bench.produce(batch);
    assert_eq!(bench.ready, [ticket]);
    assert_eq!(
        read(&partition(&mut bench, 12, request)),
        [(0, 1), (1, 1), (2, 1)]
    );
}

#[test]
fn a_fetch_that_cannot_be_served_or_asks_for_nothing_does_not_wait() {
    let mut bench = Bench::new();
    let no_wait = FetchRequest {
        max_wait_ms: 0,
        ..fetching(0)
    };
    let nothing = FetchRequest {
        topics: Vec::new(),
        ..fetching(0)
    };
    let mut one_unknown = fetching(0);
    one_unknown.topics[0].partitions.push(FetchPartition {
        partition: 77,
        ..Default::default()
    });
    for request in [no_wait, nothing, one_unknown, fetching(9)] {
        assert!(bench.give(12, usize::MAX, request.into()).1.is_some());
    }
    assert_eq!(bench.partitions.deadline(), None);
}

#[test]
fn a_fetch_whose_client_has_gone_is_forgotten() {
    let mut bench = Bench::new();
    let (ticket, _) = bench.give(12, usize::MAX, fetching(0).into());
    bench.partitions.handle(bench.now, UNIX, Input::Gone(ticket));
    bench.produce(Made::of(&["a"]).bytes());
    bench.wait(1_000);
    assert_eq!(
        (bench.ready.as_slice(), bench.partitions.deadline()),
        ([].as_slice(), None)
    );
    assert_eq!(bench.partitions.collect(ticket, usize::MAX), None);
}

#[test]
fn sizes_are_kept_to_but_for_the_first_batch() {
    let mut bench = Bench::new();
    let batch = Made::of(&["a"]).bytes();
    let size = batch.len() as i32;
    for _ in 0..4 {
        bench.produce(batch.clone());
        bench.produce_to(12, 1, batch.clone());
    }
    let both = |max_bytes, of_each| {
        let mut request = FetchRequest {
            max_bytes,
            ..fetching(0)
        };
        let one = |partition| FetchPartition {
            partition,
            partition_max_bytes: of_each,
            ..Default::default()
        };
        request.topics[0].partitions = vec![one(0), one(1)];
        request
    };
    for (max_bytes, of_each, expected) in [
        (i32::MAX, 2 * size, [2, 2]),
        (3 * size, 2 * size, [2, 1]),
        (1, 1, [1, 0]),
        (i32::MAX, size - 1, [1, 0]),
        (i32::MAX, 3 * size - 1, [2, 2]),
        (0, 0, [1, 0]),
    ] {
        let answer = bench.ask(12, both(max_bytes, of_each));
        let counts: Vec<usize> = answer.responses[0]
            .partitions
            .iter()
            .map(|data| read(data).len())
            .collect();
        assert_eq!(counts, expected, "{max_bytes} {of_each}");
    }
}

#[test]
fn without_room_there_are_no_records_and_no_error() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a"]).bytes());
    let (_, answer) = bench.give(12, 10, fetching(0).into());
    let Some(shared::protocol::AnyResponse::Fetch(answer)) = answer else {
        panic!("{answer:?}")
    };
    let data = &answer.responses[0].partitions[0];
    assert_eq!((data.error_code, read(data), data.high_watermark), (0, vec![], 1));
}

#[test]
fn no_fetch_session_is_ever_given_and_none_is_known() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a"]).bytes());
    for (id, epoch, expected) in [(0, 0, 0), (0, -1, 0), (5, 0, 0), (5, 1, 70), (0, 3, 70)] {
        let request = FetchRequest {
            session_id: id,
            session_epoch: epoch,
            ..fetching(0)
        };
        let answer = bench.ask(12, request);
        assert_eq!((answer.error_code, answer.session_id), (expected, 0));
    }
}

#[test]
fn aborted_transactions_are_none_for_those_who_ask_for_committed_records() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a"]).bytes());
    for (isolation_level, expected) in [(0, None), (1, Some(Vec::new()))] {
        let request = FetchRequest {
            isolation_level,
            ..fetching(0)
        };
        assert_eq!(partition(&mut bench, 12, request).aborted_transactions, expected);
    }
}

#[test]
fn a_moment_that_is_earlier_than_the_last_counts_as_the_last() {
    let mut bench = Bench::new();
    bench.wait(10_000);
    bench.partitions.handle(Timestamp(0), UNIX, Input::Tick);
    bench.give(12, usize::MAX, fetching(0).into());
    assert_eq!(bench.partitions.deadline(), Some(bench.now + Millis(500)));
}
