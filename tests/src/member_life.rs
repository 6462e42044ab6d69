//! The life of group members, as stories that know nothing but a coordinator's address.
//!
//! The same stories run against the embedded coordinator and against Apache Kafka: [`member_life_stories`] makes a test of
//! each, and no story asks which of the two it is in. What a coordinator must have: no initial rebalance delay, sessions
//! from 1 s on, and the topic of [`crate::cast`].

use std::time::Duration;

use backend::kafka::address::Address;
use shared::event::{Change, RejoinCause};
use shared::ids::{Generation, InstanceId};
use shared::rules::Rules;
use shared::time::Millis;

use crate::cast::{self, Cast, PARTITIONS, TOPIC, config};
use crate::group::Group;

/// A test of each story, against the coordinator that `$coordinator` gives: a future of whatever keeps it alive and
/// its [`Address`], or of `None` where the test must be skipped.
#[macro_export]
macro_rules! member_life_stories {
    ($coordinator:path) => {
        $crate::member_life_stories! { $coordinator:
            a_member_joins_alone_and_each_heartbeat_reports_its_latency,
            two_and_then_three_members_share_the_partitions,
            a_member_that_leaves_is_out_at_once_and_the_others_rejoin,
            a_killed_member_stays_until_its_session_is_over_and_then_the_others_rejoin,
            a_member_that_rejoins_after_27_keeps_its_member_id,
            a_static_member_restarts_within_its_session_without_a_rebalance,
            members_live_a_whole_life_by_the_rules_of_kafka_0_10,
            a_shutdown_leaves_an_empty_group,
            what_the_coordinator_refuses_is_told_with_its_reason,
        }
    };
    ($coordinator:path: $($story:ident,)*) => {
        $(
            #[tokio::test]
            async fn $story() {
                if let Some((_alive, address)) = $coordinator().await {
                    $crate::member_life::$story(address).await;
                }
            }
        )*
    };
}

/// One member, alone in its group.
pub async fn a_member_joins_alone_and_each_heartbeat_reports_its_latency(coordinator: Address) {
    let mut cast = Cast::start(config(&coordinator, "life-alone", 1));
    let (member, joined) = cast
        .until("it has joined", |seen| {
            seen.iter().find_map(|report| match &report.change {
                Change::MemberJoined(joined) => Some((report.member.clone(), joined.clone())),
                _ => None,
            })
        })
        .await;
    let member = member.expect("whoever joins has a name");
    assert!(
        member.as_str().starts_with("life-alone-1-"),
        "made of its client id: {member}"
    );
    assert_eq!(joined.generation, Some(Generation(1)), "the first of a new group");
    assert_eq!(joined.session_timeout_ms, Some(cast::SESSION.0));
    let beats = cast
        .until("five heartbeats were answered", |seen| {
            let beats: Vec<_> = seen.iter().filter_map(cast::good_beat).collect();
            (beats.len() >= 5).then_some(beats)
        })
        .await;
    for beat in beats {
        assert_eq!((&beat.member, beat.generation), (&member, Generation(1)));
        assert!(beat.latency_us > 0);
    }
    assert!(
        cast.seen
            .iter()
            .all(|report| report.cluster == cast.seen[0].cluster && !report.cluster.is_empty())
    );
}

/// Range assignment, and a rebalance that a newcomer causes.
pub async fn two_and_then_three_members_share_the_partitions(coordinator: Address) {
    let mut cast = Cast::start(config(&coordinator, "life-sharing", 2));
    let group = Group::new(&coordinator, "life-sharing", TOPIC);
    let two = cast.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert_eq!(two.shares(), [3, 3]);
    cast.forget();
    cast.probes.add(1).await.expect("room for one");
    let three = cast.while_going_on(group.shared_by(3, PARTITIONS)).await;
    assert_eq!(three.shares(), [2, 2, 2]);
    assert!(
        two.members().is_subset(&three.members()),
        "nobody lost its member id"
    );
    cast.until("the first two were told to rejoin and did", |seen| {
        let of_both = |wanted: fn(&Change) -> bool| {
            two.members().iter().all(|member| {
                seen.iter()
                    .any(|report| report.member.as_ref() == Some(member) && wanted(&report.change))
            })
        };
        let told = of_both(|change| matches!(change, Change::RejoinNeeded { error: Some(27), .. }));
        let rejoined = of_both(|change| matches!(change, Change::MemberRejoined(_)));
        (told && rejoined).then_some(())
    })
    .await;
}

