//! The map beside the standard library's, which it must not differ from.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::SortedMap;

/// What is done to both maps.
#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(u8, u16),
    Remove(u8),
    Count(u8),
    PopFirst,
    RetainBelow(u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..20_u8, any::<u16>()).prop_map(|(key, value)| Step::Insert(key, value)),
        2 => (0..20_u8).prop_map(Step::Remove),
        2 => (0..20_u8).prop_map(Step::Count),
        1 => Just(Step::PopFirst),
        1 => any::<u16>().prop_map(Step::RetainBelow),
    ]
}

proptest! {
    #[test]
    fn every_step_gives_what_a_tree_gives(steps in proptest::collection::vec(step(), 0..200)) {
        let (mut list, mut tree) = (SortedMap::new(), BTreeMap::new());
        for step in steps {
            match step {
                Step::Insert(key, value) => prop_assert_eq!(list.insert(key, value), tree.insert(key, value)),
                Step::Remove(key) => prop_assert_eq!(list.remove(&key), tree.remove(&key)),
                Step::Count(key) => {
                    let (counted, expected): (&mut u16, &mut u16) =
                        (list.get_or_default(key), tree.entry(key).or_default());
                    *counted = counted.wrapping_add(1);
                    *expected = expected.wrapping_add(1);
                }
                Step::PopFirst => prop_assert_eq!(list.pop_first(), tree.pop_first()),
                Step::RetainBelow(bound) => {
                    list.retain(|_, value| *value < bound);
                    tree.retain(|_, value| *value < bound);
                }
            }
            prop_assert!(list.iter().eq(tree.iter()), "{list:?} is not {tree:?}");
            prop_assert_eq!(list.first_key_value(), tree.first_key_value());
            prop_assert_eq!(list.last_key_value(), tree.last_key_value());
            prop_assert_eq!((0..20).map(|key| list.get(&key)).collect::<Vec<_>>(), (0..20).map(|key| tree.get(&key)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn of_a_key_that_comes_twice_the_last_value_counts() {
    assert_eq!(
        SortedMap::from([(2, 'a'), (1, 'b'), (2, 'c')]),
        SortedMap::from([(1, 'b'), (2, 'c')])
    );
}
