//! Subscriptions and assignments: what readers must put up with.

use super::hex;
use crate::protocol::{
    ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, DecodeFault, Decoded,
    EncodeError, TopicPartition,
};

fn subscription() -> ConsumerProtocolSubscription {
    ConsumerProtocolSubscription {
        topics: vec!["t".to_owned()],
        user_data: None,
        owned_partitions: vec![TopicPartition {
            topic: "t".to_owned(),
            partitions: vec![0, 1],
        }],
        generation_id: 5,
        rack_id: Some("r".to_owned()),
    }
}

#[test]
fn each_version_of_a_subscription_carries_what_it_knows() {
    let mut read = Vec::new();
    for version in 0..=3 {
        let bytes = subscription().to_bytes(version).unwrap();
        let (said, value) = ConsumerProtocolSubscription::try_read(&bytes).unwrap();
        assert_eq!(said, version);
        read.push((value.owned_partitions.len(), value.generation_id, value.rack_id));
    }
    let rack = Some("r".to_owned());
    assert_eq!(read, [(0, -1, None), (1, -1, None), (1, 5, None), (1, 5, rack)]);
}

#[test]
fn a_higher_version_is_read_as_the_highest_known() {
    let mut bytes = subscription().to_bytes(3).unwrap();
    bytes[..2].copy_from_slice(&9_i16.to_be_bytes());
    bytes.extend_from_slice(b"what version 9 adds");
    assert_eq!(
        ConsumerProtocolSubscription::try_read(&bytes),
        Ok((9, subscription()))
    );
    assert_eq!(
        ConsumerProtocolSubscription::read(&bytes),
        Decoded::Known(subscription())
    );
}

#[test]
fn bytes_after_the_end_are_left_alone_in_every_version() {
    for version in 0..=3 {
        let mut bytes = ConsumerProtocolAssignment::default().to_bytes(version).unwrap();
        bytes.extend_from_slice(&[1, 2, 3]);
        let read = ConsumerProtocolAssignment::read(&bytes);
        assert_eq!(read.known(), Some(&ConsumerProtocolAssignment::default()));
        let mut bytes = subscription().to_bytes(version).unwrap();
        bytes.extend_from_slice(&[1, 2, 3]);
        assert!(ConsumerProtocolSubscription::read(&bytes).known().is_some());
    }
}

#[test]
fn bytes_of_another_protocol_stay_raw() {
    for text in [
        "",
        "00",
        "7b22746f706963223a5b325d7d",
        "ffff 00000000 ffffffff",
        "0000 7fffffff",
        "0001 00000000 fffffffe",
    ] {
        let bytes = hex::bytes(text);
        assert_eq!(
            ConsumerProtocolSubscription::read(&bytes),
            Decoded::Raw(bytes.clone())
        );
        assert_eq!(
            ConsumerProtocolAssignment::read(&bytes),
            Decoded::Raw(bytes.clone())
        );
        assert_eq!(ConsumerProtocolAssignment::read(&bytes).known(), None);
    }
    let error = ConsumerProtocolSubscription::try_read(&hex::bytes("0000 7fffffff")).unwrap_err();
    assert_eq!(
        error.fault,
        DecodeFault::ArrayTooLong {
            count: i32::MAX as usize,
            left: 0
        }
    );
    let error = ConsumerProtocolSubscription::try_read(&hex::bytes("ffff")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ConsumerProtocolSubscription version -1, version: not a known version (known: 0+)"
    );
}

#[test]
fn a_version_above_ours_is_not_written() {
    assert!(matches!(
        subscription().to_bytes(4),
        Err(EncodeError::UnknownVersion { version: 4, .. })
    ));
}
