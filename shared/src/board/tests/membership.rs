//! Who is in the group, who is not any more, and how that is told.

use super::story::*;
use crate::event::{Change, Departure, EvictionCause, GroupState, GroupType, Joined, Source};
use crate::ids::{Generation, MemberId};
use crate::time::Millis;

#[test]
fn every_way_to_end_has_its_state_and_its_words() {
    let cases = [
        (
            Change::MemberLeft {
                cause: "closed".into(),
            },
            "left",
            "closed",
        ),
        (
            Change::MemberExpired {
                cause: "silent for 6 s".into(),
            },
            "expired",
            "silent for 6 s",
        ),
        (Change::MemberFenced { cause: "82".into() }, "fenced", "82"),
        (
            Change::MemberReplaced {
                cause: "Same instance id.".into(),
                by: Some(MemberId::from("n-8")),
            },
            "fenced",
            "Same instance id. Replaced by n-8.",
        ),
        (
            Change::MemberEvicted {
                cause: EvictionCause::RebalanceTimeout,
            },
            "evicted",
            "Removed by the coordinator: it did not join again within its rebalance timeout.",
        ),
        (
            Change::MemberGone {
                possible: vec![Departure::Left, Departure::TimedOut],
                why: "between two looks".into(),
            },
            "gone",
            "It is not visible whether it left or timed out: between two looks",
        ),
    ];
    for (change, state, reason) in cases {
        let mut story = Story::default();
        story
            .embedded("m-7", joined("m", 1))
            .at(50)
            .embedded("m-7", change);
        assert!(story.members().is_empty(), "{state}");
        let gone = &story.group().departed[0];
        assert!(gone.end.state.is_ended());
        assert_eq!((gone.end.state.as_str(), gone.end.at), (state, at(50)));
        assert_eq!((gone.reason().as_str(), gone.name()), (reason, "m"));
    }
}

#[test]
fn a_member_seen_only_in_its_end_is_told_of_all_the_same() {
    let mut story = Story::default();
    story.embedded(
        "m-7",
        Change::MemberLeft {
            cause: "closed".into(),
        },
    );
    assert_eq!(story.departed(), ["m-7"]);
    assert_eq!(story.group().departed[0].since, None);
}

#[test]
fn two_sources_that_saw_one_end_make_one_row_of_it() {
    let mut story = Story::default();
    story.embedded("m-7", joined("m", 1)).probe("m-7", joined("m", 1));
    story.embedded(
        "m-7",
        Change::MemberLeft {
            cause: "LeaveGroup came".into(),
        },
    );
    story.probe(
        "m-7",
        Change::MemberLeft {
            cause: "LeaveGroup answered".into(),
        },
    );
    assert_eq!(story.departed(), ["m-7"]);
    let gone = &story.group().departed[0];
    assert_eq!(gone.reason(), "LeaveGroup came");
    assert_eq!(
        gone.sources.iter().collect::<Vec<_>>(),
        [Source::Embedded, Source::Probe]
    );
}

#[test]
fn a_survey_that_misses_a_member_does_not_remove_one_of_ours() {
    let mut story = Story::default();
    let missed = || Change::MemberGone {
        possible: vec![Departure::TimedOut],
        why: "not listed".into(),
    };
    story.probe("m-7", joined("m", 1)).survey("m-7", missed());
    assert_eq!(story.members(), ["m-7"]);
    story.survey("s-7", joined("s", 1)).survey("s-7", missed());
    assert_eq!(story.members(), ["m-7"]);
    assert_eq!(story.departed(), ["s-7"]);
}

#[test]
fn a_member_that_is_back_under_its_id_has_not_departed() {
    let mut story = Story::default();
    let missed = Change::MemberGone {
        possible: vec![],
        why: "not listed".into(),
    };
    story
        .survey("s-7", joined("s", 1))
        .survey("s-7", missed)
        .survey("s-7", joined("s", 1));
    assert_eq!((story.members(), story.departed()), (vec!["s-7"], vec![]));
}

