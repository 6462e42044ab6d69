//! Refusals of what is about records, offsets and settings.

use crate::protocol::{
    DescribeConfigsRequest, DescribeConfigsResponse, DescribeConfigsResult, FetchRequest, FetchResponse,
    FetchTopic, FetchableTopicResponse, InitProducerIdResponse, ListOffsetsPartitionResponse,
    ListOffsetsRequest, ListOffsetsResponse, ListOffsetsTopicResponse, OffsetFetchRequest,
    OffsetFetchResponse, OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponseTopic,
    PartitionData, PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceResponse,
};

/// From this version on OffsetFetch has a code for the whole answer.
const OFFSET_FETCH_CODE: i16 = 2;
/// From this version on OffsetFetch has one for each group instead (KIP-709).
const OFFSET_FETCH_GROUPS: i16 = 8;

pub(super) fn produce(request: &ProduceRequest, code: i16) -> ProduceResponse {
    let responses = request.topic_data.iter().map(|topic| TopicProduceResponse {
        name: topic.name.clone(),
        topic_id: topic.topic_id,
        partition_responses: (topic.partition_data.iter())
            .map(|partition| PartitionProduceResponse {
                index: partition.index,
                error_code: code,
                base_offset: -1,
                ..Default::default()
            })
            .collect(),
    });
    ProduceResponse {
        responses: responses.collect(),
        ..Default::default()
    }
}

/// Below version 7 only partitions can carry the code; from then on they carry it too, as Kafka's brokers do.
pub(super) fn fetch(request: &FetchRequest, code: i16) -> FetchResponse {
    let refuse = |topic: &FetchTopic| FetchableTopicResponse {
        topic: topic.topic.clone(),
        topic_id: topic.topic_id,
        partitions: (topic.partitions.iter())
            .map(|partition| PartitionData {
                partition_index: partition.partition,
                error_code: code,
                high_watermark: -1,
                ..Default::default()
            })
            .collect(),
    };
    FetchResponse {
        error_code: code,
        responses: request.topics.iter().map(refuse).collect(),
        ..Default::default()
    }
}

pub(super) fn list_offsets(request: &ListOffsetsRequest, code: i16) -> ListOffsetsResponse {
    let topics = request.topics.iter().map(|topic| ListOffsetsTopicResponse {
        name: topic.name.clone(),
        partitions: (topic.partitions.iter())
            .map(|partition| ListOffsetsPartitionResponse {
                partition_index: partition.partition_index,
                error_code: code,
                ..Default::default()
            })
            .collect(),
    });
    ListOffsetsResponse {
        topics: topics.collect(),
        ..Default::default()
    }
}

/// At the partitions, at the top or at the groups, as the version has it.
pub(super) fn offset_fetch(request: &OffsetFetchRequest, version: i16, code: i16) -> OffsetFetchResponse {
    if version >= OFFSET_FETCH_GROUPS {
        let groups = request.groups.iter().map(|group| OffsetFetchResponseGroup {
            group_id: group.group_id.clone(),
            error_code: code,
            ..Default::default()
        });
        return OffsetFetchResponse {
            groups: groups.collect(),
            ..Default::default()
        };
    }
    if version >= OFFSET_FETCH_CODE {
        return OffsetFetchResponse {
            error_code: code,
            ..Default::default()
        };
    }
    let refuse = |index: &i32| OffsetFetchResponsePartition {
        partition_index: *index,
        committed_offset: -1,
        error_code: code,
        ..Default::default()
    };
    let topics = request.topics.iter().flatten();
    let topics = topics.map(|topic| OffsetFetchResponseTopic {
        name: topic.name.clone(),
        partitions: topic.partition_indexes.iter().map(refuse).collect(),
    });
    OffsetFetchResponse {
        topics: topics.collect(),
        ..Default::default()
    }
}

pub(super) fn init_producer_id(code: i16) -> InitProducerIdResponse {
    InitProducerIdResponse {
        error_code: code,
        producer_epoch: -1,
        ..Default::default()
    }
}

pub(super) fn describe_configs(request: &DescribeConfigsRequest, code: i16) -> DescribeConfigsResponse {
    let results = request.resources.iter().map(|resource| DescribeConfigsResult {
        error_code: code,
        error_message: None,
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        ..Default::default()
    });
    DescribeConfigsResponse {
        results: results.collect(),
        ..Default::default()
    }
}
