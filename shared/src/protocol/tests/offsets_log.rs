//! The records of `__consumer_offsets`: written as Kafka writes them, read in every version, refused where they are none.

use super::hex::bytes as hex;
use crate::protocol::offsets_log::{
    GroupMetadataKey, GroupMetadataValue, MemberMetadata, OffsetCommitKey, OffsetCommitValue, OffsetsRecord,
    name_in, partition_of,
};
use crate::protocol::{DecodeFault, Message};

fn commit() -> OffsetsRecord {
    let key = OffsetCommitKey {
        group: "g".into(),
        topic: "t".into(),
        partition: 3,
    };
    let value = OffsetCommitValue {
        offset: 42,
        leader_epoch: 7,
        metadata: "note".into(),
        commit_timestamp: 9,
        ..OffsetCommitValue::default()
    };
    OffsetsRecord::Commit(key, Some(value))
}

fn group() -> OffsetsRecord {
    let member = MemberMetadata {
        member_id: "m".into(),
        group_instance_id: Some("i".into()),
        client_id: "c".into(),
        client_host: "/h".into(),
        rebalance_timeout: 2,
        session_timeout: 1,
        subscription: vec![5],
        assignment: vec![6, 7],
    };
    let value = GroupMetadataValue {
        protocol_type: "consumer".into(),
        generation: 4,
        protocol: Some("range".into()),
        leader: Some("m".into()),
        current_state_timestamp: 8,
        members: vec![member],
    };
    OffsetsRecord::Group(GroupMetadataKey { group: "g".into() }, Some(value))
}

#[test]
fn a_commit_is_written_as_kafka_writes_it() {
    let (key, value) = commit().to_bytes().unwrap();
    // Type 1, group, topic, partition.
    assert_eq!(key, hex("0001 0001 67 0001 74 00000003"));
    // Version 3, offset, leader epoch, note, time.
    assert_eq!(
        value.unwrap(),
        hex("0003 000000000000002a 00000007 0004 6e6f7465 0000000000000009")
    );
}

#[test]
fn a_group_is_written_as_kafka_writes_it() {
    let (key, value) = group().to_bytes().unwrap();
    assert_eq!(key, hex("0002 0001 67"));
    let group = "0003 0008 636f6e73756d6572 00000004 0005 72616e6765 0001 6d 0000000000000008";
    let member = "00000001 0001 6d 0001 69 0001 63 0002 2f68 00000002 00000001 00000001 05 00000002 0607";
    assert_eq!(value.unwrap(), hex(&format!("{group} {member}")));
}

#[test]
fn what_is_written_is_read_and_a_tombstone_has_no_value() {
    for record in [commit(), group()] {
        let (key, value) = record.to_bytes().unwrap();
        assert_eq!(
            OffsetsRecord::read(&key, value.as_deref()),
            Ok(Some(record.clone()))
        );
        let tombstone = OffsetsRecord::read(&key, None).unwrap().unwrap();
        assert_eq!(tombstone.to_bytes().unwrap(), (key, None));
        assert_eq!(tombstone.group(), record.group());
    }
}

#[test]
fn every_version_of_a_value_is_read() {
    let OffsetsRecord::Group(_, Some(value)) = group() else {
        unreachable!("it is one");
    };
    for version in GroupMetadataValue::SCHEMA.versions.iter() {
        let mut bytes = version.to_be_bytes().to_vec();
        value.encode(version, &mut bytes).unwrap();
        let read = OffsetsRecord::read(&hex("0002 0001 67"), Some(&bytes));
        let Ok(Some(OffsetsRecord::Group(_, Some(read)))) = read else {
            panic!("version {version}: {read:?}");
        };
        assert_eq!((read.generation, read.members.len()), (4, 1));
        let since = if version >= 2 { 8 } else { -1 };
        assert_eq!(read.current_state_timestamp, since, "version {version}");
    }
    let old = OffsetsRecord::read(&hex("0000 0001 67 0001 74 00000003"), None).unwrap();
    assert!(matches!(old, Some(OffsetsRecord::Commit(..))), "{old:?}");
}

#[test]
fn a_record_of_another_type_is_skipped_and_a_broken_one_named() {
    assert_eq!(
        OffsetsRecord::read(&hex("0003 0001 67"), Some(&hex("0000 01"))),
        Ok(None)
    );
    let broken = OffsetsRecord::read(&hex("0002 0001 67"), Some(&hex("0005"))).unwrap_err();
    assert_eq!(broken.group.as_deref(), Some("g"));
    assert!(matches!(broken.error.fault, DecodeFault::UnknownVersion { .. }));
    assert!(broken.to_string().contains("of group \"g\""), "{broken}");
    for key in ["", "00", "0001 0001 67", "0002 0001 67 00"] {
        assert!(OffsetsRecord::read(&hex(key), None).is_err(), "{key}");
    }
}

#[test]
fn a_group_s_partition_is_that_of_kafka() {
    for (group, of_ten, of_fifty) in [
        ("foo", 4, 24),
        ("group-id", 3, 13),
        ("mygroup", 9, 39),
        ("dummy-group", 0, 10),
        ("otherGroup", 3, 13),
        ("my-group", 2, 12),
        ("", 0, 0),
        ("消费者组", 8, 38),
        ("😀", 9, 49),
        ("polygenelubricants", 0, 0),
    ] {
        assert_eq!(
            (partition_of(group, 10), partition_of(group, 50)),
            (of_ten, of_fifty),
            "{group}"
        );
    }
    assert_eq!(partition_of("foo", 0), 0);
}

#[test]
fn a_name_is_found_for_every_partition() {
    for partitions in [1, 2, 3, 10, 32, 50, 100] {
        for base in ["heartline-probe", "g", "", "消费者组"] {
            for partition in 0..partitions {
                let (name, counter) = name_in(base, 0, partitions, |found| found == partition).unwrap();
                assert_eq!(
                    partition_of(&name, partitions),
                    partition,
                    "{name} of {partitions}"
                );
                assert_eq!(name, format!("{base}-{counter}"));
            }
        }
    }
}

#[test]
fn where_single_partitions_cannot_be_reached_a_third_of_them_can() {
    let reached = |partition: &i32| name_in("heartline-probe", 0, 31, |found| found == *partition).is_some();
    assert!((0..31).filter(reached).count() < 31);
    for broker in 0..3 {
        assert!(name_in("heartline-probe", 0, 31, |partition| partition % 3 == broker).is_some());
    }
}

#[test]
fn the_next_name_begins_where_the_last_one_was_found() {
    let first = name_in("probe", 0, 50, |partition| partition == 24).unwrap();
    let second = name_in("probe", first.1 + 1, 50, |partition| partition == 24).unwrap();
    assert!(second.1 > first.1);
    assert_eq!(
        name_in("probe", first.1, 50, |partition| partition == 24),
        Some(first)
    );
    assert_eq!(name_in("probe", u32::MAX, 50, |_| true), None);
}

#[test]
fn no_name_lies_where_there_is_no_partition() {
    assert_eq!(name_in("probe", 0, 50, |partition| partition == 50), None);
}
