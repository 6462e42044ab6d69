//! Frames, headers, and whole frames byte for byte (protocol.md 2.4; G14, G15).

use super::hex;
use crate::protocol::header::room;
use crate::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsResponse, Assignment, AuthBytes,
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, DecodeFault, FindCoordinatorRequest,
    FrameError, FrameReader, HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupRequestProtocol,
    LeaveGroupRequest, MemberIdentity, RequestHeader, SaslAuthenticateRequest, SyncGroupRequest,
    TopicPartitions, Uuid, decode_response_header, encode_request, encode_response,
};

fn heartbeat(instance: Option<&str>) -> HeartbeatRequest {
    HeartbeatRequest {
        group_id: "g".to_owned(),
        generation_id: 5,
        member_id: "m".to_owned(),
        group_instance_id: instance.map(str::to_owned),
    }
}

/// A whole request frame both ways.
#[track_caller]
fn assert_request(request: impl Into<AnyRequest>, version: i16, correlation_id: i32, expected: &str) {
    let request = request.into();
    let header = RequestHeader::new(request.key(), version, correlation_id, "c");
    let bytes = hex::bytes(expected);
    assert_eq!(
        encode_request(&header, &request).map(|bytes| hex::text(&bytes)),
        Ok(hex::text(&bytes))
    );
    let (read, body) = RequestHeader::decode(&bytes[4..]).unwrap();
    assert_eq!(read, header);
    assert_eq!(AnyRequest::decode(request.key(), version, body), Ok(request));
}

/// A whole answer frame both ways.
#[track_caller]
fn assert_response(response: impl Into<AnyResponse>, version: i16, correlation_id: i32, expected: &str) {
    let response = response.into();
    let bytes = hex::bytes(expected);
    let written = encode_response(response.key(), version, correlation_id, &response);
    assert_eq!(written.map(|bytes| hex::text(&bytes)), Ok(hex::text(&bytes)));
    let (read, body) = decode_response_header(response.key(), version, &bytes[4..]).unwrap();
    assert_eq!(read, correlation_id);
    assert_eq!(AnyResponse::decode(response.key(), version, body), Ok(response));
}

/// A body both ways.
#[track_caller]
fn assert_body(request: impl Into<AnyRequest>, version: i16, expected: &str) {
    let request = request.into();
    let bytes = hex::bytes(expected);
    let mut written = Vec::new();
    request.encode(version, &mut written).unwrap();
    assert_eq!(hex::text(&written), hex::text(&bytes));
    assert_eq!(AnyRequest::decode(request.key(), version, &bytes), Ok(request));
}

#[test]
fn heartbeat_frames_are_bit_exact() {
    let old = |version: &str| format!("00000015 000c {version} 00000007 000163 000167 00000005 00016d");
    for version in 0..=2 {
        assert_request(heartbeat(None), version, 7, &old(&format!("{version:04x}")));
    }
    assert_request(
        heartbeat(Some("i")),
        3,
        7,
        "00000018 000c 0003 00000007 000163 000167 00000005 00016d 000169",
    );
    assert_request(
        heartbeat(Some("i")),
        4,
        7,
        "00000017 000c 0004 00000007 000163 00 0267 00000005 026d 0269 00",
    );

    let rebalancing = HeartbeatResponse {
        throttle_time_ms: 0,
        error_code: 27,
    };
    assert_response(rebalancing.clone(), 0, 7, "00000006 00000007 001b");
    for version in 1..=3 {
        assert_response(rebalancing.clone(), version, 7, "0000000a 00000007 00000000 001b");
    }
    assert_response(rebalancing, 4, 7, "0000000c 00000007 00 00000000 001b 00");
}

#[test]
fn join_group_bodies_are_bit_exact() {
    let mut join = JoinGroupRequest {
        group_id: "g".to_owned(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 10_000,
        protocol_type: "consumer".to_owned(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "range".to_owned(),
            metadata: vec![0, 1],
        }],
        ..Default::default()
    };
    let consumer = "0008636f6e73756d6572 00000001 000572616e6765 000000020001";
    assert_body(join.clone(), 0, &format!("000167 00002710 0000 {consumer}"));
    join.rebalance_timeout_ms = 60_000;
    assert_body(
        join.clone(),
        4,
        &format!("000167 00002710 0000ea60 0000 {consumer}"),
    );
    assert_body(
        join.clone(),
        5,
        &format!("000167 00002710 0000ea60 0000 ffff {consumer}"),
    );
    let compact = "0267 00002710 0000ea60 01 00 09636f6e73756d6572 02 0672616e6765 030001 00 00 00";
    assert_body(join, 9, compact);
}

