//! A board is bounded, whatever comes, and counts what it forgets.

use super::story::*;
use crate::board::limits::*;
use crate::board::{Board, Member};
use crate::event::{BeatSummary, Change, Source};
use crate::ids::Generation;
use crate::sorted::SortedMap;

#[test]
fn history_keeps_the_newest_and_counts_the_rest() {
    let mut story = Story::default();
    for n in 0..100 {
        let id = format!("m-{n}");
        story
            .embedded(&id, joined("m", n))
            .embedded(&id, Change::MemberLeft { cause: "x".into() });
        story.group_of(Source::Embedded, Change::RebalanceFinished(bare(n, None)));
    }
    let group = story.group();
    assert_eq!(
        (group.departed.len(), group.rebalances.len()),
        (DEPARTED, REBALANCES)
    );
    assert_eq!(group.departed[0].id.as_str(), "m-99");
    let forgotten = 200 - (DEPARTED + REBALANCES) as u64;
    assert_eq!(
        (group.forgotten, story.board.forgotten.history),
        (forgotten, forgotten)
    );
}

#[test]
fn one_group_too_many_forgets_the_empty_one_that_changed_longest_ago() {
    let mut story = Story::default();
    story.tell(Source::Survey, Some("first"), Some("m-7"), joined("m", 1));
    for n in 1..GROUPS {
        story.tell(
            Source::Survey,
            Some(&format!("g{n}")),
            None,
            started(cause(), None, None),
        );
    }
    story.tell(Source::Survey, Some("g1"), None, started(cause(), None, None));
    assert_eq!(story.board.groups().len(), GROUPS);
    story.tell(
        Source::Survey,
        Some("one more"),
        None,
        started(cause(), None, None),
    );
    assert_eq!(story.board.groups().len(), GROUPS);
    assert_eq!(story.board.forgotten.groups, 1);
    assert!(story.board.group(&key("g2")).is_none());
    for kept in ["first", "g1", "one more"] {
        assert!(story.board.group(&key(kept)).is_some(), "{kept}");
    }
}

const fn cause() -> crate::event::RebalanceCause {
    crate::event::RebalanceCause::NotVisible
}

#[test]
fn one_member_too_many_gets_no_row_and_is_counted() {
    let mut story = Story::default();
    for n in 0..=MEMBERS {
        story.embedded(&format!("m{n}"), received(1, 0));
    }
    assert_eq!(story.group().members.len(), MEMBERS);
    assert_eq!(story.board.forgotten.members, 1);
    story.embedded("m0", Change::MemberLeft { cause: "x".into() });
    story.embedded("late", received(1, 0));
    assert!(story.group().members.contains_key("late"));
}

#[test]
fn long_names_are_cut_everywhere_and_stay_apart() {
    let long = "n".repeat(40_000);
    let mut story = Story::default();
    story.probe(&long, found(1));
    story.probe(&format!("{long}-7"), joined(&long, 1));
    story.probe(&format!("{long}-8"), joined(&long, 1));
    story.probe(&format!("{long}-8"), Change::MemberLeft { cause: long.clone() });
    story.group_of(Source::Probe, started(cause(), Some(&long), None));
    story.tell(Source::Probe, Some(&long), None, started(cause(), None, None));
    let formed = Change::GenerationFormed {
        generation: Generation(1),
        leader: Some(long.as_str().into()),
        protocol: Some(long.clone()),
        members: 1,
    };
    story.group_of(Source::Embedded, formed);
    let json = serde_json::to_string(&story.board).unwrap();
    let sentence = |text: &str| text.len() <= DETAIL && text.ends_with(" …");
    let whole = json.split('"').find(|text| text.len() > TEXT && !sentence(text));
    assert_eq!(whole, None);
    assert_eq!(story.board.groups().len(), 2);
    assert!(story.board.group(&key(&long)).is_some());
}

#[test]
fn faults_gaps_and_refusals_keep_the_newest() {
    let mut story = Story::default();
    for number in 0..200 {
        story.tell(
            Source::Embedded,
            None,
            None,
            Change::FaultPlayed {
                fault: crate::fault::Fault::Stop,
            },
        );
        story.tell(
            Source::Survey,
            None,
            None,
            Change::NotAuthorized {
                error: 31,
                right: format!("READ on topic t{number}"),
            },
        );
        let gap = Change::Gap {
            what: "x".into(),
            from: at(0),
            to: at(0),
            why: "y".into(),
        };
        story.tell(Source::Survey, None, None, gap);
    }
    let board = &story.board;
    assert_eq!(
        (board.faults.len(), board.gaps.len(), board.refusals.len()),
        (FAULTS, GAPS, REFUSALS)
    );
    assert_eq!(board.gaps[0].seq, 600);
}

#[test]
fn a_right_that_is_refused_again_is_one_row() {
    let mut story = Story::default();
    for right in ["READ", "DESCRIBE", "READ"] {
        let change = Change::NotAuthorized {
            error: 29,
            right: format!("{right} on topic t"),
        };
        story.tell(Source::Survey, None, None, change);
    }
    let rights: Vec<_> = story
        .board
        .refusals
        .iter()
        .map(|row| &*row.refusal.right)
        .collect();
    assert_eq!(rights, ["READ on topic t", "DESCRIBE on topic t"]);
}

