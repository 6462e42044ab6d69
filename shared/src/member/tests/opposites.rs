//! Where Kafka 0.10.0 does the opposite of what holds under modern rules: one named test each (see `random.rs`).

use super::world::*;
use crate::error_code::*;
use crate::event::Change;
use crate::ids::Generation;
use crate::rules::Rules;
use crate::time::Millis;

/// A stable member whose heartbeat is out, then taken into a newer generation by hand, as Kafka's own tests do it: 0.10.0 lets
/// no join overtake a heartbeat on one connection.
fn heartbeat_of_an_older_generation() -> World {
    let mut world = World::stable(config(Rules::V0_10));
    world.pass(3000);
    world.member.membership.generation = Generation(2);
    world.clear();
    world
}

/// Trap 20.
#[test]
fn v0_10_a_25_to_an_older_generation_wipes_the_new_member_id() {
    let mut world = heartbeat_of_an_older_generation();
    world.answer(beat(UNKNOWN_MEMBER_ID));
    assert_eq!(world.member_id().as_str(), "");
    assert!(world.must_rejoin());
}

/// Trap 20.
#[test]
fn v0_10_a_22_to_an_older_generation_causes_one_more_rebalance() {
    let mut world = heartbeat_of_an_older_generation();
    world.answer(beat(ILLEGAL_GENERATION));
    assert_eq!(world.joining().member_id, "consumer");
}

#[test]
fn v0_10_a_22_25_or_82_to_an_older_generation_counts_as_a_failure() {
    for code in [ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID] {
        let mut world = heartbeat_of_an_older_generation();
        world.answer(beat(code));
        assert_eq!(world.member.heartbeat.last_receive(), None);
        assert!(matches!(
            world.changes()[0],
            Change::HeartbeatAnswered { renews: false, .. }
        ));
    }
}

/// Trap 8: later than last send + interval, than JoinGroup answer + interval and than any failure + backoff.
#[test]
fn v0_10_a_rediscovery_postpones_the_next_heartbeat_beyond_every_modern_bound() {
    let mut world = World::stable(config(Rules::V0_10));
    let joined = world.now;
    world.pass(2900);
    world.down();
    world.find();
    world.up();
    let found = world.now;
    assert_eq!(found, joined + Millis(2900));
    world.pass(2999);
    assert_eq!(world.beats_since(joined), [0; 0], "5899 after the join");
    world.pass(1);
    assert_eq!(world.beats_since(joined), [5900]);
}
