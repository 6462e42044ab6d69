//! Each verdict, its sentence with its numbers, and which of several is the worst.

mod awaited;
mod blamed;
mod comeback;
mod counted;
mod found_by_plays;
mod healthy;
mod kept_out;
mod lost;
mod mended;
mod not_silent;
mod own_word;
mod played;
mod rights;
mod stage;
mod storms;
mod surveyed;
mod together;
mod unseen;
mod waits;

use super::*;
use crate::board::Board;
use crate::event::{
    Change, DeathCause, Event, Evidence, GroupState, Joined, LinkFault, Observation, RebalanceCause,
    Rebalanced, RejoinCause, Source,
};
use crate::ids::{ClusterId, Generation, GroupId, MemberId, NodeId};
use crate::vocabulary::Vocabulary;

const START: u64 = 1_764_417_600_000;

/// A group `demo` told of by events at milliseconds since the start.
#[derive(Default)]
struct Demo {
    board: Board,
}

impl Demo {
    fn tell(&mut self, ms: u64, source: Source, member: Option<&str>, change: Change) {
        let event = Event {
            seq: self.board.seq + 1,
            seen: UnixMs(START + ms),
            what: Observation {
                at: UnixMs(START + ms),
                at_earliest: None,
                source,
                evidence: Evidence::Observed,
                cluster: ClusterId::from("c"),
                group: Some(GroupId::from("demo")),
                member: member.map(MemberId::from),
                change,
            },
        };
        self.board.apply(&event);
    }

    /// Three members of ours in a stable group on our own coordinator, all heard at 0.
    fn stable() -> Self {
        let mut demo = Self::default();
        for member in ["demo-1", "demo-2", "demo-3"] {
            let joined = Joined {
                generation: Some(Generation(4)),
                client_id: Some(member.into()),
                session_timeout_ms: Some(6000),
                heartbeat_interval_ms: Some(1000),
                ..Joined::default()
            };
            let id = format!("{member}-77");
            demo.tell(
                0,
                Source::Embedded,
                Some(&id),
                Change::MemberJoined(joined.clone()),
            );
            demo.tell(0, Source::Probe, Some(&id), Change::MemberJoined(joined));
        }
        demo.tell(0, Source::Embedded, None, finished(4, &["demo-3-77"]));
        demo
    }

    fn heard(&mut self, ms: u64, members: &[&str]) {
        for member in members {
            let beat = Change::HeartbeatReceived {
                generation: Generation(4),
                error: 0,
            };
            self.tell(ms, Source::Embedded, Some(&format!("{member}-77")), beat);
        }
    }

    fn group(&self) -> &Group {
        self.board.groups().next().unwrap()
    }

    fn said(&self, ms: u64) -> Vec<(Verdict, String)> {
        verdicts(&self.board, self.group(), UnixMs(START + ms))
            .into_iter()
            .map(|finding| (finding.verdict, finding.sentence))
            .collect()
    }

    fn worst(&self, ms: u64) -> (Verdict, String) {
        let finding = verdict(&self.board, self.group(), UnixMs(START + ms));
        (finding.verdict, finding.sentence)
    }
}

fn finished(generation: i32, joined: &[&str]) -> Change {
    Change::RebalanceFinished(Rebalanced {
        generation: Generation(generation),
        from_generation: Some(Generation(generation - 1)),
        cause: RebalanceCause::MemberJoined,
        member: None,
        took_ms: None,
        took_between_ms: None,
        join_ms: None,
        sync_ms: None,
        joined: Some(joined.iter().copied().map(MemberId::from).collect()),
        left: Some(vec![]),
        unnamed: 0,
        abandoned: 0,
        missed: 0,
    })
}

fn found() -> Change {
    Change::CoordinatorFound {
        node: NodeId(1),
        host: "127.0.0.1".into(),
        port: 9092,
    }
}

#[test]
fn a_stable_group_says_how_long_and_how_many() {
    let mut demo = Demo::stable();
    demo.heard(48_000, &["demo-1", "demo-2", "demo-3"]);
    let all = demo.said(48_000);
    assert_eq!(
        all,
        [(
            Verdict::Stable,
            "Stable for 48 s in generation 4: 3 members.".to_owned()
        )]
    );
    let evidence = verdict(&demo.board, demo.group(), UnixMs(START + 48_000)).evidence;
    assert_eq!(evidence, "Observed at our own coordinator.");
}

