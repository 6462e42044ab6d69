//! The comparison itself: it finds what differs, and nothing where nothing does.

use std::collections::BTreeSet;

use super::step::Sequence;
use super::{compare, random, sample, scripted, sequences};
use crate::embedded::{start, start_with};

fn untimed() -> Vec<Sequence> {
    let mut sequences = sample(60);
    sequences.retain(|sequence| !sequence.is_timed());
    sequences
}

#[tokio::test]
async fn a_coordinator_compared_with_its_like_shows_no_difference() {
    let (one, other) = (start().0, start().0);
    let sequences = untimed();
    let report = compare(one.local_addr(), other.local_addr(), &sequences).await;
    report.assert_same();
    assert_eq!((report.same, report.led_by_another.len()), (sequences.len(), 0));
}

#[tokio::test]
async fn a_difference_is_shown_side_by_side_with_few_steps() {
    let (one, other) = (start_with(&["group.max.size=1"]).0, start().0);
    let sequences = scripted::sequences();
    let third = sequences
        .iter()
        .find(|sequence| sequence.name == "a third joins and all rebalance");
    let report = compare(one.local_addr(), other.local_addr(), &[third.unwrap().clone()]).await;
    let [fault] = report.faults.as_slice() else {
        panic!("one difference: {report:?}");
    };
    assert!(
        fault.contains("! ours  answer to") && fault.contains("error 81"),
        "{fault}"
    );
    let steps = fault.matches("; Describe v").count();
    assert!(steps <= 3, "{steps} steps are more than it takes:\n{fault}");
}

#[test]
fn a_seed_makes_the_same_sequence_and_another_seed_another() {
    assert_eq!(random::sequence(7), random::sequence(7));
    assert_ne!(random::sequence(7).steps, random::sequence(8).steps);
}

#[test]
fn there_are_more_than_five_hundred_sequences_each_with_its_own_name() {
    let all = sequences();
    let names: BTreeSet<_> = all.iter().map(|sequence| &sequence.name).collect();
    assert!(all.len() > 500);
    assert_eq!(names.len(), all.len());
    assert!(sample(50).len() <= 50 && sample(50).len() > 40);
}
