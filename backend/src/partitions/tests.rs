//! The logs with simulated time.

mod batches;
mod fetching;
mod listing;
mod producing;
mod property;

use std::sync::Arc;

use shared::protocol::{
    AnyRequest, AnyResponse, FetchPartition, FetchRequest, FetchTopic, PartitionProduceData,
    PartitionProduceResponse, ProduceRequest, Records, TopicProduceData,
};
use shared::time::{Timestamp, UnixMs};

use super::{Call, Input, Output, Partitions};
use crate::coordinator::Ticket;
use crate::coordinator::topics::Topics;

/// The time of day of all tests, Unix milliseconds.
const UNIX: UnixMs = UnixMs(1_764_417_600_000);

/// A machine, its time and its tickets.
struct Bench {
    partitions: Partitions,
    now: Timestamp,
    tickets: u64,
    ready: Vec<Ticket>,
}

impl Bench {
    fn new() -> Self {
        let topics = Topics::parse("demo:6,other:1").unwrap();
        Self {
            partitions: Partitions::new(Arc::new(topics), 7),
            now: Timestamp::from_millis(1_000),
            tickets: 0,
            ready: Vec::new(),
        }
    }

    /// Gives a request; its ticket, and its answer where there is one at once.
    fn give(&mut self, version: i16, room: usize, request: AnyRequest) -> (Ticket, Option<AnyResponse>) {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let call = Call {
            ticket,
            version,
            room,
        };
        self.partitions
            .handle(self.now, UNIX, Input::Request(call, request));
        (ticket, self.settle())
    }

    fn settle(&mut self) -> Option<AnyResponse> {
        let mut answer = None;
        while let Some(output) = self.partitions.poll() {
            match output {
                Output::Reply { response, .. } => answer = Some(response),
                Output::Ready(ticket) => self.ready.push(ticket),
            }
        }
        answer
    }

    fn ask<R: shared::protocol::Request>(&mut self, version: i16, request: R) -> R::Response {
        let (_, answer) = self.give(version, usize::MAX, request.into());
        let answer = answer.expect("it is answered at once");
        answer.try_into().unwrap_or_else(|other| panic!("{other:?}"))
    }

    fn wait(&mut self, millis: u64) {
        self.now = self.now + shared::time::Millis(millis);
        self.partitions.handle(self.now, UNIX, Input::Tick);
        self.settle();
    }

    /// Sends bytes for partition 0 of `demo`.
    fn produce(&mut self, records: Vec<u8>) -> PartitionProduceResponse {
        self.produce_to(12, 0, records)
    }

    fn produce_to(&mut self, version: i16, index: i32, records: Vec<u8>) -> PartitionProduceResponse {
        let answer = self.ask(version, producing("demo", index, records));
        answer.responses[0].partition_responses[0].clone()
    }
}

fn producing(topic: &str, index: i32, records: Vec<u8>) -> ProduceRequest {
    ProduceRequest {
        acks: -1,
        topic_data: vec![TopicProduceData {
            name: topic.into(),
            partition_data: vec![PartitionProduceData {
                index,
                records: Some(Records(records)),
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// A Fetch of partition 0 of `demo` that waits for a byte, for as long as half a second.
fn fetching(offset: i64) -> FetchRequest {
    FetchRequest {
        max_wait_ms: 500,
        min_bytes: 1,
        topics: vec![FetchTopic {
            topic: "demo".into(),
            partitions: vec![FetchPartition {
                fetch_offset: offset,
                partition_max_bytes: 1 << 20,
                ..Default::default()
            }],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// A batch as a producer makes it, by other code than the machine's.
#[derive(Clone)]
struct Made {
    values: Vec<Vec<u8>>,
    times: Vec<i64>,
    attributes: i16,
    producer: (i64, i16, i32),
    /// What stands for the records where they are compressed.
    compressed: Option<Vec<u8>>,
}

impl Made {
    fn of(values: &[&str]) -> Self {
        Self {
            values: values.iter().map(|value| value.as_bytes().to_vec()).collect(),
            times: (1_000..).take(values.len()).collect(),
            attributes: 0,
            producer: (-1, -1, -1),
            compressed: None,
        }
    }

    fn by(self, id: i64, epoch: i16, sequence: i32) -> Self {
        Self {
            producer: (id, epoch, sequence),
            ..self
        }
    }

    fn at(self, times: &[i64]) -> Self {
        Self {
            times: times.to_vec(),
            ..self
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let base = self.times[0];
        let latest = *self.times.iter().max().unwrap();
        let (id, epoch, sequence) = self.producer;
        let count = self.values.len() as i32;
        let mut covered = self.attributes.to_be_bytes().to_vec();
        covered.extend((count - 1).to_be_bytes());
        covered.extend(base.to_be_bytes());
        covered.extend(latest.to_be_bytes());
        covered.extend(id.to_be_bytes());
        covered.extend(epoch.to_be_bytes());
        covered.extend(sequence.to_be_bytes());
        covered.extend(count.to_be_bytes());
        match &self.compressed {
            Some(bytes) => covered.extend(bytes),
            None => covered.extend(self.records(base)),
        }
        let mut batch = 0_i64.to_be_bytes().to_vec();
        batch.extend((covered.len() as i32 + 9).to_be_bytes());
        batch.extend((-1_i32).to_be_bytes());
        batch.push(2);
        batch.extend(crc32c::crc32c(&covered).to_be_bytes());
        batch.extend(covered);
        batch
    }

    fn records(&self, base: i64) -> Vec<u8> {
        let mut records = Vec::new();
        for (index, (value, time)) in self.values.iter().zip(&self.times).enumerate() {
            let mut record = vec![0];
            record.extend(varint(time - base));
            record.extend(varint(index as i64));
            record.extend(varint(-1)); // no key
            record.extend(varint(value.len() as i64));
            record.extend(value);
            record.extend(varint(1)); // one header, without a value
            record.extend(varint(1));
            record.push(b'h');
            record.extend(varint(-1));
            records.extend(varint(record.len() as i64));
            records.extend(record);
        }
        records
    }
}

fn varint(value: i64) -> Vec<u8> {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    let mut bytes = Vec::new();
    while rest >= 0x80 {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes
}

/// The base offsets and record counts of the batches in `bytes`.
fn batches(mut bytes: &[u8]) -> Vec<(i64, i32)> {
    let mut seen = Vec::new();
    while !bytes.is_empty() {
        let length = i32::from_be_bytes(bytes[8..12].try_into().unwrap()) as usize + 12;
        let base = i64::from_be_bytes(bytes[..8].try_into().unwrap());
        let count = i32::from_be_bytes(bytes[57..61].try_into().unwrap());
        seen.push((base, count));
        bytes = &bytes[length..];
    }
    seen
}
