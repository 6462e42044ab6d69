//! Faults: each does what docs/contract.md says, and nothing is done where one is refused.

use shared::event::Change;
use shared::fault::{AnswerWith, AnswerWord, Fault};
use shared::protocol::{HeartbeatRequest, JoinGroupResponse, LeaveGroupRequest, MemberIdentity};

use super::client::{Client, joining};
use super::{FaultError, World};

fn beat(group: &str, joined: &JoinGroupResponse) -> HeartbeatRequest {
    HeartbeatRequest {
        group_id: group.into(),
        generation_id: joined.generation_id,
        member_id: joined.member_id.clone(),
        group_instance_id: None,
    }
}

fn answer(api: &str, error: AnswerWith, times: u32, member: Option<&str>) -> Fault {
    Fault::Answer {
        api: api.into(),
        error,
        times,
        member: member.map(Into::into),
        group: None,
    }
}

async fn expired(world: &mut World, member: &str) {
    let is_it = |event: &shared::event::Observation| {
        let expired = matches!(event.change, Change::MemberExpired { .. });
        (expired && event.member.as_ref().is_some_and(|id| id.as_str() == member)).then_some(())
    };
    world.event(is_it).await;
}

#[tokio::test]
async fn a_silenced_member_is_not_heard_until_it_has_expired() {
    let mut world = World::new();
    let mut client = world.client().await;
    let given = client.ask(9, joining("g", "")).await;
    let mut short = joining("g", &given.member_id);
    short.session_timeout_ms = 5_000;
    let joined = client.ask(9, short).await;
    client.sync("g", &joined).await;
    world
        .embedded
        .play(Fault::Silence {
            member: "client".into(),
        })
        .await
        .unwrap();
    let mut other = world.client().await;
    client.send(4, beat("g", &joined)).await;
    other.send(4, beat("g", &joined)).await;
    expired(&mut world, &joined.member_id).await;
    // Both connections swallowed a request: they are closed, for what was swallowed is never answered.
    assert_eq!((client.rest().await, other.rest().await), (vec![], vec![]));
    let mut again = world.client().await;
    assert_eq!(again.ask(4, beat("g", &joined)).await.error_code, 25);
    assert_eq!(again.join("g").await.error_code, 0);
}

#[tokio::test]
async fn answers_carry_the_code_asked_for_and_the_coordinator_does_not_see_those_requests() {
    let mut world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    for code in [14, 15, 16, 22, 25, 27, 30, -1] {
        let fault = answer("Heartbeat", AnswerWith::Code(code), 2, Some(&joined.member_id));
        world.embedded.play(fault.clone()).await.unwrap();
        world
            .event(|event| (event.change == Change::FaultPlayed { fault: fault.clone() }).then_some(()))
            .await;
        for _ in 0..2 {
            assert_eq!(client.ask(4, beat("g", &joined)).await.error_code, code);
            let told = |event: &shared::event::Observation| match event.change {
                Change::HeartbeatReceived { error, .. } => Some(error),
                _ => None,
            };
            assert_eq!(world.event(told).await, code);
        }
        assert_eq!(client.ask(4, beat("g", &joined)).await.error_code, 0);
        world
            .event(|event| matches!(event.change, Change::HeartbeatReceived { .. }).then_some(()))
            .await;
    }
    world
        .embedded
        .play(answer("Heartbeat", AnswerWith::Code(0), 1, None))
        .await
        .unwrap();
    let stranger = HeartbeatRequest {
        group_id: "g".into(),
        ..Default::default()
    };
    assert_eq!(client.ask(4, stranger.clone()).await.error_code, 0);
    assert_eq!(client.ask(4, stranger).await.error_code, 25);
}

#[tokio::test]
async fn a_fault_named_by_client_id_is_told_of_the_member_it_hits() {
    let mut world = World::new();
    let joined = world.client().await.stable("g").await;
    world
        .embedded
        .play(Fault::Silence {
            member: "client".into(),
        })
        .await
        .unwrap();
    let told = |event: &shared::event::Observation| {
        matches!(event.change, Change::FaultPlayed { .. })
            .then(|| (event.group.clone(), event.member.clone()))
    };
    assert_eq!(
        world.event(told).await,
        (Some("g".into()), Some(joined.member_id.as_str().into()))
    );
}

#[tokio::test]
async fn a_join_that_is_answered_with_an_error_leaves_no_member_behind() {
    let world = World::new();
    let mut client = world.client().await;
    world
        .embedded
        .play(answer("JoinGroup", AnswerWith::Code(14), 1, Some("client")))
        .await
        .unwrap_err();
    client.stable("h").await;
    world
        .embedded
        .play(answer("JoinGroup", AnswerWith::Code(14), 1, Some("client")))
        .await
        .unwrap();
    let refused = client.ask(2, joining("g", "")).await;
    assert_eq!((refused.error_code, refused.generation_id), (14, -1));
    assert_eq!(client.ask(2, joining("g", "")).await.members.len(), 1);
}

#[tokio::test]
async fn an_answer_can_be_a_disconnect() {
    let world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let disconnect = AnswerWith::Word(AnswerWord::Disconnect);
    world
        .embedded
        .play(answer("Heartbeat", disconnect, 1, None))
        .await
        .unwrap();
    client.send(4, beat("g", &joined)).await;
    assert!(client.rest().await.is_empty());
    let mut again = world.client().await;
    assert_eq!(again.ask(4, beat("g", &joined)).await.error_code, 0);
}

