//! Today's classic client: its heartbeats (protocol.md 5.C, `HeartbeatTest` and `AbstractCoordinatorTest`).

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, DeathCause, LinkFault, RejoinCause, WithheldReason};
use crate::ids::Generation;
use crate::member::{AnswerFault, Config, End, Fatal, Input, State};
use crate::protocol::AnyResponse;
use crate::rules::{GroupRequest, Rules};
use crate::time::Millis;

/// A stable member in generation 1 whose heartbeat is out.
fn heartbeat_out() -> World {
    let mut world = World::stable(config(Rules::MODERN));
    world.pass(3000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
    world.clear();
    world
}

/// C11: latencies 1, 6, 2; the time since the last heartbeat is unknown before the first.
#[test]
fn each_latency_is_told_and_the_last_send_is_unknown_before_the_first() {
    let mut world = World::stable(config(Rules::MODERN));
    assert_eq!(world.member.heartbeat.last_send(), None);
    for latency in [1, 6, 2] {
        world.pass_until(world.member.deadline().unwrap());
        assert_eq!(world.member.heartbeat.last_send(), Some(world.now));
        world.pass(latency);
        world.answer(beat(NONE));
    }
    let latencies: Vec<u64> = world
        .changes()
        .into_iter()
        .filter_map(|change| match change {
            Change::HeartbeatAnswered { latency_us, .. } => Some(*latency_us),
            _ => None,
        })
        .collect();
    assert_eq!(latencies, [1000, 6000, 2000]);
}

/// Trap 65: an error took its time, too.
#[test]
fn the_latency_of_an_error_is_told_like_any_other() {
    let mut world = heartbeat_out();
    world.pass(7);
    world.answer(beat(NOT_COORDINATOR));
    assert_eq!(
        world.changes()[0],
        &Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 7000,
            error: 16,
            renews: false,
            behind: None,
        }
    );
}

/// C19, KAFKA-10134.
#[test]
fn heartbeats_are_sent_from_the_join_answer_on_and_27_to_them_is_ignored() {
    let mut world = World::new(config(Rules::MODERN));
    world.find();
    world.up();
    world.refuse_with_id("consumer");
    world.answer(joined("consumer", 1, "leader", &[]));
    assert_eq!(world.member.state(), State::CompletingRebalance);
    world.pass(3000);
    assert!(world.member.task.in_flight());
    world.clear();
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert!(!world.member.task.in_flight());
    assert_eq!(world.member.generation(), Generation(1));
    assert_eq!(
        world.changes(),
        [&Change::HeartbeatAnswered {
            generation: Generation(1),
            latency_us: 0,
            error: 27,
            renews: true,
            behind: Some("SyncGroup".to_owned()),
        }]
    );
    world.answer(synced());
    world.assert_stable("consumer", 1);
}

/// C20, C22, KAFKA-9823: Kafka's tests put the new generation in by hand, too.
#[test]
fn an_answer_22_25_or_82_to_an_older_generation_changes_nothing_and_is_a_success() {
    for code in [ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID] {
        let mut world = heartbeat_out();
        world.member.membership.generation = Generation(2);
        world.answer(beat(code));
        assert!(!world.member.task.in_flight());
        world.assert_stable("consumer", 2);
        assert!(!world.must_rejoin());
        assert_eq!(world.member.heartbeat.last_receive(), Some(world.now));
        assert_eq!(world.kinds(), ["heartbeat_answered"]);
    }
}

/// The comparison covers the generation, the member id and the protocol.
#[test]
fn another_member_id_or_protocol_makes_an_answer_stale_too() {
    let mut world = heartbeat_out();
    world.member.membership.member_id = "other".into();
    world.answer(beat(UNKNOWN_MEMBER_ID));
    world.assert_stable("other", 1);

    let mut world = heartbeat_out();
    world.member.membership.protocol = Some("sticky".into());
    world.answer(beat(UNKNOWN_MEMBER_ID));
    world.assert_stable("consumer", 1);
}

