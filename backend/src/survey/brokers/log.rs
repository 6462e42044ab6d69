//! The offsets log of brokers in memory: record batches as brokers write them.

use std::collections::BTreeMap;

use shared::ids::NodeId;
use shared::protocol::offsets_log::consumer::{ClassicMemberMetadata, ConsumerGroupMemberMetadataValue};
use shared::protocol::offsets_log::{
    GroupMetadataKey, GroupMetadataValue, MemberKey, MemberMetadata, OffsetCommitKey, OffsetCommitValue,
    OffsetsRecord, partition_of,
};
use shared::protocol::{
    ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, FetchRequest, FetchResponse,
    FetchableTopicResponse, ListOffsetsPartitionResponse, ListOffsetsRequest, ListOffsetsResponse,
    ListOffsetsTopicResponse, Message, MetadataRequest, MetadataResponsePartition, MetadataResponseTopic,
    PartitionData, Records, Uuid, consumer,
};
use shared::time::UnixMs;

/// How many partitions it has.
const PARTITIONS: i32 = 4;

pub(super) const NAME: &str = "__consumer_offsets";

const ID: Uuid = Uuid([7; 16]);

/// Whether there is one, who leads its partitions, who may read it.
#[derive(Debug, Default)]
pub(in crate::survey) struct Log {
    pub(in crate::survey) partitions: BTreeMap<i32, Partition>,
    pub(in crate::survey) denied: bool,
}

#[derive(Debug)]
pub(in crate::survey) struct Partition {
    pub(in crate::survey) leader: NodeId,
    /// Where the first record stands that is still there.
    begin: i64,
    /// By offset.
    batches: Vec<Vec<u8>>,
}

/// What is written.
#[derive(Debug)]
pub(in crate::survey) struct Record {
    group: String,
    key: Vec<u8>,
    value: Option<Vec<u8>>,
    /// From its batch's attributes: 0x10 in a transaction.
    attributes: i16,
}

impl Record {
    pub(in crate::survey) fn in_transaction(self) -> Self {
        Self {
            attributes: 0x10,
            ..self
        }
    }

    /// Any bytes.
    pub(in crate::survey) fn raw(group: &str, key: &[u8], value: Option<&[u8]>) -> Self {
        Self {
            group: group.to_owned(),
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
            attributes: 0,
        }
    }

    fn of(record: &OffsetsRecord) -> Self {
        let (key, value) = record.to_bytes().unwrap();
        Self {
            group: record.group().to_owned(),
            key,
            value,
            attributes: 0,
        }
    }
}

/// A member as a record of its group names it.
#[derive(Clone, Debug)]
pub(in crate::survey) struct Sat(pub(in crate::survey) MemberMetadata);

/// One that owns partition `owned` of the topic `t`; session 45 s, rebalance timeout 5 min.
pub(in crate::survey) fn sat(id: &str, owned: i32) -> Sat {
    sat_with(id, &[owned])
}

/// One that owns several.
pub(in crate::survey) fn sat_with(id: &str, owned: &[i32]) -> Sat {
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: vec![consumer::TopicPartition {
            topic: "t".to_owned(),
            partitions: owned.to_vec(),
        }],
        user_data: None,
    };
    Sat(MemberMetadata {
        member_id: id.to_owned(),
        client_id: "c".to_owned(),
        client_host: "/127.0.0.1".to_owned(),
        session_timeout: 45_000,
        rebalance_timeout: 300_000,
        subscription: subscription(&["t"]),
        assignment: assignment.to_bytes(0).unwrap(),
        ..Default::default()
    })
}

impl Sat {
    pub(in crate::survey) fn fixed(mut self, instance: &str) -> Self {
        self.0.group_instance_id = Some(instance.to_owned());
        self
    }

    pub(in crate::survey) fn wanting(mut self, topics: &[&str]) -> Self {
        self.0.subscription = subscription(topics);
        self
    }
}

fn subscription(topics: &[&str]) -> Vec<u8> {
    let topics = topics.iter().map(|topic| (*topic).to_owned()).collect();
    let subscription = ConsumerProtocolSubscription {
        topics,
        ..Default::default()
    };
    subscription.to_bytes(0).unwrap()
}

