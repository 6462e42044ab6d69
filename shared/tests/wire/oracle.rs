//! The crate `kafka-protocol`, generated from Kafka's schemas by other people: same bytes, same meaning, at
//! every version that both know.

use std::fmt::Debug;

use bytes::Bytes;
use kafka_protocol::messages as theirs;
use kafka_protocol::protocol::{Decodable, Encodable, Message as TheirMessage, StrBytes};
use shared::protocol as ours;
use shared::protocol::{Message, Uuid, VersionRange};

use crate::sample::sample;

#[path = "oracle/describes.rs"]
mod describes;

/// Bodies of each message and version.
const SEEDS: u64 = 60;

/// The same thing as the other crate has it.
trait To<T> {
    fn to(&self) -> T;
}

macro_rules! same {
    ($($type:ty)*) => { $(impl To<Self> for $type { fn to(&self) -> Self { *self } })* };
}

same!(bool i8 i16 i32 i64);

impl To<theirs::BrokerId> for i32 {
    fn to(&self) -> theirs::BrokerId {
        theirs::BrokerId(*self)
    }
}

impl To<uuid::Uuid> for Uuid {
    fn to(&self) -> uuid::Uuid {
        uuid::Uuid::from_bytes(self.0)
    }
}

impl To<StrBytes> for String {
    fn to(&self) -> StrBytes {
        StrBytes::from_string(self.clone())
    }
}

impl To<theirs::GroupId> for String {
    fn to(&self) -> theirs::GroupId {
        theirs::GroupId(To::to(self))
    }
}

impl To<theirs::TopicName> for String {
    fn to(&self) -> theirs::TopicName {
        theirs::TopicName(To::to(self))
    }
}

impl To<Bytes> for Vec<u8> {
    fn to(&self) -> Bytes {
        Bytes::copy_from_slice(self)
    }
}

impl To<Bytes> for ours::Records {
    fn to(&self) -> Bytes {
        To::to(&self.0)
    }
}

impl To<Bytes> for ours::AuthBytes {
    fn to(&self) -> Bytes {
        To::to(&self.0)
    }
}

impl To<theirs::TransactionalId> for String {
    fn to(&self) -> theirs::TransactionalId {
        theirs::TransactionalId(To::to(self))
    }
}

impl To<theirs::ProducerId> for i64 {
    fn to(&self) -> theirs::ProducerId {
        theirs::ProducerId(*self)
    }
}

impl<A: To<B>, B> To<Option<B>> for Option<A> {
    fn to(&self) -> Option<B> {
        self.as_ref().map(To::to)
    }
}

impl<A: To<B>, B> To<Vec<B>> for Vec<A> {
    fn to(&self) -> Vec<B> {
        self.iter().map(To::to).collect()
    }
}

/// Structures whose fields have the same names in both crates, `of` a module of ours and `in` one of theirs. A
/// field left out here would stay at its default and differ.
macro_rules! alike {
    ($($name:ident $(of $ours:ident)? $(in $module:ident)? { $($field:ident),* })*) => {
        $(impl To<theirs::$($module::)?$name> for ours::$($ours::)?$name {
            fn to(&self) -> theirs::$($module::)?$name {
                let mut same = theirs::$($module::)?$name::default();
                $(same.$field = self.$field.to();)*
                same
            }
        })*
    };
}

use alike;

