//! Kafka's wire: what group members, coordinators and those who watch them say to each other.
//!
//! Each API has a table (`protocol/heartbeat.rs` is the shortest) in the notation of Kafka's own schema
//! files. From it come the structures, their defaults, both directions at every version, and the table as a
//! value ([`schema::Schema`]), which tests compare with the schema files in Kafka's jars.
//!
//! Nothing here trusts a length before it has compared it with the bytes at hand.
//!
//! # Layout
//!
//! - [`schema`], `table`: what a table says, and the macros that make it into code
//! - `reader`, `writer`, `value`, `lend`, [`error`]: the types of the wire and what can be wrong with them
//! - [`api`], `refusal`: the list of APIs; any request, any answer, and its error
//! - [`frame`], [`header`]: bytes of a connection to whole frames, what stands before a body
//! - [`versions`]: what a broker says it understands
//! - one file per API; those of [`consumer_group_describe`], [`share_group_describe`] and [`streams_group_describe`]
//!   have names for their parts that Kafka uses more than once
//! - [`consumer`], [`connect`]: what consumers and Connect's workers put into JoinGroup and SyncGroup; [`offsets_log`]: what a
//!   coordinator keeps; [`batches`]: what logs are made of; [`assignment`]: what members told, by protocol type

mod api_versions;
mod auth_bytes;
mod consumer_group_heartbeat;
mod current_leader;
mod describe_cluster;
mod describe_configs;
mod describe_groups;
mod describe_share_group_offsets;
mod fetch;
mod find_coordinator;
mod heartbeat;
mod init_producer_id;
mod join_group;
mod leave_group;
mod lend;
mod list_groups;
mod list_offsets;
mod message;
mod metadata;
mod offset_commit;
mod offset_fetch;
mod produce;
mod reader;
mod records;
mod refusal;
mod sasl_authenticate;
mod sasl_handshake;
mod sync_group;
mod table;
#[cfg(test)]
mod tests;
mod uuid;
mod value;
mod writer;

pub mod api;
pub mod assignment;
pub mod batches;
pub mod connect;
pub mod consumer;
pub mod consumer_group_describe;
pub mod error;
pub mod frame;
pub mod header;
pub mod offsets_log;
pub mod schema;
pub mod share_group_describe;
pub mod streams_group_describe;
pub mod topology;
pub mod versions;

pub use api::{AnyRequest, AnyResponse, ApiKey, Request, UnknownApiKey};
pub use api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey,
};
pub use auth_bytes::AuthBytes;
pub use consumer::{
    ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, Decoded, TopicPartition,
};
pub use consumer_group_describe::{ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse};
pub use consumer_group_heartbeat::{
    Assignment, ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, TopicPartitions,
};
pub use current_leader::{LeaderIdAndEpoch, NodeEndpoint};
pub use describe_cluster::{DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse};
pub use describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult, DescribeConfigsResponse,
    DescribeConfigsResult, DescribeConfigsSynonym,
};
pub use describe_groups::{
    DescribeGroupsRequest, DescribeGroupsResponse, DescribedGroup, DescribedGroupMember,
};
pub use describe_share_group_offsets::{
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic, DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup, DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
};
pub use error::{DecodeError, DecodeFault, EncodeError};
pub use fetch::{
    AbortedTransaction, EpochEndOffset, FetchPartition, FetchRequest, FetchResponse, FetchTopic,
    FetchableTopicResponse, ForgottenTopic, PartitionData, ReplicaState, SnapshotId,
};
pub use find_coordinator::{Coordinator, FindCoordinatorRequest, FindCoordinatorResponse};
pub use frame::{FrameError, FrameReader};
pub use header::{RequestHeader, decode_response_header, encode_request, encode_response};
pub use heartbeat::{HeartbeatRequest, HeartbeatResponse};
pub use init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};
pub use join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, JoinGroupResponseMember,
};
pub use leave_group::{LeaveGroupRequest, LeaveGroupResponse, MemberIdentity, MemberResponse};
pub use list_groups::{ListGroupsRequest, ListGroupsResponse, ListedGroup};
pub use list_offsets::{
    ListOffsetsPartition, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopic, ListOffsetsTopicResponse,
};
pub use message::Message;
pub use metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
    MetadataResponsePartition, MetadataResponseTopic,
};
pub use offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic, OffsetCommitResponse,
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
pub use offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
    OffsetFetchResponse, OffsetFetchResponseGroup, OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions, OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};
pub use produce::{
    BatchIndexAndErrorMessage, PartitionProduceData, PartitionProduceResponse, ProduceRequest,
    ProduceResponse, TopicProduceData, TopicProduceResponse,
};
pub use records::Records;
pub use sasl_authenticate::{SaslAuthenticateRequest, SaslAuthenticateResponse};
pub use sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse};
pub use schema::{Schema, VersionRange};
pub use share_group_describe::{ShareGroupDescribeRequest, ShareGroupDescribeResponse};
pub use streams_group_describe::{StreamsGroupDescribeRequest, StreamsGroupDescribeResponse};
pub use sync_group::{SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse};
pub use uuid::Uuid;
pub use versions::{BrokerVersions, NoCommonVersion};
