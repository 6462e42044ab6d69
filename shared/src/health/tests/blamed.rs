//! Nobody is blamed for what another finding, or the member's own word, explains.

use super::stage::*;
use crate::event::{Change, LinkFault, RebalanceCause, Source};
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};

const ONE: &str = "one-1";
const BLAMES: &str = "it is this member's process or its network";

fn pair() -> [(&'static str, Client); 2] {
    [(ONE, client("one", "/a")), ("two-1", client("two", "/b"))]
}

/// One of ours and another in a stable group; ours was answered last at 100 s.
fn stable() -> Stage {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, ONE, &pair(), 10);
    let joined = Change::MemberJoined(stage.joined(client("one", "/a")));
    says_itself(&mut stage, joined);
    stage.at(100_000).beats(&[ONE, "two-1"]);
    stage.at(100_001);
    answered(&mut stage, 0, 300);
    stage
}

fn says_itself(stage: &mut Stage, change: Change) {
    stage.tell("orders", Source::Probe, Some(ONE), change);
}

fn answered(stage: &mut Stage, error: i16, latency_us: u64) {
    let change = Change::HeartbeatAnswered {
        generation: Generation(1),
        latency_us,
        error,
        renews: error == 0,
        behind: None,
    };
    says_itself(stage, change);
}

/// It expires, and the other is alone in the group.
fn expires(stage: &mut Stage, member: &str, stays: (&str, Client)) {
    let cause = "silent".to_owned();
    stage.of(member, Change::MemberExpired { cause });
    stage.rebalance(RebalanceCause::MemberTimedOut, member, &[stays], 10);
}

#[test]
fn an_unknown_member_id_in_the_second_of_the_expiry_is_its_consequence_not_its_cause() {
    let mut stage = stable();
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    stage.at(110_300);
    answered(&mut stage, 25, 300);
    stage.at(111_000).beat("two-1", 0);
    let sentence = stage.says(Verdict::Stable);
    has(&sentence, &["one of /a expired", BLAMES]);
    assert!(!sentence.contains("25 UNKNOWN_MEMBER_ID"), "{sentence}");
}

#[test]
fn an_unknown_member_id_long_before_the_expiry_is_what_the_coordinator_said() {
    let mut stage = stable();
    stage.at(101_000);
    answered(&mut stage, 25, 300);
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &["Its heartbeats were answered, with 25 UNKNOWN_MEMBER_ID"],
    );
    assert!(!sentence.contains(BLAMES), "{sentence}");
}

#[test]
fn what_a_member_was_answered_until_it_expired_does_not_age_while_it_is_answered_so() {
    let mut stage = stable();
    for second in 101..110 {
        stage.at(second * 1000);
        answered(&mut stage, 15, 300);
    }
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    for second in 111..131 {
        stage.at(second * 1000).beat("two-1", 0);
        answered(&mut stage, 15, 300);
        let sentence = stage.says(Verdict::Stable);
        has(
            &sentence,
            &["Its heartbeats were answered, with 15 COORDINATOR_NOT_AVAILABLE"],
        );
        assert!(!sentence.contains(BLAMES), "{sentence}");
    }
}

#[test]
fn a_heartbeat_that_came_and_whose_answer_is_held_back_or_dropped_blames_no_member() {
    let mut stage = stable();
    stage.at(103_000).beat(ONE, 0);
    stage.at(103_100);
    answered(&mut stage, 0, 3_000_000);
    stage.at(104_000).beat(ONE, 0);
    stage.at(108_600).beat("two-1", 0);
    let sentence = stage.says(Verdict::MemberLate);
    has(
        &sentence,
        &["Its heartbeat came to our coordinator, and by its own word it has had no answer for 4.6 s"],
    );
    has(
        &sentence,
        &["(the last one that came took up to 3", "the answer is held back"],
    );
    assert!(!sentence.contains(BLAMES), "{sentence}");
    stage.at(114_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    let sentence = stage.says(Verdict::Stable);
    has(&sentence, &["by its own word it had no answer for 10 s"]);
    assert!(!sentence.contains(BLAMES), "{sentence}");
}

#[test]
fn a_heartbeat_whose_connection_ended_blames_no_process() {
    let mut stage = stable();
    stage.at(101_000);
    let lost = Change::HeartbeatFailed {
        generation: Generation(1),
        cause: LinkFault::Disconnect,
        detail: None,
    };
    says_itself(&mut stage, lost);
    stage.at(104_700).beat("two-1", 0);
    let sentence = stage.says(Verdict::MemberLate);
    has(
        &sentence,
        &["By its own word its last heartbeat has had no answer (the connection ended)"],
    );
    assert!(!sentence.contains(BLAMES), "{sentence}");
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    let sentence = stage.says(Verdict::Stable);
    has(&sentence, &["By its own word its last heartbeat had no answer"]);
    assert!(!sentence.contains(BLAMES), "{sentence}");
}

#[test]
fn whether_a_member_restored_from_the_log_ever_beat_is_not_visible() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.at(100_000).group_of(Change::GroupLoaded {
        node: NodeId(1),
        partition: 3,
        took_ms: 20,
        generation: Generation(4),
    });
    stage.in_group(one.0, one.1).in_group(two.0, two.1);
    for second in 101..110 {
        stage.at(second * 1000).beat("two-1", 0);
    }
    let sentence = stage.says(Verdict::MemberLate);
    let unknown = "after that had read the group from its log; whether any came before is not visible";
    has(
        &sentence,
        &["No heartbeat of it came to our coordinator in the 9 s", unknown],
    );
    assert!(!sentence.contains("ever came"), "{sentence}");
    stage.at(110_001).beat("two-1", 0);
    expires(&mut stage, ONE, two);
    let sentence = stage.says(Verdict::Stable);
    has(&sentence, &["one of /a expired", unknown]);
    assert!(!sentence.contains("ever came"), "{sentence}");
}

#[test]
fn one_that_expired_while_it_asked_its_former_coordinator_was_not_paused() {
    let mut stage = Stage::default();
    let [one, two] = pair();
    stage.rebalance(RebalanceCause::MemberJoined, ONE, &[one, two], 10);
    stage.at(100_000).beats(&[ONE, "two-1"]);
    stage.refused(ONE, one.1, "JoinGroup", 16, 9);
    stage.at(105_000).refused(ONE, one.1, "JoinGroup", 16, 9);
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, two);
    stage.at(112_000).refused(ONE, one.1, "JoinGroup", 16, 9);
    stage.at(113_000).beat("two-1", 0);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "one of /a expired",
            "not heard by its coordinator for 10 s",
            "It lives: its JoinGroup was answered 16 NOT_COORDINATOR, the last 1 s ago: it asks a broker that is its coordinator no more",
        ],
    );
    assert!(!sentence.contains(BLAMES), "{sentence}");
}

#[test]
fn one_that_a_leader_of_ours_told_of_has_no_word_of_its_own() {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, ONE, &pair(), 10);
    let listed = Change::MemberJoined(crate::event::Joined {
        client_id: None,
        host: None,
        ..stage.joined(client("one", "/a"))
    });
    stage.tell("orders", Source::Probe, Some(ONE), listed);
    stage.at(100_000).beats(&[ONE, "two-1"]);
    stage.at(110_020).beat("two-1", 0);
    expires(&mut stage, ONE, pair()[1]);
    stage.at(111_000).beat("two-1", 0);
    has(&stage.says(Verdict::Stable), &["one of /a expired", BLAMES]);
}