alike! {
    ApiVersionsRequest { client_software_name, client_software_version }
    ApiVersionsResponse {
        error_code, api_keys, throttle_time_ms, supported_features, finalized_features_epoch,
        finalized_features, zk_migration_ready
    }
    ApiVersion in api_versions_response { api_key, min_version, max_version }
    SupportedFeatureKey in api_versions_response { name, min_version, max_version }
    FinalizedFeatureKey in api_versions_response { name, max_version_level, min_version_level }
    MetadataRequest {
        topics, allow_auto_topic_creation, include_cluster_authorized_operations,
        include_topic_authorized_operations
    }
    MetadataRequestTopic in metadata_request { topic_id, name }
    MetadataResponse {
        throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations,
        error_code
    }
    MetadataResponseBroker in metadata_response { node_id, host, port, rack }
    MetadataResponseTopic in metadata_response {
        error_code, name, topic_id, is_internal, partitions, topic_authorized_operations
    }
    MetadataResponsePartition in metadata_response {
        error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, offline_replicas
    }
    FindCoordinatorRequest { key, key_type, coordinator_keys }
    FindCoordinatorResponse { throttle_time_ms, error_code, error_message, node_id, host, port, coordinators }
    Coordinator in find_coordinator_response { key, node_id, host, port, error_code, error_message }
    JoinGroupRequest {
        group_id, session_timeout_ms, rebalance_timeout_ms, member_id, group_instance_id, protocol_type,
        protocols, reason
    }
    JoinGroupRequestProtocol in join_group_request { name, metadata }
    JoinGroupResponse {
        throttle_time_ms, error_code, generation_id, protocol_type, protocol_name, leader, skip_assignment,
        member_id, members
    }
    JoinGroupResponseMember in join_group_response { member_id, group_instance_id, metadata }
    SyncGroupRequest {
        group_id, generation_id, member_id, group_instance_id, protocol_type, protocol_name, assignments
    }
    SyncGroupRequestAssignment in sync_group_request { member_id, assignment }
    SyncGroupResponse { throttle_time_ms, error_code, protocol_type, protocol_name, assignment }
    HeartbeatRequest { group_id, generation_id, member_id, group_instance_id }
    HeartbeatResponse { throttle_time_ms, error_code }
    LeaveGroupRequest { group_id, member_id, members }
    MemberIdentity in leave_group_request { member_id, group_instance_id, reason }
    LeaveGroupResponse { throttle_time_ms, error_code, members }
    MemberResponse in leave_group_response { member_id, group_instance_id, error_code }
    DescribeGroupsRequest { groups, include_authorized_operations }
    DescribeGroupsResponse { throttle_time_ms, groups }
    DescribedGroup in describe_groups_response {
        error_code, error_message, group_id, group_state, protocol_type, protocol_data, members,
        authorized_operations
    }
    DescribedGroupMember in describe_groups_response {
        member_id, group_instance_id, client_id, client_host, member_metadata, member_assignment
    }
    ListGroupsRequest { states_filter, types_filter }
    ListGroupsResponse { throttle_time_ms, error_code, groups }
    ListedGroup in list_groups_response { group_id, protocol_type, group_state, group_type }
    OffsetCommitRequest {
        group_id, generation_id_or_member_epoch, member_id, group_instance_id, retention_time_ms, topics
    }
    OffsetCommitRequestTopic in offset_commit_request { name, partitions }
    OffsetCommitRequestPartition in offset_commit_request {
        partition_index, committed_offset, committed_leader_epoch, committed_metadata
    }
    OffsetCommitResponse { throttle_time_ms, topics }
    OffsetCommitResponseTopic in offset_commit_response { name, topic_id, partitions }
    OffsetCommitResponsePartition in offset_commit_response { partition_index, error_code }
    ProduceRequest { transactional_id, acks, timeout_ms, topic_data }
    TopicProduceData in produce_request { name, topic_id, partition_data }
    PartitionProduceData in produce_request { index, records }
    ProduceResponse { responses, throttle_time_ms, node_endpoints }
    TopicProduceResponse in produce_response { name, topic_id, partition_responses }
    PartitionProduceResponse in produce_response {
        index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message,
        current_leader
    }
    BatchIndexAndErrorMessage in produce_response { batch_index, batch_index_error_message }
    LeaderIdAndEpoch in produce_response { leader_id, leader_epoch }
    NodeEndpoint in produce_response { node_id, host, port, rack }
    FetchRequest {
        cluster_id, replica_id, replica_state, max_wait_ms, min_bytes, max_bytes, isolation_level, session_id,
        session_epoch, topics, forgotten_topics_data, rack_id
    }
    ReplicaState in fetch_request { replica_id, replica_epoch }
    FetchTopic in fetch_request { topic, topic_id, partitions }
    FetchPartition in fetch_request {
        partition, current_leader_epoch, fetch_offset, last_fetched_epoch, log_start_offset,
        partition_max_bytes, replica_directory_id, high_watermark
    }
    ForgottenTopic in fetch_request { topic, topic_id, partitions }
    FetchResponse { throttle_time_ms, error_code, session_id, responses, node_endpoints }
    FetchableTopicResponse in fetch_response { topic, topic_id, partitions }
    PartitionData in fetch_response {
        partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, diverging_epoch,
        current_leader, snapshot_id, aborted_transactions, preferred_read_replica, records
    }
    EpochEndOffset in fetch_response { epoch, end_offset }
    SnapshotId in fetch_response { end_offset, epoch }
    AbortedTransaction in fetch_response { producer_id, first_offset }
    LeaderIdAndEpoch in fetch_response { leader_id, leader_epoch }
    NodeEndpoint in fetch_response { node_id, host, port, rack }
    ListOffsetsRequest { replica_id, isolation_level, topics, timeout_ms }
    ListOffsetsTopic in list_offsets_request { name, partitions }
    ListOffsetsPartition in list_offsets_request { partition_index, current_leader_epoch, timestamp }
    ListOffsetsResponse { throttle_time_ms, topics }
    ListOffsetsTopicResponse in list_offsets_response { name, partitions }
    ListOffsetsPartitionResponse in list_offsets_response {
        partition_index, error_code, timestamp, offset, leader_epoch
    }
    OffsetFetchRequest { group_id, topics, groups, require_stable }
    OffsetFetchRequestTopic in offset_fetch_request { name, partition_indexes }
    OffsetFetchRequestGroup in offset_fetch_request { group_id, member_id, member_epoch, topics }
    OffsetFetchRequestTopics in offset_fetch_request { name, topic_id, partition_indexes }
    OffsetFetchResponse { throttle_time_ms, topics, error_code, groups }
    OffsetFetchResponseTopic in offset_fetch_response { name, partitions }
    OffsetFetchResponsePartition in offset_fetch_response {
        partition_index, committed_offset, committed_leader_epoch, metadata, error_code
    }
    OffsetFetchResponseGroup in offset_fetch_response { group_id, topics, error_code }
    OffsetFetchResponseTopics in offset_fetch_response { name, topic_id, partitions }
    OffsetFetchResponsePartitions in offset_fetch_response {
        partition_index, committed_offset, committed_leader_epoch, metadata, error_code
    }
    InitProducerIdResponse {
        throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id,
        ongoing_txn_producer_epoch
    }
    SaslHandshakeRequest { mechanism }
    SaslHandshakeResponse { error_code, mechanisms }
    SaslAuthenticateRequest { auth_bytes }
    SaslAuthenticateResponse { error_code, error_message, auth_bytes, session_lifetime_ms }
    DescribeClusterRequest {
        include_cluster_authorized_operations, endpoint_type, include_fenced_brokers
    }
    DescribeClusterResponse {
        throttle_time_ms, error_code, error_message, endpoint_type, cluster_id, controller_id, brokers,
        cluster_authorized_operations
    }
    DescribeClusterBroker in describe_cluster_response { broker_id, host, port, rack, is_fenced }
    DescribeConfigsRequest { resources, include_synonyms, include_documentation }
    DescribeConfigsResource in describe_configs_request { resource_type, resource_name, configuration_keys }
    DescribeConfigsResponse { throttle_time_ms, results }
    DescribeConfigsResult in describe_configs_response {
        error_code, error_message, resource_type, resource_name, configs
    }
    DescribeConfigsResourceResult in describe_configs_response {
        name, value, read_only, config_source, is_sensitive, synonyms, config_type, documentation
    }
    DescribeConfigsSynonym in describe_configs_response { name, value, source }
    ConsumerGroupHeartbeatRequest {
        group_id, member_id, member_epoch, instance_id, rack_id, rebalance_timeout_ms,
        subscribed_topic_names, subscribed_topic_regex, server_assignor, topic_partitions
    }
    TopicPartitions in consumer_group_heartbeat_request { topic_id, partitions }
    ConsumerGroupHeartbeatResponse {
        throttle_time_ms, error_code, error_message, member_id, member_epoch, heartbeat_interval_ms,
        assignment
    }
    Assignment in consumer_group_heartbeat_response { topic_partitions }
    TopicPartitions in consumer_group_heartbeat_response { topic_id, partitions }
    ConsumerProtocolSubscription { topics, user_data, owned_partitions, generation_id, rack_id }
    TopicPartition in consumer_protocol_subscription { topic, partitions }
    ConsumerProtocolAssignment { assigned_partitions, user_data }
    TopicPartition in consumer_protocol_assignment { topic, partitions }
}

