//! One member is one row: under its client id, under its member id, by two sources.

use super::story::*;
use crate::event::{Change, Source, WithheldReason};
use crate::member::{MoveCause, State};

/// One of ours on its way in, known by its client id only.
fn on_its_way() -> Story {
    let mut story = Story::default();
    story.probe("demo-1", found(1)).probe(
        "demo-1",
        moved(State::Unjoined, State::PreparingRebalance, MoveCause::JoinSent),
    );
    story
}

#[test]
fn a_member_of_ours_goes_by_its_client_id_until_it_is_named() {
    let story = on_its_way();
    assert_eq!(story.members(), ["demo-1"]);
    assert!(!story.member("demo-1").named);
    assert_eq!(story.state("demo-1", 0), "joining");
}

#[test]
fn member_joined_under_the_real_id_takes_the_row_over() {
    let mut story = on_its_way();
    story.at(40).probe("demo-1-5f2c-77", joined("demo-1", 1));
    assert_eq!(story.members(), ["demo-1-5f2c-77"]);
    let member = story.member("demo-1-5f2c-77");
    assert!(member.named);
    assert_eq!(
        (member.since, member.name()),
        (at(40), "demo-1"),
        "since it has that id"
    );
    assert_eq!(story.state("demo-1-5f2c-77", 40), "on-time");
}

#[test]
fn a_heartbeat_under_the_real_id_takes_the_row_over_before_the_join_is_told() {
    let mut story = on_its_way();
    story.at(40).probe("demo-1-5f2c-77", answered(1, 0));
    assert_eq!(story.members(), ["demo-1-5f2c-77"]);
    assert_eq!(story.state("demo-1-5f2c-77", 40), "joining");
}

#[test]
fn the_longest_client_id_before_a_dash_is_the_one_that_is_taken_over() {
    let mut story = Story::default();
    story.probe("demo", found(1)).probe("demo-1", found(1));
    story.probe("demo-1-5f2c-77", answered(1, 0));
    assert_eq!(story.members(), ["demo", "demo-1-5f2c-77"]);
}

#[test]
fn a_uuid_behind_the_client_id_is_a_name_even_where_the_event_does_not_tell() {
    let mut story = on_its_way();
    story.probe("demo-1-0b8c2f3a-9d1e-4c55-8a77-1f2e3d4c5b6a", found(1));
    assert_eq!(story.members(), ["demo-1-0b8c2f3a-9d1e-4c55-8a77-1f2e3d4c5b6a"]);
    let mut story = Story::default();
    story.probe("demo", found(1)).probe("demo-1", found(1));
    assert_eq!(story.members(), ["demo", "demo-1"], "demo-1 is no name for demo");
}

#[test]
fn another_sources_join_takes_the_row_over_too() {
    let mut story = on_its_way();
    story.at(40).embedded("x-77", joined("demo-1", 1));
    assert_eq!(story.members(), ["x-77"]);
    story.at(41).probe("x-77", joined("demo-1", 1));
    assert_eq!(story.members(), ["x-77"]);
    let sources: Vec<Source> = story.member("x-77").sources.iter().collect();
    assert_eq!(sources, [Source::Embedded, Source::Probe]);
}

#[test]
fn a_row_another_source_showed_first_takes_in_what_ours_had_left_behind() {
    let mut story = Story::default();
    story.at(0).embedded("demo-1-77", joined("", 1));
    story.at(5).probe("demo-1", found(1));
    assert_eq!(story.members(), ["demo-1", "demo-1-77"]);
    story.at(9).probe("demo-1-77", answered(1, 0));
    assert_eq!(story.members(), ["demo-1-77"]);
    let member = story.member("demo-1-77");
    assert_eq!(member.goes_by.as_ref().unwrap().as_str(), "demo-1");
    assert!(member.is_ours());
}

#[test]
fn events_under_the_client_id_still_reach_the_named_row() {
    let mut story = on_its_way();
    story.embedded("demo-1-77", joined("demo-1", 1));
    story.probe(
        "demo-1",
        Change::HeartbeatWithheld {
            reason: WithheldReason::CoordinatorUnknown,
            for_ms: None,
        },
    );
    assert_eq!(story.members(), ["demo-1-77"]);
    assert_eq!(
        story.member("demo-1-77").withheld(),
        Some(WithheldReason::CoordinatorUnknown)
    );
}