#[test]
fn leave_group_and_sync_group_bodies_are_bit_exact() {
    let one = LeaveGroupRequest {
        group_id: "g".to_owned(),
        member_id: "m".to_owned(),
        members: Vec::new(),
    };
    assert_body(one, 0, "000167 00016d");
    let identity = MemberIdentity {
        member_id: "m".to_owned(),
        ..Default::default()
    };
    let many = LeaveGroupRequest {
        group_id: "g".to_owned(),
        member_id: String::new(),
        members: vec![identity],
    };
    assert_body(many.clone(), 3, "000167 00000001 00016d ffff");
    assert_body(many, 5, "0267 02 026d 00 00 00 00");

    let mut sync = SyncGroupRequest {
        group_id: "g".to_owned(),
        generation_id: 1,
        member_id: "m".to_owned(),
        ..Default::default()
    };
    assert_body(sync.clone(), 0, "000167 00000001 00016d 00000000");
    assert_body(sync.clone(), 3, "000167 00000001 00016d ffff 00000000");
    sync.protocol_type = Some("consumer".to_owned());
    sync.protocol_name = Some("range".to_owned());
    assert_body(
        sync,
        5,
        "0267 00000001 026d 00 09636f6e73756d6572 0672616e6765 01 00",
    );
}

#[test]
fn consumer_group_heartbeat_frames_are_bit_exact() {
    let beat = |member_epoch| ConsumerGroupHeartbeatRequest {
        group_id: "g".to_owned(),
        member_id: "m".to_owned(),
        member_epoch,
        ..Default::default()
    };
    let join = ConsumerGroupHeartbeatRequest {
        rebalance_timeout_ms: 300_000,
        subscribed_topic_names: Some(vec!["t".to_owned()]),
        topic_partitions: Some(Vec::new()),
        ..beat(0)
    };
    let joining =
        "00000021 0044 0001 00000007 000163 00 0267 026d 00000000 00 00 000493e0 02 0274 00 00 01 00";
    assert_request(join, 1, 7, joining);
    let staying = "0000001f 0044 0001 00000008 000163 00 0267 026d 00000002 00 00 ffffffff 00 00 00 00 00";
    assert_request(beat(2), 1, 8, staying);
    let leaving = "0000001f 0044 0001 00000009 000163 00 0267 026d ffffffff 00 00 ffffffff 00 00 00 00 00";
    assert_request(beat(-1), 1, 9, leaving);

    let mut answer = ConsumerGroupHeartbeatResponse {
        member_id: Some("m".to_owned()),
        member_epoch: 2,
        heartbeat_interval_ms: 5000,
        ..Default::default()
    };
    let unchanged = "00000018 00000008 00 00000000 0000 00 026d 00000002 00001388 ff 00";
    assert_response(answer.clone(), 1, 8, unchanged);
    let topic_id = Uuid([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    let topic_partitions = vec![TopicPartitions {
        topic_id,
        partitions: vec![0],
    }];
    answer.assignment = Some(Assignment { topic_partitions });
    let assigned = "00000030 00000007 00 00000000 0000 00 026d 00000002 00001388 01 02 \
                    000102030405060708090a0b0c0d0e0f 02 00000000 00 00 00";
    assert_response(answer, 1, 7, assigned);
}

#[test]
fn find_coordinator_and_the_refusal_of_an_unknown_version_are_bit_exact() {
    let find = FindCoordinatorRequest {
        coordinator_keys: vec!["g".to_owned()],
        ..Default::default()
    };
    assert_request(find, 4, 1, "00000011 000a 0004 00000001 000163 00 00 02 0267 00");

    let api_keys = vec![ApiVersion {
        api_key: 18,
        min_version: 0,
        max_version: 5,
    }];
    let refusal = ApiVersionsResponse {
        error_code: 35,
        api_keys,
        ..Default::default()
    };
    assert_response(refusal, 0, 7, "00000010 00000007 0023 00000001 0012 0000 0005");
}

#[test]
fn a_header_with_an_empty_client_id_is_10_bytes_and_11_where_flexible() {
    for (version, length) in [(3, 10), (4, 11)] {
        let mut out = Vec::new();
        RequestHeader::new(ApiKey::Heartbeat, version, 7, "")
            .encode(&mut out)
            .unwrap();
        assert_eq!(out.len(), length);
        let (header, body) = RequestHeader::decode(&out).unwrap();
        assert_eq!((header.client_id(), body.len()), ("", 0));
    }
}

#[test]
fn a_null_client_id_is_an_empty_one() {
    let frame = hex::bytes("000c 0000 00000007 ffff");
    let (header, body) = RequestHeader::decode(&frame).unwrap();
    assert_eq!(header.client_id, None);
    assert_eq!(header.client_id(), "");
    assert!(body.is_empty());
}

#[test]
fn the_header_of_an_unknown_request_is_read_to_the_client_id() {
    let frame = hex::bytes("7fff 0009 00000007 000163 0102");
    let (header, body) = RequestHeader::decode(&frame).unwrap();
    assert_eq!(
        (
            header.key,
            header.version,
            header.correlation_id,
            header.client_id()
        ),
        (0x7fff, 9, 7, "c")
    );
    assert_eq!(body, [1, 2]);
    assert_eq!(
        ApiKey::try_from(header.key).unwrap_err().to_string(),
        "API key 32767 (known: Produce 0, Fetch 1, ListOffsets 2, Metadata 3, OffsetCommit 8, OffsetFetch 9, \
         FindCoordinator 10, JoinGroup 11, Heartbeat 12, LeaveGroup 13, SyncGroup 14, DescribeGroups 15, \
         ListGroups 16, SaslHandshake 17, ApiVersions 18, InitProducerId 22, DescribeConfigs 32, \
         SaslAuthenticate 36, DescribeCluster 60, ConsumerGroupHeartbeat 68, ConsumerGroupDescribe 69, \
         ShareGroupDescribe 77, StreamsGroupDescribe 89, DescribeShareGroupOffsets 90, no other)"
    );
}

#[test]
fn the_header_of_a_version_above_ours_is_read_as_flexible() {
    let frame = hex::bytes("0012 0063 00000007 000163 01 00 01 ff 0102");
    let (header, body) = RequestHeader::decode(&frame).unwrap();
    assert_eq!((header.key, header.version, header.client_id()), (18, 99, "c"));
    assert_eq!(body, [1, 2]);
}

#[test]
fn the_answer_to_api_versions_has_the_old_header_at_every_version() {
    for version in ApiKey::ApiVersions.versions().iter() {
        assert_eq!(ApiKey::ApiVersions.response_header_version(version), 0);
    }
    assert_eq!(ApiKey::ApiVersions.request_header_version(3), 2);
    assert_eq!(ApiKey::Heartbeat.response_header_version(3), 0);
    assert_eq!(ApiKey::Heartbeat.response_header_version(4), 1);
}

#[test]
fn hostile_headers_are_refused() {
    let refused = |header: &str| RequestHeader::decode(&hex::bytes(header)).unwrap_err().fault;
    assert_eq!(refused("000c"), DecodeFault::EndOfMessage { needed: 2, left: 0 });
    assert_eq!(
        refused("000c 0000 00000007 fffe"),
        DecodeFault::NegativeLength { length: -2 }
    );
    assert_eq!(
        refused("000c 0000 00000007 7fff 63"),
        DecodeFault::EndOfMessage {
            needed: 32767,
            left: 1
        }
    );
    let tags = DecodeFault::TooManyTags {
        count: u32::MAX,
        left: 1,
    };
    assert_eq!(refused("000c 0004 00000007 000163 ffffffff0f 00"), tags);
    assert_eq!(
        refused("000c 0004 00000007 000163 ffffffffff 00"),
        DecodeFault::VarintTooLong
    );
    let size = DecodeFault::EndOfMessage {
        needed: u32::MAX as usize,
        left: 0,
    };
    assert_eq!(refused("000c 0004 00000007 000163 01 00 ffffffff0f"), size);
}

#[test]
fn frames_come_whole_however_the_bytes_come() {
    let stream = hex::bytes("00000003 010203 00000000 00000001 ff 0000");
    for step in 1..=stream.len() {
        let mut reader = FrameReader::new(3);
        let mut frames = Vec::new();
        for bytes in stream.chunks(step) {
            reader.push(bytes);
            while let Some(frame) = reader.next_frame().unwrap() {
                frames.push(frame);
            }
        }
        assert_eq!(frames, [vec![1, 2, 3], vec![], vec![255]], "in steps of {step}");
        assert_eq!(reader.pending(), 2);
    }
}

#[test]
fn a_frame_too_long_or_negative_ends_the_stream() {
    for (length, error, text) in [
        (
            "00000004",
            FrameError::TooLarge { len: 4, max: 3 },
            "a frame of 4 bytes (at most 3 are accepted)",
        ),
        (
            "7fffffff",
            FrameError::TooLarge {
                len: 0x7fff_ffff,
                max: 3,
            },
            "a frame of 2147483647 bytes (at most 3 are accepted)",
        ),
        (
            "ffffffff",
            FrameError::Negative { len: -1 },
            "a frame of -1 bytes (allowed: 0 and above)",
        ),
    ] {
        let mut reader = FrameReader::new(3);
        reader.push(&hex::bytes("00000001 aa"));
        reader.push(&hex::bytes(length));
        assert_eq!(reader.next_frame(), Ok(Some(vec![0xaa])));
        assert_eq!(reader.next_frame(), Err(error));
        assert_eq!(error.to_string(), text);
        reader.push(&hex::bytes("00000001 aa"));
        assert_eq!(reader.next_frame(), Err(error));
        assert_eq!(reader.pending(), 0);
    }
}

#[test]
fn what_may_hold_a_password_has_room_for_all_of_it_before_it_is_written() {
    let long = "c".repeat(1_000);
    for (client_id, bytes) in [("", 0), ("c", 1), ("c", 127), (&*long, 128), (&*long, 20_000)] {
        let request: AnyRequest = SaslAuthenticateRequest {
            auth_bytes: AuthBytes(vec![7; bytes]),
        }
        .into();
        let versions = ApiKey::SaslAuthenticate.versions();
        for version in versions.min..=versions.max {
            let header = RequestHeader::new(ApiKey::SaslAuthenticate, version, 1, client_id);
            let frame = encode_request(&header, &request).unwrap();
            let room = room(&header, &request);
            assert!(
                frame.len() <= room,
                "{} of {room} in version {version}",
                frame.len()
            );
            assert!(frame.capacity() >= room, "it had that room");
        }
    }
}
