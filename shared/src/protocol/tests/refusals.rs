//! Errors in an API's own shape.

use std::collections::BTreeSet;

use crate::protocol::{
    AnyRequest, AnyResponse, ApiKey, ApiVersionsRequest, ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest, Coordinator, DescribeClusterRequest, DescribeConfigsRequest,
    DescribeConfigsResource, DescribeGroupsRequest, DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup, FetchPartition, FetchRequest, FetchTopic, FindCoordinatorRequest,
    FindCoordinatorResponse, HeartbeatRequest, HeartbeatResponse, InitProducerIdRequest, JoinGroupRequest,
    JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, ListGroupsRequest, ListOffsetsPartition,
    ListOffsetsRequest, ListOffsetsTopic, MemberIdentity, MemberResponse, MetadataRequest,
    MetadataRequestTopic, OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, PartitionProduceData,
    ProduceRequest, SaslAuthenticateRequest, SaslHandshakeRequest, ShareGroupDescribeRequest,
    StreamsGroupDescribeRequest, SyncGroupRequest, TopicProduceData, Uuid,
};

/// The answer that refuses `request`, after it went over the wire.
fn refusal(request: impl Into<AnyRequest>, version: i16, code: i16) -> AnyResponse {
    let request = request.into();
    let answer = request.error_response(version, code);
    let mut body = Vec::new();
    answer.encode(version, &mut body).unwrap();
    AnyResponse::decode(request.key(), version, &body).unwrap()
}

/// One request of each API about groups and the cluster, each about one thing.
fn about_groups() -> Vec<AnyRequest> {
    vec![
        MetadataRequest {
            topics: Some(vec![MetadataRequestTopic {
                name: Some("t".to_owned()),
                topic_id: Uuid::ZERO,
            }]),
            ..Default::default()
        }
        .into(),
        OffsetCommitRequest {
            topics: vec![OffsetCommitRequestTopic {
                partitions: vec![OffsetCommitRequestPartition::default()],
                ..Default::default()
            }],
            ..Default::default()
        }
        .into(),
        FindCoordinatorRequest {
            coordinator_keys: vec!["g".to_owned()],
            ..Default::default()
        }
        .into(),
        JoinGroupRequest::default().into(),
        HeartbeatRequest::default().into(),
        LeaveGroupRequest {
            members: vec![MemberIdentity::default()],
            ..Default::default()
        }
        .into(),
        SyncGroupRequest::default().into(),
        DescribeGroupsRequest {
            groups: vec!["g".to_owned()],
            ..Default::default()
        }
        .into(),
        ListGroupsRequest::default().into(),
        SaslHandshakeRequest::default().into(),
        SaslAuthenticateRequest::default().into(),
        ApiVersionsRequest::default().into(),
        ConsumerGroupHeartbeatRequest::default().into(),
        ConsumerGroupDescribeRequest {
            group_ids: vec!["g".to_owned()],
            ..Default::default()
        }
        .into(),
        ShareGroupDescribeRequest {
            group_ids: vec!["g".to_owned()],
            ..Default::default()
        }
        .into(),
        StreamsGroupDescribeRequest {
            group_ids: vec!["g".to_owned()],
            ..Default::default()
        }
        .into(),
        DescribeShareGroupOffsetsRequest {
            groups: vec![DescribeShareGroupOffsetsRequestGroup::default()],
        }
        .into(),
    ]
}

/// One of each API about records, offsets and settings, each about one thing.
fn about_data() -> Vec<AnyRequest> {
    vec![
        ProduceRequest {
            topic_data: vec![TopicProduceData {
                partition_data: vec![PartitionProduceData::default()],
                ..Default::default()
            }],
            ..Default::default()
        }
        .into(),
        FetchRequest {
            topics: vec![FetchTopic {
                partitions: vec![FetchPartition::default()],
                ..Default::default()
            }],
            ..Default::default()
        }
        .into(),
        ListOffsetsRequest {
            topics: vec![ListOffsetsTopic {
                partitions: vec![ListOffsetsPartition::default()],
                ..Default::default()
            }],
            ..Default::default()
        }
        .into(),
        OffsetFetchRequest {
            topics: Some(vec![OffsetFetchRequestTopic {
                partition_indexes: vec![0],
                ..Default::default()
            }]),
            groups: vec![OffsetFetchRequestGroup::default()],
            ..Default::default()
        }
        .into(),
        InitProducerIdRequest::default().into(),
        DescribeClusterRequest::default().into(),
        DescribeConfigsRequest {
            resources: vec![DescribeConfigsResource::default()],
            ..Default::default()
        }
        .into(),
    ]
}