#[test]
fn departed_members_stand_newest_first() {
    let mut story = Story::default();
    for id in ["a", "b", "c"] {
        story
            .embedded(id, joined(id, 1))
            .embedded(id, Change::MemberLeft { cause: "x".into() });
    }
    assert_eq!(story.departed(), ["c", "b", "a"]);
}

#[test]
fn members_of_ours_on_their_way_in_are_no_number_of_members() {
    let mut story = Story::default();
    story.probe("demo-1", found(1));
    assert_eq!(story.members(), ["demo-1"]);
    assert_eq!(story.group().member_count(), None);
    story.probe("demo-1-77", joined("demo-1", 1));
    assert_eq!(story.group().member_count(), Some(1));
}

#[test]
fn a_number_of_members_is_not_made_up() {
    let mut story = Story::default();
    story.group_of(
        Source::Survey,
        Change::GroupFound {
            group_type: GroupType::Classic,
            protocol_type: None,
        },
    );
    assert_eq!(story.group().member_count(), None);
    story.group_of(
        Source::Survey,
        Change::GroupState {
            from: None,
            to: GroupState::Empty,
        },
    );
    assert_eq!(story.group().member_count(), Some(0));
    story.survey("m-7", joined("m", 1));
    assert_eq!(story.group().member_count(), Some(1));
}

#[test]
fn a_group_that_is_gone_has_no_row() {
    let mut story = Story::default();
    let gone = || Change::GroupGone {
        group_type: GroupType::Classic,
    };
    story
        .survey("m-7", joined("m", 1))
        .group_of(Source::Survey, gone());
    assert_eq!(story.board.groups().len(), 0);
    story
        .probe("m-7", joined("m", 1))
        .group_of(Source::Survey, gone());
    assert_eq!(
        story.board.groups().len(),
        1,
        "our member is in it: the survey is wrong"
    );
}

#[test]
fn late_heartbeats_do_not_bring_a_gone_group_back_and_other_news_do() {
    let mut story = Story::default();
    let gone = || Change::GroupGone {
        group_type: GroupType::Classic,
    };
    story
        .embedded("m-7", joined("m", 1))
        .group_of(Source::Embedded, gone());
    story.embedded("m-7", received(1, 0));
    assert_eq!((story.board.groups().len(), story.board.gone.len()), (0, 1));
    story.embedded("m-7", joined("m", 1));
    assert_eq!((story.board.groups().len(), story.board.gone.len()), (1, 0));
}

#[test]
fn with_our_last_member_what_only_it_saw_is_not_visible_any_more() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    story.group_of(Source::Probe, Change::RebalanceFinished(bare(1, None)));
    assert_eq!(story.group().state.get(), Some(&GroupState::Stable));
    story.probe(
        "m-7",
        Change::MemberLeft {
            cause: "told to".into(),
        },
    );
    assert_eq!(story.group().state.get(), None);
    assert_eq!(story.group().state_since, None);
    assert_eq!(story.group().generation.get(), None, "it is another one by now");
}

#[test]
fn a_member_keeps_its_last_rejoins_newest_first() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    for generation in 2..20 {
        story
            .at(generation as u64 * 10)
            .probe("m-7", rejoined("m", generation, 7));
    }
    let rejoins = &story.member("m-7").rejoins;
    assert_eq!(rejoins.len(), crate::board::limits::REJOINS);
    assert_eq!(rejoins[0].generation.unwrap().0, 19);
    assert_eq!(rejoins[0].took_ms.get(), Some(&7));
}

/// Told by our own coordinator of a SyncGroup in a Stable group: its session runs on.
#[test]
fn a_join_whose_session_had_run_already_renews_it_as_of_when_it_began() {
    let mut story = Story::default();
    let late = Joined {
        session_ran_ms: Some(4_000),
        ..facts("s", 1)
    };
    story.at(5_000).embedded("s-7", Change::MemberJoined(late));
    let member = story.member("s-7");
    assert_eq!(member.last_renewed(), Some(at(1_000)));
    assert_eq!(member.session_left(at(5_000)), Some(Millis(2_000)));
    story.at(5_500).embedded("s-7", received(1, 0));
    assert_eq!(story.member("s-7").last_renewed(), Some(at(5_500)));
}

