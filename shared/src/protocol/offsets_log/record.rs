//! Any record of the offsets log, borrowed from its bytes.

use super::classic::{
    GroupMetadataKey, GroupMetadataKeyView, GroupMetadataValue, OffsetCommitKey, OffsetCommitKeyView,
    OffsetCommitValue,
};
use super::keys::{
    GroupKey, GroupKeyView, MemberKey, MemberKeyView, RegularExpressionKey, RegularExpressionKeyView,
};
use super::{UnreadableRecord, consumer, number_and_rest, share, streams};
use crate::protocol::error::DecodeError;
use crate::protocol::lend::{Lend, Lent};
use crate::protocol::message::Message;
use crate::protocol::reader::Reader;
use crate::protocol::schema::Schema;

/// The tables of one type of record.
#[derive(Clone, Copy, Debug)]
pub struct RecordTable {
    /// The number before the key.
    pub kind: i16,
    /// Kafka's name, `GroupMetadata`: its schemas have `Key` and `Value` behind it.
    pub name: &'static str,
    /// The table of the key.
    pub key: &'static Schema,
    /// The table of the value.
    pub value: &'static Schema,
}

/// Whose record a key says it is.
trait OfGroup<'a> {
    fn group(&self) -> &'a str;
}

macro_rules! of_group {
    ($($view:ident . $field:ident)*) => {
        $(impl<'a> OfGroup<'a> for $view<'a> {
            fn group(&self) -> &'a str {
                self.$field
            }
        })*
    };
}

of_group! {
    OffsetCommitKeyView.group GroupMetadataKeyView.group GroupKeyView.group_id MemberKeyView.group_id
    RegularExpressionKeyView.group_id
}

macro_rules! records {
    ($($(#[$doc:meta])* $name:ident = $kind:literal $(or $old:literal)?: $key:ident => $($module:ident)::+,)*) => {
        /// One record; a missing value is a tombstone: it takes back what the key's records said before.
        #[derive(Clone, Debug, PartialEq)]
        pub enum LogRecord<'a> {
            $(
                $(#[$doc])*
                $name(<$key as Lent>::View<'a>, Option<<$($module)::+ as Lent>::View<'a>>),
            )*
            /// Of a type that is not known: a later release's, or one that was given up. To be skipped and counted.
            UnknownType(i16),
            /// Of a known type, and its value of a version that is not known. To be skipped and counted.
            UnknownVersion {
                /// The number of its type.
                kind: i16,
                /// Whose record it is.
                group: &'a str,
                /// The version of its value.
                version: i16,
            },
        }

        impl<'a> LogRecord<'a> {
            /// The tables of every type, by number.
            pub const TABLES: &'static [RecordTable] = &[$(RecordTable {
                kind: $kind,
                name: stringify!($name),
                key: $key::SCHEMA,
                value: <$($module)::+ as Message>::SCHEMA,
            },)*];

            /// The group it is about; none where its type is not known.
            #[must_use]
            pub fn group(&self) -> Option<&'a str> {
                match self {
                    $(Self::$name(key, _) => Some(key.group()),)*
                    Self::UnknownType(_) => None,
                    Self::UnknownVersion { group, .. } => Some(group),
                }
            }

            /// Reads a record. Nothing is copied but lists of numbers and of structures.
            ///
            /// # Errors
            ///
            /// The bytes are not what the numbers before them say.
            pub fn read(key: &'a [u8], value: Option<&'a [u8]>) -> Result<Self, UnreadableRecord> {
                let (kind, fields) = number_and_rest(key, "record key").map_err(UnreadableRecord::of_no_group)?;
                match kind {
                    $($kind $(| $old)? => {
                        let key = whole::<$key>(fields, 0).map_err(UnreadableRecord::of_no_group)?;
                        let value = match value.map(read_value::<$($module)::+>).transpose() {
                            Ok(None) => None,
                            Ok(Some(Versioned::Known(value))) => Some(value),
                            Ok(Some(Versioned::Unknown(version))) => {
                                return Ok(Self::UnknownVersion { kind, group: key.group(), version });
                            }
                            Err(error) => {
                                return Err(UnreadableRecord {
                                    group: Some(key.group().to_owned()),
                                    error,
                                });
                            }
                        };
                        Ok(Self::$name(key, value))
                    })*
                    unknown => Ok(Self::UnknownType(unknown)),
                }
            }
        }
    };
}

