//! What a survey tells: lists and descriptions, which see the state and no generation.

use super::story::*;
use crate::event::{
    Change, Departure, Detail, GroupState, GroupType, Joined, LinkFault, LogAccess, RebalanceCause,
    Rebalanced, Source,
};
use crate::ids::{Generation, MemberId, NodeId};
use crate::time::Millis;

#[test]
fn one_that_only_a_survey_sees_ends_with_the_state_and_its_generation_is_not_visible() {
    let mut story = Story::default();
    let state = |to| Change::GroupState { from: None, to };
    story.group_of(Source::Survey, state(GroupState::Stable));
    story.at(100).group_of(
        Source::Survey,
        started(RebalanceCause::MemberJoined, Some("b-7"), None),
    );
    story.group_of(Source::Survey, state(GroupState::PreparingRebalance));
    assert!(story.group().open.is_some());
    story.at(700).group_of(Source::Survey, state(GroupState::Stable));
    let group = story.group();
    assert!(group.open.is_none());
    let row = &group.rebalances[0];
    assert_eq!((row.generation, row.took()), (None, Some(Millis(600))));
    assert_eq!(row.running(at(900)), None);
    assert_eq!(group.rebalances_total[&RebalanceCause::MemberJoined], 1);

    // The offsets log tells later which generation that was, and that it ended at 650.
    story
        .at(650)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(4, Some(3))));
    let group = story.group();
    assert_eq!(group.rebalances.len(), 1);
    assert_eq!(group.rebalances[0].generation, Some(Generation(4)));
    assert_eq!(group.rebalances[0].took(), Some(Millis(550)));
    assert_eq!(group.rebalances_total.values().sum::<u64>(), 1);
}

#[test]
fn one_that_a_member_of_ours_sees_too_ends_when_that_tells_its_generation() {
    let mut story = Story::default();
    let state = |to| Change::GroupState { from: None, to };
    story.probe("m", super::story::found(1));
    story.group_of(Source::Survey, state(GroupState::Stable));
    story.at(100).group_of(
        Source::Probe,
        started(RebalanceCause::MemberJoined, Some("b-7"), None),
    );
    story.at(700).group_of(Source::Survey, state(GroupState::Stable));
    assert!(story.group().open.is_some());
}

#[test]
fn what_is_told_all_at_once_makes_the_same_rows_as_if_each_thing_were_told_alone() {
    let joined = Change::MemberJoined(Joined {
        generation: Some(Generation(3)),
        client_id: Some("a".to_owned()),
        ..Joined::default()
    });
    let assigned = Change::MemberAssigned {
        generation: Some(Generation(3)),
        partitions: Some(Vec::new()),
        unnamed: 2,
    };
    let formed = Change::GenerationFormed {
        generation: Generation(3),
        leader: None,
        protocol: None,
        members: 1,
    };
    let (from, to) = (None, GroupState::Stable);
    let state = Change::GroupState { from, to };
    let member = MemberId::from("a-1");

    let mut alone = Story::default();
    alone.at(100).group_of(Source::Survey, state.clone());
    alone.at(40).group_of(Source::Survey, formed.clone());
    alone
        .at(100)
        .survey("a-1", joined.clone())
        .survey("a-1", assigned.clone());

    let detail = |at: Option<u64>, member: Option<&MemberId>, change: &Change| Detail {
        at: at.map(super::story::at),
        member: member.cloned(),
        change: change.clone(),
    };
    let told = vec![
        detail(None, None, &state),
        detail(Some(40), None, &formed),
        detail(None, Some(&member), &joined),
        detail(None, Some(&member), &assigned),
    ];
    let mut together = Story::default();
    together
        .at(100)
        .group_of(Source::Survey, Change::GroupDescribed { told });

    let (alone, together) = (alone.group(), together.group());
    assert_eq!(alone.members, together.members);
    assert_eq!(alone.members.len(), 1);
    assert_eq!(
        (&alone.state, alone.state_since),
        (&together.state, together.state_since)
    );
    assert_eq!(alone.generation, together.generation);
    assert_eq!(alone.coordination, together.coordination);
}