#[test]
fn a_heartbeat_answered_22_keeps_the_member_id_and_25_clears_it_and_both_unjoin() {
    for (code, cause, kept) in [
        (ILLEGAL_GENERATION, RejoinCause::IllegalGeneration, "consumer"),
        (UNKNOWN_MEMBER_ID, RejoinCause::UnknownMemberId, ""),
    ] {
        let mut world = heartbeat_out();
        world.answer(beat(code));
        assert_eq!(world.member.generation(), Generation::NONE);
        assert_eq!(world.joining().member_id, kept);
        assert!(world.changes().contains(&&Change::RejoinNeeded {
            cause,
            error: Some(code),
            member_id_cleared: kept.is_empty(),
            detail: None,
        }));
        assert_eq!(world.saw("member_gone"), code == UNKNOWN_MEMBER_ID);
    }
}

/// C23.
#[test]
fn a_heartbeat_answered_27_while_the_join_runs_resets_no_generation() {
    let mut world = heartbeat_out();
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    assert_eq!(
        world.member.state(),
        State::PreparingRebalance,
        "the join does not wait"
    );
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert_eq!(world.member.generation(), Generation(1));
    assert_eq!(world.member.state(), State::PreparingRebalance);
    world.answer(joined("consumer", 2, "leader", &[]));
    world.answer(synced());
    world.assert_stable("consumer", 2);
}

/// Trap 35, 36.
#[test]
fn a_heartbeat_answered_27_renews_the_session_and_rejoins_with_the_same_id() {
    let mut world = heartbeat_out();
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert_eq!(world.member.heartbeat.last_receive(), Some(world.now));
    assert_eq!(world.joining().member_id, "consumer");
    assert_eq!(
        world.joining().reason.as_deref(),
        Some("told that the group rebalances")
    );
}