#[test]
fn a_cleared_member_id_departs_as_gone_and_its_row_goes_back_to_the_client_id() {
    let mut story = on_its_way();
    story.at(40).probe("demo-1-77", joined("demo-1", 1));
    story.at(1040).probe("demo-1-77", answered(1, 0));
    story.at(2040).probe("demo-1-77", rejoin_needed(25, true));
    assert_eq!(story.members(), ["demo-1"]);
    assert_eq!(story.departed(), ["demo-1-77"]);
    let gone = &story.group().departed[0];
    assert_eq!((gone.end.state.as_str(), gone.end.at), ("gone", at(2040)));
    assert!(
        gone.reason().contains("25 UNKNOWN_MEMBER_ID"),
        "{}",
        gone.reason()
    );
    assert_eq!(story.state("demo-1", 2040), "joining");
    assert_eq!(story.member("demo-1").totals.answered, 1, "the row goes on");
    assert_eq!(
        (gone.since, story.member("demo-1").since),
        (Some(at(40)), at(2040))
    );

    story.at(2100).probe("demo-1-88", joined("demo-1", 2));
    assert_eq!(story.members(), ["demo-1-88"]);
    let member = story.member("demo-1-88");
    assert_eq!((member.generation.get().unwrap().0, member.since), (2, at(2100)));
    let went_on = story.group().goes_on_as(&story.group().departed[0]);
    assert_eq!(went_on.unwrap().id, member.id);
}

#[test]
fn a_member_id_cleared_twice_departs_once_and_its_row_stays() {
    let mut story = on_its_way();
    story.probe("demo-1-77", joined("demo-1", 1));
    story
        .probe("demo-1-77", rejoin_needed(25, true))
        .probe("demo-1-77", rejoin_needed(25, true));
    assert_eq!(
        (story.members(), story.departed()),
        (vec!["demo-1"], vec!["demo-1-77"])
    );
}

#[test]
fn a_member_id_fenced_by_its_own_answer_departs_as_fenced() {
    let mut story = on_its_way();
    story.probe("demo-1-77", joined("demo-1", 1));
    story.probe("demo-1-77", rejoin_needed(82, true));
    assert_eq!(story.group().departed[0].end.state.as_str(), "fenced");
}

#[test]
fn the_coordinators_word_on_how_it_went_stands_over_the_members_guess() {
    for coordinator_first in [true, false] {
        let mut story = on_its_way();
        story.probe("demo-1-77", joined("demo-1", 1));
        let expired = Change::MemberExpired {
            cause: "silent for 6 s, its session".into(),
        };
        if coordinator_first {
            story.at(6000).embedded("demo-1-77", expired);
            story.at(7000).probe("demo-1-77", rejoin_needed(25, true));
        } else {
            story.at(6000).probe("demo-1-77", rejoin_needed(25, true));
            story.at(7000).embedded("demo-1-77", expired);
        }
        assert_eq!(story.members(), ["demo-1"], "{coordinator_first}");
        assert_eq!(story.departed(), ["demo-1-77"], "{coordinator_first}");
        let gone = &story.group().departed[0];
        assert_eq!(gone.end.state.as_str(), "expired");
        assert_eq!(gone.reason(), "silent for 6 s, its session");
    }
}

#[test]
fn late_news_of_a_departed_member_does_not_bring_it_back() {
    let mut story = on_its_way();
    story.probe("demo-1-77", joined("demo-1", 1));
    story.at(6000).embedded(
        "demo-1-77",
        Change::MemberExpired {
            cause: "silent".into(),
        },
    );
    story.at(6100).probe("demo-1-77", answered(1, 25));
    story.at(6100).probe("demo-1-77", failed(1));
    story.at(6100).embedded("demo-1-77", received(1, 25));
    assert!(story.members().is_empty());
    story.at(6200).probe("demo-1-77", joined("demo-1", 2));
    assert_eq!(story.members(), ["demo-1-77"]);
}