/// One field is spelt otherwise there.
impl To<theirs::InitProducerIdRequest> for ours::InitProducerIdRequest {
    fn to(&self) -> theirs::InitProducerIdRequest {
        let mut same = theirs::InitProducerIdRequest::default();
        same.transactional_id = self.transactional_id.to();
        same.transaction_timeout_ms = self.transaction_timeout_ms;
        same.producer_id = self.producer_id.to();
        same.producer_epoch = self.producer_epoch;
        same.enable_2_pc = self.enable2_pc;
        same.keep_prepared_txn = self.keep_prepared_txn;
        same
    }
}

/// Compares one message; gives the versions that only we know.
fn compare<O, T>() -> Vec<i16>
where
    O: Message + To<T>,
    T: TheirMessage + Encodable + Decodable + PartialEq + Debug,
{
    let known = VersionRange::new(T::VERSIONS.min, T::VERSIONS.max);
    let (both, only_ours): (Vec<i16>, Vec<i16>) = O::SCHEMA
        .versions
        .iter()
        .partition(|version| known.contains(*version));
    assert!(!both.is_empty(), "{}", O::NAME);
    for version in both {
        for seed in 0..SEEDS {
            let body = sample(O::SCHEMA, version, seed).bytes;
            let ours = O::decode(&body, version).unwrap();
            let mut rest = Bytes::from(body.clone());
            let theirs = T::decode(&mut rest, version).unwrap();
            assert!(rest.is_empty(), "{} {version} {seed}", O::NAME);
            assert_eq!(ours.to(), theirs, "{} {version} {seed}", O::NAME);

            let (mut our_bytes, mut their_bytes) = (Vec::new(), Vec::new());
            ours.encode(version, &mut our_bytes).unwrap();
            theirs.encode(&mut their_bytes, version).unwrap();
            assert_eq!(our_bytes, their_bytes, "{} {version} {seed}", O::NAME);
            assert_eq!(our_bytes, body, "{} {version} {seed}", O::NAME);
        }
    }
    only_ours
}

