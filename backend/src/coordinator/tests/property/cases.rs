//! Random runs: steps drawn by proptest, the same kinds of them each time.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

use super::{Run, Step, Terms, Who};

fn group() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0_u8), 1 => Just(1)]
}

fn who() -> impl Strategy<Value = Who> {
    let member = weighted(0.7, 0..12_u8);
    let instance = weighted(0.3, 0..3_u8);
    (group(), member, instance).prop_map(|(group, member, instance)| Who {
        group,
        member,
        instance,
    })
}

fn terms() -> impl Strategy<Value = Terms> {
    let timeout = || prop_oneof![4 => 1..20_000_i32, 1 => any::<i32>()];
    (0..=9_i16, 0..4_u8, timeout(), timeout()).prop_map(|(version, kind, session, rebalance)| Terms {
        version,
        kind,
        session,
        rebalance,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let off = || prop_oneof![4 => Just(0), 1 => -3..3_i32];
    let ms = prop_oneof![4 => 0..6_000_u64, 1 => 0..700_000_u64];
    prop_oneof![
        6 => (who(), terms()).prop_map(|(who, terms)| Step::Join(who, terms)),
        4 => (who(), off()).prop_map(|(who, off)| Step::Sync(who, off)),
        4 => (who(), off()).prop_map(|(who, off)| Step::Beat(who, off)),
        2 => who().prop_map(Step::Leave),
        1 => (who(), off(), 0..6_000_usize).prop_map(|(who, off, note)| Step::Commit(who, off, note)),
        5 => (group(), 0..6_u8).prop_map(|(group, but)| Step::RejoinAll { group, but }),
        6 => (group(), 0..4_u8).prop_map(|(group, but)| Step::SyncAll { group, but }),
        1 => group().prop_map(|group| Step::Look { group }),
        5 => (ms, any::<bool>()).prop_map(|(ms, at_once)| Step::Wait { ms, at_once }),
        1 => Just(Step::Freeze),
        2 => Just(Step::Thaw),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_requests_leave_the_coordinator_whole_and_are_each_answered_once(steps in vec(step(), 1..120)) {
        let mut run = Run::of(&steps);
        run.end();
    }

    #[test]
    fn the_same_inputs_give_the_same_outputs(steps in vec(step(), 1..60)) {
        let (one, two) = (Run::of(&steps), Run::of(&steps));
        prop_assert_eq!(one.answers, two.answers);
        prop_assert_eq!(one.told, two.told);
    }
}
