//! What a board stores must not hang on single beats: a page that is sent their summaries alone has the same board.
//!
//! Found by the property beside it, one case each.

use super::{fold, stream, without_single_beats};
use crate::board::tests::story::*;
use crate::event::{Change, DeathCause, Evidence, Joined, Observation, RejoinCause, Source};
use crate::ids::{ClusterId, Generation, GroupId, MemberId, NodeId};
use crate::time::UnixMs;

/// With beats and without, the board after these reports, a millisecond apart, is the same.
fn is_the_same_without_beats(reports: Vec<(Source, &str, Change)>) {
    let reports = reports.into_iter().map(|(source, member, change)| {
        let what = Observation {
            at: UnixMs(0),
            at_earliest: None,
            source,
            evidence: Evidence::Observed,
            cluster: ClusterId::from("c"),
            group: Some(GroupId::from("demo")),
            member: Some(MemberId::from(member)),
            change,
        };
        (1, what)
    });
    let events = stream(reports.collect(), |_, _| true);
    let mut summaries = fold(events.iter().filter(|event| !event.what.change.is_single_beat()));
    summaries.seq = events.len() as u64;
    assert!(events.iter().any(|event| event.what.change.is_single_beat()));
    assert_eq!(
        without_single_beats(&summaries),
        without_single_beats(&fold(&events))
    );
}

#[test]
fn how_often_a_coordinator_was_lost() {
    let dead = Change::CoordinatorDead {
        node: NodeId(2),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 0,
    };
    is_the_same_without_beats(vec![
        (Source::Probe, "a-7", dead),
        (Source::Embedded, "b-7", received(1, 0)),
        (Source::Probe, "a-7", found(2)),
    ]);
}

#[test]
fn whether_a_member_is_ours_when_its_join_comes() {
    let listed = Joined {
        generation: Some(Generation(1)),
        client_id: Some("c".into()),
        ..Joined::default()
    };
    let told = Change::HeartbeatAnswered {
        generation: Generation(-1),
        latency_us: 4532,
        error: 27,
        renews: false,
        behind: None,
    };
    let join = Change::JoinReceived {
        client_id: "c".into(),
        host: "/127.0.0.1".into(),
        session_timeout_ms: None,
    };
    is_the_same_without_beats(vec![
        (Source::Probe, "c-7", Change::MemberJoined(listed)),
        (Source::Probe, "c-7", told),
        (Source::Embedded, "c-7", join),
    ]);
}

#[test]
fn whether_a_departed_member_ever_gave_a_sign_of_life() {
    let left = Change::MemberLeft { cause: "left".into() };
    is_the_same_without_beats(vec![
        (Source::Embedded, "b-7", committed(1, 0)),
        (Source::Probe, "b", left),
    ]);
}

#[test]
fn the_last_commit_of_a_member_that_gave_its_id_up() {
    let cleared = Change::RejoinNeeded {
        cause: RejoinCause::UnknownMemberId,
        error: Some(25),
        member_id_cleared: true,
        detail: None,
    };
    is_the_same_without_beats(vec![
        (Source::Embedded, "d", committed(1, 0)),
        (Source::Probe, "d", cleared),
    ]);
}

#[test]
fn whether_one_that_gave_its_id_up_and_left_ever_gave_a_sign_of_life() {
    let cleared = rejoin_needed(25, true);
    let left = Change::MemberLeft { cause: "left".into() };
    is_the_same_without_beats(vec![
        (Source::Probe, "b-7", joined("b", 1)),
        (Source::Probe, "b-7", answered(1, 0)),
        (Source::Probe, "b", cleared),
        (Source::Probe, "b", left),
    ]);
}

#[test]
fn whether_a_departed_member_had_been_told_to_rejoin() {
    let expired = Change::MemberExpired {
        cause: "silent for 6 s".into(),
    };
    is_the_same_without_beats(vec![
        (Source::Embedded, "d", received(1, 27)),
        (Source::Embedded, "d", expired),
    ]);
}

#[test]
fn whether_a_member_that_joins_is_new() {
    let finished = Change::RebalanceFinished(bare(1, None));
    let join = Change::JoinReceived {
        client_id: "c".into(),
        host: "/127.0.0.1".into(),
        session_timeout_ms: None,
    };
    is_the_same_without_beats(vec![
        (Source::Embedded, "a", finished),
        (Source::Probe, "c", found(2)),
        (Source::Embedded, "c-7", received(1, 0)),
        (Source::Embedded, "c-7", join),
    ]);
}

#[test]
fn the_last_commit_of_a_member_that_joins_after_it_was_said_to_have_left() {
    let left = Change::MemberLeft { cause: "left".into() };
    let join = Change::JoinReceived {
        client_id: "d".into(),
        host: "/127.0.0.1".into(),
        session_timeout_ms: None,
    };
    is_the_same_without_beats(vec![
        (Source::Embedded, "d", committed(1, 0)),
        (Source::Probe, "d", left),
        (Source::Embedded, "d", join),
    ]);
}
