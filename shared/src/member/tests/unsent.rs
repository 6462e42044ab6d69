//! Requests that wait in the member because the coordinator's connection is not ready, and what a dead coordinator does to them.

use super::world::*;
use crate::event::{Change, DeathCause};
use crate::ids::NodeId;
use crate::member::{End, Input, Peer};
use crate::rules::{GroupRequest, Rules};

fn dead(world: &World) -> &Change {
    let mut changes = world.changes().into_iter();
    changes
        .find(|change| change.kind() == "coordinator_dead")
        .expect("it lives")
}

fn died_with(unsent: u32) -> Change {
    Change::CoordinatorDead {
        node: NodeId(3),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent,
        again: 0,
    }
}

#[test]
fn a_connect_that_never_completes_fails_the_join_that_waits() {
    for rules in Rules::ALL {
        let mut world = World::new(config(*rules));
        world.find();
        world.pass(5000);
        assert_eq!(world.count(GroupRequest::JoinGroup), 0);
        world.down();
        assert_eq!(*dead(&world), died_with(1));
    }
}

#[test]
fn a_connect_that_never_completes_fails_the_heartbeat_due_after_rediscovery() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.down();
        world.find();
        world.clear();
        world.pass(3000);
        world.down();
        assert_eq!(*dead(&world), died_with(1));
        assert_eq!(world.kinds()[..2], ["coordinator_dead", "heartbeat_failed"]);
        world.assert_stable("consumer", 1);
    }
}

#[test]
fn a_connect_that_never_completes_fails_the_heartbeat_and_the_leave_behind_it() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.down();
        world.find();
        world.pass(3000);
        world.input(Input::Leave { reason: None });
        world.clear();
        world.down();
        assert_eq!(*dead(&world), died_with(2));
        assert!(
            matches!(&world.end, Some(End::Remains { why }) if why.contains("15 COORDINATOR_NOT_AVAILABLE"))
        );
    }
}

#[test]
fn what_waits_goes_out_in_order_once_the_connection_is_ready() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.down();
        world.find();
        world.pass(3000);
        world.input(Input::Leave { reason: None });
        world.up();
        let out: Vec<_> = world
            .waiting
            .iter()
            .map(|request| request.body.key().name())
            .collect();
        assert_eq!(out, ["Heartbeat", "LeaveGroup"]);
        assert!(world.waiting.iter().all(|request| request.at == world.now));
    }
}

#[test]
fn a_disconnect_kills_the_coordinator_before_anything_else_hears_of_it() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.pass(3000);
        world.clear();
        world.down();
        assert_eq!(world.kinds()[..2], ["coordinator_dead", "heartbeat_failed"]);
    }
}

#[test]
fn a_dead_coordinator_does_not_die_twice() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        let link = world.link();
        world.down();
        world.clear();
        world.input(Input::LinkDown {
            link,
            cause: crate::event::LinkFault::Disconnect,
            detail: None,
        });
        assert_eq!(world.kinds(), [""; 0]);
    }
}

#[test]
fn a_second_answer_to_a_request_is_ignored() {
    for rules in Rules::ALL {
        let mut world = World::stable(config(*rules));
        world.pass(3000);
        let heartbeat = world.waiting[0].clone();
        world.answer(beat(0));
        world.clear();
        world.input(Input::Answer {
            link: heartbeat.link,
            token: heartbeat.token,
            result: Ok(beat(25).into()),
        });
        assert_eq!(world.kinds(), [""; 0]);
        world.assert_stable("consumer", 1);
    }
}

#[test]
fn a_lookup_that_fails_the_same_way_is_told_once() {
    for rules in Rules::ALL {
        let mut world = World::new(config(*rules));
        for _ in 0..5 {
            assert_eq!(*world.peer(), Peer::Bootstrap);
            world.down();
            world.pass(1200);
        }
        assert_eq!(world.kinds(), ["coordinator_not_found"]);
        world.up();
        world.refuse(GroupRequest::FindCoordinator, 15);
        assert_eq!(world.kinds(), ["coordinator_not_found"; 2], "another reason");
    }
}

#[test]
fn a_lookup_that_names_no_address_is_a_failure() {
    for rules in Rules::ALL {
        let mut world = World::new(config(*rules));
        world.up();
        let version = world.waits(GroupRequest::FindCoordinator).unwrap().version;
        world.answer(found(version, -1));
        assert!(world.coordinator_unknown());
        assert_eq!(world.kinds(), ["coordinator_not_found"]);
        world.pass(120);
        world.find();
        assert!(!world.coordinator_unknown());
    }
}

#[test]
fn a_lookup_without_an_answer_ends_its_connection_and_is_made_again() {
    for rules in Rules::ALL {
        let mut world = World::new(config(*rules));
        world.up();
        let first = world.link();
        world.time_out(GroupRequest::FindCoordinator);
        assert!(world.links.is_empty());
        world.pass(120);
        assert!(world.link() > first, "a connection of its own");
    }
}
