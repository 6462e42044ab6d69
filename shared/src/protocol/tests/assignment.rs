//! Assignments and what members tell, by protocol type. Connect's bytes are those of Connect 4.3.0's own classes.

use super::hex::bytes as hex;
use crate::protocol::assignment::{MemberAssignment, MemberMetadata, Opaque};
use crate::protocol::connect::{ConnectAssignment, ConnectWorkerState, ConnectorTasks};
use crate::protocol::{ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription, Message};

/// Leader m at http://w:8083/, offset 12, connector `file` itself and its tasks 0 and 1.
const EAGER: &str = "0000 0000 0001 6d 000e 687474703a2f2f773a383038332f 000000000000000c \
    00000001 0004 66696c65 00000003 ffffffff 00000000 00000001";
/// The same, task 3 of `old` revoked, a delay of five minutes.
const COOPERATIVE: &str = "0000 0001 6d 000e 687474703a2f2f773a383038332f 000000000000000c \
    00000001 0004 66696c65 00000003 ffffffff 00000000 00000001 \
    00000001 0003 6f6c64 00000001 00000003 000493e0";
/// http://w:8083/, offset 12.
const WORKER: &str = "000e 687474703a2f2f773a383038332f 000000000000000c";

fn connect(bytes: &[u8]) -> ConnectAssignment {
    match MemberAssignment::read("connect", bytes) {
        Some(MemberAssignment::Connect(assignment)) => assignment,
        other => panic!("{other:?}"),
    }
}

fn tasks(connector: &str, tasks: &[i32]) -> ConnectorTasks {
    ConnectorTasks {
        connector: connector.to_owned(),
        tasks: tasks.to_vec(),
    }
}

#[test]
fn an_eager_assignment_of_connect_is_read_and_written_again() {
    let bytes = hex(EAGER);
    let read = connect(&bytes);
    assert_eq!(
        (read.leader.as_str(), read.config_offset, read.delay),
        ("m", 12, 0)
    );
    assert_eq!(read.assignment, Some(vec![tasks("file", &[-1, 0, 1])]));
    assert_eq!(read.revoked, None);
    let mut written = vec![0, 0];
    read.encode(0, &mut written).unwrap();
    assert_eq!(written, bytes);
}

#[test]
fn a_cooperative_assignment_of_connect_is_read_in_both_versions_and_in_later_ones() {
    for version in [1_i16, 2, 3, i16::MAX] {
        let bytes = [
            &version.to_be_bytes()[..],
            &hex(COOPERATIVE),
            b"what a later version adds",
        ]
        .concat();
        let read = connect(&bytes);
        assert_eq!(read.assignment, Some(vec![tasks("file", &[-1, 0, 1])]));
        assert_eq!(read.revoked, Some(vec![tasks("old", &[3])]));
        assert_eq!(read.delay, 300_000);
    }
}

#[test]
fn a_worker_of_connect_tells_where_it_is_and_what_it_runs() {
    let read = |bytes: &[u8]| match MemberMetadata::read("connect", bytes) {
        Some(MemberMetadata::Connect(worker)) => worker,
        other => panic!("{other:?}"),
    };
    let eager = read(&[hex("0000"), hex(WORKER)].concat());
    assert_eq!(
        (eager.url.as_str(), eager.config_offset, eager.allocation),
        ("http://w:8083/", 12, None)
    );
    let idle = read(&[hex("0001"), hex(WORKER), hex("ffffffff")].concat());
    assert_eq!(idle.allocation, None);
    // An older worker of version 1 ends here.
    assert_eq!(read(&[hex("0001"), hex(WORKER)].concat()).allocation, None);
    let allocation = [hex("0002"), hex(COOPERATIVE)].concat();
    let length = u32::try_from(allocation.len()).unwrap().to_be_bytes();
    let busy = read(&[&hex("0002")[..], &hex(WORKER), &length, &allocation].concat());
    assert_eq!(connect(&busy.allocation.unwrap()).delay, 300_000);
}

#[test]
fn consumers_are_read_as_consumers() {
    let bytes = ConsumerProtocolAssignment::default().to_bytes(1).unwrap();
    let read = MemberAssignment::read("consumer", &bytes);
    assert_eq!(
        read,
        Some(MemberAssignment::Consumer(ConsumerProtocolAssignment::default()))
    );
    let bytes = ConsumerProtocolSubscription::default().to_bytes(3).unwrap();
    let read = MemberMetadata::read("consumer", &bytes);
    assert_eq!(
        read,
        Some(MemberMetadata::Consumer(ConsumerProtocolSubscription::default()))
    );
}

#[test]
fn what_is_not_told_is_not_empty() {
    for protocol_type in ["consumer", "connect", "sr", ""] {
        assert_eq!(MemberAssignment::read(protocol_type, &[]), None);
        assert_eq!(MemberMetadata::read(protocol_type, &[]), None);
    }
}

#[test]
fn bytes_that_are_not_understood_are_kept_up_to_a_bound() {
    let opaque = |bytes: &[u8]| Opaque {
        start: bytes[..bytes.len().min(1_024)].to_vec(),
        length: bytes.len(),
    };
    let long = vec![b'x'; 5_000];
    for (protocol_type, bytes) in [
        ("sr", &b"{\"host\":\"h\"}"[..]),
        ("sr", &long),
        ("connect", b"\0"),
        ("consumer", &long),
    ] {
        let (assignment, metadata) = (
            MemberAssignment::read(protocol_type, bytes),
            MemberMetadata::read(protocol_type, bytes),
        );
        assert_eq!(assignment, Some(MemberAssignment::Opaque(opaque(bytes))));
        assert_eq!(metadata, Some(MemberMetadata::Opaque(opaque(bytes))));
    }
    assert!(ConnectWorkerState::try_read(&hex("ffff")).is_err());
}
