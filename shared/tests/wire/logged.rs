//! Keys and values of the records of the offsets log, and what Connect's workers say, as one type.

use shared::protocol::connect;
use shared::protocol::offsets_log::{
    GroupKey, GroupMetadataKey, GroupMetadataValue, MemberKey, OffsetCommitKey, OffsetCommitValue,
    RegularExpressionKey, consumer, share, streams,
};
use shared::protocol::{DecodeError, EncodeError, Message, Schema};

macro_rules! logged {
    ($($name:ident: $($module:ident)::+,)*) => {
        /// A key or a value.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum Logged {
            $($name($($module)::+),)*
        }

        /// The table of each.
        pub(crate) const SCHEMAS: &[&Schema] = &[$(<$($module)::+>::SCHEMA,)*];

        impl Logged {
            pub(crate) fn decode(schema: &Schema, version: i16, body: &[u8]) -> Result<Self, DecodeError> {
                match schema.name {
                    $(<$($module)::+>::NAME => <$($module)::+>::decode(body, version).map(Self::$name),)*
                    other => unreachable!("{other} is none of them"),
                }
            }

            pub(crate) fn encode(&self, version: i16, out: &mut Vec<u8>) -> Result<(), EncodeError> {
                match self {
                    $(Self::$name(value) => value.encode(version, out),)*
                }
            }
        }
    };
}

logged! {
    CommitKey: OffsetCommitKey,
    CommitValue: OffsetCommitValue,
    ClassicKey: GroupMetadataKey,
    ClassicValue: GroupMetadataValue,
    OfGroup: GroupKey,
    OfMember: MemberKey,
    OfExpression: RegularExpressionKey,
    Consumer: consumer::ConsumerGroupMetadataValue,
    ConsumerPartitions: consumer::ConsumerGroupPartitionMetadataValue,
    ConsumerMember: consumer::ConsumerGroupMemberMetadataValue,
    ConsumerTarget: consumer::ConsumerGroupTargetAssignmentMetadataValue,
    ConsumerTargetMember: consumer::ConsumerGroupTargetAssignmentMemberValue,
    ConsumerCurrent: consumer::ConsumerGroupCurrentMemberAssignmentValue,
    ConsumerExpression: consumer::ConsumerGroupRegularExpressionValue,
    Share: share::ShareGroupMetadataValue,
    ShareMember: share::ShareGroupMemberMetadataValue,
    ShareTarget: share::ShareGroupTargetAssignmentMetadataValue,
    ShareTargetMember: share::ShareGroupTargetAssignmentMemberValue,
    ShareCurrent: share::ShareGroupCurrentMemberAssignmentValue,
    ShareState: share::ShareGroupStatePartitionMetadataValue,
    Streams: streams::StreamsGroupMetadataValue,
    StreamsMember: streams::StreamsGroupMemberMetadataValue,
    StreamsTarget: streams::StreamsGroupTargetAssignmentMetadataValue,
    StreamsTargetMember: streams::StreamsGroupTargetAssignmentMemberValue,
    StreamsCurrent: streams::StreamsGroupCurrentMemberAssignmentValue,
    StreamsTopology: streams::StreamsGroupTopologyValue,
    Worker: connect::ConnectWorkerState,
    Tasks: connect::ConnectAssignment,
}