/// LeaveGroup: no session has to end first.
pub async fn a_member_that_leaves_is_out_at_once_and_the_others_rejoin(coordinator: Address) {
    let mut cast = Cast::start(config(&coordinator, "life-leaving", 3));
    let group = Group::new(&coordinator, "life-leaving", TOPIC);
    let before = cast.while_going_on(group.shared_by(3, PARTITIONS)).await;
    let leaver = before.members().iter().next().expect("three members").clone();
    cast.probes.leave(leaver.as_str()).expect("a member of ours");
    cast.until("it has left", |seen| {
        let left = |report: &&shared::event::Observation| {
            report.member.as_ref() == Some(&leaver) && matches!(report.change, Change::MemberLeft { .. })
        };
        seen.iter().find(left).map(|_| ())
    })
    .await;
    let after = cast.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert!(!after.members().contains(&leaver) && after.members().is_subset(&before.members()));
    assert_eq!(after.shares(), [3, 3]);
}

/// The end of a process: the coordinator finds out by silence.
pub async fn a_killed_member_stays_until_its_session_is_over_and_then_the_others_rejoin(
    coordinator: Address,
) {
    let mut cast = Cast::start(config(&coordinator, "life-killed", 3));
    let group = Group::new(&coordinator, "life-killed", TOPIC);
    let before = cast.while_going_on(group.shared_by(3, PARTITIONS)).await;
    let victim = before.members().iter().next().expect("three members").clone();
    cast.probes.kill(victim.as_str()).expect("a member of ours");
    cast.forget();
    // As long as the session lasts nobody else notices: the others' heartbeats are answered 0 in the old generation.
    cast.until("the others went on for a while", |seen| {
        let went_on = |member: &shared::ids::MemberId| {
            let beats = seen.iter().filter_map(cast::good_beat);
            beats.filter(|beat| beat.member == *member).count() >= 2
        };
        before
            .members()
            .iter()
            .filter(|member| **member != victim)
            .all(went_on)
            .then_some(())
    })
    .await;
    let told = |report: &shared::event::Observation| matches!(report.change, Change::RejoinNeeded { .. });
    assert!(
        !cast.seen.iter().any(told),
        "told to rejoin at once: {:?}",
        cast.seen
    );
    let after = cast.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert!(!after.members().contains(&victim));
    assert!(cast.seen.iter().any(told));
}

/// REBALANCE_IN_PROGRESS is no loss of membership.
pub async fn a_member_that_rejoins_after_27_keeps_its_member_id(coordinator: Address) {
    let mut cast = Cast::start(config(&coordinator, "life-rejoining", 1));
    let group = Group::new(&coordinator, "life-rejoining", TOPIC);
    let alone = cast.while_going_on(group.shared_by(1, PARTITIONS)).await;
    cast.probes.add(1).await.expect("room for one");
    let member = alone.members().first().expect("one member").clone();
    let (cause, cleared) = cast
        .until("it was told to rejoin", |seen| {
            seen.iter().find_map(|report| match report.change {
                Change::RejoinNeeded {
                    cause,
                    member_id_cleared,
                    ..
                } => Some((cause, member_id_cleared)),
                _ => None,
            })
        })
        .await;
    assert_eq!((cause, cleared), (RejoinCause::RebalanceInProgress, false));
    let rejoined = cast
        .until("it has rejoined", |seen| {
            seen.iter().find_map(|report| match &report.change {
                Change::MemberRejoined(joined) => Some((report.member.clone(), joined.generation)),
                _ => None,
            })
        })
        .await;
    assert_eq!(rejoined, (Some(member), Some(Generation(2))));
}

