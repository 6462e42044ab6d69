//! What the tables alone do not say: defaults, what a version cannot carry, tolerated oddities.

use super::hex;
use crate::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersion, ApiVersionsRequest, ApiVersionsResponse, DecodeError,
    DecodeFault, EncodeError, HeartbeatRequest, HeartbeatResponse, JoinGroupRequest, JoinGroupResponse,
    Message, MetadataRequest, Uuid, VersionRange,
};

fn encode(request: &impl Message, version: i16) -> Result<Vec<u8>, EncodeError> {
    let mut body = Vec::new();
    request.encode(version, &mut body).map(|()| body)
}

#[test]
fn an_instance_id_is_refused_by_a_heartbeat_below_version_3() {
    let beat = HeartbeatRequest {
        group_instance_id: Some("i".to_owned()),
        ..Default::default()
    };
    for version in 0..=2 {
        let error = encode(&beat, version).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("HeartbeatRequest version {version} cannot carry group_instance_id (its versions: 3+)")
        );
    }
    assert!(encode(&beat, 3).is_ok());
}

#[test]
fn an_ignorable_field_is_dropped_by_versions_without_it() {
    let answer = HeartbeatResponse {
        throttle_time_ms: 100,
        error_code: 27,
    };
    assert_eq!(encode(&answer, 0), Ok(vec![0, 27]));
}

#[test]
fn null_is_refused_where_the_version_needs_a_value() {
    let answer = JoinGroupResponse {
        protocol_name: None,
        ..Default::default()
    };
    let error = encode(&answer, 6).unwrap_err();
    assert_eq!(
        error.to_string(),
        "JoinGroupResponse version 6 cannot carry a null protocol_name (nullable in: 7+)"
    );
    assert!(encode(&answer, 7).is_ok());
    let error = HeartbeatRequest::decode(&hex::bytes("ffff 00000005 00016d"), 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "HeartbeatRequest version 0, group_id: null, which this version does not allow"
    );
}

#[test]
fn text_longer_than_its_length_can_say_is_refused() {
    let beat = HeartbeatRequest {
        group_id: "g".repeat(32768),
        ..Default::default()
    };
    let error = encode(&beat, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "HeartbeatRequest version 0, group_id: length 32768 (at most 32767)"
    );
    assert!(encode(&beat, 4).is_ok(), "compact strings have no such bound");
}

#[test]
fn an_error_names_the_value_and_what_is_allowed() {
    let body = hex::bytes("000167 00002710 0000 0000 7fffffff 0005 72616e6765 000000 00");
    let error = JoinGroupRequest::decode(&body, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "JoinGroupRequest version 0, protocols: array of 2147483647 items where 11 bytes are left"
    );
    let error = HeartbeatRequest::decode(&hex::bytes("0002 c328"), 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "HeartbeatRequest version 0, group_id: not UTF-8 from byte 0 of 2 on"
    );
    let error = HeartbeatRequest::decode(&[], 9).unwrap_err();
    assert_eq!(
        error.to_string(),
        "HeartbeatRequest version 9, start: not a known version (known: 0-4)"
    );
}

#[test]
fn a_known_tagged_field_must_fill_its_section() {
    // zk_migration_ready (tag 3), a section of two bytes where a bool takes one.
    let error = ApiVersionsResponse::decode(&hex::bytes("0000 01 00000000 01 03 02 0100"), 3).unwrap_err();
    assert_eq!(error.fault, DecodeFault::LeftOver { left: 1 });
    assert_eq!(error.field, "zk_migration_ready");
}

#[test]
fn a_join_in_version_0_takes_its_session_timeout_for_the_rebalance_timeout() {
    let join = JoinGroupRequest {
        session_timeout_ms: 30_000,
        rebalance_timeout_ms: 60_000,
        ..Default::default()
    };
    for (version, expected) in [(0, 30_000), (1, 60_000), (9, 60_000)] {
        let body = encode(&join, version).unwrap();
        let Ok(AnyRequest::JoinGroup(read)) = AnyRequest::decode(ApiKey::JoinGroup, version, &body) else {
            panic!("not read at version {version}")
        };
        assert_eq!(read.rebalance_timeout_ms, expected, "version {version}");
    }
}