/// A group's record; its join phase ended at `formed`.
pub(in crate::survey) fn group(id: &str, generation: i32, formed: UnixMs, members: &[Sat]) -> Record {
    let value = GroupMetadataValue {
        protocol_type: if generation == 0 { "" } else { "consumer" }.to_owned(),
        generation,
        protocol: (!members.is_empty()).then(|| "range".to_owned()),
        leader: members.first().map(|member| member.0.member_id.clone()),
        current_state_timestamp: i64::try_from(formed.0).unwrap(),
        members: members.iter().map(|member| member.0.clone()).collect(),
    };
    let key = GroupMetadataKey { group: id.to_owned() };
    Record::of(&OffsetsRecord::Group(key, Some(value)))
}

/// That there is no such group.
pub(in crate::survey) fn tombstone(id: &str) -> Record {
    Record::of(&OffsetsRecord::Group(
        GroupMetadataKey { group: id.to_owned() },
        None,
    ))
}

/// A member of a group of the consumer protocol, which may itself be of the classic one with this session timeout.
pub(in crate::survey) fn newer(id: &str, member: &str, session: Option<i32>) -> Record {
    let mut key = 5_i16.to_be_bytes().to_vec();
    let names = MemberKey {
        group_id: id.to_owned(),
        member_id: member.to_owned(),
    };
    names.encode(0, &mut key).unwrap();
    let mut value = 0_i16.to_be_bytes().to_vec();
    let classic = session.map(|session_timeout_ms| ClassicMemberMetadata {
        session_timeout_ms,
        ..Default::default()
    });
    let told = ConsumerGroupMemberMetadataValue {
        rebalance_timeout_ms: 60_000,
        classic_member_metadata: classic,
        ..Default::default()
    };
    told.encode(0, &mut value).unwrap();
    Record::raw(id, &key, Some(&value))
}

/// A commit of a partition of the topic `t`.
pub(in crate::survey) fn commit(id: &str, partition: i32) -> Record {
    let key = OffsetCommitKey {
        group: id.to_owned(),
        topic: "t".to_owned(),
        partition,
    };
    let value = OffsetCommitValue {
        offset: 1,
        ..Default::default()
    };
    Record::of(&OffsetsRecord::Commit(key, Some(value)))
}

impl Log {
    /// One that is there, all of it led by one broker.
    pub(in crate::survey) fn led_by(leader: NodeId) -> Self {
        let partition = |number| {
            let partition = Partition {
                leader,
                begin: 0,
                batches: Vec::new(),
            };
            (number, partition)
        };
        Self {
            partitions: (0..PARTITIONS).map(partition).collect(),
            denied: false,
        }
    }

    pub(in crate::survey) fn move_to(&mut self, leader: NodeId) {
        for partition in self.partitions.values_mut() {
            partition.leader = leader;
        }
    }

    /// The first records are no longer there.
    pub(in crate::survey) fn cut(&mut self, records: i64) {
        for partition in self.partitions.values_mut() {
            let end = i64::try_from(partition.batches.len()).unwrap();
            partition.begin = records.min(end);
        }
    }

    /// The last records are no longer there: whoever leads it now never had them.
    pub(in crate::survey) fn lose(&mut self, records: usize) {
        for partition in self.partitions.values_mut() {
            let end = partition.batches.len().saturating_sub(records);
            partition.batches.truncate(end);
        }
    }

    /// Nothing is left of what was written so far, but for its place.
    pub(in crate::survey) fn compact(&mut self) {
        for batch in self
            .partitions
            .values_mut()
            .flat_map(|partition| &mut partition.batches)
        {
            batch.clear();
        }
    }

    pub(super) fn write(&mut self, record: &Record, at: UnixMs) {
        let number = partition_of(&record.group, PARTITIONS);
        let partition = self.partitions.get_mut(&number).unwrap();
        let offset = i64::try_from(partition.batches.len()).unwrap();
        partition.batches.push(batch(offset, record, at));
    }

    pub(super) fn topic(&self, asked: &MetadataRequest) -> MetadataResponseTopic {
        assert!(!asked.allow_auto_topic_creation, "a survey makes no topic");
        let error_code = match self.partitions.is_empty() {
            _ if self.denied => 29,
            true => 3,
            false => 0,
        };
        let partitions = self.partitions.iter().filter(|_| error_code == 0);
        MetadataResponseTopic {
            error_code,
            name: Some(NAME.to_owned()),
            topic_id: if error_code == 0 { ID } else { Uuid::ZERO },
            partitions: partitions
                .map(|(number, partition)| MetadataResponsePartition {
                    partition_index: *number,
                    leader_id: partition.leader.0,
                    ..Default::default()
                })
                .collect(),
            ..Default::default()
        }
    }

