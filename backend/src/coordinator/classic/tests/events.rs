//! What is told: each rebalance with its cause, its culprit and its phases; each member with how it came and went.

use shared::event::{Change, EvictionCause, Joined, RebalanceCause, Rebalanced};
use shared::ids::{Generation, MemberId};
use shared::protocol::consumer::{ConsumerProtocol, ConsumerProtocolSubscription};

use super::context::{Spec, World};

fn started(changes: &[Change]) -> Option<(RebalanceCause, Option<MemberId>)> {
    changes.iter().find_map(|change| match change {
        Change::RebalanceStarted { cause, member, .. } => Some((*cause, member.clone())),
        _ => None,
    })
}

fn finished(changes: &[Change]) -> Option<Rebalanced> {
    changes.iter().find_map(|change| match change {
        Change::RebalanceFinished(rebalanced) => Some(rebalanced.clone()),
        _ => None,
    })
}

fn kinds(changes: &[Change]) -> Vec<&'static str> {
    changes.iter().map(Change::kind).collect()
}

fn id(member: &shared::protocol::JoinGroupResponse) -> MemberId {
    member.member_id.as_str().into()
}

#[test]
fn a_first_rebalance_tells_its_phases_and_who_came() {
    let mut world = World::new();
    let join = world.join(&Spec::timeouts(5_000, 60_000));
    world.advance(3_000);
    let member = world.joined(join);
    world.advance(70);
    world.sync_now(&member);
    let told = finished(&world.changes()).unwrap();
    let expected = Rebalanced {
        generation: Generation(1),
        from_generation: Some(Generation(0)),
        cause: RebalanceCause::MemberJoined,
        member: Some(id(&member)),
        took_ms: Some(3_070),
        took_between_ms: None,
        join_ms: Some(3_000),
        sync_ms: Some(70),
        joined: Some(vec![id(&member)]),
        left: Some(Vec::new()),
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    };
    assert_eq!(told, expected);
}

#[test]
fn a_member_that_is_in_is_told_with_how_long_it_took_and_a_second_time_as_rejoined() {
    let mut world = World::new();
    let spec = Spec {
        version: 9,
        ..Spec::timeouts(5_000, 60_000)
    };
    let given = world.join_now(&spec);
    world.advance(100);
    let join = world.join(&spec.known(&given.member_id));
    world.advance(3_000);
    let member = world.joined(join);
    world.sync_now(&member);
    let joined = |took_ms, generation| Joined {
        generation: Some(Generation(generation)),
        client_id: Some("client".into()),
        host: Some("/127.0.0.1".into()),
        instance_id: None,
        took_ms: Some(took_ms),
        session_timeout_ms: Some(5_000),
        rebalance_timeout_ms: Some(60_000),
        heartbeat_interval_ms: None,
        ..Joined::default()
    };
    assert!(
        world.changes().contains(&Change::MemberJoined(joined(3_100, 1))),
        "from its very first JoinGroup"
    );
    let again = world.join_now(&spec.known(&member.member_id));
    world.advance(20);
    world.sync_now(&again);
    assert!(world.changes().contains(&Change::MemberRejoined(joined(20, 2))));
    world.sync_now(&again);
    assert_eq!(world.changes(), [], "asking for its part again is no joining");
}

/// As in Kafka's Java code: only the SyncGroup that ends a rebalance starts the session over.
#[test]
fn a_sync_in_a_stable_group_renews_nothing_and_is_told_with_how_long_the_session_has_run() {
    let spec = Spec::timeouts(500, 10_000);
    let (mut world, members) = World::completing(&[spec.clone(), spec]);
    world.sync(&members[0], &[]);
    world.changes();
    world.advance(200);
    world.beat(&members[0]);
    world.sync_now(&members[1]);
    let ran: Vec<_> = world
        .changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::MemberJoined(joined) | Change::MemberRejoined(joined) => Some(joined.session_ran_ms),
            _ => None,
        })
        .collect();
    assert_eq!(ran, [Some(200)]);
    world.advance(299);
    assert_eq!(kinds(&world.changes()), [""; 0]);
    world.advance(1);
    assert_eq!(kinds(&world.changes())[0], "member_expired");
}

