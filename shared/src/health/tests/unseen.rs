//! What cannot be judged of a group of others, why, and what would make it visible.

use super::stage::*;
use crate::event::{Change, GroupState, GroupType, LogAccess, Source};
use crate::health::{Finding, Verdict, thresholds, verdicts};
use crate::time::UnixMs;

fn found(group_type: GroupType) -> Stage {
    let mut stage = Stage::default();
    stage.tell(
        "orders",
        Source::Survey,
        None,
        Change::GroupFound {
            group_type,
            protocol_type: None,
        },
    );
    let (from, to) = (None, GroupState::Stable);
    stage.tell("orders", Source::Survey, None, Change::GroupState { from, to });
    stage
}

/// All that is said of the group, and of that what is not visible.
fn said(stage: &Stage) -> (Vec<Verdict>, Option<Finding>) {
    let group = stage.board.groups().next().unwrap();
    let all = verdicts(&stage.board, group, UnixMs(START + stage.now));
    let words = all.iter().map(|finding| finding.verdict).collect();
    let mut unseen = all
        .into_iter()
        .filter(|finding| finding.verdict == Verdict::NotVisible);
    (words, unseen.next())
}

#[test]
fn without_the_right_to_read_the_offsets_log_it_is_said_what_is_not_visible_and_what_would_make_it_so() {
    for (group_type, what) in [
        (GroupType::Classic, "Its generation, its members' timeouts"),
        (GroupType::Consumer, "When exactly its rebalances begin and end"),
    ] {
        let mut stage = found(group_type);
        stage.of_cluster(Change::OffsetsLog {
            access: LogAccess::Denied,
        });
        let (words, unseen) = said(&stage);
        assert_eq!(
            words,
            [Verdict::Stable, Verdict::NotVisible],
            "what can be judged comes first"
        );
        let unseen = unseen.unwrap();
        assert!(unseen.sentence.starts_with(what), "{}", unseen.sentence);
        has(
            &unseen.sentence,
            &["READ on topic __consumer_offsets is missing: with that right they are."],
        );
        assert_eq!(unseen.evidence, "Observed: the brokers' answers.");
        stage.of_cluster(Change::OffsetsLog {
            access: LogAccess::Read,
        });
        assert_eq!(said(&stage).0, [Verdict::Stable]);
    }
}

#[test]
fn a_log_that_is_read_for_long_is_said_to_be_not_read_yet() {
    let mut stage = found(GroupType::Classic);
    stage.of_cluster(Change::OffsetsLog {
        access: LogAccess::Reading,
    });
    stage.at(thresholds::LOG_UNREAD_MS - 1);
    assert_eq!(said(&stage).0, [Verdict::Stable]);
    stage.at(thresholds::LOG_UNREAD_MS);
    let (_, unseen) = said(&stage);
    has(
        &unseen.unwrap().sentence,
        &["still being read, for 10 s now: once it is, they are."],
    );
}

#[test]
fn where_there_is_no_log_yet_that_is_said() {
    let mut stage = found(GroupType::Classic);
    stage.of_cluster(Change::OffsetsLog {
        access: LogAccess::Absent,
    });
    let (_, unseen) = said(&stage);
    has(&unseen.unwrap().sentence, &["there is no offsets log yet"]);
}

#[test]
fn a_membership_that_is_hidden_is_said_beside_the_right_that_hides_it_until_that_is_there() {
    let mut stage = found(GroupType::Classic);
    let right = "DESCRIBE on group orders".to_owned();
    let refused = Change::NotAuthorized {
        error: 30,
        right: right.clone(),
    };
    stage.tell("orders", Source::Survey, None, refused);
    let (words, unseen) = said(&stage);
    assert_eq!(
        words,
        [Verdict::NotAuthorized, Verdict::Stable, Verdict::NotVisible]
    );
    let unseen = unseen.unwrap();
    has(
        &unseen.sentence,
        &[
            "Who is in the group",
            "not visible without DESCRIBE on group orders: with that right it is.",
        ],
    );
    assert!(
        unseen.evidence.contains("30 GROUP_AUTHORIZATION_FAILED"),
        "{}",
        unseen.evidence
    );
    stage.tell("orders", Source::Survey, None, Change::Authorized { right });
    assert_eq!(said(&stage).0, [Verdict::Stable]);
}

#[test]
fn a_type_that_cannot_be_asked_about_is_named() {
    let stage = found(GroupType::Other("quorum".into()));
    let (_, unseen) = said(&stage);
    has(
        &unseen.unwrap().sentence,
        &["of the type quorum, which this version of Heartline cannot ask about"],
    );
}