/// A member as the leader's list shows it.
fn listed(generation: i32) -> Change {
    Change::MemberJoined(Joined {
        generation: Some(Generation(generation)),
        ..Joined::default()
    })
}

#[test]
fn who_stands_in_our_leaders_list_is_listed_and_not_one_of_ours() {
    let mut story = Story::default();
    story.probe("a-7", joined("a", 3)).probe("o-7", listed(3));
    let other = story.member("o-7");
    assert!(!other.is_ours() && !other.is_seen_beating());
    assert_eq!((other.last_renewed(), other.rejoins.len()), (None, 0));
    assert_eq!(story.state("o-7", 99_999), "listed");
    let gone = Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "not in the new list".into(),
    };
    story.probe("o-7", gone);
    assert_eq!((story.members(), story.departed()), (vec!["a-7"], vec!["o-7"]));
}

#[test]
fn a_list_says_nothing_new_of_one_of_ours() {
    let mut story = Story::default();
    story.probe("b", found(1)).probe("a-7", joined("a", 3));
    story.at(500).probe("b-7", listed(3));
    assert_eq!(story.members(), ["a-7", "b-7"]);
    assert_eq!(
        story.state("b-7", 500),
        "joining",
        "its own SyncGroup is still out"
    );
    story.at(600).probe("b-7", joined("b", 3));
    story.at(9000).probe("b-7", listed(4));
    assert_eq!(story.member("b-7").last_renewed(), Some(at(600)));
}

/// One of ours, `m-7`, in a group of the embedded coordinator with another, ended by 30 at 1000.
fn refused_a_right() -> Story {
    let mut story = Story::default();
    for (name, id) in [("m", "m-7"), ("n", "n-7")] {
        story.embedded(id, joined(name, 1)).probe(id, joined(name, 1));
    }
    let refused = Change::NotAuthorized {
        error: 30,
        right: "READ on group demo".into(),
    };
    let ended = Change::MemberFailed {
        error: Some(30),
        sentence: "Heartbeat was answered 30".into(),
        again: 0,
    };
    story.at(1000).probe("m-7", refused).probe("m-7", ended);
    story
}

#[test]
fn one_of_ours_that_a_missing_right_ended_keeps_that_in_its_end_at_the_coordinator() {
    let mut story = refused_a_right();
    assert_eq!(story.state("m-7", 1000), "not-authorized");
    let expired = Change::MemberExpired {
        cause: "silent for 6 s, its session".into(),
    };
    story.at(7000).embedded("m-7", expired);
    let gone = &story.group().departed[0];
    assert_eq!(gone.end.state.as_str(), "expired");
    assert_eq!(
        gone.reason(),
        "Ended by 30 GROUP_AUTHORIZATION_FAILED: READ on group demo is missing; then: silent for 6 s, its session"
    );
}

#[test]
fn a_missing_right_that_ended_one_of_ours_stands_until_one_of_its_name_is_granted_it() {
    let mut story = refused_a_right();
    let refused = |story: &Story| {
        story
            .group()
            .refused_last()
            .and_then(|(_, member)| member.cloned())
    };
    let m = Some(MemberId::from("m-7"));
    story.at(1001).embedded("m-7", rejoined("m", 2, 5));
    story.probe("n-7", answered(2, 0));
    assert_eq!(
        refused(&story),
        m,
        "what the coordinator still counts for it, and others' answers"
    );
    assert_eq!(story.state("m-7", 1001), "not-authorized");
    let expired = Change::MemberExpired {
        cause: "silent for 6 s".into(),
    };
    story
        .at(7000)
        .embedded("m-7", expired)
        .probe("n-7", answered(2, 0));
    assert_eq!(refused(&story), m);
    story.at(11_000).probe("m", found(1));
    assert_eq!(refused(&story), m, "the next of its name only tries");
    story.at(11_500).probe("m-8", joined("m", 3));
    assert_eq!(refused(&story), None);
    story
        .at(12_000)
        .probe("m-8", Change::MemberLeft { cause: "x".into() });
    assert_eq!(refused(&story), None, "granted it once, it left");
}
