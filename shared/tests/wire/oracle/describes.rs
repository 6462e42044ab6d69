//! The same for the APIs that describe groups of the newer protocols. The crate does not know streams groups.

use super::{NONE, To, alike, compare, compared, ours, theirs};

alike! {
    ConsumerGroupDescribeRequest { group_ids, include_authorized_operations }
    ConsumerGroupDescribeResponse { throttle_time_ms, groups }
    DescribedGroup of consumer_group_describe in consumer_group_describe_response {
        error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, assignor_name, members,
        authorized_operations
    }
    Member of consumer_group_describe in consumer_group_describe_response {
        member_id, instance_id, rack_id, member_epoch, client_id, client_host, subscribed_topic_names,
        subscribed_topic_regex, assignment, target_assignment, member_type
    }
    Assignment of consumer_group_describe in consumer_group_describe_response { topic_partitions }
    TopicPartitions of consumer_group_describe in consumer_group_describe_response {
        topic_id, topic_name, partitions
    }
    DescribeShareGroupOffsetsRequest { groups }
    DescribeShareGroupOffsetsRequestGroup in describe_share_group_offsets_request { group_id, topics }
    DescribeShareGroupOffsetsRequestTopic in describe_share_group_offsets_request { topic_name, partitions }
    DescribeShareGroupOffsetsResponse { throttle_time_ms, groups }
    DescribeShareGroupOffsetsResponseGroup in describe_share_group_offsets_response {
        group_id, topics, error_code, error_message
    }
    DescribeShareGroupOffsetsResponseTopic in describe_share_group_offsets_response {
        topic_name, topic_id, partitions
    }
    DescribeShareGroupOffsetsResponsePartition in describe_share_group_offsets_response {
        partition_index, start_offset, leader_epoch, error_code, error_message
    }
    ShareGroupDescribeRequest { group_ids, include_authorized_operations }
    ShareGroupDescribeResponse { throttle_time_ms, groups }
    DescribedGroup of share_group_describe in share_group_describe_response {
        error_code, error_message, group_id, group_state, group_epoch, assignment_epoch, assignor_name, members,
        authorized_operations
    }
    Member of share_group_describe in share_group_describe_response {
        member_id, rack_id, member_epoch, client_id, client_host, subscribed_topic_names, assignment
    }
    Assignment of consumer_group_describe in share_group_describe_response { topic_partitions }
    TopicPartitions of consumer_group_describe in share_group_describe_response {
        topic_id, topic_name, partitions
    }
}

compared! {
    consumer_group_describe_agrees_with_kafka_protocol:
        ConsumerGroupDescribeRequest beside NONE, ConsumerGroupDescribeResponse beside NONE;
    share_group_describe_agrees_with_kafka_protocol:
        ShareGroupDescribeRequest beside NONE, ShareGroupDescribeResponse beside NONE;
    describe_share_group_offsets_agrees_with_kafka_protocol:
        DescribeShareGroupOffsetsRequest beside [1], DescribeShareGroupOffsetsResponse beside [1];
}
