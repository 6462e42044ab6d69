//! Lives drawn by proptest, the same each time (a fixed seed); one that fails is shrunk and printed.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config as Runs, RngAlgorithm, TestRng, TestRunner};

use super::storm::Storm;
use super::{Step, mixture};
use crate::member::State;
use crate::rules::Rules;

const RUNS: u32 = 1200;

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
        2 => any::<u8>().prop_map(Step::Outlook),
        1 => Just(Step::Leave),
    ]
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
