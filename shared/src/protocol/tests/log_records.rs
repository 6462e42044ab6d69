//! Records of the offsets log as Kafka 4.4.0's own generated classes wrote them: what they say, and that our tables write
//! the same bytes.

use super::hex::bytes as hex;
use crate::protocol::offsets_log::{LogRecord, consumer, share, streams};
use crate::protocol::{DecodeFault, Message, Uuid};

/// The topic of all these records.
const TOPIC: Uuid = Uuid([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

/// A member of the consumer protocol: tag 0 is there and null, for Kafka's default is an empty structure.
const MEMBER: &str = "0000 00 0272 0263 032f68 02 0274 01 000493e0 00 01 00 01 00";
/// A member of the classic protocol.
const CLASSIC_MEMBER: &str = "0000 0269 00 0263 032f68 02 0274 00 000493e0 08756e69666f726d 01 00 11 01 0000afc8 02 0672616e6765 030506 00 00";
/// A step of a member: epochs for what it has, null for what it must give up.
const STEP: &str = "0000 00000007 00000006 01 \
    02 000102030405060708090a0b0c0d0e0f 02 00000000 01 00 05 02 00000005 \
    02 000102030405060708090a0b0c0d0e0f 02 00000003 01 00 01 00 00";

fn same<T: Message>(value: &str) {
    let bytes = hex(value);
    let read = T::decode(&bytes[2..], 0).unwrap();
    let mut written = vec![0, 0];
    read.encode(0, &mut written).unwrap();
    assert_eq!(written, bytes, "{}", T::NAME);
}

#[test]
fn what_kafka_wrote_is_written_again() {
    same::<consumer::ConsumerGroupMetadataValue>("0000 00000007 01 00 08 0000000000000009");
    same::<consumer::ConsumerGroupMemberMetadataValue>(MEMBER);
    same::<consumer::ConsumerGroupMemberMetadataValue>(CLASSIC_MEMBER);
    same::<consumer::ConsumerGroupTargetAssignmentMetadataValue>("0000 00000007 01 00 08 000000000000000b");
    same::<consumer::ConsumerGroupTargetAssignmentMemberValue>(
        "0000 02 000102030405060708090a0b0c0d0e0f 03 00000000 00000003 00 00",
    );
    same::<consumer::ConsumerGroupCurrentMemberAssignmentValue>(STEP);
    same::<consumer::ConsumerGroupRegularExpressionValue>(
        "0000 03 037431 037432 000000000000000c 000000000000000d 00",
    );
    same::<share::ShareGroupMetadataValue>("0000 00000007 0000000000000009 00");
    same::<share::ShareGroupStatePartitionMetadataValue>(
        "0000 01 02 000102030405060708090a0b0c0d0e0f 0274 02 00000001 00 02 000102030405060708090a0b0c0d0e0f 0264 00 00",
    );
    same::<streams::StreamsGroupMetadataValue>(
        "0000 00000007 0000000000000009 02 00 04 00000003 01 06 02 026b 0276 00",
    );
    same::<streams::StreamsGroupMetadataValue>("0000 00000007 0000000000000009 01 01 01 00");
    same::<streams::StreamsGroupMetadataValue>("0000 00000007 0000000000000009 00");
    same::<streams::StreamsGroupMemberMetadataValue>(
        "0000 00 00 0263 032f68 000493e0 00000002 0270 01 0268 ffff 00 02 026b 0276 00 00",
    );
    same::<streams::StreamsGroupCurrentMemberAssignmentValue>(
        "0000 00000007 00000006 02 02 0230 02 00000001 01 00 05 02 00000007 02 0231 02 00000002 00 01 01 01 01 00",
    );
    same::<streams::StreamsGroupTopologyValue>(
        "0000 00000001 02 0230 02 03696e 01 02 046c6f67 00000000 0001 02 026b 0276 00 00 01 01 02 02 0000 01 01 00 00 00",
    );
}

#[test]
fn a_member_of_either_protocol_is_read() {
    let (key, value) = (hex("0005 0001 67 0001 6d"), hex(MEMBER));
    let Ok(LogRecord::ConsumerGroupMemberMetadata(key, Some(member))) = LogRecord::read(&key, Some(&value))
    else {
        panic!("another record");
    };
    assert_eq!((key.group_id, key.member_id), ("g", "m"));
    assert_eq!((member.instance_id, member.rack_id), (None, Some("r")));
    assert_eq!(member.subscribed_topic_names, ["t"]);
    assert_eq!(member.rebalance_timeout_ms, 300_000);
    assert_eq!(member.classic_member_metadata, None);

    let (key, value) = (hex("0005 0001 67 0001 6d"), hex(CLASSIC_MEMBER));
    let Ok(LogRecord::ConsumerGroupMemberMetadata(_, Some(member))) = LogRecord::read(&key, Some(&value))
    else {
        panic!("another record");
    };
    let classic = member.classic_member_metadata.unwrap();
    assert_eq!(classic.session_timeout_ms, 45_000);
    assert_eq!(classic.supported_protocols[0].metadata, [5, 6]);
}

#[test]
fn a_step_of_a_member_is_read_with_and_without_its_epochs() {
    let (key, value) = (hex("0008 0001 67 0001 6d"), hex(STEP));
    let Ok(LogRecord::ConsumerGroupCurrentMemberAssignment(_, Some(step))) =
        LogRecord::read(&key, Some(&value))
    else {
        panic!("another record");
    };
    assert_eq!(
        (step.member_epoch, step.previous_member_epoch, step.state),
        (7, 6, 1)
    );
    assert_eq!(step.assigned_partitions[0].topic_id, TOPIC);
    assert_eq!(step.assigned_partitions[0].assignment_epochs, Some(vec![5]));
    assert_eq!(step.partitions_pending_revocation[0].partitions, [3]);
    assert_eq!(step.partitions_pending_revocation[0].assignment_epochs, None);
}

#[test]
fn a_commit_with_a_topic_id_is_read() {
    let key = hex("0001 0001 67 0001 74 00000003");
    let value = hex(
        "0004 000000000000002a 00000007 05 6e6f7465 0000000000000009 01 00 10 000102030405060708090a0b0c0d0e0f",
    );
    let Ok(LogRecord::OffsetCommit(key, Some(commit))) = LogRecord::read(&key, Some(&value)) else {
        panic!("another record");
    };
    assert_eq!((key.topic, key.partition), ("t", 3));
    assert_eq!(
        (commit.offset, commit.metadata, commit.topic_id),
        (42, "note", TOPIC)
    );
}

#[test]
fn what_a_commit_does_not_carry_is_kafka_s_default() {
    let key = hex("0000 0001 67 0001 74 00000003");
    let value = hex("0000 000000000000002a 0000 0000000000000009");
    let Ok(LogRecord::OffsetCommit(_, Some(commit))) = LogRecord::read(&key, Some(&value)) else {
        panic!("another record");
    };
    assert_eq!(
        (commit.leader_epoch, commit.expire_timestamp, commit.topic_id),
        (-1, -1, Uuid::ZERO)
    );
}

#[test]
fn a_classic_member_without_a_rebalance_timeout_has_its_session_timeout_for_it() {
    // Version 0, protocol type, generation, protocol, leader, one member: id, client id, host, session timeout, nothing.
    let value =
        hex("0000 0000 00000001 ffff ffff 00000001 0001 6d 0001 63 0002 2f68 00002710 00000000 00000000");
    let key = hex("0002 0001 67");
    let Ok(LogRecord::GroupMetadata(_, Some(group))) = LogRecord::read(&key, Some(&value)) else {
        panic!("another record");
    };
    assert_eq!(group.members[0].rebalance_timeout, -1);
    assert_eq!(group.members[0].rebalance_timeout_ms(), 10_000);
}

#[test]
fn null_of_an_untagged_structure_does_not_stand_in_a_tagged_field() {
    // -1 where Kafka writes 0.
    let spoilt = "0000 00 0272 0263 032f68 02 0274 01 000493e0 00 01 00 01 ff";
    let (key, value) = (hex("0005 0001 67 0001 6d"), hex(spoilt));
    let error = LogRecord::read(&key, Some(&value)).unwrap_err();
    assert_eq!(error.error.fault, DecodeFault::NotAMarker { marker: -1, null: 0 });
    assert_eq!(
        error.to_string(),
        "a record of group \"g\" cannot be read: ConsumerGroupMemberMetadataValue version 0, \
         classic_member_metadata: -1 before a structure that may be null (allowed: 0 null, 1 present)"
    );
}
