//! ListOffsets: where logs begin and end, and what stands at a moment.

use std::collections::BTreeSet;

use shared::error_code as code;
use shared::protocol::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopicResponse, Uuid,
};

use super::log::{Found, Log};
use super::{Call, LEADER_EPOCH, Partitions, check_epoch};

/// The special moments, each with the first version that knows it.
const LATEST: i64 = -1;
const EARLIEST: i64 = -2;
const MAX_TIMESTAMP: (i64, i16) = (-3, 7);
const EARLIEST_LOCAL: (i64, i16) = (-4, 8);
const LATEST_TIERED: (i64, i16) = (-5, 9);
const EARLIEST_PENDING_UPLOAD: (i64, i16) = (-6, 11);

/// From this version on an answer has the epoch of the leader that wrote the record.
const EPOCHS: i16 = 4;

impl Partitions {
    pub(super) fn list_offsets(&self, call: Call, request: &ListOffsetsRequest) -> ListOffsetsResponse {
        let twice = doubled(request);
        let topics = request.topics.iter().map(|topic| ListOffsetsTopicResponse {
            name: topic.name.clone(),
            partitions: (topic.partitions.iter())
                .map(|asked| {
                    let found = if twice.contains(&(topic.name.as_str(), asked.partition_index)) {
                        Err(code::INVALID_REQUEST)
                    } else {
                        self.offset(call.version, &topic.name, asked)
                    };
                    told(call.version, asked.partition_index, found)
                })
                .collect(),
        });
        ListOffsetsResponse {
            topics: topics.collect(),
            ..ListOffsetsResponse::default()
        }
    }

    /// The offset for one moment; none where no record is of it.
    fn offset(&self, version: i16, topic: &str, asked: &ListOffsetsPartition) -> Result<Option<Found>, i16> {
        let key = self.key(false, topic, Uuid::ZERO, asked.partition_index)?;
        check_epoch(asked.current_leader_epoch)?;
        let (start, end) = self.range(key);
        let log = self.logs.get(&key);
        let bare = |offset| Found {
            offset,
            timestamp: -1,
        };
        let known = |(moment, since): (i64, i16)| asked.timestamp == moment && version >= since;
        match asked.timestamp {
            LATEST => Ok(Some(bare(end))),
            EARLIEST => Ok(Some(bare(start))),
            _ if known(MAX_TIMESTAMP) => Ok(log.and_then(Log::latest_time)),
            _ if known(EARLIEST_LOCAL) => Ok(Some(bare(start))),
            // There is no remote storage.
            _ if known(LATEST_TIERED) || known(EARLIEST_PENDING_UPLOAD) => Ok(None),
            0.. => Ok(log.and_then(|log| log.at_time(asked.timestamp))),
            _ => Err(code::UNSUPPORTED_VERSION),
        }
    }
}

/// What a request asks for more than once: Kafka refuses that.
fn doubled(request: &ListOffsetsRequest) -> BTreeSet<(&str, i32)> {
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for topic in &request.topics {
        for partition in &topic.partitions {
            let asked = (topic.name.as_str(), partition.partition_index);
            if !seen.insert(asked) {
                twice.insert(asked);
            }
        }
    }
    twice
}

fn told(
    version: i16,
    partition_index: i32,
    found: Result<Option<Found>, i16>,
) -> ListOffsetsPartitionResponse {
    let nothing = ListOffsetsPartitionResponse {
        partition_index,
        ..ListOffsetsPartitionResponse::default()
    };
    match found {
        Err(error_code) => ListOffsetsPartitionResponse {
            error_code,
            ..nothing
        },
        Ok(None) => nothing,
        Ok(Some(found)) => ListOffsetsPartitionResponse {
            timestamp: found.timestamp,
            offset: found.offset,
            leader_epoch: if version >= EPOCHS { LEADER_EPOCH } else { -1 },
            ..nothing
        },
    }
}