/// A survey finds the group `demo` to be of this type, Stable.
fn found(group_type: GroupType) -> Story {
    let mut story = Story::default();
    story.group_of(
        Source::Survey,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    let (from, to) = (None, GroupState::Stable);
    story.group_of(Source::Survey, Change::GroupState { from, to });
    story
}

#[test]
fn a_rebalance_takes_a_group_into_the_state_that_its_type_has_for_that() {
    let begins = |group_type| {
        let mut story = found(group_type);
        story.at(100).group_of(
            Source::Survey,
            started(RebalanceCause::MemberJoined, Some("b-7"), Some(2)),
        );
        let group = story.group();
        assert!(group.open.is_some());
        group.state.get().cloned()
    };
    assert_eq!(begins(GroupType::Classic), Some(GroupState::PreparingRebalance));
    assert_eq!(begins(GroupType::Consumer), Some(GroupState::Assigning));
    assert_eq!(begins(GroupType::Streams), Some(GroupState::Assigning));
    assert_eq!(begins(GroupType::Share), Some(GroupState::Stable));
}

#[test]
fn in_a_share_group_a_rebalance_ends_with_its_epoch_and_not_with_a_state() {
    let mut story = found(GroupType::Share);
    story.at(100).group_of(
        Source::Survey,
        started(RebalanceCause::MemberJoined, Some("b-7"), Some(2)),
    );
    let (from, to) = (Some(GroupState::Empty), GroupState::Stable);
    story
        .at(200)
        .group_of(Source::Survey, Change::GroupState { from, to });
    assert!(story.group().open.is_some());
    story
        .at(700)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(3, Some(2))));
    let group = story.group();
    assert!(group.open.is_none());
    assert_eq!(group.rebalances.len(), 1);
    assert_eq!(group.rebalances[0].took(), Some(Millis(600)));
}

#[test]
fn who_took_the_epoch_over_and_how_long_that_took_stands_in_the_row_whenever_it_is_told() {
    let mut story = found(GroupType::Consumer);
    let joined = |generation, took_ms| Joined {
        generation: Some(Generation(generation)),
        took_ms,
        ..Joined::default()
    };
    story.survey("a-1", Change::MemberJoined(joined(2, None)));
    story.at(100).group_of(
        Source::Survey,
        started(RebalanceCause::MemberJoined, Some("b-7"), Some(2)),
    );
    story
        .at(900)
        .survey("a-1", Change::MemberRejoined(joined(3, Some(800))));
    story
        .at(1_000)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(3, Some(2))));
    // A look shows the other one only now.
    story
        .at(1_100)
        .survey("b-7", Change::MemberJoined(joined(3, Some(150))));
    let row = &story.group().rebalances[0];
    let took: Vec<_> = (row.rejoined.iter())
        .map(|rejoined| (rejoined.member.as_str(), rejoined.took_ms.get().copied()))
        .collect();
    assert_eq!(took, [("a-1", Some(800)), ("b-7", Some(150))]);
    assert_eq!(story.group().rebalances.len(), 1);
    assert_eq!(story.group().members[&MemberId::from("a-1")].last_renewed(), None);
}

#[test]
fn a_member_that_comes_back_under_another_id_is_linked_to_the_one_before_by_what_it_is_called_and_where_it_runs()
 {
    for group_type in [GroupType::Classic, GroupType::Consumer] {
        let mut story = found(group_type);
        let listed = |host: &str, instance: Option<&str>| {
            Change::MemberJoined(Joined {
                client_id: Some("billing".to_owned()),
                host: Some(host.to_owned()),
                instance_id: instance.map(Into::into),
                ..Joined::default()
            })
        };
        let gone = || Change::MemberGone {
            possible: vec![Departure::Left, Departure::TimedOut],
            why: "not listed".to_owned(),
        };
        story.survey("a-1", listed("/10.0.0.1", None));
        story.survey("i-1", listed("/10.0.0.1", Some("i")));
        story.at(1_000).survey("a-1", gone());
        story.at(1_500).survey("i-1", gone());
        // The same client elsewhere, and one with an instance id of its own, are others.
        story.at(2_000).survey("b-1", listed("/10.0.0.2", None));
        story.at(2_000).survey("i-2", listed("/10.0.0.1", Some("i")));
        story.at(3_000).survey("a-2", listed("/10.0.0.1", None));
        let ids = |instance: Option<&str>| -> Vec<String> {
            let parties = &story.group().parties;
            let mut of = parties
                .iter()
                .filter(|party| party.identity.instance_id.as_ref().map(|id| id.as_str()) == instance);
            let party = of.next().unwrap();
            assert_eq!(of.next(), None);
            let comings = party.comings.iter().map(|(_, id)| id.as_str().to_owned());
            comings.collect()
        };
        assert_eq!(ids(None), ["a-2", "a-1"]);
        assert_eq!(ids(Some("i")), ["i-2", "i-1"]);
    }
}

#[test]
fn a_sync_phase_that_is_told_leaves_the_rest_of_an_interval_to_the_join_phase() {
    let mut story = Story::default();
    let began = started(RebalanceCause::MemberJoined, Some("b-7"), Some(3));
    story.at(100).group_of(Source::Survey, began);
    let over = Rebalanced {
        sync_ms: Some(40),
        ..bare(4, Some(3))
    };
    story
        .at(700)
        .group_of(Source::Survey, Change::RebalanceFinished(over));
    let mut row = (*story.group().rebalances[0]).clone();
    assert_eq!(row.join_between(), Some((Millis(560), Some(Millis(560)))));
    row.started_earliest = Some(at(0));
    assert_eq!(row.join_between(), Some((Millis(560), Some(Millis(660)))));
    // Seen to be over at 700, and not yet at 300.
    row.finished_earliest = Some(at(300));
    assert_eq!(row.took_between(), Some((Millis(200), Some(Millis(700)))));
}

