//! Events in words.

use shared::event::{BeatSummary, DeathCause, Departure, Joined, RebalanceCause, Rebalanced};
use shared::ids::{Generation, NodeId};
use shared::sorted::SortedMap;
use shared::time::UnixMs;

use super::*;

/// As our own members tell it.
fn seen(change: &Change) -> Story {
    tell(change, Source::Probe)
}

fn text(change: &Change) -> String {
    seen(change).text
}

#[test]
fn a_member_of_a_newer_type_has_an_epoch_and_sends_no_join_group() {
    let joined = Joined {
        generation: Some(Generation(4)),
        took_ms: Some(5_410),
        ..Joined::default()
    };
    let rejoined = Change::MemberRejoined(joined.clone());
    assert_eq!(
        text(&rejoined),
        "Rejoined in generation 4, 5.41 s after its JoinGroup."
    );
    let surveyed = |change: &Change| tell(change, Source::Survey).text;
    assert_eq!(
        surveyed(&rejoined),
        "It has epoch 4, 5.41 s after the group came to it."
    );
    assert_eq!(
        surveyed(&Change::MemberJoined(joined)),
        "Joined in epoch 4, 5.41 s after the group came to it."
    );
}

#[test]
fn a_dead_coordinator_names_its_cause_and_what_failed_with_it() {
    let story = seen(&Change::CoordinatorDead {
        node: NodeId(0),
        cause: DeathCause::NotCoordinator,
        detail: None,
        unsent: 2,
        again: 0,
    });
    assert_eq!(
        story.text,
        "The coordinator is taken for dead: it answered 16. 2 waiting requests failed with it."
    );
    assert_eq!(story.codes, [16]);
}

#[test]
fn a_coordinator_that_is_lost_again_and_again_says_how_often() {
    let change = Change::CoordinatorDead {
        node: NodeId(0),
        cause: DeathCause::Disconnect,
        detail: None,
        unsent: 0,
        again: 10,
    };
    assert_eq!(
        text(&change),
        "The coordinator is taken for dead: the connection ended. It was found and lost again 10 times."
    );
}

#[test]
fn what_is_not_visible_is_not_told() {
    assert_eq!(text(&Change::MemberJoined(Joined::default())), "Joined.");
    let joined = Joined {
        generation: Some(Generation(4)),
        took_ms: Some(1_020),
        host: Some("10.0.3.8".to_owned()),
        ..Joined::default()
    };
    assert_eq!(
        text(&Change::MemberRejoined(joined)),
        "Rejoined in generation 4, 1.02 s after its JoinGroup, from 10.0.3.8."
    );
}

#[test]
fn a_member_that_is_gone_may_have_left_or_timed_out() {
    let gone = Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "a member's seat does not show it.".to_owned(),
    };
    assert_eq!(
        text(&gone),
        "It is no longer listed; whether it left or timed out is not visible: a member's seat does not show it."
    );
}

#[test]
fn a_rebalance_tells_who_and_how_long() {
    let finished = Rebalanced {
        generation: Generation(5),
        from_generation: Some(Generation(4)),
        cause: RebalanceCause::MemberTimedOut,
        member: Some("demo-3-5f2c91ab-0a1b-4c3d-8e4f-0123456789ab".into()),
        took_ms: Some(940),
        took_between_ms: None,
        join_ms: None,
        sync_ms: None,
        joined: Some(Vec::new()),
        left: Some(vec!["demo-3".into()]),
        unnamed: 0,
        abandoned: 0,
        missed: 1,
    };
    let story = seen(&Change::RebalanceFinished(finished));
    assert_eq!(
        story.text,
        "Generation 5 stands after 940 ms: member timed out (demo-3); 1 gone; 1 generation never seen."
    );
    assert_eq!(story.tone, Tone::Bad);
}

#[test]
fn a_normal_code_moves_and_a_serious_one_alarms() {
    let answered = |error| Change::HeartbeatAnswered {
        generation: Generation(1),
        latency_us: 97,
        error,
        renews: error == 0,
        behind: None,
    };
    assert_eq!(seen(&answered(0)).tone, Tone::Ok);
    assert!(seen(&answered(0)).codes.is_empty());
    assert_eq!(seen(&answered(27)).tone, Tone::Move);
    assert_eq!(seen(&answered(30)).tone, Tone::Bad);
    assert_eq!(seen(&answered(30)).codes, [30]);
}

#[test]
fn a_summary_is_as_loud_as_its_worst_code() {
    let story = seen(&Change::HeartbeatsSummarised(BeatSummary {
        from: UnixMs(0),
        to: UnixMs(1000),
        generation: Generation(1),
        count: 5,
        behind: 1,
        errors: SortedMap::from([(27, 2), (30, 1)]),
        renewed_at: None,
        commits: 0,
        committed_at: None,
        buckets: SortedMap::new(),
    }));
    assert_eq!(
        story.text,
        "5 heartbeats in one second, 1 behind another request, 2 × 27, 1 × 30."
    );
    assert_eq!(story.tone, Tone::Bad);
}

#[test]
fn words_of_strangers_are_spelled_out() {
    let left = Change::MemberLeft {
        cause: "bye\u{202e}\n<b>".to_owned(),
    };
    assert_eq!(text(&left), "It left: bye\\u{202e}\\u{a}<b>.");
}