#[test]
fn a_rebalance_tells_why_it_started_and_who_made_it() {
    let spec = Spec::timeouts(5_000, 60_000);
    let both = [spec.clone(), spec.clone()];
    let subscribed = |topic: &str| {
        let subscription = ConsumerProtocolSubscription {
            topics: vec![topic.into()],
            ..Default::default()
        };
        spec.clone().metadata(&subscription.to_bytes(0).unwrap())
    };

    let (mut world, members) = World::stable(&both);
    world.changes();
    let newcomer = world.join(&spec);
    let told = started(&world.changes()).unwrap();
    assert_eq!(told.0, RebalanceCause::MemberJoined);
    assert!(
        told.1
            .is_some_and(|member| !members.iter().any(|old| id(old) == member))
    );
    assert!(world.is_parked(newcomer));

    let (mut world, members) = World::stable(&both);
    world.changes();
    world.leave_codes(&[(&members[1].member_id, None)]);
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::MemberLeft, Some(id(&members[1]))))
    );

    let (mut world, members) = World::stable(&both);
    world.changes();
    world.join(&spec.known(&members[0].member_id));
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::LeaderRejoined, Some(id(&members[0]))))
    );

    let (mut world, members) = World::stable(&[Spec::timeouts(9_000, 60_000), spec.clone()]);
    world.changes();
    world.advance(5_000);
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::MemberTimedOut, Some(id(&members[1]))))
    );

    let (mut world, members) = World::stable(&[subscribed("a"), subscribed("a")]);
    world.changes();
    world.join(&subscribed("b").known(&members[1].member_id));
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::SubscriptionChanged, Some(id(&members[1]))))
    );

    let (mut world, members) = World::stable(&both);
    world.changes();
    world.join(&spec.clone().metadata(&[7]).known(&members[1].member_id));
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::MetadataChanged, Some(id(&members[1]))))
    );

    let two = spec.clone().speaking(&["range", "roundrobin"]);
    let (mut world, members) = World::stable(&[two.clone(), two]);
    world.changes();
    world.join(
        &spec
            .clone()
            .speaking(&["roundrobin"])
            .known(&members[1].member_id),
    );
    assert_eq!(
        started(&world.changes()),
        Some((RebalanceCause::ProtocolChanged, Some(id(&members[1]))))
    );
}

#[test]
fn a_member_put_out_is_told_with_its_deadline() {
    let spec = Spec::timeouts(60_000, 5_000);
    let (mut world, members) = World::stable(&[spec.clone(), spec.clone()]);
    world.changes();
    world.join(&spec.known(&members[0].member_id));
    world.advance(5_000);
    let evicted = |cause| Change::MemberEvicted { cause };
    let changes = world.changes();
    assert!(
        changes.contains(&evicted(EvictionCause::RebalanceTimeout)),
        "{changes:?}"
    );
    // The one that is left never syncs.
    world.advance(5_000);
    let changes = world.changes();
    assert!(
        changes.contains(&evicted(EvictionCause::SyncTimeout)),
        "{changes:?}"
    );
    let told = finished(&changes).unwrap();
    assert_eq!((told.cause, told.abandoned), (RebalanceCause::LeaderRejoined, 1));
    assert_eq!((told.generation, told.sync_ms), (Generation(3), None));
    let mut left = vec![id(&members[0]), id(&members[1])];
    left.sort_unstable();
    assert_eq!((told.joined, told.left), (Some(Vec::new()), Some(left)));
}

#[test]
fn an_expired_member_is_told_with_its_session_timeout() {
    let (mut world, _) = World::stable(&[Spec::timeouts(5_000, 5_000)]);
    world.changes();
    world.advance(5_000);
    let changes = world.changes();
    assert_eq!(
        kinds(&changes),
        ["member_expired", "rebalance_started", "rebalance_finished"]
    );
    let Some(Change::MemberExpired { cause }) = changes.first() else {
        panic!("{changes:?}")
    };
    assert!(cause.contains("session timeout of 5 s"), "{cause}");
}