#[test]
fn our_own_members_alone_are_not_called_the_whole_group() {
    let mut demo = Demo::default();
    let joined = |session_timeout_ms| {
        Change::MemberJoined(Joined {
            generation: Some(Generation(1)),
            session_timeout_ms,
            ..Joined::default()
        })
    };
    demo.tell(0, Source::Probe, Some("p-7"), joined(Some(6000)));
    demo.tell(0, Source::Probe, Some("p-7"), finished(1, &[]));
    assert_eq!(
        demo.worst(0).1,
        "Stable for 0 ms in generation 1: 1 member of ours."
    );
    demo.tell(0, Source::Probe, Some("q-7"), joined(None));
    assert_eq!(
        demo.worst(0).1,
        "Stable for 0 ms in generation 1: 2 members seen, 1 of them ours."
    );
}

#[test]
fn an_empty_group_says_so() {
    let mut demo = Demo::default();
    let empty = Change::GroupState {
        from: None,
        to: GroupState::Empty,
    };
    demo.tell(0, Source::Survey, None, empty);
    assert_eq!(
        demo.said(3000),
        [(Verdict::Empty, "Empty for at least 3 s: no members.".to_owned())]
    );
}

#[test]
fn a_late_member_is_named_with_its_numbers() {
    let mut demo = Demo::stable();
    demo.heard(2500, &["demo-1", "demo-3"]);
    let finding = verdict(&demo.board, demo.group(), UnixMs(START + 2600));
    assert_eq!(finding.verdict, Verdict::MemberLate);
    assert_eq!(
        finding.sentence,
        "demo-2 last answered 2.6 s ago; it beats every 1 s and its session is 6 s: 3.4 s left. Meanwhile the coordinator \
         answered 2 others (last 100 ms ago): it is this member's process or its network; whether GC or CPU is not visible \
         from here."
    );
    assert_eq!(finding.member, Some(MemberId::from("demo-2-77")));
    assert_eq!(finding.evidence, "Observed at our own coordinator.");
    assert_eq!(demo.said(2600).len(), 2, "and it is stable for all that");
}

#[test]
fn a_member_is_late_to_the_millisecond_of_its_state() {
    let demo = Demo::stable();
    assert_eq!(demo.worst(1500).0, Verdict::Stable);
    assert_eq!(demo.worst(1501).0, Verdict::MemberLate);
    assert_eq!(demo.worst(6000).0, Verdict::MemberLate);
    assert_eq!(demo.worst(6001).0, Verdict::MemberSilent);
}

#[test]
fn the_longest_unheard_is_named_and_the_others_counted() {
    let mut demo = Demo::stable();
    demo.heard(500, &["demo-3"]);
    let (_, sentence) = demo.worst(3000);
    assert!(
        sentence.starts_with("demo-2 last answered 3 s ago;"),
        "{sentence}"
    );
    assert!(sentence.ends_with(" 2 other members are late too."), "{sentence}");
}

#[test]
fn a_silent_member_says_by_how_much_its_session_is_over() {
    let mut demo = Demo::stable();
    demo.heard(7000, &["demo-1", "demo-3"]);
    assert_eq!(
        demo.worst(7200),
        (
            Verdict::MemberSilent,
            "demo-2 last answered 7.2 s ago; it beats every 1 s and its session is 6 s: over by 1.2 s. Meanwhile the \
             coordinator answered 2 others (last 200 ms ago): it is this member's process or its network; whether GC or CPU \
             is not visible from here."
                .to_owned()
        )
    );
}

#[test]
fn a_rebalance_says_how_long_why_and_who_is_awaited() {
    let mut demo = Demo::stable();
    let expired = Change::MemberExpired {
        cause: "silent for 6 s".into(),
    };
    let started = Change::RebalanceStarted {
        cause: RebalanceCause::MemberTimedOut,
        member: Some(MemberId::from("demo-2-77")),
        from_generation: Some(Generation(4)),
    };
    demo.heard(6000, &["demo-1", "demo-3"]);
    demo.tell(6000, Source::Embedded, Some("demo-2-77"), expired);
    demo.tell(6000, Source::Embedded, None, started);
    assert_eq!(
        demo.said(6900),
        [(
            Verdict::Rebalancing,
            "PreparingRebalance for 900 ms: demo-2 was silent past its session.".to_owned()
        )]
    );
    for member in ["demo-1-77", "demo-3-77"] {
        let rejoin = Change::RejoinNeeded {
            cause: RejoinCause::RebalanceInProgress,
            error: Some(27),
            detail: None,
            member_id_cleared: false,
        };
        demo.tell(7000, Source::Probe, Some(member), rejoin);
    }
    let (_, sentence) = demo.worst(7000);
    assert!(
        sentence.ends_with("2 members have not joined again yet: demo-1, demo-3."),
        "{sentence}"
    );
}

