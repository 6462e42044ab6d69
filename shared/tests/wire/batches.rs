//! Batches that the crate `kafka-protocol` wrote, read here.

use bytes::{Bytes, BytesMut};
use kafka_protocol::indexmap::IndexMap;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{Compression, Record, RecordBatchEncoder, RecordEncodeOptions, TimestampType};
use shared::protocol::batches::batches;

use crate::sample::Random;

/// Batches that are compared.
const SEEDS: u64 = 200;

fn bytes(random: &mut Random) -> Option<Bytes> {
    let length = random.below(200) as usize;
    (!random.one_in(5)).then(|| (0..length).map(|_| random.next() as u8).collect())
}

fn records(random: &mut Random) -> Vec<Record> {
    let (first, sequence) = (random.below(1 << 40) as i64, random.below(1 << 20) as i32);
    let producer_id = random.below(9) as i64;
    (0..=random.below(20))
        .map(|index| Record {
            transactional: producer_id % 2 == 0,
            control: false,
            delete_horizon: false,
            partition_leader_epoch: 3,
            producer_id,
            producer_epoch: 1,
            timestamp_type: TimestampType::Creation,
            offset: first + index as i64,
            sequence: sequence + index as i32,
            timestamp: 1_700_000_000_000 + random.below(100_000) as i64,
            key: bytes(random),
            value: bytes(random),
            headers: (0..random.below(3))
                .map(|header| (StrBytes::from_string(format!("h{header}")), bytes(random)))
                .collect::<IndexMap<_, _>>(),
        })
        .collect()
}

#[test]
fn batches_of_kafka_protocol_are_read_as_they_were_written() {
    for seed in 0..SEEDS {
        let expected = records(&mut Random(seed));
        let mut written = BytesMut::new();
        let options = RecordEncodeOptions {
            version: 2,
            compression: Compression::None,
        };
        RecordBatchEncoder::encode(&mut written, &expected, &options).unwrap();
        let read: Vec<_> = batches(&written).map(Result::unwrap).collect();
        let records: Vec<_> = read
            .iter()
            .flat_map(|batch| batch.records(batch.payload))
            .map(Result::unwrap)
            .collect();
        assert_eq!(records.len(), expected.len(), "{seed}");
        for (ours, theirs) in records.iter().zip(&expected) {
            assert_eq!(
                (ours.offset, ours.timestamp),
                (theirs.offset, theirs.timestamp),
                "{seed}"
            );
            assert_eq!(
                (ours.key, ours.value),
                (theirs.key.as_deref(), theirs.value.as_deref()),
                "{seed}"
            );
        }
        for batch in read {
            assert_eq!(
                (batch.producer_id, batch.producer_epoch),
                (expected[0].producer_id, 1)
            );
            assert_eq!(batch.is_transactional(), expected[0].transactional);
            assert_eq!(batch.leader_epoch, 3);
        }
    }
}