#[test]
fn a_cluster_that_is_not_reached_is_reached_again_with_the_first_broker_that_answers() {
    let mut story = Story::default();
    let not_found = Change::CoordinatorNotFound {
        error: None,
        cause: Some(LinkFault::Disconnect),
        detail: Some("broker-1:9092: cannot be reached".into()),
    };
    story.at(3).tell(Source::Survey, None, None, not_found);
    assert!(story.board.not_found.is_some() && story.board.coordinators().len() == 0);
    story.tell(
        Source::Survey,
        None,
        None,
        Change::BrokerAnswers {
            node: NodeId(1),
            host: Some("broker-1".into()),
            port: Some(9_092),
        },
    );
    assert!(story.board.not_found.is_none());
    let rows: Vec<_> = story.board.coordinators().collect();
    let [row] = rows.as_slice() else {
        panic!("one broker: {rows:?}");
    };
    assert_eq!((row.host.as_deref(), row.port), (Some("broker-1"), Some(9_092)));
}

#[test]
fn a_state_that_was_there_when_it_was_first_seen_is_as_old_as_that_at_least() {
    let mut story = found(GroupType::Share);
    story.survey("a-7", joined("a", 4));
    let since = |story: &Story| {
        let since = story.group().at_rest_since().unwrap();
        (since.at, since.at_latest)
    };
    assert_eq!(since(&story), (at(0), true));
    // Its epoch changes, its state does not: from then on it is in both, which was seen.
    story
        .at(50)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(5, Some(4))));
    assert_eq!(since(&story), (at(50), false));
    let empty = Change::GroupState {
        from: Some(GroupState::Stable),
        to: GroupState::Empty,
    };
    story.at(80).group_of(Source::Survey, empty);
    assert_eq!(since(&story), (at(80), false));
}

#[test]
fn the_generation_of_a_classic_group_is_not_visible_once_the_offsets_log_is_not() {
    let access = |access| Change::OffsetsLog { access };
    for (group_type, left) in [(GroupType::Classic, None), (GroupType::Consumer, Some(4))] {
        let mut story = found(group_type);
        story.survey("a-7", joined("a", 4));
        story.group_of(Source::Survey, Change::RebalanceFinished(bare(4, Some(3))));
        let generations = |story: &Story| {
            let own = story.group().generation.get().map(|generation| generation.0);
            (
                own,
                story
                    .member("a-7")
                    .generation
                    .get()
                    .map(|generation| generation.0),
            )
        };
        story.tell(Source::Survey, None, None, access(LogAccess::Read));
        assert_eq!(generations(&story), (Some(4), Some(4)));
        story.tell(Source::Survey, None, None, access(LogAccess::Denied));
        assert_eq!(generations(&story), (left, left));
    }
}

#[test]
fn of_a_group_of_which_neither_generation_nor_members_are_visible_nobody_counts_rebalances() {
    let mut story = Story::default();
    let right = || "DESCRIBE on group g".to_owned();
    let state = |to| Change::GroupState { from: None, to };
    story.group_of(Source::Survey, state(GroupState::Stable));
    story.group_of(
        Source::Survey,
        Change::NotAuthorized {
            error: 30,
            right: right(),
        },
    );
    assert_eq!(story.group().rebalance_count(), None);
    story.at(100).group_of(Source::Survey, state(GroupState::Empty));
    assert_eq!(
        story.group().rebalance_count(),
        None,
        "that it is empty now says nothing of what was"
    );
    story
        .at(200)
        .group_of(Source::Survey, Change::Authorized { right: right() });
    assert_eq!(story.group().rebalance_count(), Some(0));
    story
        .at(300)
        .survey("a-1", Change::MemberJoined(Joined::default()));
    story
        .at(400)
        .group_of(Source::Survey, Change::RebalanceFinished(bare(4, Some(3))));
    assert_eq!(story.group().rebalance_count(), Some(1));
}

#[test]
fn a_count_of_rebalances_over_generations_never_seen_is_at_least_that_for_good() {
    let mut story = Story::default();
    let finished = |from, generation: i32| {
        let steps = u32::try_from(generation - from).unwrap();
        Change::RebalanceFinished(Rebalanced {
            missed: steps - 1,
            ..bare(generation, Some(from))
        })
    };
    story.at(100).group_of(Source::Survey, finished(1, 2));
    assert!(!story.group().rebalanced_unseen());
    story.at(200).group_of(Source::Survey, finished(2, 4));
    assert!(story.group().rebalanced_unseen());
    for generation in 5..100 {
        let at = u64::try_from(generation).unwrap() * 100;
        story
            .at(at)
            .group_of(Source::Survey, finished(generation - 1, generation));
    }
    assert!(story.group().rebalances.iter().all(|row| !row.skips()));
    assert!(story.group().rebalanced_unseen());
}
