//! JoinGroup and LeaveGroup as each version has them (protocol.md 5.G).

use shared::protocol::{ApiKey, JoinGroupResponse, LeaveGroupRequest, LeaveGroupResponse, MemberIdentity};

use super::World;
use super::client::{Client, joining};

fn versions(key: ApiKey) -> impl Iterator<Item = i16> {
    key.versions().iter()
}

#[tokio::test]
async fn a_first_join_is_answered_or_given_an_id_by_version() {
    let world = World::new();
    for version in versions(ApiKey::JoinGroup) {
        let mut client = world.client().await;
        let group = format!("g{version}");
        let answer = client.ask(version, joining(&group, "")).await;
        assert!(answer.member_id.starts_with("client-"), "{answer:?}");
        if version < 4 {
            assert_eq!((answer.error_code, answer.generation_id), (0, 1));
            assert_eq!(answer.leader, answer.member_id);
            assert_eq!(answer.protocol_name.as_deref(), Some("consumer-range"));
            assert_eq!(answer.members.len(), 1);
        } else {
            assert_eq!((answer.error_code, answer.generation_id), (79, -1));
            let none = if version < 7 { Some("") } else { None };
            assert_eq!(answer.protocol_name.as_deref(), none);
            assert_eq!(answer.leader, "");
            let joined = client.ask(version, joining(&group, &answer.member_id)).await;
            assert_eq!((joined.error_code, joined.generation_id), (0, 1));
            let kind = (version >= 7).then_some("consumer");
            assert_eq!(joined.protocol_type.as_deref(), kind);
        }
    }
}

#[tokio::test]
async fn joins_that_cannot_be_are_refused_by_their_reason() {
    let world = World::new();
    world.client().await.stable("g").await;
    for version in versions(ApiKey::JoinGroup) {
        let mut client = world.client().await;
        let refused = |answer: JoinGroupResponse| (answer.error_code, answer.member_id, answer.generation_id);
        let unknown = client.ask(version, joining("g", "nobody")).await;
        assert_eq!(refused(unknown), (25, "nobody".into(), -1));
        let nowhere = client.ask(version, joining("no such group", "nobody")).await;
        assert_eq!(refused(nowhere), (25, "nobody".into(), -1));
        let unnamed = client.ask(version, joining("", "")).await;
        assert_eq!(refused(unnamed), (24, String::new(), -1));
        let mut other = joining("g", "");
        other.protocol_type = "connect".into();
        let other = client.ask(version, other).await;
        assert_eq!(refused(other), (23, String::new(), -1));
    }
}

/// One leave in whatever shape the version has: the code at the top and the member's own.
async fn leave(
    client: &mut Client,
    version: i16,
    group: &str,
    member: &str,
    instance: Option<&str>,
) -> (i16, Option<i16>) {
    let mut request = LeaveGroupRequest {
        group_id: group.into(),
        ..LeaveGroupRequest::default()
    };
    if version < 3 {
        request.member_id = member.into();
    } else {
        request.members = vec![MemberIdentity {
            member_id: member.into(),
            group_instance_id: instance.map(str::to_owned),
            reason: None,
        }];
    }
    let LeaveGroupResponse {
        error_code, members, ..
    } = client.ask(version, request).await;
    (error_code, members.first().map(|member| member.error_code))
}

#[tokio::test]
async fn leaving_is_answered_at_the_top_or_by_member_by_version() {
    let world = World::new();
    for version in versions(ApiKey::LeaveGroup) {
        let mut client = world.client().await;
        let group = format!("g{version}");
        let member = client.stable(&group).await.member_id;
        let code = |error| {
            if version < 3 {
                (error, None)
            } else {
                (0, Some(error))
            }
        };
        assert_eq!(leave(&mut client, version, "", &member, None).await, (24, None));
        assert_eq!(
            leave(&mut client, version, "no such group", &member, None).await,
            code(25)
        );
        assert_eq!(
            leave(&mut client, version, &group, "nobody", None).await,
            code(25)
        );
        assert_eq!(leave(&mut client, version, &group, &member, None).await, code(0));
        assert_eq!(leave(&mut client, version, &group, &member, None).await, code(25));
        if version >= 3 {
            let mut joining = joining(&group, "");
            joining.group_instance_id = Some("i".into());
            let joined = client.ask(9, joining).await;
            assert_eq!(joined.error_code, 0);
            assert_eq!(
                leave(&mut client, version, &group, "nobody", Some("i")).await,
                code(82)
            );
            assert_eq!(leave(&mut client, version, &group, "", Some("i")).await, code(0));
            assert_eq!(leave(&mut client, version, &group, "", Some("i")).await, code(25));
        }
    }
}
