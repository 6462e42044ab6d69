//! Which requests may be served, how much each asks for, and whether its answer has anything to say.

use shared::error_code as code;
use shared::protocol::{AnyRequest, AnyResponse, ApiKey};

use super::ending::Ending;
use crate::embedded::service::Service;
use crate::limits;

/// A request that may be served; none where the client must be told the versions first.
pub(super) fn admitted(
    service: &Service,
    (key, version): (ApiKey, i16),
    body: &[u8],
    bytes: usize,
) -> Result<Option<AnyRequest>, Ending> {
    if !service.serves(key, version) {
        return match key {
            ApiKey::ApiVersions => Ok(None),
            _ => Err(Ending::Unserved { key, version }),
        };
    }
    if !matches!(key, ApiKey::SyncGroup | ApiKey::Produce) && bytes > limits::COORDINATOR_REQUEST {
        return Err(Ending::TooLong { key, bytes });
    }
    let request = AnyRequest::decode(key, version, body)?;
    match asked_about(&request) {
        asked if asked > limits::COORDINATOR_ASKED => Err(Ending::TooMany { key, asked }),
        _ => Ok(Some(request)),
    }
}

/// How many things a request asks about, each of which is answered.
fn asked_about(request: &AnyRequest) -> usize {
    match request {
        AnyRequest::Metadata(asked) => asked.topics.as_ref().map_or(0, Vec::len),
        AnyRequest::FindCoordinator(asked) => asked.coordinator_keys.len(),
        AnyRequest::DescribeGroups(asked) => asked.groups.len(),
        AnyRequest::LeaveGroup(asked) => asked.members.len(),
        AnyRequest::OffsetCommit(asked) => asked.topics.len(),
        AnyRequest::Produce(asked) => {
            partitions(asked.topic_data.iter().map(|topic| topic.partition_data.len()))
        }
        AnyRequest::Fetch(asked) => partitions(asked.topics.iter().map(|topic| topic.partitions.len())),
        AnyRequest::ListOffsets(asked) => partitions(asked.topics.iter().map(|topic| topic.partitions.len())),
        AnyRequest::OffsetFetch(asked) => {
            let old = asked
                .topics
                .iter()
                .flatten()
                .map(|topic| topic.partition_indexes.len());
            let new = asked
                .groups
                .iter()
                .flat_map(|group| group.topics.iter().flatten());
            partitions(old.chain(new.map(|topic| topic.partition_indexes.len()))).max(asked.groups.len())
        }
        AnyRequest::ConsumerGroupDescribe(asked) => asked.group_ids.len(),
        AnyRequest::ShareGroupDescribe(asked) => asked.group_ids.len(),
        AnyRequest::StreamsGroupDescribe(asked) => asked.group_ids.len(),
        AnyRequest::DescribeShareGroupOffsets(asked) => {
            let topics = asked
                .groups
                .iter()
                .flat_map(|group| group.topics.iter().flatten());
            partitions(topics.map(|topic| topic.partitions.len())).max(asked.groups.len())
        }
        AnyRequest::DescribeConfigs(asked) => asked.resources.len(),
        AnyRequest::JoinGroup(_)
        | AnyRequest::InitProducerId(_)
        | AnyRequest::DescribeCluster(_)
        | AnyRequest::SaslHandshake(_)
        | AnyRequest::SaslAuthenticate(_)
        | AnyRequest::SyncGroup(_)
        | AnyRequest::Heartbeat(_)
        | AnyRequest::ListGroups(_)
        | AnyRequest::ApiVersions(_)
        | AnyRequest::ConsumerGroupHeartbeat(_) => 1,
    }
}

/// Whether an answer to Produce refuses anything.
pub(super) fn is_refused(answer: &AnyResponse) -> bool {
    let AnyResponse::Produce(answer) = answer else {
        return true;
    };
    let topics = answer.responses.iter();
    topics
        .flat_map(|topic| &topic.partition_responses)
        .any(|partition| partition.error_code != code::NONE)
}

/// Topics and their partitions counted together.
fn partitions(of_topics: impl Iterator<Item = usize>) -> usize {
    of_topics.fold(0, |sum, partitions| {
        sum.saturating_add(1).saturating_add(partitions)
    })
}