#[test]
fn who_is_refused_without_having_been_a_member_gets_no_row() {
    let mut story = Story::default();
    story.embedded("zombie", received(3, 25));
    assert!(story.members().is_empty());
}

#[test]
fn a_member_that_failed_before_it_had_an_id_stays_failed_when_its_machine_ends() {
    let mut story = on_its_way();
    story.probe(
        "demo-1",
        Change::MemberFailed {
            error: Some(30),
            sentence: "refused".into(),
            again: 0,
        },
    );
    story.probe("demo-1", moved(State::Unjoined, State::Ended, MoveCause::Fatal));
    assert_eq!(story.state("demo-1", 100), "not-authorized");
}

#[test]
fn a_new_member_under_the_client_id_of_a_failed_one_starts_with_its_row() {
    let mut story = on_its_way();
    story.probe("demo-1-77", joined("demo-1", 1));
    story.at(100).probe(
        "demo-1-77",
        Change::MemberFailed {
            error: Some(23),
            sentence: "no common assignor".into(),
            again: 0,
        },
    );
    assert_eq!(story.state("demo-1-77", 100), "gone");
    assert_eq!(story.group().member_count(), None, "nobody saw the group empty");
    story.at(10_100).probe("demo-1", found(1));
    assert_eq!(story.members(), ["demo-1"]);
    assert_eq!(story.state("demo-1", 10_100), "joining");
}

#[test]
fn a_member_of_ours_that_leaves_by_its_client_id_takes_its_named_row_along() {
    let mut story = on_its_way();
    story.probe("demo-1-77", joined("demo-1", 1));
    story.probe(
        "demo-1",
        Change::MemberLeft {
            cause: "asked to".into(),
        },
    );
    assert!(story.members().is_empty());
    assert_eq!(story.departed(), ["demo-1-77"]);
}

#[test]
fn a_better_source_overwrites_and_a_worse_one_fills_what_is_null() {
    let mut story = Story::default();
    story.survey(
        "m-77",
        Change::MemberJoined(crate::event::Joined {
            host: Some("/10.0.0.9".into()),
            rebalance_timeout_ms: Some(300_000),
            ..Default::default()
        }),
    );
    story.embedded(
        "m-77",
        Change::MemberJoined(crate::event::Joined {
            host: Some("/127.0.0.1".into()),
            heartbeat_interval_ms: None,
            rebalance_timeout_ms: None,
            ..facts("m", 1)
        }),
    );
    story.probe("m-77", joined("other", 1));
    let member = story.member("m-77");
    assert_eq!(member.host.get().unwrap(), "/127.0.0.1");
    assert_eq!(member.client_id.get().unwrap(), "m");
    assert_eq!(member.heartbeat_interval.get().unwrap().0, 1000);
    assert_eq!(member.rebalance_timeout.get().unwrap().0, 10_000);
    assert_eq!(member.rebalance_timeout.source(), Some(Source::Probe));
}

#[test]
fn one_of_ours_that_was_named_before_anything_else_was_seen_is_reached_by_its_client_id_too() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1)).probe("m", found(1));
    assert_eq!(story.members(), ["m-7"]);
    story.probe("m-7", rejoin_needed(25, true));
    assert_eq!(story.members(), ["m"]);
}

#[test]
fn one_of_ours_that_takes_a_static_seat_over_is_one_row_whatever_client_id_its_coordinator_tells() {
    for told in ["demo-4", "demo-5"] {
        let mut story = Story::default();
        story.probe("demo-5", found(1)).probe(
            "demo-5",
            moved(State::Unjoined, State::PreparingRebalance, MoveCause::JoinSent),
        );
        story.at(40).probe(
            "i-77",
            moved(
                State::PreparingRebalance,
                State::CompletingRebalance,
                MoveCause::JoinAnswered,
            ),
        );
        story.at(41).embedded("i-77", joined(told, 2));
        story.at(42).probe("i-77", joined("demo-5", 2));
        assert_eq!(story.members(), ["i-77"], "told as {told}");
        assert_eq!(story.member("i-77").since, at(41));
        story.at(43).probe("demo-5", found(2));
        assert_eq!(story.members(), ["i-77"], "told as {told}");
    }
}
