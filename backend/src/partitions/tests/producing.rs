//! Produce and idempotent producers.

use shared::protocol::{InitProducerIdRequest, ProduceRequest};

use super::{Bench, Made, producing};

#[test]
fn offsets_follow_one_another_without_a_hole() {
    let mut bench = Bench::new();
    let bases: Vec<i64> = (0..4)
        .map(|_| bench.produce(Made::of(&["a", "b", "c"]).bytes()).base_offset)
        .collect();
    assert_eq!(bases, [0, 3, 6, 9]);
    assert_eq!(bench.partitions.end("demo", 0), Some(12));
    assert_eq!(bench.partitions.end("demo", 1), Some(0));
    assert_eq!(bench.partitions.end("demo", 6), None);
}

#[test]
fn a_partition_that_is_not_there_is_unknown_by_name_and_by_id() {
    let mut bench = Bench::new();
    let batch = || Made::of(&["a"]).bytes();
    for (topic, index, expected) in [("nowhere", 0, 3), ("demo", 6, 3), ("demo", -1, 3), ("demo", 5, 0)] {
        let answer = bench.ask(12, producing(topic, index, batch()));
        assert_eq!(answer.responses[0].partition_responses[0].error_code, expected);
    }
    let demo = bench.partitions.topics.by_name("demo").unwrap().id;
    for (id, index, expected) in [
        (demo, 0, 0),
        (demo, 6, 3),
        (shared::protocol::Uuid([1; 16]), 0, 100),
    ] {
        let mut request = producing("", index, batch());
        request.topic_data[0].topic_id = id;
        let answer = bench.ask(13, request);
        assert_eq!(answer.responses[0].topic_id, id);
        assert_eq!(answer.responses[0].partition_responses[0].error_code, expected);
    }
}

#[test]
fn acks_are_0_1_or_all_and_transactions_are_refused() {
    let mut bench = Bench::new();
    for (acks, expected) in [(0, 0), (1, 0), (-1, 0), (2, 21), (-2, 21)] {
        let request = ProduceRequest {
            acks,
            ..producing("demo", 0, Made::of(&["a"]).bytes())
        };
        let answer = bench.ask(12, request);
        assert_eq!(
            answer.responses[0].partition_responses[0].error_code, expected,
            "{acks}"
        );
    }
    let request = ProduceRequest {
        transactional_id: Some("t".into()),
        ..producing("demo", 0, Made::of(&["a"]).bytes())
    };
    let answer = bench.ask(12, request);
    assert_eq!(answer.responses[0].partition_responses[0].error_code, 53);
    assert_eq!(bench.partitions.end("demo", 0), Some(3));
}

#[test]
fn producer_ids_are_never_given_twice_and_none_for_transactions() {
    let mut bench = Bench::new();
    let mut given = std::collections::BTreeSet::new();
    for version in 0..=5 {
        let request = InitProducerIdRequest {
            transactional_id: None,
            ..Default::default()
        };
        let answer = bench.ask(version, request);
        assert_eq!((answer.error_code, answer.producer_epoch), (0, 0));
        assert!(given.insert(answer.producer_id));
    }
    for (id, expected) in [("", 42), ("t", 53)] {
        let request = InitProducerIdRequest {
            transactional_id: Some(id.into()),
            ..Default::default()
        };
        let answer = bench.ask(4, request);
        assert_eq!((answer.error_code, answer.producer_id), (expected, -1));
    }
}

#[test]
fn a_batch_sent_again_is_answered_with_its_old_offset_and_not_appended() {
    let mut bench = Bench::new();
    let batch = |sequence| Made::of(&["a", "b"]).by(9, 0, sequence).bytes();
    for sequence in [0, 2, 4, 6, 8, 10] {
        assert_eq!(bench.produce(batch(sequence)).error_code, 0);
    }
    for (sequence, offset) in [(10, 10), (4, 4), (2, 2)] {
        let again = bench.produce(batch(sequence));
        assert_eq!((again.error_code, again.base_offset), (0, offset));
    }
    // Only the last five are remembered.
    assert_eq!(bench.produce(batch(0)).error_code, 45);
    assert_eq!(bench.partitions.end("demo", 0), Some(12));
    assert_eq!(bench.produce(batch(12)).base_offset, 12);
}