macro_rules! compared {
    ($($test:ident: $($name:ident beside $only_ours:expr),*;)*) => {
        $(#[test]
        fn $test() {
            $(assert_eq!(compare::<ours::$name, theirs::$name>(), $only_ours, "versions only we know");)*
        })*
    };
}

use compared;

const NONE: [i16; 0] = [];

compared! {
    api_versions_agrees_with_kafka_protocol: ApiVersionsRequest beside [5], ApiVersionsResponse beside [5];
    metadata_agrees_with_kafka_protocol: MetadataRequest beside NONE, MetadataResponse beside NONE;
    find_coordinator_agrees_with_kafka_protocol:
        FindCoordinatorRequest beside NONE, FindCoordinatorResponse beside NONE;
    join_group_agrees_with_kafka_protocol: JoinGroupRequest beside NONE, JoinGroupResponse beside NONE;
    sync_group_agrees_with_kafka_protocol: SyncGroupRequest beside NONE, SyncGroupResponse beside NONE;
    heartbeat_agrees_with_kafka_protocol: HeartbeatRequest beside NONE, HeartbeatResponse beside NONE;
    leave_group_agrees_with_kafka_protocol: LeaveGroupRequest beside NONE, LeaveGroupResponse beside NONE;
    describe_groups_agrees_with_kafka_protocol:
        DescribeGroupsRequest beside NONE, DescribeGroupsResponse beside NONE;
    list_groups_agrees_with_kafka_protocol: ListGroupsRequest beside NONE, ListGroupsResponse beside NONE;
    offset_commit_agrees_with_kafka_protocol:
        OffsetCommitRequest beside [0, 1, 10], OffsetCommitResponse beside [0, 1];
    produce_agrees_with_kafka_protocol: ProduceRequest beside [0, 1, 2], ProduceResponse beside [0, 1, 2];
    fetch_agrees_with_kafka_protocol: FetchRequest beside [0, 1, 2, 3], FetchResponse beside [0, 1, 2, 3];
    list_offsets_agrees_with_kafka_protocol: ListOffsetsRequest beside [0, 11], ListOffsetsResponse beside [0, 11];
    offset_fetch_agrees_with_kafka_protocol: OffsetFetchRequest beside [0, 10], OffsetFetchResponse beside [0];
    init_producer_id_agrees_with_kafka_protocol:
        InitProducerIdRequest beside [6], InitProducerIdResponse beside NONE;
    sasl_agrees_with_kafka_protocol:
        SaslHandshakeRequest beside NONE, SaslHandshakeResponse beside NONE,
        SaslAuthenticateRequest beside NONE, SaslAuthenticateResponse beside NONE;
    describe_cluster_agrees_with_kafka_protocol:
        DescribeClusterRequest beside NONE, DescribeClusterResponse beside NONE;
    describe_configs_agrees_with_kafka_protocol:
        DescribeConfigsRequest beside [0], DescribeConfigsResponse beside [0];
    consumer_group_heartbeat_agrees_with_kafka_protocol:
        ConsumerGroupHeartbeatRequest beside NONE, ConsumerGroupHeartbeatResponse beside NONE;
    the_consumer_protocol_agrees_with_kafka_protocol:
        ConsumerProtocolSubscription beside NONE, ConsumerProtocolAssignment beside NONE;
}
