//! The table itself: one row a code, from which the constants and [`ALL`] come.

use super::ErrorCode;
use super::Severity::{Normal, Serious};

macro_rules! error_codes {
    ($( $number:literal $name:ident $severity:ident $sentence:literal; )+) => {
        $( #[doc = $sentence] pub const $name: i16 = $number; )+

        /// Every code of the table, by rising number.
        pub const ALL: &[ErrorCode] = &[
            $( ErrorCode {
                number: $number,
                name: stringify!($name),
                sentence: $sentence,
                severity: $severity,
            }, )+
        ];
    };
}

error_codes! {
    -1 UNKNOWN_SERVER_ERROR Serious "The broker failed in a way it has no code for: its own log of that second says why.";
    0 NONE Normal "No error.";
    1 OFFSET_OUT_OF_RANGE Serious "The offset asked for is no longer, or not yet, in the log: retention has passed it, or the topic was made anew.";
    2 CORRUPT_MESSAGE Serious "A record's checksum does not match: damaged on disk or on the way.";
    3 UNKNOWN_TOPIC_OR_PARTITION Serious "The broker does not host this topic or partition: deleted, not made yet, or metadata too old.";
    4 INVALID_FETCH_SIZE Serious "The size asked for in a fetch makes no sense.";
    5 LEADER_NOT_AVAILABLE Normal "The partition has no leader at the moment, as during an election; asked again shortly.";
    6 NOT_LEADER_OR_FOLLOWER Normal "The partition has moved to another broker; clients look its leader up again.";
    7 REQUEST_TIMED_OUT Serious "The broker could not finish within the request's timeout; for a commit, the replicas of the offsets log were too slow.";
    8 BROKER_NOT_AVAILABLE Serious "The broker is not there to serve this.";
    9 REPLICA_NOT_AVAILABLE Normal "This replica cannot serve yet; another can.";
    10 MESSAGE_TOO_LARGE Serious "What had to be written is above max.message.bytes; for a group, its metadata record in the offsets log: too many members or subscriptions.";
    12 OFFSET_METADATA_TOO_LARGE Serious "The text committed beside an offset is above offset.metadata.max.bytes.";
    13 NETWORK_EXCEPTION Serious "The connection broke before the answer.";
    14 COORDINATOR_LOAD_IN_PROGRESS Normal "The coordinator is still reading this group from the offsets log, after a start or a move; members try again until it has.";
    15 COORDINATOR_NOT_AVAILABLE Normal "There is no coordinator for this group now: a broker is starting, or the offsets log has no leader; members look it up again.";
    16 NOT_COORDINATOR Normal "The group has moved to another broker; members look the coordinator up and go on with their membership.";
    17 INVALID_TOPIC_EXCEPTION Serious "The name is not a valid topic name, or the topic is internal.";
    18 RECORD_LIST_TOO_LARGE Serious "The records of one request together are above what the broker's log takes at once.";
    19 NOT_ENOUGH_REPLICAS Serious "Fewer replicas are in sync than min.insync.replicas asks for, so nothing can be written; on the offsets log this stops groups.";
    20 NOT_ENOUGH_REPLICAS_AFTER_APPEND Serious "It was written, but to fewer replicas than min.insync.replicas asks for.";
    21 INVALID_REQUIRED_ACKS Serious "The acks asked for are none of 0, 1 and all: correct the setting acks of the producer.";
    22 ILLEGAL_GENERATION Normal "The group has a newer generation than the member: it missed a rebalance and joins again; what it held may belong to others.";
    23 INCONSISTENT_GROUP_PROTOCOL Serious "The member shares no assignor or protocol type with the group: align partition.assignment.strategy over all members.";
    24 INVALID_GROUP_ID Serious "The group id is empty or not allowed: set group.id.";
    25 UNKNOWN_MEMBER_ID Normal "The coordinator does not know this member: its session was over, it was removed, or the group was lost; it joins anew, as a new member.";
    26 INVALID_SESSION_TIMEOUT Serious "The session timeout is outside the broker's group.min.session.timeout.ms and group.max.session.timeout.ms.";
    27 REBALANCE_IN_PROGRESS Normal "The group rebalances: the member is told to join again. This is information, not a failure.";
    28 INVALID_COMMIT_OFFSET_SIZE Serious "The commit is larger than the offsets log takes: fewer partitions or less metadata in one commit.";
    29 TOPIC_AUTHORIZATION_FAILED Serious "The user may not use a topic: it needs READ or DESCRIBE on it.";
    30 GROUP_AUTHORIZATION_FAILED Serious "The user may not use this group: it needs READ on the group to be a member, DESCRIBE to look at it.";
    31 CLUSTER_AUTHORIZATION_FAILED Serious "The user lacks a right on the cluster.";
    32 INVALID_TIMESTAMP Serious "A record's time is too far from the broker's: the producer's clock is wrong, or it sent its times in another unit.";
    33 UNSUPPORTED_SASL_MECHANISM Serious "The broker's listener does not offer this sasl.mechanism.";
    34 ILLEGAL_SASL_STATE Serious "The request does not fit the state of the SASL handshake: often a plain client on a SASL listener, or the reverse.";
    35 UNSUPPORTED_VERSION Serious "The broker does not know this version of the request; with a static member: its brokers are older than 2.3, unset group.instance.id.";
    36 TOPIC_ALREADY_EXISTS Normal "The topic is there already.";
    37 INVALID_PARTITIONS Serious "The number of partitions is not allowed.";
    38 INVALID_REPLICATION_FACTOR Serious "The replication factor is not allowed; for the offsets log, above the number of brokers.";
    40 INVALID_CONFIG Serious "A configuration value is not allowed.";
    41 NOT_CONTROLLER Normal "Another broker is the controller now.";
    42 INVALID_REQUEST Serious "The broker refuses the request as malformed or contradictory: its log says which part.";
    43 UNSUPPORTED_FOR_MESSAGE_FORMAT Serious "The log's record format is too old for this.";
    44 POLICY_VIOLATION Serious "A policy of the broker forbids it.";
    45 OUT_OF_ORDER_SEQUENCE_NUMBER Serious "A batch of an idempotent producer is missing before this one.";
    46 DUPLICATE_SEQUENCE_NUMBER Normal "The broker has this batch of an idempotent producer already.";
    47 INVALID_PRODUCER_EPOCH Serious "A newer producer has taken over this transactional id.";
    48 INVALID_TXN_STATE Serious "The transaction is not in a state that allows this.";
    49 INVALID_PRODUCER_ID_MAPPING Serious "The producer id does not belong to this transactional id.";
    51 CONCURRENT_TRANSACTIONS Normal "An earlier transaction of this producer still ends; tried again.";
    53 TRANSACTIONAL_ID_AUTHORIZATION_FAILED Serious "The user may not use this transactional id.";
    54 SECURITY_DISABLED Serious "The cluster has no authorizer, so there are no rights to show or change.";
    56 KAFKA_STORAGE_ERROR Serious "The broker cannot use its disk.";
    58 SASL_AUTHENTICATION_FAILED Serious "Name or secret is wrong, or the user is not known: check sasl.jaas.config.";
    66 DELEGATION_TOKEN_EXPIRED Serious "The delegation token is over.";
    68 NON_EMPTY_GROUP Serious "The group still has members, so this cannot be done to it.";
    69 GROUP_ID_NOT_FOUND Normal "No such group here; from DescribeGroups 6 on also: it is there, but of another type (KIP-848, share, streams).";
    70 FETCH_SESSION_ID_NOT_FOUND Normal "The broker does not hold this fetch session, as after a restart; the client fetches in full.";
    71 INVALID_FETCH_SESSION_EPOCH Normal "The fetch session's turn is not the expected one; the client fetches in full.";
    72 LISTENER_NOT_FOUND Serious "The partition's leader has no listener of the name the client came in by: check listeners on every broker.";
    74 FENCED_LEADER_EPOCH Normal "The client knows an older leader; it refreshes its metadata.";
    75 UNKNOWN_LEADER_EPOCH Normal "The client knows a newer leader than this broker; it tries again.";
    76 UNSUPPORTED_COMPRESSION_TYPE Serious "This version of the request does not allow the batch's compression.";
    78 OFFSET_NOT_AVAILABLE Normal "A new leader does not yet know its high watermark; tried again.";
    79 MEMBER_ID_REQUIRED Normal "The first answer to every new member: it is given its id and joins again with it (KIP-394).";
    81 GROUP_MAX_SIZE_REACHED Serious "The group is full: group.max.size on the broker, or fewer members.";
    82 FENCED_INSTANCE_ID Serious "Another member uses the same group.instance.id and has taken this one's place: give each process its own.";
    84 ELECTION_NOT_NEEDED Normal "The partition already has the leader asked for.";
    86 GROUP_SUBSCRIBED_TO_TOPIC Serious "The group is subscribed to the topic, so its offsets cannot be deleted.";
    87 INVALID_RECORD Serious "The broker refuses a record it was sent.";
    88 UNSTABLE_OFFSET_COMMIT Normal "A transaction holds offsets back; they can be read once it has ended.";
    89 THROTTLING_QUOTA_EXCEEDED Serious "A quota is exceeded: too many changes in too short a time.";
    90 PRODUCER_FENCED Serious "A newer producer has taken over this transactional id.";
    91 RESOURCE_NOT_FOUND Serious "What was asked for is not there.";
    97 PRINCIPAL_DESERIALIZATION_FAILURE Serious "A forwarded request names a user the controller cannot read.";
    100 UNKNOWN_TOPIC_ID Normal "No topic has this id on the broker: it was deleted or made anew; metadata is refreshed.";
    103 INCONSISTENT_TOPIC_ID Serious "The topic has another id than its log: it was made anew under the same name.";
    104 INCONSISTENT_CLUSTER_ID Serious "The broker belongs to another cluster: check the addresses.";
    105 TRANSACTIONAL_ID_NOT_FOUND Serious "The transactional id is not known.";
    110 FENCED_MEMBER_EPOCH Serious "The coordinator has a newer epoch for this member or has removed it: it gives up its partitions and joins again (KIP-848).";
    111 UNRELEASED_INSTANCE_ID Serious "Another live member holds this group.instance.id: stop it, or wait until its session is over.";
    112 UNSUPPORTED_ASSIGNOR Serious "The broker has no server-side assignor of this name: see group.consumer.assignors.";
    113 STALE_MEMBER_EPOCH Normal "The member's epoch is not the one the coordinator holds; it heartbeats, takes the new one and tries again (KIP-848).";
    114 MISMATCHED_ENDPOINT_TYPE Serious "This address is a controller's where a broker's is needed, or the reverse.";
    115 UNSUPPORTED_ENDPOINT_TYPE Serious "This kind of address cannot serve the request.";
    117 UNKNOWN_SUBSCRIPTION_ID Normal "The telemetry subscription has changed; the client asks for the new one (KIP-714).";
    118 TELEMETRY_TOO_LARGE Serious "The client's metrics are above telemetry.max.bytes.";
    120 TRANSACTION_ABORTABLE Serious "The transaction has to be aborted; the producer can go on after that.";
    121 INVALID_RECORD_STATE Serious "A share consumer acknowledged a record it does not hold any more: its lock was over.";
    122 SHARE_SESSION_NOT_FOUND Normal "The share session is not known, as after a move; the consumer opens a new one.";
    123 INVALID_SHARE_SESSION_EPOCH Normal "The share session's epoch is not the expected one; the consumer opens a new one.";
    124 FENCED_STATE_EPOCH Normal "A newer share coordinator has taken over.";
    128 INVALID_REGULAR_EXPRESSION Serious "The subscription's pattern is not valid for the broker, which takes RE2/J syntax.";
    129 REBOOTSTRAP_REQUIRED Normal "The broker asks the client to start again from its bootstrap addresses (KIP-1102).";
    130 STREAMS_INVALID_TOPOLOGY Serious "The topology a Streams member sent cannot be used (KIP-1071).";
    131 STREAMS_INVALID_TOPOLOGY_EPOCH Serious "The Streams member's topology epoch does not fit the group's.";
    132 STREAMS_TOPOLOGY_FENCED Serious "The Streams member runs an older topology than the group: deploy the new version to it.";
    133 SHARE_SESSION_LIMIT_REACHED Serious "The broker holds as many share sessions as it may: group.share.max.share.sessions.";
    134 GROUP_DELETION_FAILED Serious "The group could not be deleted: the broker's log says why.";
    135 STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED Serious "The description of a Streams topology could not be kept by the broker.";
    136 CONTROLLER_ID_NOT_REGISTERED Normal "The controller is not registered in the cluster yet.";
}
