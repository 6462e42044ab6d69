//! What the offsets log of brokers in memory says of groups with epochs, as each of their types writes it.

use shared::protocol::Message;
use shared::protocol::offsets_log::consumer::{
    ConsumerGroupCurrentMemberAssignmentValue, ConsumerGroupMemberMetadataValue, ConsumerGroupMetadataValue,
    ConsumerGroupTargetAssignmentMetadataValue,
};
use shared::protocol::offsets_log::share::{
    ShareGroupCurrentMemberAssignmentValue, ShareGroupMemberMetadataValue, ShareGroupMetadataValue,
    ShareGroupTargetAssignmentMetadataValue,
};
use shared::protocol::offsets_log::streams::{
    StreamsGroupCurrentMemberAssignmentValue, StreamsGroupMemberMetadataValue, StreamsGroupMetadataValue,
    StreamsGroupTargetAssignmentMetadataValue,
};
use shared::protocol::offsets_log::{GroupKey, MemberKey};

use super::log::Record;

/// Which of the three types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::survey) enum Kind {
    Consumer,
    Share,
    Streams,
}

/// A group of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::survey) struct InLog(pub(in crate::survey) Kind, pub(in crate::survey) &'static str);

impl InLog {
    /// That the group is in this epoch, with topics of this hash.
    pub(in crate::survey) fn epoch(self, epoch: i32, metadata_hash: i64) -> Record {
        let value = match self.0 {
            Kind::Consumer => bytes(&ConsumerGroupMetadataValue { epoch, metadata_hash }),
            Kind::Share => bytes(&ShareGroupMetadataValue { epoch, metadata_hash }),
            Kind::Streams => bytes(&StreamsGroupMetadataValue {
                epoch,
                metadata_hash,
                ..Default::default()
            }),
        };
        self.of_group([3, 11, 17], Some(&value))
    }

    /// That there is none of that type.
    pub(in crate::survey) fn no_more(self) -> Record {
        self.of_group([3, 11, 17], None)
    }

    /// That it is assigned for this epoch.
    pub(in crate::survey) fn target(self, assignment_epoch: i32) -> Record {
        let value = match self.0 {
            Kind::Consumer => bytes(&ConsumerGroupTargetAssignmentMetadataValue {
                assignment_epoch,
                ..Default::default()
            }),
            Kind::Share => bytes(&ShareGroupTargetAssignmentMetadataValue {
                assignment_epoch,
                ..Default::default()
            }),
            Kind::Streams => bytes(&StreamsGroupTargetAssignmentMetadataValue {
                assignment_epoch,
                ..Default::default()
            }),
        };
        self.of_group([6, 12, 20], Some(&value))
    }

    /// A member that wants these topics; a streams member computes the topology of that number.
    pub(in crate::survey) fn member(self, id: &str, instance: Option<&str>, topics: &[&str]) -> Record {
        let instance_id = instance.map(str::to_owned);
        let subscribed_topic_names = topics.iter().map(|topic| (*topic).to_owned()).collect();
        let value = match self.0 {
            Kind::Consumer => bytes(&ConsumerGroupMemberMetadataValue {
                instance_id,
                subscribed_topic_names,
                ..Default::default()
            }),
            Kind::Share => bytes(&ShareGroupMemberMetadataValue {
                subscribed_topic_names,
                ..Default::default()
            }),
            Kind::Streams => bytes(&StreamsGroupMemberMetadataValue {
                instance_id,
                topology_epoch: i32::try_from(topics.len()).unwrap(),
                ..Default::default()
            }),
        };
        self.of_member([5, 10, 19], id, Some(&value))
    }

    /// A member of the consumer type that asks for this assignor.
    pub(in crate::survey) fn assigned_by(self, id: &str, assignor: &str) -> Record {
        let value = ConsumerGroupMemberMetadataValue {
            server_assignor: Some(assignor.to_owned()),
            subscribed_topic_names: vec!["t".to_owned()],
            ..Default::default()
        };
        self.of_member([5, 10, 19], id, Some(&bytes(&value)))
    }

    /// That a member stands in this epoch, arrived or not.
    pub(in crate::survey) fn stands(self, id: &str, member_epoch: i32, arrived: bool) -> Record {
        let state = i8::from(!arrived);
        let value = match self.0 {
            Kind::Consumer => bytes(&ConsumerGroupCurrentMemberAssignmentValue {
                member_epoch,
                state,
                ..Default::default()
            }),
            Kind::Share => bytes(&ShareGroupCurrentMemberAssignmentValue {
                member_epoch,
                state,
                ..Default::default()
            }),
            Kind::Streams => bytes(&StreamsGroupCurrentMemberAssignmentValue {
                member_epoch,
                state: state + 1,
                ..Default::default()
            }),
        };
        self.of_member([8, 14, 22], id, Some(&value))
    }

    /// That a member is gone: two records of it that matter.
    pub(in crate::survey) fn gone(self, id: &str) -> [Record; 2] {
        [
            self.of_member([8, 14, 22], id, None),
            self.of_member([5, 10, 19], id, None),
        ]
    }

    fn of_group(self, kinds: [i16; 3], value: Option<&[u8]>) -> Record {
        let group_id = self.1.to_owned();
        Record::raw(self.1, &key(self.number(kinds), &GroupKey { group_id }), value)
    }

    fn of_member(self, kinds: [i16; 3], id: &str, value: Option<&[u8]>) -> Record {
        let named = MemberKey {
            group_id: self.1.to_owned(),
            member_id: id.to_owned(),
        };
        Record::raw(self.1, &key(self.number(kinds), &named), value)
    }

    const fn number(self, [consumer, share, streams]: [i16; 3]) -> i16 {
        match self.0 {
            Kind::Consumer => consumer,
            Kind::Share => share,
            Kind::Streams => streams,
        }
    }
}

fn key(kind: i16, fields: &impl Message) -> Vec<u8> {
    let mut bytes = kind.to_be_bytes().to_vec();
    fields.encode(0, &mut bytes).unwrap();
    bytes
}

fn bytes(fields: &impl Message) -> Vec<u8> {
    key(0, fields)
}