#[tokio::test]
async fn a_dropped_answer_mutes_its_connection_but_the_request_counts() {
    let mut world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let drop = Fault::Drop {
        api: "Heartbeat".into(),
        times: 1,
        member: None,
        group: Some("g".into()),
    };
    world.embedded.play(drop).await.unwrap();
    client.send(4, beat("g", &joined)).await;
    let members = vec![MemberIdentity {
        member_id: joined.member_id.clone(),
        ..Default::default()
    }];
    client
        .send(
            5,
            LeaveGroupRequest {
                group_id: "g".into(),
                members,
                ..Default::default()
            },
        )
        .await;
    let heard = |event: &shared::event::Observation| match event.change {
        Change::HeartbeatReceived { error, .. } => Some(error),
        _ => None,
    };
    assert_eq!(world.event(heard).await, 0);
    world
        .event(|event| matches!(event.change, Change::MemberLeft { .. }).then_some(()))
        .await;
    world.embedded.shutdown().await;
    assert!(client.rest().await.is_empty(), "neither answer was sent");
}

#[tokio::test]
async fn a_delayed_answer_comes_when_its_time_has_passed() {
    let world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let delay = Fault::Delay {
        api: "Heartbeat".into(),
        ms: 300,
        member: None,
        group: None,
        times: 1,
    };
    world.embedded.play(delay).await.unwrap();
    let before = world.embedded.service.clock().now();
    assert_eq!(client.ask(4, beat("g", &joined)).await.error_code, 0);
    let waited = world.embedded.service.clock().now().micros_since(before);
    assert!(waited >= 300_000, "it came after {waited} us");
}

#[tokio::test]
async fn a_stopped_coordinator_refuses_connections_and_keeps_its_state_and_its_port() {
    let mut world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let address = world.embedded.local_addr();
    world.embedded.play(Fault::Stop).await.unwrap();
    assert!(client.rest().await.is_empty());
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    assert_eq!(
        world.embedded.play(Fault::Stop).await,
        Err(FaultError::AlreadyStopped)
    );
    world.embedded.play(Fault::Restart).await.unwrap();
    assert_eq!(world.embedded.local_addr(), address);
    let mut again = world.client().await;
    assert_eq!(again.ask(4, beat("g", &joined)).await.error_code, 0);
    world
        .event(|event| (event.change == Change::FaultPlayed { fault: Fault::Stop }).then_some(()))
        .await;
    world
        .event(|event| {
            (event.change
                == Change::FaultPlayed {
                    fault: Fault::Restart,
                })
            .then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_restart_of_a_running_coordinator_closes_its_connections_first() {
    let world = World::new();
    let mut client = world.client().await;
    client.stable("g").await;
    world.embedded.play(Fault::Restart).await.unwrap();
    assert!(client.rest().await.is_empty());
    assert_eq!(world.client().await.stable("h").await.generation_id, 1);
}

#[tokio::test]
async fn what_cannot_be_played_is_refused_with_what_is_allowed() {
    let world = World::new();
    let mut client = world.client().await;
    let joined = client.stable("g").await;
    let code = AnswerWith::Code(25);
    let delay = |ms, times| Fault::Delay {
        api: "Heartbeat".into(),
        ms,
        member: None,
        group: None,
        times,
    };
    for (fault, parts) in [
        (
            Fault::Silence {
                member: "nobody".into(),
            },
            vec!["\"nobody\"", joined.member_id.as_str()],
        ),
        (
            answer("heartbeat", code, 1, None),
            vec!["\"heartbeat\"", "Heartbeat", "JoinGroup"],
        ),
        (
            answer("ConsumerGroupHeartbeat", code, 1, None),
            vec!["\"ConsumerGroupHeartbeat\"", "allowed are"],
        ),
        (answer("Heartbeat", code, 0, None), vec!["times 0", "from 1 to"]),
        (
            answer("Heartbeat", code, u32::MAX, None),
            vec!["times 4294967295", "from 1 to"],
        ),
        (
            answer("Heartbeat", AnswerWith::Code(9_999), 1, None),
            vec!["9999", "Kafka's codes"],
        ),
        (
            answer("JoinGroup", AnswerWith::Code(0), 1, None),
            vec!["error 0", "JoinGroup", "Heartbeat"],
        ),
        (answer("Heartbeat", code, 1, Some("nobody")), vec!["\"nobody\""]),
        (delay(u64::MAX, 1), vec!["ms 18446744073709551615", "at most"]),
        (
            Fault::Drop {
                api: "Heartbeat".into(),
                times: 1,
                member: None,
                group: Some("no".into()),
            },
            vec!["\"no\""],
        ),
        (
            Fault::Kill {
                member: "client".into(),
            },
            vec!["\"kill\""],
        ),
        (
            Fault::Leave {
                member: "client".into(),
            },
            vec!["\"leave\""],
        ),
        (Fault::Add { count: 1 }, vec!["\"add\""]),
    ] {
        let refused = world.embedded.play(fault.clone()).await.unwrap_err().to_string();
        for part in parts {
            assert!(refused.contains(part), "{fault:?}: {refused}");
        }
    }
    assert_eq!(client.ask(4, beat("g", &joined)).await.error_code, 0);
}

#[tokio::test]
async fn only_so_many_faults_are_kept() {
    let world = World::new();
    Client::connect(world.embedded.local_addr(), "client")
        .await
        .stable("g")
        .await;
    let fault = || answer("Heartbeat", AnswerWith::Code(25), 1, None);
    for _ in 0..crate::limits::FAULTS_WAITING {
        world.embedded.play(fault()).await.unwrap();
    }
    assert_eq!(world.embedded.play(fault()).await, Err(FaultError::TooMany));
}
