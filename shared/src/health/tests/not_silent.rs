//! Members that went together, or were not heard together, because of what was answered: nobody paused them.

use super::stage::*;
use crate::event::{Change, Joined, LinkFault, RebalanceCause, RejoinCause, Source};
use crate::fault::Fault;
use crate::health::Verdict;
use crate::ids::{Generation, NodeId};
use crate::member::{MoveCause, State};

/// Three of ours on one host.
const OURS: [(&str, Client); 3] = [
    ("one-1", client("one", "/a")),
    ("two-1", client("two", "/a")),
    ("three-1", client("three", "/a")),
];

fn stable() -> Stage {
    let mut stage = Stage::default();
    stage.rebalance(RebalanceCause::MemberJoined, OURS[0].0, &OURS, 10);
    for (id, client) in OURS {
        let joined = Change::MemberJoined(stage.joined(client));
        says(&mut stage, id, joined);
    }
    stage
}

fn says(stage: &mut Stage, id: &str, change: Change) {
    stage.tell("orders", Source::Probe, Some(id), change);
}

fn moves(stage: &mut Stage, from: State, to: State, cause: MoveCause) {
    for (id, _) in OURS {
        says(stage, id, Change::MemberMoved { from, to, cause });
    }
}

fn expire(stage: &mut Stage) {
    for (id, _) in OURS {
        let cause = "silent".to_owned();
        stage.of(id, Change::MemberExpired { cause });
    }
}

fn is_nobodys_pause(sentence: &str) {
    for blame in ["was paused", "fell silent", "its process or its network;"] {
        assert!(!sentence.contains(blame), "{sentence}");
    }
}

/// Each has joined again at 100 s, and the answer to its SyncGroup is lost; given up after `waits`.
fn whose_syncs_are_lost(waits: u64) -> Stage {
    let mut stage = stable();
    stage.at(100_000);
    let completing = State::CompletingRebalance;
    moves(
        &mut stage,
        State::Stable,
        State::PreparingRebalance,
        MoveCause::JoinSent,
    );
    moves(
        &mut stage,
        State::PreparingRebalance,
        completing,
        MoveCause::JoinAnswered,
    );
    stage.rebalance(RebalanceCause::LeaderRejoined, OURS[0].0, &OURS, 10);
    stage.at(100_000 + waits);
    moves(&mut stage, completing, State::Unjoined, MoveCause::SyncFailed);
    stage
}

#[test]
fn members_whose_syncs_were_not_answered_were_not_paused_though_they_went_together() {
    let mut stage = whose_syncs_are_lost(4_500);
    stage.at(110_010);
    expire(&mut stage);
    let other = ("four-1", client("four", "/b"));
    stage.rebalance(RebalanceCause::MemberTimedOut, OURS[0].0, &[other], 10);
    let sentence = stage.at(110_500).says(Verdict::Stable);
    has(
        &sentence,
        &["By its own word its SyncGroup had no answer for 4.5 s"],
    );
    is_nobodys_pause(&sentence);
}

#[test]
fn who_expires_within_its_session_after_an_answer_was_not_silent() {
    let mut stage = stable();
    stage.at(100_000);
    stage.rebalance(RebalanceCause::LeaderRejoined, OURS[0].0, &OURS, 10);
    stage.at(100_917);
    expire(&mut stage);
    let other = ("four-1", client("four", "/b"));
    stage.rebalance(RebalanceCause::MemberTimedOut, OURS[0].0, &[other], 10);
    let sentence = stage.says(Verdict::Stable);
    has(
        &sentence,
        &[
            "answered 907 ms before",
            "It was not silent: what it was answered meanwhile did not renew its session.",
        ],
    );
    is_nobodys_pause(&sentence);
}

