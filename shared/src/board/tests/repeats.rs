//! A coordinator that is found and lost again and again counts the same, be each time told or how often it was.

use super::story::*;
use crate::event::{Change, DeathCause};
use crate::ids::NodeId;

fn dead(again: u32) -> Change {
    Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: Some("refused".into()),
        unsent: again.max(1),
        again,
    }
}

/// How often it was lost: by the group's seat, by the member, and in sentences and counts.
fn counts(story: &Story) -> (u32, u32, u64, Vec<(String, u64)>) {
    let group = story.group();
    let seat = group.coordinator.as_ref().unwrap();
    let losses = group.members["a"].losses.as_ref().unwrap();
    let kinds = story
        .board
        .events()
        .filter(|(kind, _)| kind.starts_with("coordinator_"));
    let kinds = kinds.map(|(kind, times)| (kind.to_owned(), times));
    let death = seat.dead.as_ref().unwrap();
    (seat.lost, losses.times, death.unsent, kinds.collect())
}

#[test]
fn losses_that_are_counted_by_one_event_are_as_many_as_those_told_one_by_one() {
    let mut each = Story::default();
    for second in 0..11 {
        each.at(second * 1_000).probe("a", found(1)).probe("a", dead(0));
    }
    let mut counted = Story::default();
    counted.probe("a", found(1)).probe("a", dead(0));
    counted.at(7_000).probe("a", dead(7));
    counted.at(10_000).probe("a", dead(3));
    let (lost, times, unsent, kinds) = counts(&counted);
    assert_eq!((lost, times, unsent), (11, 11, 11));
    let (told, told_times, _, told_kinds) = counts(&each);
    assert_eq!((lost, times, kinds), (told, told_times, told_kinds));
    let since = |story: &Story| {
        let group = story.group();
        let seat = group.coordinator.as_ref().unwrap();
        (seat.lost_since, group.members["a"].losses.clone())
    };
    assert_eq!(since(&counted), since(&each));
    // Its death is one, since it was first told.
    assert_eq!(counted.group().death().unwrap().since, at(0));
}
