//! Any order of batches, Fetches and losses: what is read is what was written, without a hole, and the bound holds.

use proptest::collection::vec;
use proptest::prelude::*;
use shared::protocol::Records;

use super::{Bench, Made, batches, fetching};
use crate::limits;

#[derive(Clone, Debug)]
enum Step {
    /// So many records of so many bytes to a partition.
    Write {
        partition: i32,
        records: usize,
        bytes: usize,
    },
    /// From this part of what there is.
    Read {
        partition: i32,
        part: f64,
        most: i32,
    },
    /// A Fetch that waits.
    Park {
        partition: i32,
    },
    Wait {
        millis: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_i32, 1..5_usize, 0..200_usize)
            .prop_map(|(partition, records, bytes)| Step::Write { partition, records, bytes }),
        3 => (0..3_i32, 0.0..=1.0_f64, 0..2_000_i32)
            .prop_map(|(partition, part, most)| Step::Read { partition, part, most }),
        1 => (0..3_i32).prop_map(|partition| Step::Park { partition }),
        1 => (0..600_u64).prop_map(|millis| Step::Wait { millis }),
    ];
    vec(step, 1..80)
}

proptest! {
    #[test]
    fn what_is_read_is_what_was_written(steps in steps()) {
        let mut bench = Bench::new();
        bench.partitions.most_bytes = 6_000;
        // The bytes of each batch that was written, behind its place in the log, by partition and base offset.
        let mut written: [Vec<(i64, i32, Vec<u8>)>; 3] = Default::default();
        for step in steps {
            match step {
                Step::Write { partition, records, bytes } => {
                    let value = "v".repeat(bytes);
                    let batch = Made::of(&vec![value.as_str(); records]).bytes();
                    let answer = bench.produce_to(12, partition, batch.clone());
                    let log = &mut written[partition as usize];
                    let next = log.last().map_or(0, |(base, count, _)| base + i64::from(*count));
                    prop_assert_eq!((answer.error_code, answer.base_offset), (0, next));
                    log.push((next, records as i32, batch));
                }
                Step::Read { partition, part, most } => {
                    let id = bench.partitions.topics.by_name("demo").unwrap().id;
                    let (start, end) = bench.partitions.range((id, partition));
                    let offset = start + ((end - start) as f64 * part) as i64;
                    let mut request = fetching(offset);
                    request.max_wait_ms = 0;
                    request.topics[0].partitions[0].partition = partition;
                    request.topics[0].partitions[0].partition_max_bytes = most;
                    let data = bench.ask(12, request).responses[0].partitions[0].clone();
                    let Some(Records(bytes)) = data.records else { panic!("no records") };
                    let read = batches(&bytes);
                    let expected: Vec<_> = written[partition as usize]
                        .iter()
                        .filter(|(base, count, _)| base + i64::from(*count) > offset)
                        .take(read.len())
                        .collect();
                    prop_assert_eq!(read, expected.iter().map(|(base, count, _)| (*base, *count)).collect::<Vec<_>>());
                    prop_assert_eq!(bytes.is_empty(), offset == end);
                    prop_assert!(bytes.len() <= most as usize || expected.len() == 1);
                    let mut rest = bytes.as_slice();
                    for (_, _, batch) in expected {
                        prop_assert_eq!(&rest[16..batch.len()], &batch[16..]);
                        rest = &rest[batch.len()..];
                    }
                }
                Step::Park { partition } => {
                    let end = bench.partitions.end("demo", partition).unwrap();
                    let mut request = fetching(end);
                    request.topics[0].partitions[0].partition = partition;
                    let (_, answer) = bench.give(12, usize::MAX, request.into());
                    prop_assert_eq!(answer, None);
                }
                Step::Wait { millis } => bench.wait(millis),
            }
            prop_assert!(bench.partitions.bytes <= bench.partitions.most_bytes);
            let kept = bench.partitions.order.len() * limits::LOG_BATCH_OVERHEAD;
            prop_assert!(bench.partitions.bytes >= kept);
            prop_assert!(bench.partitions.deadline().is_none_or(|due| due > bench.now));
        }
    }
}
