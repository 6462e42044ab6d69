//! Kafka 0.10.0: when its heartbeats run (protocol.md 5.A), as facts of poll and deadline. The arithmetic alone is in
//! `heartbeat/tests.rs`.

use super::world::*;
use crate::error_code;
use crate::event::{Change, DeathCause, LinkFault, WithheldReason};
use crate::member::{Config, Input};
use crate::protocol::AnyRequest;
use crate::rules::{GroupRequest, Rules};
use crate::time::{Millis, Timestamp};

/// Interval 100, session 300, backoff 20, as in A18 and A19; request timeout 40000.
fn quick() -> Config {
    Config {
        session_timeout: Millis(300),
        heartbeat_interval: Millis(100),
        retry_backoff: Millis(20),
        ..config(Rules::V0_10)
    }
}

fn since(start: Timestamp, at: Option<Timestamp>) -> Option<u64> {
    at.map(|at| at.micros_since(start) / 1000)
}

/// A06: Kafka's task queue gives the first due time and runs everything that is due.
#[test]
fn the_deadline_is_the_earliest_of_all_that_is_pending() {
    let mut world = World::stable(quick());
    let start = world.now;
    assert_eq!(since(start, world.member.deadline()), Some(100), "the heartbeat");
    world.pass(100);
    assert_eq!(world.member.deadline(), None, "the answer is awaited");
    world.down();
    // The lookup goes out at once, the heartbeat task looks again after its backoff.
    assert_eq!(*world.peer(), crate::member::Peer::Bootstrap);
    assert_eq!(since(start, world.member.deadline()), Some(120));
    world.pass(20);
    assert_eq!(
        since(start, world.member.deadline()),
        Some(100 + 40_000),
        "the lookup that waits"
    );
}

/// A08: a request is pending from the moment it is made until it is answered.
#[test]
fn a_request_waits_for_its_connection_and_then_for_its_answer() {
    let mut world = World::new(config(Rules::V0_10));
    world.find();
    assert!(
        world.waits(GroupRequest::JoinGroup).is_none(),
        "nothing is on the wire"
    );
    assert!(
        world
            .member
            .coordinator
            .as_ref()
            .unwrap()
            .link
            .has(GroupRequest::JoinGroup)
    );
    world.up();
    assert!(world.waits(GroupRequest::JoinGroup).is_some());
    world.answer(joined("consumer", 1, "consumer", &["consumer"]));
    assert!(
        !world
            .member
            .coordinator
            .as_ref()
            .unwrap()
            .link
            .has(GroupRequest::JoinGroup)
    );
}

/// A09.
#[test]
fn two_requests_to_one_coordinator_go_out_in_order_and_are_both_answered() {
    let mut world = World::stable(config(Rules::V0_10));
    world.pass(3000);
    world.input(Input::Leave { reason: None });
    let out: Vec<_> = world
        .waiting
        .iter()
        .map(|request| request.body.key().name())
        .collect();
    assert_eq!(out, ["Heartbeat", "LeaveGroup"]);
    world.answer(beat(error_code::NONE));
    world.answer(left(&[]));
    assert!(world.saw("heartbeat_answered"));
    assert!(world.saw("member_left"));
}

/// A10.
#[test]
fn the_task_runs_when_its_time_has_come_and_not_before() {
    let mut world = World::stable(quick());
    let start = world.now;
    world.pass(99);
    assert_eq!(world.beats_since(start), [0; 0]);
    world.pass(1);
    assert_eq!(world.beats_since(start), [100]);
    world.answer(beat(error_code::NONE));
    world.pass(99);
    assert_eq!(world.beats_since(start), [100]);
    world.pass(1);
    assert_eq!(world.beats_since(start), [100, 200]);
}

/// A11: a wake-up that is not a deadline.
#[test]
fn a_tick_too_early_loses_no_request() {
    let mut world = World::stable(quick());
    world.pass(100);
    for _ in 0..10 {
        world.input(Input::Tick);
    }
    assert_eq!(world.waiting.len(), 1);
    world.answer(beat(error_code::NONE));
    assert!(world.saw("heartbeat_answered"));
}

/// A12: unsent requests expire by their own age; a connection that failed fails them all.
#[test]
fn a_request_that_waits_too_long_for_its_connection_fails_alone() {
    let config = Config {
        heartbeat_interval: Millis(9000),
        request_timeout: Millis(10_001),
        ..config(Rules::V0_10)
    };
    let mut world = World::stable(config);
    world.down();
    world.find();
    let found = world.now;
    // Nobody lets the connection come up: the heartbeat waits from 9000 on, the LeaveGroup from 12000 on.
    world.pass(9000);
    world.pass(3000);
    world.input(Input::Leave { reason: None });
    world.clear();
    world.pass_until(found + Millis(19_001));
    assert_eq!(
        world.changes(),
        [&Change::HeartbeatFailed {
            generation: crate::ids::Generation(1),
            cause: LinkFault::Timeout,
            detail: Some("never sent: the connection was not ready in time".to_owned()),
        }]
    );
    assert!(world.end.is_none(), "the LeaveGroup still waits");
    world.up();
    assert!(world.waits(GroupRequest::Heartbeat).is_none());
    world.answer(left(&[]));
    assert!(world.saw("member_left"));
}

