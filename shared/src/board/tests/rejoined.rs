//! Who joined again with a rebalance of a classic group that only a survey sees.

use super::story::*;
use crate::event::{Change, Departure, GroupState, GroupType, Joined, RebalanceCause, Rebalanced, Source};
use crate::ids::MemberId;

fn listed(client_id: &str) -> Change {
    Change::MemberJoined(Joined {
        client_id: Some(client_id.to_owned()),
        host: Some("/10.0.0.1".to_owned()),
        ..Joined::default()
    })
}

fn gone() -> Change {
    Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "not listed".to_owned(),
    }
}

fn state(to: GroupState) -> Change {
    Change::GroupState { from: None, to }
}

/// `a`, `b` and `c` in a group of that type, Stable in generation 3, and then it rebalances.
fn begun(group_type: GroupType, source: Source) -> Story {
    let mut story = Story::default();
    story.group_of(
        source,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    story.group_of(source, state(GroupState::Stable));
    for id in ["a", "b", "c"] {
        story.tell(source, Some("demo"), Some(id), listed(id));
    }
    let begins = started(RebalanceCause::NotVisible, None, Some(3));
    story.at(1_000).group_of(source, begins);
    story
}

fn over(joined: &[&str], left: &[&str]) -> Change {
    let ids = |ids: &[&str]| Some(ids.iter().map(|id| MemberId::from(*id)).collect());
    Change::RebalanceFinished(Rebalanced {
        joined: ids(joined),
        left: ids(left),
        ..bare(4, Some(3))
    })
}

fn rejoined(story: &Story) -> Vec<&str> {
    let row = &story.group().rebalances[0];
    assert!(row.rejoined.iter().all(|back| back.took_ms.get().is_none()));
    row.rejoined.iter().map(|back| back.member.as_str()).collect()
}

#[test]
fn whoever_was_there_before_and_is_there_after_did_as_the_groups_record_tells_it() {
    let mut story = begun(GroupType::Classic, Source::Survey);
    // Looked at while it rebalances.
    story.at(1_200).survey("d", listed("d"));
    story
        .at(2_000)
        .group_of(Source::Survey, over(&["d", "e"], &["b"]));
    assert_eq!(rejoined(&story), ["a", "c"]);
    story.at(2_100).survey("e", listed("e")).survey("b", gone());
    assert_eq!(rejoined(&story), ["a", "c"]);
    // Who goes later did, too.
    story.at(60_000).survey("a", gone());
    assert_eq!(rejoined(&story), ["a", "c"]);
}

#[test]
fn where_only_looks_tell_one_that_the_look_at_its_end_misses_did_not() {
    let mut story = begun(GroupType::Classic, Source::Survey);
    story.at(1_200).survey("d", listed("d"));
    story
        .at(2_000)
        .group_of(Source::Survey, state(GroupState::Stable));
    let (earliest, at) = (at(1_500), at(2_000));
    story.since(earliest, at, "b", gone());
    assert_eq!(rejoined(&story), ["a", "c"]);
    story.at(60_000).survey("a", gone());
    assert_eq!(rejoined(&story), ["a", "c"], "it went later");
}

#[test]
fn one_that_comes_back_under_another_id_meanwhile_did_under_that() {
    // Its record is read before a look shows it, or after that.
    for late in [false, true] {
        let mut story = begun(GroupType::Classic, Source::Survey);
        let over = over(&["b-2", "e"], &["b"]);
        if !late {
            story.at(2_000).group_of(Source::Survey, over.clone());
        }
        story.at(1_900).survey("b-2", listed("b")).survey("b", gone());
        story.survey("e", listed("e"));
        if late {
            story.at(2_000).group_of(Source::Survey, over);
        }
        let mut back = rejoined(&story);
        back.sort_unstable();
        assert_eq!(back, ["a", "b-2", "c"], "{late}");
    }
}

#[test]
fn nothing_is_concluded_of_groups_whose_records_or_coordinator_tell_it() {
    for (group_type, source) in [
        (GroupType::Consumer, Source::Survey),
        (GroupType::Classic, Source::Embedded),
    ] {
        let mut story = begun(group_type, source);
        story.at(2_000).group_of(source, over(&[], &["b"]));
        assert_eq!(rejoined(&story), [""; 0]);
    }
}

#[test]
fn a_rebalance_counts_under_why_it_began_as_that_is_known_once_it_is_settled() {
    for (later, cause) in [
        (9_000, RebalanceCause::MemberJoined),
        (11_000, RebalanceCause::NotVisible),
    ] {
        let mut story = begun(GroupType::Classic, Source::Survey);
        story
            .at(2_000)
            .group_of(Source::Survey, state(GroupState::Stable));
        let told = Change::RebalanceFinished(Rebalanced {
            cause: RebalanceCause::MemberJoined,
            ..bare(4, Some(3))
        });
        story.heard(2_000 + later, 1_990, told);
        let group = story.group();
        assert_eq!(group.rebalances.len(), 1);
        assert_eq!(group.rebalances[0].cause(), RebalanceCause::MemberJoined);
        let counted = group.rebalances_total.iter().filter(|(_, count)| **count > 0);
        assert_eq!(counted.collect::<Vec<_>>(), [(&cause, &1)]);
    }
}

#[test]
fn members_that_a_list_names_for_the_first_time_came_where_one_before_did_not_name_them() {
    let mut story = begun(GroupType::Classic, Source::Survey);
    story.at(2_000).group_of(Source::Survey, over(&["d"], &["b"]));
    let (before, now) = (at(1_500), at(2_100));
    story.since(before, now, "d", listed("d"));
    story.since(before, now, "b", gone());
    let run = story.group().run.clone().unwrap();
    assert_eq!((run.came, run.gone), (1, 1));
}