#[test]
fn a_replaced_static_member_is_told_and_fenced_once_when_it_comes_back() {
    let spec = Spec::fixed("i", 10_000, 10_000);
    let (mut world, members) = World::stable(std::slice::from_ref(&spec));
    world.changes();
    let new = world.join_now(&spec);
    let changes = world.changes();
    assert_eq!(kinds(&changes), ["member_replaced"]);
    let Some(Change::MemberReplaced { by, .. }) = changes.first() else {
        panic!("{changes:?}")
    };
    assert_eq!(by.as_ref(), Some(&id(&new)));
    for kinds_told in [vec!["member_fenced", "request_refused"], vec![]] {
        assert_eq!(world.beat_as(&members[0].member_id, Some("i"), 1), 82);
        assert_eq!(kinds(&world.changes()), kinds_told);
    }
    world.sync_now(&new);
    assert_eq!(kinds(&world.changes()), ["member_joined"]);
}

/// Kafka's admin answers go on to name the first (`ClassicGroup.replaceStaticMember`).
#[test]
fn who_takes_a_static_seat_over_is_told_by_its_own_client_id_and_host() {
    let spec = Spec::fixed("i", 10_000, 10_000);
    let (mut world, _) = World::stable(std::slice::from_ref(&spec));
    let from = crate::coordinator::Origin {
        client_id: "double",
        host: "/10.0.0.9",
    };
    let ticket = world.send_from(from, 9, spec.request());
    let new = world.joined(ticket);
    world.changes();
    world.sync_now(&new);
    let told: Vec<_> = world
        .changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::MemberJoined(joined) => Some((joined.client_id, joined.host)),
            _ => None,
        })
        .collect();
    assert_eq!(told, [(Some("double".to_owned()), Some("/10.0.0.9".to_owned()))]);
    assert_eq!(world.described().members[0].client_id, "client");
}

#[test]
fn heartbeats_of_members_are_told_each_and_those_of_strangers_as_refused() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.events.clear();
    world.beat(members.first().unwrap());
    world.beat_as(&members[0].member_id, None, 9);
    world.beat_as("nobody", None, 1);
    let told: Vec<_> = world
        .events
        .iter()
        .map(|event| (event.member.clone(), event.change.clone()))
        .collect();
    let member = Some(id(&members[0]));
    let received = |generation, error| Change::HeartbeatReceived {
        generation: Generation(generation),
        error,
    };
    let (refused, received_all): (Vec<_>, Vec<_>) = told
        .into_iter()
        .partition(|(_, change)| change.kind() == "request_refused");
    assert_eq!(
        received_all,
        [(member.clone(), received(1, 0)), (member, received(9, 22))]
    );
    let [
        (
            Some(stranger),
            Change::RequestRefused {
                api, error, times, ..
            },
        ),
    ] = &refused[..]
    else {
        panic!("{refused:?}");
    };
    assert_eq!(
        (stranger.as_str(), api.as_str(), *error, *times),
        ("nobody", "Heartbeat", 25, 1)
    );
}

#[test]
fn a_leave_is_told_with_the_clients_reason() {
    let (mut world, members) = World::stable(&[Spec::default()]);
    world.changes();
    let leaving = shared::protocol::MemberIdentity {
        member_id: members[0].member_id.clone(),
        reason: Some("ä".repeat(1_000)),
        ..Default::default()
    };
    let request = shared::protocol::LeaveGroupRequest {
        group_id: "g".into(),
        members: vec![leaving],
        ..Default::default()
    };
    world.ask(5, request);
    let Some(Change::MemberLeft { cause }) = world.changes().into_iter().next() else {
        panic!("not told")
    };
    assert_eq!(cause, "ä".repeat(255), "cut where Kafka's clients cut it");
}
