//! A whole life under both rules, and what it tells.

use super::world::*;
use crate::error_code;
use crate::member::{End, Input, Peer, State};
use crate::rules::Rules;

#[test]
fn a_member_finds_joins_syncs_heartbeats_and_leaves() {
    for rules in Rules::ALL {
        let mut world = World::new(config(*rules));
        assert_eq!(*world.peer(), Peer::Bootstrap);
        world.find();
        assert_eq!(world.links.len(), 1, "the lookup's connection is closed");
        assert_eq!(*world.peer(), coordinator(3));
        world.up();
        world.join("consumer", 1);
        world.assert_stable("consumer", 1);
        world.pass(3000);
        assert_eq!(world.last_heartbeat().generation_id, 1);
        assert_eq!(world.last_heartbeat().member_id, "consumer");
        world.pass(2);
        world.answer(beat(error_code::NONE));
        world.input(Input::Leave { reason: None });
        assert_eq!(world.member.state(), State::Leaving);
        world.answer(left(&[]));
        assert_eq!(world.end, Some(End::Left));
        assert!(world.links.is_empty());
        let kinds: Vec<_> = world
            .kinds()
            .into_iter()
            .filter(|kind| *kind != "member_moved")
            .collect();
        assert_eq!(
            kinds,
            [
                "coordinator_found",
                "rebalance_started",
                "member_joined",
                "rebalance_finished",
                "heartbeat_answered",
                "member_left",
            ],
            "{}",
            rules.name
        );
    }
}
