//! Bytes from anywhere, read as everything they could be: nothing panics, and what is read can be written and
//! read again.
//!
//! The fuzz target `fuzz/fuzz_targets/wire.rs` and the tests here run the same code.

use shared::protocol::{
    AnyRequest, ApiKey, ConsumerProtocol, ConsumerProtocolAssignment, ConsumerProtocolSubscription,
    FrameReader, RequestHeader, decode_response_header,
};

use crate::messages::{Kind, all};

/// The longest frame that is accepted.
const LONGEST: usize = 1 << 16;

/// Reads `bytes` as a stream of requests, and as a stream of answers.
pub(crate) fn read_as_stream(bytes: &[u8]) {
    let mut frames = FrameReader::new(LONGEST);
    // In two pieces, so that a frame may be cut anywhere.
    let (first, second) = bytes.split_at(bytes.len() / 2);
    for piece in [first, second] {
        frames.push(piece);
        while let Ok(Some(frame)) = frames.next_frame() {
            read_as_request(&frame);
            for key in ApiKey::ALL {
                for version in key.versions().iter() {
                    if let Ok((_, body)) = decode_response_header(*key, version, &frame) {
                        read_as(Kind::Response(*key), version, body);
                    }
                }
            }
        }
        assert!(frames.pending() <= bytes.len());
    }
}

/// Reads a frame as its header says.
fn read_as_request(frame: &[u8]) {
    let Ok((header, body)) = RequestHeader::decode(frame) else {
        return;
    };
    if let Ok(key) = ApiKey::try_from(header.key) {
        read_as(Kind::Request(key), header.version, body);
        if let Ok(request) = AnyRequest::decode(key, header.version, body) {
            // Every request that can be read can be refused in words its sender understands.
            let mut refusal = Vec::new();
            let written = request
                .error_response(header.version, 16)
                .encode(header.version, &mut refusal);
            assert!(written.is_ok(), "{written:?}");
        }
    }
}

/// Reads `bytes` as the message and version that `choice` picks of all there are.
pub(crate) fn read_as_chosen(choice: u16, bytes: &[u8]) {
    let messages = all().count();
    if let Some((kind, version)) = all().nth(usize::from(choice) % messages) {
        read_as(kind, version, bytes);
    }
}

/// Reads `bytes` as one message in one version; gives whether they are one.
pub(crate) fn read_as(kind: Kind, version: i16, bytes: &[u8]) -> bool {
    let Ok(value) = kind.decode(version, bytes) else {
        return false;
    };
    let written = value.encode(version);
    let again = written.as_ref().map(|bytes| kind.decode(version, bytes));
    assert_eq!(again, Ok(Ok(value)), "{kind:?} {version}");
    true
}

/// Reads `bytes` as what consumers put into JoinGroup and SyncGroup.
pub(crate) fn read_as_consumer_protocol(bytes: &[u8]) {
    if let Ok((version, subscription)) = ConsumerProtocolSubscription::try_read(bytes) {
        let version = version.min(3);
        let written = subscription.to_bytes(version);
        let again = written.as_deref().map(ConsumerProtocolSubscription::try_read);
        assert_eq!(again, Ok(Ok((version, subscription))));
    }
    if let Ok((version, assignment)) = ConsumerProtocolAssignment::try_read(bytes) {
        let version = version.min(3);
        let written = assignment.to_bytes(version);
        let again = written.as_deref().map(ConsumerProtocolAssignment::try_read);
        assert_eq!(again, Ok(Ok((version, assignment))));
    }
}