/// Trap 36.
#[test]
fn a_member_that_must_rejoin_goes_on_heartbeating_until_its_join_is_sent() {
    let mut world = World::stable(config(Rules::MODERN));
    world.down();
    world.find();
    world.member.joining.again_later(world.now + Millis(8000));
    world.input(Input::Subscribe(vec!["payments".to_owned()]));
    world.up();
    assert_eq!(world.member.state(), State::Stable);
    world.pass(3000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
}

/// C24.
#[test]
fn a_heartbeat_answered_82_ends_the_member_for_good() {
    let mut world = heartbeat_out();
    world.answer(beat(FENCED_INSTANCE_ID));
    assert!(matches!(
        &world.end,
        Some(End::Fatal(Fatal { code: Some(82), .. }))
    ));
    assert!(world.saw("member_fenced"));
    assert_eq!(world.member.deadline(), None);
    assert!(world.links.is_empty());
}

#[test]
fn a_heartbeat_answered_30_ends_the_member() {
    let mut world = heartbeat_out();
    world.answer(beat(GROUP_AUTHORIZATION_FAILED));
    assert!(matches!(
        &world.end,
        Some(End::Fatal(Fatal { code: Some(30), .. }))
    ));
    assert!(world.saw("not_authorized"));
}

/// C30: Kafka's thread slept through it for the whole backoff (KAFKA-5512).
#[test]
fn a_heartbeat_goes_out_when_it_is_due_however_long_the_backoff() {
    let config = Config {
        retry_backoff: Millis(10_000),
        retry_backoff_max: Millis(10_000),
        ..config(Rules::MODERN)
    };
    let mut world = World::stable(config);
    let start = world.now;
    assert_eq!(world.member.deadline(), Some(start + Millis(3000)));
    world.pass(3000);
    assert_eq!(world.beats_since(start), [3000]);
}

/// C31: an error in the thread must reach somebody; here one in handling an answer does.
#[test]
fn an_answer_that_cannot_be_handled_fails_its_request_and_is_told() {
    let mut world = heartbeat_out();
    let heartbeat = world.waiting.remove(0);
    world.input(Input::Answer {
        link: heartbeat.link,
        token: heartbeat.token,
        result: Ok(AnyResponse::from(synced())),
    });
    assert_eq!(
        world.changes(),
        [&Change::HeartbeatFailed {
            generation: Generation(1),
            cause: LinkFault::Garbled,
            detail: Some("answer to Heartbeat: it is one to SyncGroup".to_owned()),
        }]
    );
    assert!(!world.coordinator_unknown(), "nothing else fails");
    world.pass(120);
    assert!(
        world.waits(GroupRequest::Heartbeat).is_some(),
        "the machinery goes on"
    );
}

/// C32: credentials are refused by the connection, before any request; the sentence reaches the event.
#[test]
fn a_connection_refused_for_its_credentials_costs_no_membership() {
    let mut world = heartbeat_out();
    let link = world.link();
    world.links.remove(&link);
    world.waiting.clear();
    world.input(Input::LinkDown {
        link,
        cause: LinkFault::Disconnect,
        detail: Some("SASL authentication failed".to_owned()),
    });
    assert!(matches!(
        world.changes()[0],
        Change::CoordinatorDead { detail: Some(words), .. } if words == "SASL authentication failed"
    ));
    world.find();
    world.up();
    world.pass(1000);
    world.answer(beat(NONE));
    world.assert_stable("consumer", 1);
    assert!(!world.saw("rejoin_needed"));
}

/// Protocol.md 1.8: also while a heartbeat is out; the membership is kept.
#[test]
fn a_mute_coordinator_costs_the_session_timeout_and_the_heartbeat_out_fails() {
    let mut world = World::stable(config(Rules::MODERN));
    let joined = world.now;
    world.clear();
    world.pass(9999);
    assert_eq!(world.beats_since(joined), [3000], "at most one in flight");
    let link = world.link();
    world.pass(1);
    assert!(!world.links.contains_key(&link), "its connection is closed");
    assert_eq!(
        world.kinds(),
        ["coordinator_dead", "heartbeat_failed", "heartbeat_withheld"]
    );
    assert!(matches!(
        world.changes()[0],
        Change::CoordinatorDead {
            cause: DeathCause::SessionOver,
            ..
        }
    ));
    let failed = matches!(
        world.changes()[1],
        Change::HeartbeatFailed { detail: Some(why), .. } if why == "closed by us: the session was over"
    );
    assert!(failed, "{:?}", world.changes()[1]);
    assert_eq!(
        world.changes()[2],
        &Change::HeartbeatWithheld {
            reason: WithheldReason::CoordinatorUnknown,
            for_ms: None
        }
    );
    world.assert_stable("consumer", 1);
    world.find();
    world.up();
    world.pass(120);
    assert_eq!(
        world.beats_since(joined).len(),
        2,
        "after the backoff, not an interval later"
    );
}

/// Trap 8, the other way round.
#[test]
fn a_rediscovery_does_not_postpone_the_next_heartbeat() {
    let mut world = World::stable(config(Rules::MODERN));
    let start = world.now;
    world.pass(2000);
    world.down();
    world.find();
    world.up();
    world.pass(1000);
    assert_eq!(world.beats_since(start), [3000]);
}

#[test]
fn a_heartbeat_that_times_out_kills_the_coordinator_first() {
    let config = Config {
        request_timeout: Millis(5000),
        ..config(Rules::MODERN)
    };
    let mut world = World::stable(config);
    world.pass(3000);
    assert_eq!(
        world.waits(GroupRequest::Heartbeat).unwrap().timeout,
        Millis(5000)
    );
    world.clear();
    world.time_out(GroupRequest::Heartbeat);
    assert_eq!(
        world.kinds(),
        ["coordinator_dead", "heartbeat_failed", "heartbeat_withheld"]
    );
    assert!(matches!(
        world.changes()[1],
        Change::HeartbeatFailed {
            cause: LinkFault::Timeout,
            ..
        }
    ));
}

#[test]
fn garbage_ends_the_connection_and_says_so() {
    let mut world = heartbeat_out();
    let heartbeat = world.waiting.remove(0);
    world.input(Input::Answer {
        link: heartbeat.link,
        token: heartbeat.token,
        result: Err(AnswerFault::Garbled {
            detail: "3 bytes left over".to_owned(),
        }),
    });
    assert!(!world.links.contains_key(&heartbeat.link));
    assert!(matches!(
        world.changes()[0],
        Change::CoordinatorDead { cause: DeathCause::Disconnect, detail: Some(words), .. } if words == "3 bytes left over"
    ));
}

/// Trap 22: an answer of a connection that is over belongs to nobody.
#[test]
fn a_late_answer_of_an_old_coordinator_does_not_hurt_the_new_one() {
    let mut world = heartbeat_out();
    let late = world.waiting[0].clone();
    world.pass(9999);
    world.find();
    world.up();
    world.clear();
    for code in [NOT_COORDINATOR, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID] {
        world.input(Input::Answer {
            link: late.link,
            token: late.token,
            result: Ok(beat(code).into()),
        });
    }
    assert!(!world.coordinator_unknown());
    world.assert_stable("consumer", 1);
    assert_eq!(world.kinds(), [""; 0]);
}