#[test]
fn a_batch_out_of_its_producer_s_order_is_refused() {
    let mut bench = Bench::new();
    let batch = |sequence| Made::of(&["a", "b"]).by(9, 0, sequence).bytes();
    assert_eq!(bench.produce(batch(0)).error_code, 0);
    for sequence in [1, 3, 4, 100] {
        assert_eq!(bench.produce(batch(sequence)).error_code, 45, "{sequence}");
    }
    assert_eq!(bench.produce(batch(2)).error_code, 0);
    // Another partition has an order of its own, and takes any number from one it does not know.
    assert_eq!(bench.produce_to(12, 1, batch(40)).error_code, 0);
}

#[test]
fn an_older_epoch_is_fenced_and_a_newer_one_begins_at_0() {
    let mut bench = Bench::new();
    let batch = |epoch, sequence| Made::of(&["a"]).by(9, epoch, sequence).bytes();
    assert_eq!(bench.produce(batch(1, 0)).error_code, 0);
    assert_eq!(bench.produce(batch(0, 1)).error_code, 47);
    assert_eq!(bench.produce(batch(2, 1)).error_code, 45);
    assert_eq!(bench.produce(batch(2, 0)).error_code, 0);
    assert_eq!(bench.produce(batch(1, 1)).error_code, 47);
}

#[test]
fn sequence_numbers_begin_again_after_the_highest() {
    let mut bench = Bench::new();
    let batch = |sequence| Made::of(&["a", "b"]).by(9, 0, sequence).bytes();
    assert_eq!(bench.produce(batch(i32::MAX - 1)).error_code, 0);
    assert_eq!(bench.produce(batch(0)).error_code, 0);
    let mut bench = Bench::new();
    assert_eq!(bench.produce(batch(i32::MAX)).error_code, 0);
    assert_eq!(bench.produce(batch(1)).error_code, 0);
}

#[test]
fn the_oldest_batches_of_all_go_when_there_are_too_many_bytes() {
    let mut bench = Bench::new();
    let batch = || Made::of(&["a", "b"]).bytes();
    let each = batch().len() + crate::limits::LOG_BATCH_OVERHEAD;
    bench.partitions.most_bytes = 3 * each;
    bench.produce_to(12, 1, batch());
    for _ in 0..3 {
        bench.produce(batch());
    }
    // That of partition 1 was the oldest.
    assert_eq!(
        bench
            .partitions
            .range((bench.partitions.topics.by_name("demo").unwrap().id, 1)),
        (2, 2)
    );
    let answer = bench.produce(batch());
    assert_eq!((answer.base_offset, answer.log_start_offset), (6, 2));
    assert_eq!(bench.partitions.bytes, 3 * each);
}

#[test]
fn a_log_goes_on_where_an_earlier_run_ended() {
    let mut bench = Bench::new();
    bench.produce(Made::of(&["a", "b"]).bytes());
    bench.produce_to(12, 4, Made::of(&["a"]).bytes());
    let mut ends: Vec<_> = bench.partitions.ends().collect();
    let told: Vec<_> = ends
        .iter()
        .map(|end| (end.topic.as_str(), end.partition, end.offset))
        .collect();
    assert_eq!(told, [("demo", 0, 2), ("demo", 4, 1)]);
    // What is no partition any more is not taken up, nor what is behind another end.
    ends.push(super::super::End {
        offset: 1,
        ..ends[0].clone()
    });
    ends.push(super::super::End {
        partition: 6,
        ..ends[0].clone()
    });
    let mut next = Bench::new();
    next.partitions.resume(ends.clone());
    assert_eq!(next.partitions.ends().collect::<Vec<_>>(), ends[..2]);
    let answer = next.produce(Made::of(&["c"]).bytes());
    assert_eq!((answer.base_offset, answer.log_start_offset), (2, 2));
}