#[test]
fn coordinators_without_end_do_not_grow_the_board() {
    let mut story = Story::default();
    story.probe("m-7", joined("m", 1));
    for node in 0..(COORDINATORS as i32 + 50) {
        story
            .probe("m-7", found(node))
            .at(1000)
            .probe("m-7", answered(1, 0));
    }
    assert_eq!(story.board.coordinators().len(), COORDINATORS);
    assert_eq!(story.board.forgotten.coordinators, 50);
    assert!(story.group().latency.len() <= NODES + 1);
    assert_eq!(story.group().latency().count(), COORDINATORS as u64 + 50);
}

#[test]
fn a_member_that_loses_its_id_again_and_again_leaves_bounded_traces() {
    let mut story = Story::default();
    for n in 0..(ALIASES + 100) {
        let id = format!("m-{n}");
        story
            .probe("m", found(1))
            .probe(&id, joined("m", 1))
            .probe(&id, rejoin_needed(25, true));
    }
    assert_eq!(story.members(), ["m"]);
    assert!(story.group().aliases.len() <= ALIASES);
    assert_eq!(story.departed().len(), DEPARTED);
}

#[test]
fn a_member_is_small() {
    assert!(size_of::<Member>() < 1024, "{}", size_of::<Member>());
}

#[test]
fn an_empty_board_says_so() {
    let board = Board::default();
    assert_eq!((board.seq, board.groups().len()), (0, 0));
    assert_eq!(board.events().count(), 0);
}

/// Hundreds of members of ours in one group, each told of by itself and by the coordinator.
fn crowd(story: &mut Story) -> Vec<(String, String)> {
    let names: Vec<_> = (0..10 * DEPARTED)
        .map(|n| (format!("m{n}"), format!("m{n}-77")))
        .collect();
    for (name, id) in &names {
        story.at(0).probe(name, found(1)).probe(id, joined(name, 1));
    }
    names
}

#[test]
fn late_beats_of_more_members_than_the_list_of_the_departed_keeps_bring_none_of_them_back() {
    for error in [0, 25] {
        let mut story = Story::default();
        let names = crowd(&mut story);
        for (_, id) in &names {
            story.at(2100).probe(id, answered(1, error));
        }
        for (name, id) in &names {
            let gone = Change::MemberGone {
                possible: vec![],
                why: "answered 25".into(),
            };
            story.at(2200).probe(id, gone).probe(id, rejoin_needed(25, true));
            story
                .at(2300)
                .probe(name, Change::MemberLeft { cause: "x".into() });
        }
        assert!(story.members().is_empty(), "{error}");
        for (_, id) in &names {
            story.at(3000).probe(id, second_of(error));
            story.at(3001).probe(id, answered(1, error)).probe(id, failed(1));
        }
        assert!(story.members().is_empty(), "{error}: {:?}", story.members());
        assert_eq!(story.group().departed.len(), DEPARTED);
        assert_eq!(story.group().totals.answered, 2 * names.len() as u64, "{error}");
    }
}

/// The summary of one beat in the second that begins at 2000.
fn second_of(error: i16) -> Change {
    Change::HeartbeatsSummarised(BeatSummary {
        from: at(2000),
        to: at(3000),
        generation: Generation(1),
        count: 1,
        behind: 0,
        errors: (error != 0).then_some((error, 1)).into_iter().collect(),
        renewed_at: (error == 0).then_some(at(2100)),
        commits: 0,
        committed_at: None,
        buckets: SortedMap::new(),
    })
}

#[test]
fn a_beat_that_renews_nothing_makes_no_member_of_one_forgotten_long_ago() {
    let mut story = Story::default();
    let names = crowd(&mut story);
    for (n, (_, id)) in names.iter().enumerate() {
        let left = Change::MemberLeft { cause: "x".into() };
        story.at(n as u64 * 1000).probe(id, left);
    }
    assert!(story.group().late.len() <= 12, "{}", story.group().late.len());
    story
        .probe("m0-77", answered(1, 25))
        .probe("m0-77", second_of(25));
    assert!(story.members().is_empty());
}

#[test]
fn what_is_put_together_of_two_long_texts_is_no_longer_than_one() {
    let long = "n".repeat(DETAIL);
    let mut story = Story::default();
    story.embedded("m-1", joined("m", 1)).embedded(
        "m-1",
        Change::MemberReplaced {
            cause: long.clone(),
            by: Some(long.as_str().into()),
        },
    );
    assert!(story.group().departed[0].end.cause.len() <= DETAIL);
}

#[test]
fn why_a_member_is_gone_is_a_whole_sentence() {
    let why = "w".repeat(DETAIL);
    let mut story = Story::default();
    let gone = Change::MemberGone {
        possible: Vec::new(),
        why: why.clone(),
    };
    story.embedded("m-1", joined("m", 1)).embedded("m-1", gone);
    assert_eq!(story.group().departed[0].end.cause, why);
}
