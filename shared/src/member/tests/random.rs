//! Random lives: answers late, lost, twice and out of order, disconnects, a clock that steps. What must hold in all of them.
//!
//! The runs are the same each time (a fixed seed); one that fails is shrunk and printed.

mod laws;
mod storm;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestRng, TestRunner};

use crate::member::State;
use crate::rules::Rules;
use storm::Storm;

const RUNS: u32 = 1200;

/// One thing that the world does. Numbers choose among what there is, modulo how much there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Pass(u16),
    /// The clock jumps ahead while nobody looked: a laptop that slept.
    Sleep(u16),
    ClockBack(u16),
    Up(u8),
    Down(u8),
    /// An answer to one of the requests out, in any order.
    Answer {
        which: u8,
        code: u8,
    },
    /// The coordinator is well: everything is answered without an error.
    Well(u8),
    Garbled(u8),
    /// An answer that decodes and says what cannot be.
    Nonsense {
        which: u8,
        what: u8,
    },
    /// An answer that was sent already, or one to a request whose connection is over.
    Again {
        which: u8,
        code: u8,
    },
    Topics(u8),
    Subscribe(u8),
    Leave,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..6000_u16).prop_map(Step::Pass),
        1 => (0..60_000_u16).prop_map(Step::Sleep),
        1 => (0..5000_u16).prop_map(Step::ClockBack),
        6 => any::<u8>().prop_map(Step::Up),
        2 => any::<u8>().prop_map(Step::Down),
        8 => (any::<u8>(), any::<u8>()).prop_map(|(which, code)| Step::Answer { which, code }),
        8 => (1..6_u8).prop_map(Step::Well),
        1 => any::<u8>().prop_map(Step::Garbled),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(which, what)| Step::Nonsense { which, what }),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(which, code)| Step::Again { which, code }),
        1 => any::<u8>().prop_map(Step::Topics),
        1 => any::<u8>().prop_map(Step::Subscribe),
        1 => Just(Step::Leave),
    ]
}

/// Rules that take each field from one of the two sets, as the bits say.
fn mixture(bits: u16) -> Rules {
    let (old, new) = (Rules::V0_10, Rules::MODERN);
    let from = |bit: u32| if bits >> bit & 1 == 0 { old } else { new };
    Rules {
        guard: from(0).guard,
        expiry: from(1).expiry,
        expiry_in_flight: from(2).expiry_in_flight,
        clock: from(3).clock,
        session_reset: from(4).session_reset,
        first_heartbeat: from(5).first_heartbeat,
        retry: from(6).retry,
        failed_heartbeat: from(7).failed_heartbeat,
        rebalance_in_progress: from(8).rebalance_in_progress,
        stale_answers: from(9).stale_answers,
        rejoin_cleared: from(10).rejoin_cleared,
        join_waits: from(11).join_waits,
        join_timeout: from(12).join_timeout,
        version: from(13).version,
        answers: from(14).answers,
        defaults: from(15).defaults,
        ..new
    }
}

fn runs(rules: impl Strategy<Value = Rules>) {
    let mut runner = TestRunner::new_with_rng(
        Runs {
            cases: RUNS,
            failure_persistence: None,
            ..Runs::default()
        },
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let lives = (rules, proptest::collection::vec(step(), 20..150));
    let run = runner.run(&lives, |(rules, steps)| {
        let mut storm = Storm::new(rules);
        for step in steps {
            storm.apply(step);
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn random_lives_hold_the_invariants_under_modern_rules() {
    runs(Just(Rules::MODERN));
}

#[test]
fn random_lives_hold_the_invariants_under_the_rules_of_0_10() {
    runs(Just(Rules::V0_10));
}

/// What holds under both sets holds under any mixture: each rule is one decision, and no two of them are one.
#[test]
fn random_lives_hold_the_common_invariants_under_any_mixture_of_the_rules() {
    runs(any::<u16>().prop_map(mixture));
}

/// The random lives would prove nothing if they never came far.
#[test]
fn random_lives_reach_every_state_and_every_kind_of_event() {
    for rules in Rules::ALL {
        let mut states = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        let mut runner = TestRunner::deterministic();
        let lives = proptest::collection::vec(step(), 20..150);
        for _ in 0..200 {
            let steps = lives.new_tree(&mut runner).unwrap().current();
            let mut storm = Storm::new(*rules);
            for step in steps {
                storm.apply(step);
                states.insert(storm.world.member.state());
            }
            kinds.extend(storm.world.kinds());
        }
        assert_eq!(states.into_iter().collect::<Vec<_>>(), State::ALL);
        for kind in [
            "coordinator_found",
            "coordinator_not_found",
            "coordinator_dead",
            "heartbeat_answered",
            "heartbeat_failed",
            "heartbeat_withheld",
            "rejoin_needed",
            "member_joined",
            "member_rejoined",
            "rebalance_started",
            "rebalance_finished",
            "member_left",
            "not_authorized",
        ] {
            assert!(kinds.contains(kind), "{kind} under {}", rules.name);
        }
    }
}