#[test]
fn an_answer_without_throttle_time_is_tolerated_in_api_versions_1_alone() {
    let whole = ApiVersionsResponse {
        throttle_time_ms: 0,
        ..Default::default()
    };
    for version in [1, 2] {
        let body = encode(&whole, version).unwrap();
        let cut = ApiVersionsResponse::decode(&body[..body.len() - 4], version);
        assert_eq!(cut.is_ok(), version == 1);
    }
}

#[test]
fn the_refusal_of_an_unknown_version_is_read_whatever_was_asked() {
    let api_keys = vec![ApiVersion {
        api_key: 18,
        min_version: 0,
        max_version: 4,
    }];
    let refusal = ApiVersionsResponse {
        error_code: 35,
        api_keys,
        ..Default::default()
    };
    let body = encode(&refusal, 0).unwrap();
    for version in ApiKey::ApiVersions.versions().iter() {
        let read = AnyResponse::decode(ApiKey::ApiVersions, version, &body);
        assert_eq!(read, Ok(refusal.clone().into()), "version {version}");
    }
    let other = ApiVersionsResponse {
        error_code: 42,
        ..refusal
    };
    let body = encode(&other, 0).unwrap();
    assert!(AnyResponse::decode(ApiKey::ApiVersions, 4, &body).is_err());
}

#[test]
fn software_is_named_as_kip_511_asks() {
    let valid = |name: &str, version| {
        let (client_software_name, client_software_version) = (name.to_owned(), "1.0".to_owned());
        ApiVersionsRequest {
            client_software_name,
            client_software_version,
            ..Default::default()
        }
        .names_valid_software(version)
    };
    for name in ["good-name", "a", "apache-kafka-java", "v1.0"] {
        assert!(valid(name, 3), "{name}");
    }
    for name in ["bad name", "", "-a", "a.", "naïve"] {
        assert!(!valid(name, 3), "{name}");
        assert!(valid(name, 2), "{name}: version 2 carries no name");
    }
}

#[test]
fn defaults_are_kafka_s() {
    let join = JoinGroupRequest::default();
    assert_eq!((join.rebalance_timeout_ms, join.group_instance_id), (-1, None));
    assert_eq!(JoinGroupResponse::default().protocol_name, Some(String::new()));
    assert_eq!(MetadataRequest::default().topics, Some(Vec::new()));
    assert!(MetadataRequest::default().allow_auto_topic_creation);
    assert_eq!(ApiVersionsResponse::default().finalized_features_epoch, -1);
}

#[test]
fn versions_are_written_in_kafka_s_notation() {
    let texts = [
        VersionRange::NONE,
        VersionRange::from(3),
        VersionRange::new(2, 4),
        VersionRange::new(1, 1),
    ];
    assert_eq!(texts.map(|range| range.to_string()), ["none", "3+", "2-4", "1"]);
}

#[test]
fn a_uuid_is_written_as_kafka_s_tools_write_it() {
    assert_eq!(Uuid::ZERO.to_string(), "AAAAAAAAAAAAAAAAAAAAAA");
    assert_eq!(Uuid([0xff; 16]).to_string(), "_____________________w");
}

#[test]
fn what_is_not_known_of_an_error_is_not_lost() {
    let error: DecodeError = HeartbeatResponse::decode(&[0], 0).unwrap_err();
    assert_eq!(error.fault, DecodeFault::EndOfMessage { needed: 2, left: 1 });
    assert_eq!(
        (error.message, error.version, error.field),
        ("HeartbeatResponse", 0, "error_code")
    );
}