#[test]
fn a_dead_coordinator_says_since_when_why_and_whose_session_ends_first() {
    let mut demo = Demo::stable();
    demo.tell(0, Source::Probe, Some("demo-1-77"), found());
    demo.heard(1000, &["demo-1", "demo-2", "demo-3"]);
    demo.heard(1400, &["demo-1", "demo-3"]);
    let dead = |unsent| Change::CoordinatorDead {
        node: NodeId(1),
        cause: DeathCause::Disconnect,
        detail: Some("connection reset".into()),
        unsent,
        again: 0,
    };
    demo.tell(1500, Source::Probe, Some("demo-1-77"), dead(1));
    assert_eq!(demo.worst(1500).0, Verdict::Stable, "the others have theirs");
    demo.tell(1500, Source::Probe, Some("demo-2-77"), dead(0));
    demo.tell(1500, Source::Probe, Some("demo-3-77"), dead(0));
    assert_eq!(
        demo.worst(2500),
        (
            Verdict::CoordinatorGone,
            "The coordinator, broker 1 (127.0.0.1:9092), has not answered for 1 s: the connection to it ended \
             (connection reset). 1 request that waited for it failed. The tightest session, that of demo-2, has \
             4.5 s left."
                .to_owned()
        )
    );
    let not_found = Change::CoordinatorNotFound {
        error: None,
        cause: Some(LinkFault::Disconnect),
        detail: None,
    };
    demo.tell(2000, Source::Probe, Some("demo-1-77"), not_found);
    let (_, sentence) = demo.worst(2500);
    assert!(
        sentence.contains("Looking it up finds no broker that can be reached for 500 ms."),
        "{sentence}"
    );
    let over = "The session of demo-2 is over, unless a coordinator has loaded the group meanwhile: that starts it anew.";
    assert!(demo.worst(8000).1.ends_with(over));
    demo.tell(8000, Source::Probe, Some("demo-1-77"), found());
    assert_ne!(demo.worst(8000).0, Verdict::CoordinatorGone, "one has it again");
}

#[test]
fn a_coordinator_never_found_says_how_the_lookup_ends() {
    let mut demo = Demo::default();
    let not_found = Change::CoordinatorNotFound {
        error: Some(15),
        cause: None,
        detail: None,
    };
    demo.tell(0, Source::Probe, Some("p-1"), not_found);
    assert_eq!(
        demo.worst(2000),
        (
            Verdict::CoordinatorGone,
            "No coordinator has been found yet. Looking it up is answered 15 COORDINATOR_NOT_AVAILABLE for 2 s."
                .to_owned()
        )
    );
}

#[test]
fn what_was_not_seen_is_not_visible() {
    let mut demo = Demo::default();
    demo.tell(0, Source::Probe, Some("p-1"), found());
    assert_eq!(
        demo.said(0),
        [(
            Verdict::NotVisible,
            "The group's state is not visible from here.".to_owned()
        )]
    );
}

#[test]
fn a_name_with_a_line_break_stays_on_its_line() {
    let mut demo = Demo::default();
    let joined = Joined {
        generation: Some(Generation(1)),
        client_id: Some("a\nb".into()),
        session_timeout_ms: Some(10),
        ..Joined::default()
    };
    demo.tell(0, Source::Embedded, Some("x"), Change::MemberJoined(joined));
    let (verdict, sentence) = demo.worst(20);
    assert_eq!(verdict, Verdict::MemberSilent);
    assert!(sentence.starts_with("a\\nb "), "{sentence}");
}

#[test]
fn no_two_verdicts_are_equally_bad() {
    let mut grades: Vec<u8> = Verdict::ALL.iter().map(|verdict| verdict.severity()).collect();
    grades.sort_unstable();
    grades.dedup();
    assert_eq!(grades.len(), Verdict::ALL.len());
}