/// KIP-345: the same instance id, a new member id, the same generation.
pub async fn a_static_member_restarts_within_its_session_without_a_rebalance(coordinator: Address) {
    let mut lasting = Cast::start(config(&coordinator, "life-static", 1));
    let group = Group::new(&coordinator, "life-static", TOPIC);
    lasting.while_going_on(group.shared_by(1, PARTITIONS)).await;
    let restarting = || {
        let mut config = config(&coordinator, "life-static", 1);
        config.member.instance = Some(InstanceId::from("fixed"));
        config.member.client_id = "fixed".to_owned();
        // Long enough to come back on a slow machine.
        config.member.session_timeout = Millis(30_000);
        Cast::start(config)
    };
    let first = restarting();
    let before = lasting.while_going_on(group.shared_by(2, PARTITIONS)).await;
    let generation = lasting.generation().await;
    lasting.forget();
    // Dropped as a process that is killed: no LeaveGroup.
    drop(first);
    let mut second = restarting();
    let joined = second
        .until("the static member is back", |seen| {
            seen.iter().find_map(|report| match &report.change {
                Change::MemberJoined(joined) => Some(joined.clone()),
                _ => None,
            })
        })
        .await;
    assert_eq!(joined.generation, Some(generation), "no new generation");
    assert_eq!(joined.instance_id, Some(InstanceId::from("fixed-1")));
    lasting
        .until("the lasting member went on", |seen| {
            (seen.iter().filter_map(cast::good_beat).count() >= 5).then_some(())
        })
        .await;
    let told = |report: &shared::event::Observation| matches!(report.change, Change::RejoinNeeded { .. });
    assert!(!lasting.seen.iter().any(told), "{:?}", lasting.seen);
    let after = lasting.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert_eq!(lasting.generation().await, generation);
    assert_ne!(
        after.members(),
        before.members(),
        "the coordinator gave it a new member id"
    );
    assert_eq!(after.shares(), before.shares());
}

/// The seed's rules and versions: JoinGroup 0 knows no member id that is required, and no rebalance timeout.
pub async fn members_live_a_whole_life_by_the_rules_of_kafka_0_10(coordinator: Address) {
    let mut config = config(&coordinator, "life-seed", 2);
    config.member.rules = Rules::V0_10;
    let mut cast = Cast::start(config);
    let group = Group::new(&coordinator, "life-seed", TOPIC);
    let two = cast.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert_eq!(two.shares(), [3, 3]);
    let first = cast.generation().await;
    cast.probes.add(1).await.expect("room for one");
    let three = cast.while_going_on(group.shared_by(3, PARTITIONS)).await;
    assert!(two.members().is_subset(&three.members()), "27 costs no member id");
    let second = cast.generation().await;
    assert!(second > first);
    let leaver = two.members().pop_first().expect("two members");
    cast.probes.leave(leaver.as_str()).expect("a member of ours");
    let rest = cast.while_going_on(group.shared_by(2, PARTITIONS)).await;
    assert!(!rest.members().contains(&leaver));
    assert!(cast.generation().await > second);
}

/// What Ctrl-C does.
pub async fn a_shutdown_leaves_an_empty_group(coordinator: Address) {
    let mut cast = Cast::start(config(&coordinator, "life-shutdown", 3));
    let group = Group::new(&coordinator, "life-shutdown", TOPIC);
    cast.while_going_on(group.shared_by(3, PARTITIONS)).await;
    let Cast {
        probes, mut reports, ..
    } = cast;
    // Somebody must take what the members report, or they wait.
    let listening = tokio::spawn(async move { while reports.recv().await.is_some() {} });
    let farewell = probes.shutdown(Duration::from_secs(30)).await;
    assert_eq!((farewell.left, farewell.remaining), (3, 0));
    listening.await.expect("no member reports any more");
    group.empty().await;
}

/// Errors that no retry mends.
pub async fn what_the_coordinator_refuses_is_told_with_its_reason(coordinator: Address) {
    let mut endless = config(&coordinator, "life-refused", 1);
    endless.member.session_timeout = Millis(30 * 60 * 1000 + 1);
    let mut nameless = config(&coordinator, "", 1);
    nameless.member.client_id = "nameless".to_owned();
    for (config, code, name) in [
        (endless, 26, "INVALID_SESSION_TIMEOUT"),
        (nameless, 24, "INVALID_GROUP_ID"),
    ] {
        let mut cast = Cast::start(config);
        let (error, sentence) = cast
            .until("its member has failed", |seen| {
                seen.iter().find_map(|report| match &report.change {
                    Change::MemberFailed { error, sentence, .. } => Some((*error, sentence.clone())),
                    _ => None,
                })
            })
            .await;
        assert_eq!(error, Some(code));
        assert!(sentence.contains(name), "{sentence}");
        let wrong = cast
            .probes
            .kill("ghost")
            .expect_err("nobody is called so")
            .to_string();
        assert!(wrong.contains("'ghost'"), "{wrong}");
    }
}