/// A18: the backoff runs the guard early, and the guard says "not due".
#[test]
fn after_a_failure_the_next_heartbeat_is_still_an_interval_after_the_last_send() {
    let mut world = World::stable(quick());
    let start = world.now;
    for code in [
        error_code::NONE,
        error_code::NONE,
        error_code::COORDINATOR_LOAD_IN_PROGRESS,
    ] {
        world.pass(world.member.deadline().unwrap().micros_since(world.now) / 1000);
        world.pass(5);
        world.answer(beat(code));
    }
    assert_eq!(world.beats_since(start), [100, 200, 300]);
    assert_eq!(since(start, world.member.deadline()), Some(325));
    world.pass_until(start + Millis(325));
    assert_eq!(world.beats_since(start), [100, 200, 300], "not due");
    assert_eq!(since(start, world.member.deadline()), Some(400));
    world.pass_until(start + Millis(400));
    assert_eq!(world.beats_since(start), [100, 200, 300, 400]);
}

/// The other half of A18: a backoff above the interval does decide.
#[test]
fn only_an_answer_later_than_the_interval_makes_the_backoff_decide() {
    let mut world = World::stable(quick());
    let start = world.now;
    world.pass(100);
    world.pass(95);
    world.answer(beat(error_code::COORDINATOR_LOAD_IN_PROGRESS));
    world.pass_until(start + Millis(214));
    assert_eq!(world.beats_since(start), [100]);
    world.pass_until(start + Millis(215));
    assert_eq!(world.beats_since(start), [100, 215]);
}

/// A19: a mute coordinator costs the request timeout, not the session timeout.
#[test]
fn while_a_heartbeat_is_out_the_end_of_the_session_goes_unnoticed() {
    let mut world = World::stable(quick());
    let start = world.now;
    world.clear();
    world.pass_until(start + Millis(40_099));
    assert_eq!(world.beats_since(start), [100]);
    assert_eq!(world.kinds(), [""; 0], "nobody looks");
    world.pass_until(start + Millis(40_100));
    world.down();
    assert_eq!(world.kinds(), ["coordinator_dead", "heartbeat_failed"]);
    assert_eq!(
        since(start, world.member.task.deadline()),
        Some(40_120),
        "queued after the backoff"
    );
    world.pass_until(start + Millis(40_120));
    assert_eq!(
        world.member.task.deadline(),
        None,
        "that run returns, and nothing is queued"
    );
    assert_eq!(
        *world.changes().last().unwrap(),
        &Change::HeartbeatWithheld {
            reason: WithheldReason::CoordinatorUnknown,
            for_ms: None
        }
    );
    world.pass_until(start + Millis(50_000));
    world.find();
    world.up();
    let found = world.now;
    world.pass(99);
    assert_eq!(world.beats_since(found), [0; 0]);
    world.pass(1);
    assert_eq!(
        world.beats_since(found),
        [100],
        "an interval after the rediscovery"
    );
}

/// A20. A rediscovery cannot come while a heartbeat is out on the only connection, so the task is asked directly.
#[test]
fn a_reset_while_a_heartbeat_is_out_queues_nothing_until_the_answer() {
    let mut world = World::stable(quick());
    world.pass(100);
    assert!(world.member.task.in_flight());
    let now = world.now + Millis(10);
    world.member.restart_heartbeats(now);
    assert_eq!(world.member.deadline(), None);
    assert!(
        !world.member.heartbeat.session_over(now + Millis(300)),
        "the session started again"
    );
    world.pass(20);
    world.answer(beat(error_code::NONE));
    assert_eq!(world.member.deadline(), Some(now + Millis(100)));
    world.pass(200);
    assert_eq!(world.beats_since(now).len(), 1, "once");
}

/// Trap 2, on the machine: at exactly 300 the session lives, and with it the heartbeat that is due.
#[test]
fn the_guard_finds_the_session_over_before_it_looks_whether_one_is_due() {
    let mut world = World::stable(quick());
    let start = world.now;
    // Errors do not renew the session: 14 at 100, 200 and 300.
    for _ in 0..3 {
        world.pass_until(Timestamp(world.member.task.deadline().unwrap().0));
        if world.waits(GroupRequest::Heartbeat).is_none() {
            world.pass_until(world.member.task.deadline().unwrap());
        }
        world.refuse(GroupRequest::Heartbeat, error_code::COORDINATOR_LOAD_IN_PROGRESS);
    }
    assert_eq!(world.beats_since(start), [100, 200, 300]);
    world.clear();
    world.pass_until(start + Millis(400));
    assert_eq!(world.beats_since(start), [100, 200, 300], "at 320 it is over");
    let dead = world
        .changes()
        .into_iter()
        .find(|change| change.kind() == "coordinator_dead");
    assert!(matches!(
        dead,
        Some(Change::CoordinatorDead {
            cause: DeathCause::SessionOver,
            ..
        })
    ));
}

#[test]
fn v0_10_speaks_the_lowest_versions() {
    let mut world = World::stable(config(Rules::V0_10));
    world.pass(3000);
    world.answer(beat(error_code::NONE));
    world.input(Input::Leave { reason: None });
    assert!(
        world.sent.iter().all(|sent| sent.version == 0),
        "{:?}",
        world.sent
    );
    assert!(
        matches!(&world.sent.last().unwrap().body, AnyRequest::LeaveGroup(leave) if leave.member_id == "consumer")
    );
}