records! {
    /// How far a group of any type has read a partition.
    OffsetCommit = 1 or 0: OffsetCommitKey => OffsetCommitValue,
    /// Who is in a classic group.
    GroupMetadata = 2: GroupMetadataKey => GroupMetadataValue,
    /// The epoch of a group of the consumer protocol.
    ConsumerGroupMetadata = 3: GroupKey => consumer::ConsumerGroupMetadataValue,
    /// Its topics.
    ConsumerGroupPartitionMetadata = 4: GroupKey => consumer::ConsumerGroupPartitionMetadataValue,
    /// One of its members.
    ConsumerGroupMemberMetadata = 5: MemberKey => consumer::ConsumerGroupMemberMetadataValue,
    /// That it has a new assignment.
    ConsumerGroupTargetAssignmentMetadata = 6: GroupKey => consumer::ConsumerGroupTargetAssignmentMetadataValue,
    /// What a member is to have.
    ConsumerGroupTargetAssignmentMember = 7: MemberKey => consumer::ConsumerGroupTargetAssignmentMemberValue,
    /// What a member has.
    ConsumerGroupCurrentMemberAssignment = 8: MemberKey => consumer::ConsumerGroupCurrentMemberAssignmentValue,
    /// A member of a share group.
    ShareGroupMemberMetadata = 10: MemberKey => share::ShareGroupMemberMetadataValue,
    /// The epoch of a share group.
    ShareGroupMetadata = 11: GroupKey => share::ShareGroupMetadataValue,
    /// That it has a new assignment.
    ShareGroupTargetAssignmentMetadata = 12: GroupKey => share::ShareGroupTargetAssignmentMetadataValue,
    /// What a member is to have.
    ShareGroupTargetAssignmentMember = 13: MemberKey => share::ShareGroupTargetAssignmentMemberValue,
    /// What a member has.
    ShareGroupCurrentMemberAssignment = 14: MemberKey => share::ShareGroupCurrentMemberAssignmentValue,
    /// The topics whose state of consumption is kept.
    ShareGroupStatePartitionMetadata = 15: GroupKey => share::ShareGroupStatePartitionMetadataValue,
    /// The topics that a pattern of a group of the consumer protocol means.
    ConsumerGroupRegularExpression = 16: RegularExpressionKey => consumer::ConsumerGroupRegularExpressionValue,
    /// The epoch of a streams group.
    StreamsGroupMetadata = 17: GroupKey => streams::StreamsGroupMetadataValue,
    /// One of its members.
    StreamsGroupMemberMetadata = 19: MemberKey => streams::StreamsGroupMemberMetadataValue,
    /// That it has a new assignment.
    StreamsGroupTargetAssignmentMetadata = 20: GroupKey => streams::StreamsGroupTargetAssignmentMetadataValue,
    /// What a member is to have.
    StreamsGroupTargetAssignmentMember = 21: MemberKey => streams::StreamsGroupTargetAssignmentMemberValue,
    /// What a member has.
    StreamsGroupCurrentMemberAssignment = 22: MemberKey => streams::StreamsGroupCurrentMemberAssignmentValue,
    /// What it computes.
    StreamsGroupTopology = 23: GroupKey => streams::StreamsGroupTopologyValue,
}

/// A value, or the version that says that it is not known.
enum Versioned<T> {
    Known(T),
    Unknown(i16),
}

fn read_value<T: Message + Lend>(bytes: &[u8]) -> Result<Versioned<T::View<'_>>, DecodeError> {
    let (version, fields) = number_and_rest(bytes, T::NAME)?;
    if T::SCHEMA.versions.contains(version) {
        whole::<T>(fields, version).map(Versioned::Known)
    } else {
        Ok(Versioned::Unknown(version))
    }
}

/// All of these bytes as one table's.
fn whole<T: Message + Lend>(bytes: &[u8], version: i16) -> Result<T::View<'_>, DecodeError> {
    let mut reader = Reader::new(bytes, T::NAME, version, T::SCHEMA.flexible);
    let view = T::lend(&mut reader, false)?;
    reader.finish()?;
    Ok(view)
}
