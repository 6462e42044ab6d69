//! What a survey tells of members' work: what they own and ask for, how far the group has read.

use std::sync::Arc;

use super::story::*;
use crate::event::{
    Change, Described, Joined, Lag, Leaderless, LogAccess, PartitionProgress, Source, Subscription,
    TopicPartitions,
};
use crate::ids::{Generation, MemberId};

fn progress(committed: Option<i64>, end: Option<i64>, committed_at: Option<u64>) -> Change {
    let partitions = vec![PartitionProgress {
        topic: "t".into(),
        partition: 0,
        committed,
        end,
        committed_at: committed_at.map(at),
        lag: None,
        gone: false,
    }];
    Change::GroupProgress {
        lag: Lag::of(&partitions),
        partitions,
        unnamed: 0,
    }
}

fn owns(partition: i32) -> Change {
    Change::MemberAssigned {
        generation: Some(Generation(3)),
        partitions: Some(vec![TopicPartitions {
            topic: "t".into(),
            partitions: vec![partition],
        }]),
        unnamed: 0,
    }
}

#[test]
fn what_is_owned_since_a_generation_that_is_not_visible_is_since_none() {
    // Histories written before have -1 there.
    for told in [None, Some(Generation::NONE)] {
        let mut story = Story::default();
        story.survey("m-7", joined("m", 3));
        let Change::MemberAssigned {
            partitions, unnamed, ..
        } = owns(0)
        else {
            unreachable!("it is one")
        };
        let generation = told;
        story.survey(
            "m-7",
            Change::MemberAssigned {
                generation,
                partitions,
                unnamed,
            },
        );
        let owned = story.member("m-7").owned.as_ref().unwrap();
        assert_eq!((owned.generation, owned.count()), (None, Some(1)));
    }
}

#[test]
fn what_was_never_committed_or_has_no_end_has_no_count_of_what_is_left() {
    for (committed, end, left) in [
        (None, Some(90), None),
        (Some(7), None, None),
        (Some(7), Some(90), Some(83)),
        (Some(90), Some(90), Some(0)),
        // More than there is.
        (Some(90), Some(7), None),
    ] {
        let mut story = Story::default();
        story.group_of(Source::Survey, progress(committed, end, None));
        let row = &story.group().progress[0];
        assert_eq!(
            (row.left(), row.behind.behind_since.is_some()),
            (left, left == Some(83))
        );
        assert_eq!(story.group().lag.unwrap().left, left);
    }
}

#[test]
fn the_last_commit_of_a_member_is_that_of_its_partitions_since_it_has_them() {
    let mut story = Story::default();
    let joined = || Change::MemberJoined(Joined::default());
    for (member, partition) in [("a", 0), ("b", 1)] {
        story.survey(member, joined());
        story.at(1_000).survey(member, owns(partition));
    }
    let last = |story: &Story, member: &str| {
        let group = story.group();
        group.last_commit(&group.members[&MemberId::from(member)])
    };
    story.group_of(Source::Survey, progress(Some(1), Some(2), Some(900)));
    assert_eq!(last(&story, "a"), None, "another may have had it then");
    story.group_of(Source::Survey, progress(Some(2), Some(2), Some(1_700)));
    assert_eq!((last(&story, "a"), last(&story, "b")), (Some(at(1_700)), None));
    // What is committed without the right to read the log is not seen: there may be later ones.
    let access = LogAccess::Denied;
    story.tell(Source::Survey, None, None, Change::OffsetsLog { access });
    assert_eq!(
        (last(&story, "a"), story.group().progress[0].committed_at),
        (None, None)
    );
}

#[test]
fn what_members_ask_for_is_kept_once_for_those_alike_and_forgotten_when_nothing_is_said() {
    let mut story = Story::default();
    let told = |topics: &[&str]| {
        let topics: Vec<String> = topics.iter().map(|topic| (*topic).to_owned()).collect();
        let subscription = Subscription {
            topics,
            ..Subscription::default()
        };
        Change::MemberDescribed(Box::new(Described {
            subscription: Some(subscription),
            work: None,
        }))
    };
    for member in ["a", "b"] {
        story.survey(member, Change::MemberJoined(Joined::default()));
        story.survey(member, told(&["t", "u"]));
    }
    let described: Vec<_> = story
        .group()
        .members
        .values()
        .map(|row| row.described.clone().unwrap())
        .collect();
    assert!(Arc::ptr_eq(&described[0], &described[1]));
    story.survey("a", Change::MemberDescribed(Box::default()));
    let said: Vec<_> = story
        .group()
        .members
        .values()
        .map(|row| row.described.is_some())
        .collect();
    assert_eq!(said, [false, true]);
}

#[test]
fn how_far_the_offsets_log_of_a_cluster_can_be_read_is_its_last_word() {
    let mut story = Story::default();
    for access in [LogAccess::Reading, LogAccess::Denied] {
        story.tell(Source::Survey, None, None, Change::OffsetsLog { access });
    }
    let logs: Vec<_> = story.board.logs.iter().map(|log| log.access).collect();
    assert_eq!(logs, [LogAccess::Denied]);
}

#[test]
fn a_log_whose_partitions_nobody_leads_is_said_to_be_so_until_each_has_a_leader_again() {
    let mut story = Story::default();
    let access = LogAccess::Read;
    story.tell(Source::Survey, None, None, Change::OffsetsLog { access });
    for leaderless in [17, 0] {
        let told = Leaderless {
            leaderless,
            partitions: 50,
        };
        story.tell(Source::Survey, None, None, Change::OffsetsLogLeaderless(told));
        story.tell(Source::Survey, None, None, Change::OffsetsLog { access });
        let logs: Vec<_> = story.board.logs.iter().map(|log| log.leaderless).collect();
        assert_eq!(logs, [told]);
    }
}