#[test]
fn every_request_can_be_refused_at_every_version() {
    let requests: Vec<AnyRequest> = [about_groups(), about_data()].concat();
    let keys: BTreeSet<_> = requests.iter().map(AnyRequest::key).collect();
    assert!(
        keys.into_iter().eq(ApiKey::ALL.iter().copied()),
        "an API is left out"
    );
    for request in requests {
        for version in request.key().versions().iter() {
            let whole = match refusal(request.clone(), version, 25) {
                AnyResponse::Metadata(answer) if version < 13 => Some(answer.topics[0].error_code),
                AnyResponse::OffsetCommit(answer) => Some(answer.topics[0].partitions[0].error_code),
                AnyResponse::DescribeGroups(answer) => Some(answer.groups[0].error_code),
                AnyResponse::ConsumerGroupDescribe(answer) => Some(answer.groups[0].error_code),
                AnyResponse::ShareGroupDescribe(answer) => Some(answer.groups[0].error_code),
                AnyResponse::StreamsGroupDescribe(answer) => Some(answer.groups[0].error_code),
                AnyResponse::DescribeShareGroupOffsets(answer) => Some(answer.groups[0].error_code),
                AnyResponse::Produce(answer) => Some(answer.responses[0].partition_responses[0].error_code),
                AnyResponse::Fetch(answer) if version < 7 => {
                    Some(answer.responses[0].partitions[0].error_code)
                }
                AnyResponse::ListOffsets(answer) => Some(answer.topics[0].partitions[0].error_code),
                AnyResponse::OffsetFetch(answer) if version < 2 => {
                    Some(answer.topics[0].partitions[0].error_code)
                }
                AnyResponse::DescribeConfigs(answer) => Some(answer.results[0].error_code),
                answer => answer.error_code(),
            };
            assert_eq!(whole, Some(25), "{} version {version}", request.key());
        }
    }
}

#[test]
fn a_refused_join_echoes_the_member_and_names_no_protocol() {
    let join = JoinGroupRequest {
        member_id: "m".to_owned(),
        ..Default::default()
    };
    for (version, protocol_name) in [
        (0, Some(String::new())),
        (6, Some(String::new())),
        (7, None),
        (9, None),
    ] {
        let AnyResponse::JoinGroup(answer) = refusal(join.clone(), version, 79) else {
            panic!("another answer")
        };
        assert_eq!(
            (answer.error_code, answer.generation_id, answer.member_id.as_str()),
            (79, -1, "m")
        );
        assert_eq!(answer.protocol_name, protocol_name, "version {version}");
    }
}

#[test]
fn what_is_wrong_with_a_leaving_member_stands_at_the_member_from_version_3_on() {
    let members = vec![MemberIdentity {
        member_id: "m".to_owned(),
        ..Default::default()
    }];
    let many = LeaveGroupRequest {
        members,
        ..Default::default()
    };
    let one = LeaveGroupRequest {
        member_id: "m".to_owned(),
        ..Default::default()
    };
    let place = |request: &LeaveGroupRequest, version, code| {
        let AnyResponse::LeaveGroup(answer) = refusal(request.clone(), version, code) else {
            panic!("another answer")
        };
        (
            answer.error_code,
            answer
                .members
                .iter()
                .map(|member| member.error_code)
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(place(&one, 2, 25), (25, vec![]));
    assert_eq!(place(&many, 3, 25), (0, vec![25]));
    assert_eq!(place(&many, 5, 82), (0, vec![82]));
    assert_eq!(place(&many, 3, 24), (24, vec![]));
}

#[test]
fn the_code_of_an_answer_is_found_where_its_version_has_it() {
    let member = MemberResponse {
        error_code: 82,
        ..Default::default()
    };
    let left = LeaveGroupResponse {
        members: vec![MemberResponse::default(), member],
        ..Default::default()
    };
    assert_eq!(AnyResponse::from(left).error_code(), Some(82));
    let found = Coordinator {
        error_code: 15,
        ..Default::default()
    };
    let answer = FindCoordinatorResponse {
        coordinators: vec![found],
        ..Default::default()
    };
    assert_eq!(AnyResponse::from(answer).error_code(), Some(15));
    assert_eq!(
        AnyResponse::from(HeartbeatResponse::default()).error_code(),
        Some(0)
    );
}

#[test]
fn a_client_throttles_itself_from_the_version_on_in_which_brokers_answer_first() {
    let left: AnyResponse = LeaveGroupResponse {
        throttle_time_ms: 100,
        ..Default::default()
    }
    .into();
    assert_eq!(
        [0, 1, 2, 5].map(|version| left.client_throttle_ms(version)),
        [0, 0, 100, 100]
    );
    let joined: AnyResponse = JoinGroupResponse {
        throttle_time_ms: 100,
        ..Default::default()
    }
    .into();
    assert_eq!([2, 3].map(|version| joined.client_throttle_ms(version)), [0, 100]);
    let broken: AnyResponse = HeartbeatResponse {
        throttle_time_ms: -1,
        error_code: 0,
    }
    .into();
    assert_eq!(broken.client_throttle_ms(4), 0);
}