/// At 100 s an answer takes its id from each; they come back under new ones at once.
fn under_new_ids() -> (Stage, [(&'static str, Client); 3]) {
    let mut stage = stable();
    stage.at(100_000).beats(&OURS.map(|(id, _)| id));
    stage.at(100_500);
    for (id, _) in OURS {
        let change = Change::RejoinNeeded {
            cause: RejoinCause::UnknownMemberId,
            error: Some(25),
            member_id_cleared: true,
            detail: None,
        };
        says(&mut stage, id, change);
    }
    let [one, two, three] = OURS.map(|(_, client)| client);
    let anew = [("one-2", one), ("two-2", two), ("three-2", three)];
    stage.started(RebalanceCause::MemberJoined, anew[0].0);
    for (id, client) in anew {
        stage.join(id, client);
    }
    (stage, anew)
}

#[test]
fn old_ids_that_our_coordinator_still_waits_for_are_named() {
    let (mut stage, _) = under_new_ids();
    stage.at(109_600);
    let said = stage.said("orders");
    let waits = said.iter().find(|finding| finding.verdict == Verdict::Waiting);
    has(
        &waits.expect("somebody is waited for").sentence,
        &[
            "waiting for ",
            "one",
            "two",
            "three",
            ": an answer has taken the old member id from each, and the coordinator has that until its session is over",
        ],
    );
}

#[test]
fn old_ids_that_expire_after_their_clients_took_new_ones_were_not_paused() {
    let (mut stage, anew) = under_new_ids();
    stage.at(105_400);
    expire(&mut stage);
    stage.formed(anew[0].0, 3);
    for (id, client) in anew {
        stage.in_group(id, client);
    }
    stage.finished(RebalanceCause::MemberJoined, anew[0].0, 4_900);
    let sentence = stage.at(105_900).says(Verdict::Stable);
    has(
        &sentence,
        &[
            "waiting for the old id of three until it was removed (4.9 s)",
            "three of /a was told 5.4 s ago that its member id is not known, and went on under a new one",
            "neither its process nor its network",
        ],
    );
    is_nobodys_pause(&sentence);
}

#[test]
fn who_was_not_heard_while_our_own_coordinator_was_stopped_is_not_silent_when_it_serves_again() {
    let mut stage = stable();
    stage.at(20_000).beats(&OURS.map(|(id, _)| id));
    let played = |fault: Fault| Change::FaultPlayed { fault };
    stage.group_of(played(Fault::Stop));
    stage.at(41_000);
    let silent = |stage: &Stage| {
        let said = stage.said("orders");
        let unheard = [Verdict::MemberSilent, Verdict::MemberLate];
        said.iter().any(|finding| unheard.contains(&finding.verdict))
    };
    assert!(silent(&stage));
    is_nobodys_pause(&stage.says(Verdict::MemberSilent));
    stage.group_of(played(Fault::Restart));
    stage.at(41_100);
    assert!(!silent(&stage), "{:#?}", stage.said("orders"));
    stage.at(48_000);
    assert!(silent(&stage), "each has one session, and no more");
}

/// A member of ours of that group, which broker `node` coordinates, in generation 1.
fn probe(stage: &mut Stage, group: &str, member: &'static str, node: i32) {
    let found = Change::CoordinatorFound {
        node: NodeId(node),
        host: "127.0.0.1".into(),
        port: 9092,
    };
    let joined = Change::MemberJoined(Joined {
        heartbeat_interval_ms: Some(3_000),
        ..stage.joined(client(member, "/127.0.0.1"))
    });
    stage.tell(group, Source::Probe, Some(member), found);
    stage.tell(group, Source::Probe, Some(member), joined);
}

fn answered(stage: &mut Stage, group: &str, member: &str) {
    let answered = Change::HeartbeatAnswered {
        generation: Generation(1),
        latency_us: 500,
        error: 0,
        renews: true,
        behind: None,
    };
    stage.tell(group, Source::Probe, Some(member), answered);
}

#[test]
fn while_other_brokers_answer_the_same_process_a_coordinator_that_is_silent_is_told_from_it() {
    let mut stage = Stage::default();
    probe(&mut stage, "orders", "probe-1", 1);
    probe(&mut stage, "audit", "probe-2", 2);
    answered(&mut stage, "orders", "probe-1");
    for beat in 1..4 {
        answered(stage.at(beat * 3_000), "audit", "probe-2");
    }
    let said = stage.says(Verdict::MemberLate);
    has(
        &said,
        &[
            "Meanwhile 1 other broker answered this process: it is the coordinator, broker 1, or the way to it.",
        ],
    );
    assert!(!said.contains("nobody else is heard"), "{said}");
    stage.of_cluster(Change::BrokerSilent {
        node: NodeId(1),
        cause: LinkFault::Timeout,
        detail: None,
    });
    answered(stage.at(9_500), "audit", "probe-2");
    has(
        &stage.says(Verdict::MemberLate),
        &["or the way to it. It has not answered a survey for 500 ms either."],
    );
}
