//! Produce: batches to the ends of logs.

use shared::error_code as code;
use shared::protocol::{
    AnyRequest, AnyResponse, PartitionProduceData, PartitionProduceResponse, ProduceRequest, ProduceResponse,
    Records, TopicProduceResponse,
};
use shared::time::UnixMs;

use super::batch::{self, Refused};
use super::log::Appended;
use super::{Call, Key, Output, Partitions};
use crate::limits;

/// From this version on topics are named by their ids.
const BY_ID: i16 = 13;

impl Partitions {
    pub(super) fn produce(&mut self, call: Call, unix: UnixMs, request: ProduceRequest) -> ProduceResponse {
        if request.transactional_id.is_some() {
            return refuse(request, call.version, code::TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        }
        if !(-1..=1).contains(&request.acks) {
            return refuse(request, call.version, code::INVALID_REQUIRED_ACKS);
        }
        let mut ready = Vec::new();
        let mut responses = Vec::with_capacity(request.topic_data.len());
        for topic in request.topic_data {
            let mut partition_responses = Vec::with_capacity(topic.partition_data.len());
            for partition in topic.partition_data {
                let key = self.key(
                    call.version >= BY_ID,
                    &topic.name,
                    topic.topic_id,
                    partition.index,
                );
                partition_responses.push(match key {
                    Ok(key) => self.append(call, unix, key, partition, &mut ready),
                    Err(error_code) => PartitionProduceResponse {
                        index: partition.index,
                        error_code,
                        base_offset: -1,
                        ..PartitionProduceResponse::default()
                    },
                });
            }
            responses.push(TopicProduceResponse {
                name: topic.name,
                topic_id: topic.topic_id,
                partition_responses,
            });
        }
        // Only now, so that a Fetch sees all that came together.
        self.out.extend(ready.into_iter().map(Output::Ready));
        ProduceResponse {
            responses,
            ..ProduceResponse::default()
        }
    }

    fn append(
        &mut self,
        call: Call,
        unix: UnixMs,
        key: Key,
        partition: PartitionProduceData,
        ready: &mut Vec<crate::coordinator::Ticket>,
    ) -> PartitionProduceResponse {
        let Records(bytes) = partition.records.unwrap_or_default();
        let length = bytes.len();
        let checked = batch::check(&bytes, call.version, unix);
        let appended = checked.and_then(|header| {
            let log = self.logs.entry(key).or_default();
            let (appended, new) = log.append(header, bytes)?;
            Ok((appended, new.then_some(header.producer_id)))
        });
        match appended {
            Ok((Appended::At(base_offset), writer)) => {
                self.kept(key, length, writer);
                ready.extend(self.waiting.appended(key, length));
                self.appended_at(key, partition.index, base_offset)
            }
            Ok((Appended::Before(base_offset), _)) => self.appended_at(key, partition.index, base_offset),
            Err(Refused { code, why }) => PartitionProduceResponse {
                index: partition.index,
                error_code: code,
                base_offset: -1,
                error_message: Some(why),
                ..PartitionProduceResponse::default()
            },
        }
    }

    fn appended_at(&self, key: Key, index: i32, base_offset: i64) -> PartitionProduceResponse {
        PartitionProduceResponse {
            index,
            base_offset,
            log_start_offset: self.range(key).0,
            ..PartitionProduceResponse::default()
        }
    }

    /// Accounts for a batch, and lets the oldest go while there are too many bytes.
    fn kept(&mut self, key: Key, length: usize, writer: Option<i64>) {
        self.order.push_back(key);
        self.bytes += length + limits::LOG_BATCH_OVERHEAD;
        while self.bytes > self.most_bytes {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            let gone = self.logs.get_mut(&oldest).map_or(0, super::log::Log::drop_oldest);
            self.bytes = self.bytes.saturating_sub(gone + limits::LOG_BATCH_OVERHEAD);
        }
        if let Some(producer_id) = writer {
            self.writers.push_back((key, producer_id));
            if self.writers.len() > limits::LOG_PRODUCERS
                && let Some((key, producer_id)) = self.writers.pop_front()
                && let Some(log) = self.logs.get_mut(&key)
            {
                log.forget(producer_id);
            }
        }
    }
}

/// The refusal of a whole request.
fn refuse(request: ProduceRequest, version: i16, code: i16) -> ProduceResponse {
    match AnyRequest::from(request).error_response(version, code) {
        AnyResponse::Produce(response) => response,
        // A request is refused by an answer to itself.
        _ => ProduceResponse::default(),
    }
}