    pub(super) fn offsets(&self, node: NodeId, asked: ListOffsetsRequest) -> ListOffsetsResponse {
        let asked = asked.topics.into_iter().flat_map(|topic| topic.partitions);
        let partitions = asked.map(|asked| {
            let partition = &self.partitions[&asked.partition_index];
            let end = i64::try_from(partition.batches.len()).unwrap();
            ListOffsetsPartitionResponse {
                partition_index: asked.partition_index,
                error_code: if partition.leader == node { 0 } else { 6 },
                offset: if asked.timestamp == -1 {
                    end
                } else {
                    partition.begin
                },
                ..Default::default()
            }
        });
        ListOffsetsResponse {
            topics: vec![ListOffsetsTopicResponse {
                name: NAME.to_owned(),
                partitions: partitions.collect(),
            }],
            ..Default::default()
        }
    }

    pub(super) fn fetch(&self, node: NodeId, request: &FetchRequest, denied: bool) -> FetchResponse {
        let asked = request.topics.iter().flat_map(|topic| &topic.partitions);
        let mut room = usize::try_from(request.max_bytes).unwrap();
        let mut partitions = Vec::new();
        for asked in asked {
            let partition = &self.partitions[&asked.partition];
            let end = i64::try_from(partition.batches.len()).unwrap();
            let error_code = match asked.fetch_offset {
                _ if denied => 29,
                _ if partition.leader != node => 6,
                offset if offset < partition.begin || offset > end => 1,
                _ => 0,
            };
            let from = usize::try_from(asked.fetch_offset).unwrap_or(0);
            let mut bytes = Vec::new();
            for batch in partition.batches.iter().skip(from).filter(|_| error_code == 0) {
                if batch.len() > room {
                    break;
                }
                room -= batch.len();
                bytes.extend_from_slice(batch);
            }
            partitions.push(PartitionData {
                partition_index: asked.partition,
                error_code,
                high_watermark: end,
                log_start_offset: partition.begin,
                records: (!bytes.is_empty()).then_some(Records(bytes)),
                ..Default::default()
            });
        }
        FetchResponse {
            responses: vec![FetchableTopicResponse {
                topic_id: ID,
                partitions,
                ..Default::default()
            }],
            ..Default::default()
        }
    }
}

/// Whether there is something that is answered at once.
pub(super) fn is_full(answer: &FetchResponse) -> bool {
    answer.responses[0]
        .partitions
        .iter()
        .any(|partition| partition.error_code != 0 || partition.records.is_some())
}

/// A batch of one record.
fn batch(offset: i64, record: &Record, at: UnixMs) -> Vec<u8> {
    let mut fields = vec![0];
    varint(&mut fields, 0);
    varint(&mut fields, 0);
    bytes(&mut fields, Some(&record.key));
    bytes(&mut fields, record.value.as_deref());
    varint(&mut fields, 0);
    let mut records = Vec::new();
    varint(&mut records, fields.len().try_into().unwrap());
    records.extend(fields);

    let at = i64::try_from(at.0).unwrap();
    let mut checked = record.attributes.to_be_bytes().to_vec();
    checked.extend(0_i32.to_be_bytes());
    checked.extend(at.to_be_bytes());
    checked.extend(at.to_be_bytes());
    checked.extend((-1_i64).to_be_bytes());
    checked.extend((-1_i16).to_be_bytes());
    checked.extend((-1_i32).to_be_bytes());
    checked.extend(1_i32.to_be_bytes());
    checked.extend(records);

    let mut batch = offset.to_be_bytes().to_vec();
    batch.extend(i32::try_from(9 + checked.len()).unwrap().to_be_bytes());
    batch.extend(0_i32.to_be_bytes());
    batch.push(2);
    batch.extend(crc32c::crc32c(&checked).to_be_bytes());
    batch.extend(checked);
    batch
}

fn bytes(into: &mut Vec<u8>, bytes: Option<&[u8]>) {
    let Some(bytes) = bytes else {
        return varint(into, -1);
    };
    varint(into, bytes.len().try_into().unwrap());
    into.extend_from_slice(bytes);
}

fn varint(into: &mut Vec<u8>, value: i64) {
    let mut left = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while left >= 0x80 {
        into.push(u8::try_from(left & 0x7f).unwrap() | 0x80);
        left >>= 7;
    }
    into.push(u8::try_from(left).unwrap());
}
