//! A coordinator that owes an answer while somebody outside of the group sees that another broker is it, or that it is silent.

use super::world::*;
use crate::error_code::*;
use crate::event::{Change, DeathCause};
use crate::ids::NodeId;
use crate::member::{Input, Outlook, Peer};
use crate::rules::{GroupRequest, Rules};

/// Broker 3 is the coordinator of [`World::stable`].
fn seen(coordinator: Option<i32>, answering: &[i32]) -> Input {
    Input::Outlook(Outlook {
        coordinator: coordinator.map(NodeId),
        answering: answering.iter().copied().map(NodeId).collect(),
    })
}

/// Stable, and its coordinator has owed it the answer to a heartbeat for a second.
fn owed() -> World {
    let mut world = World::stable(config(Rules::MODERN));
    world.pass(3000);
    assert!(world.waits(GroupRequest::Heartbeat).is_some());
    world.pass(1000);
    world.clear();
    world
}

/// The lookup that is out names this broker.
fn names(world: &mut World, node: i32) {
    assert_eq!(*world.peer(), Peer::Bootstrap);
    world.up();
    let version = world
        .waits(GroupRequest::FindCoordinator)
        .expect("no lookup")
        .version;
    world.answer(found(version, node));
}

#[test]
fn a_coordinator_that_owes_an_answer_is_given_up_as_soon_as_another_broker_is_named() {
    let mut world = owed();
    let start = world.now;
    world.input(seen(Some(2), &[1, 2]));
    names(&mut world, 2);
    assert_eq!(world.now, start, "nothing was waited for");
    assert_eq!(
        world.changes()[0],
        &Change::CoordinatorDead {
            node: NodeId(3),
            cause: DeathCause::Moved,
            detail: None,
            unsent: 0,
            again: 0,
        }
    );
    assert!(world.saw("heartbeat_failed") && world.saw("coordinator_found"));
    world.assert_stable("consumer", 1);
    world.up();
    world.pass(1000);
    world.answer(beat(NONE));
    world.assert_stable("consumer", 1);
    assert!(!world.saw("rejoin_needed"), "{:?}", world.kinds());
}

#[test]
fn one_that_is_only_seen_to_be_silent_is_heard_out_and_looked_for_until_another_is_named() {
    let mut world = owed();
    world.input(seen(Some(3), &[1, 2]));
    for _ in 0..2 {
        names(&mut world, 3);
        assert!(!world.coordinator_unknown());
        let asked = world.count(GroupRequest::FindCoordinator);
        world.pass(1000);
        assert_eq!(*world.peer(), Peer::Bootstrap, "it is looked for again");
        world.up();
        assert_eq!(world.count(GroupRequest::FindCoordinator), asked + 1);
        world.refuse(GroupRequest::FindCoordinator, COORDINATOR_NOT_AVAILABLE);
        world.pass(1000);
    }
    assert!(world.events.is_empty(), "{:?}", world.kinds());
    world.answer(beat(NONE));
    assert_eq!(
        world.kinds(),
        ["heartbeat_answered"],
        "it was slow, and its time is told"
    );
    world.answer(beat(NONE));
    assert_eq!(
        world.links.len(),
        1,
        "that the next one was due is answered too: nobody looks any more"
    );
}

#[test]
fn one_that_owes_nothing_is_not_doubted() {
    let mut world = World::stable(config(Rules::MODERN));
    world.input(seen(Some(2), &[1, 2]));
    assert_eq!(world.links.len(), 1);
    world.pass(3000);
    assert_eq!(world.links.len(), 2, "the heartbeat that went out now is owed");
    world.answer(beat(NONE));
    assert_eq!(world.links.len(), 1);
}

#[test]
fn where_no_broker_answers_none_is_doubted_for_its_silence() {
    let mut world = owed();
    world.input(seen(Some(3), &[]));
    world.input(seen(None, &[3]));
    assert_eq!(world.links.len(), 1);
}

#[test]
fn a_join_that_waits_at_a_broker_that_stands_still_is_made_at_the_next_one_under_the_same_id() {
    let mut world = World::stable(config(Rules::MODERN));
    world.pass(3000);
    world.answer(beat(REBALANCE_IN_PROGRESS));
    assert_eq!(world.joining().member_id, "consumer");
    world.input(seen(Some(2), &[2]));
    names(&mut world, 2);
    world.up();
    world.pass(1000);
    assert_eq!(world.joining().member_id, "consumer");
    world.join("consumer", 2);
    world.assert_stable("consumer", 2);
}

#[test]
fn a_coordinator_that_is_lost_while_it_is_doubted_is_looked_for_by_the_search_that_goes_on() {
    let mut world = owed();
    world.input(seen(Some(2), &[2]));
    let search = world.link();
    let dead = *world.links.first_key_value().expect("the coordinator's").0;
    world.links.remove(&dead);
    world.waiting.clear();
    world.input(Input::LinkDown {
        link: dead,
        cause: crate::event::LinkFault::Disconnect,
        detail: None,
    });
    assert_eq!(world.link(), search);
    names(&mut world, 2);
    assert!(!world.coordinator_unknown());
    assert_eq!(world.links.len(), 1);
}

#[test]
fn a_member_that_leaves_looks_for_nobody() {
    let mut world = owed();
    world.input(seen(Some(2), &[2]));
    world.input(Input::Leave { reason: None });
    assert_eq!(world.links.len(), 1, "the one its LeaveGroup is on");
    world.answer(left(&[]));
    assert!(world.links.is_empty() && world.end.is_some());
}
