//! Properties of the fold, over streams that three sources tell at once.

mod coordinator;
mod sharing;
mod single_beats;

use proptest::prelude::*;
use serde_json::Value;

use super::story::*;
use crate::board::{Board, GroupKey, Phase, limits};
use crate::event::{
    Change, Event, Evidence, GroupState, GroupType, Joined, Observation, RebalanceCause, Rebalanced, Source,
    Summariser, WithheldReason,
};
use crate::ids::{ClusterId, Generation, GroupId, MemberId, NodeId};
use crate::member::{MoveCause, State};
use crate::time::UnixMs;
use coordinator::{is_of_coordinator, of_coordinator};

fn generation() -> impl Strategy<Value = i32> {
    prop_oneof![8 => 1..5_i32, 1 => Just(-1), 1 => any::<i32>()]
}

fn code() -> impl Strategy<Value = i16> {
    prop_oneof![6 => Just(0), 2 => Just(27), 1 => Just(25), 1 => Just(22), 1 => any::<i16>()]
}

fn member() -> impl Strategy<Value = Option<MemberId>> {
    let names = prop::sample::select(vec!["a", "a-7", "a-8", "b", "b-7", "b-8", "c-7", "", "d"]);
    prop_oneof![9 => names.prop_map(|id| Some(MemberId::from(id))), 1 => Just(None)]
}

fn beat() -> impl Strategy<Value = Change> {
    prop_oneof![
        (generation(), code(), any::<bool>(), 0..5000_u64).prop_map(
            |(generation, error, behind, latency_us)| {
                Change::HeartbeatAnswered {
                    generation: Generation(generation),
                    latency_us,
                    error,
                    renews: error == 0,
                    behind: behind.then(|| "SyncGroup".to_owned()),
                }
            }
        ),
        (generation(), code()).prop_map(|(generation, error)| received(generation, error)),
        (generation(), code()).prop_map(|(generation, error)| committed(generation, error)),
    ]
}

fn of_member() -> impl Strategy<Value = Change> {
    let names = prop::sample::select(vec!["a", "b", "c", "d"]);
    let state = prop::sample::select(State::ALL.to_vec());
    prop_oneof![
        3 => (names.clone(), generation()).prop_map(|(name, generation)| joined(name, generation)),
        3 => (names, generation(), any::<u16>()).prop_map(|(name, generation, took)| rejoined(name, generation, took.into())),
        1 => generation().prop_map(|generation| Change::MemberJoined(Joined {
            generation: Some(Generation(generation)),
            ..Joined::default()
        })),
        2 => (code(), any::<bool>()).prop_map(|(code, cleared)| rejoin_needed(code, cleared)),
        2 => state.prop_map(|to| moved(State::Stable, to, MoveCause::JoinSent)),
        1 => generation().prop_map(failed),
        1 => prop::sample::select(vec![
            WithheldReason::NoGeneration,
            WithheldReason::RejoinNeeded,
            WithheldReason::CoordinatorUnknown,
            WithheldReason::Throttled,
        ])
        .prop_map(|reason| Change::HeartbeatWithheld { reason, for_ms: None }),
        1 => Just(Change::MemberLeft { cause: "left".into() }),
        1 => Just(Change::MemberExpired { cause: "silent".into() }),
        1 => Just(Change::MemberReplaced { cause: "static".into(), by: Some(MemberId::from("a-8")) }),
        1 => Just(Change::MemberGone { possible: vec![], why: "not listed".into() }),
        1 => (0..3_u32).prop_map(|again| {
            Change::MemberFailed { error: Some(23), sentence: "no protocol".into(), again }
        }),
        1 => Just(Change::NotAuthorized { error: 30, right: "READ".into() }),
        1 => Just(Change::FaultPlayed { fault: crate::fault::Fault::Kill { member: MemberId::from("a") } }),
        1 => (0..3_i32).prop_map(found),
        1 => (0..3_i32, any::<u32>()).prop_map(|(node, unsent)| Change::CoordinatorDead {
            node: NodeId(node),
            cause: crate::event::DeathCause::Disconnect,
            detail: None,
            unsent,
            again: 0,
        }),
    ]
}

fn of_group() -> impl Strategy<Value = Change> {
    let cause = prop::sample::select(vec![RebalanceCause::NotVisible, RebalanceCause::MemberJoined]);
    let state = prop::sample::select(vec![
        "Empty",
        "PreparingRebalance",
        "CompletingRebalance",
        "Stable",
        "Odd",
    ]);
    prop_oneof![
        (cause.clone(), prop::option::of(generation())).prop_map(|(cause, from)| started(cause, None, from)),
        (
            generation(),
            prop::option::of(generation()),
            cause,
            prop::option::of(any::<u64>())
        )
            .prop_map(|(generation, from, cause, took_ms)| {
                Change::RebalanceFinished(Rebalanced {
                    cause,
                    took_ms,
                    ..bare(generation, from)
                })
            }),
        state.prop_map(|to| Change::GroupState {
            from: None,
            to: GroupState::from(to),
        }),
        Just(Change::GroupFound {
            group_type: GroupType::Classic,
            protocol_type: None,
        }),
        Just(Change::GroupGone {
            group_type: GroupType::Classic
        }),
    ]
}

/// What coordinators make member ids of: here `a-7` is a member with the client id `a`.
fn client_of(member: &str) -> &str {
    member.split('-').next().unwrap_or_default()
}

/// A join with the client id that its member has; a survey may not see it.
fn told_of(member: Option<&MemberId>, source: Source, mut change: Change) -> Change {
    if let (Some(member), Change::MemberJoined(joined) | Change::MemberRejoined(joined)) =
        (member, &mut change)
        && (source != Source::Survey || joined.client_id.is_some())
    {
        joined.client_id = Some(client_of(member.as_str()).to_owned());
    }
    change
}

/// What three sources report, and how many milliseconds pass before it.
fn reports() -> impl Strategy<Value = Vec<(u64, Observation)>> {
    let change = prop_oneof![10 => beat(), 5 => of_member(), 2 => of_group(), 3 => of_coordinator()];
    let source = prop_oneof![
        3 => Just(Source::Probe),
        3 => Just(Source::Embedded),
        1 => Just(Source::Survey),
    ];
    let group = prop::sample::select(vec!["demo", "other"]);
    let report =
        (0..700_u64, source, group, member(), change).prop_map(|(wait, source, group, member, change)| {
            let change = told_of(member.as_ref(), source, change);
            // What a source can report of heartbeats follows from what it is.
            let source = match change {
                Change::HeartbeatAnswered { .. } => Source::Probe,
                Change::HeartbeatReceived { .. } | Change::CommitReceived { .. } => Source::Embedded,
                ref change if is_of_coordinator(change) => Source::Embedded,
                _ => source,
            };
            let what = Observation {
                at: UnixMs(0),
                at_earliest: None,
                source,
                evidence: Evidence::Observed,
                cluster: ClusterId::from("c"),
                group: Some(GroupId::from(group)),
                member,
                change,
            };
            (wait, what)
        });
    prop::collection::vec(report, 1..120)
}

/// Numbers reports as the hub does: summaries of a second that is over come before what is seen after it.
fn numbered(reports: Vec<(u64, Observation)>) -> Vec<Event> {
    stream(reports, |_, _| true)
}

/// The same, with beats only of members that were told of before, as those of every source are: a beat from nowhere
/// makes its row at once, its summary only at the end of the second.
fn numbered_of_known(reports: Vec<(u64, Observation)>) -> Vec<Event> {
    stream(reports, |hub, what| {
        !what.change.is_single_beat() || hub.knows(what)
    })
}

fn stream(reports: Vec<(u64, Observation)>, takes: fn(&Hub, &Observation) -> bool) -> Vec<Event> {
    let mut hub = Hub::default();
    for (member, source) in [
        ("a-7", Source::Probe),
        ("b-7", Source::Probe),
        ("b-7", Source::Embedded),
        ("d", Source::Embedded),
    ] {
        hub.number(
            at(0),
            Observation {
                at: at(0),
                at_earliest: None,
                source,
                evidence: Evidence::Observed,
                cluster: ClusterId::from("c"),
                group: Some(GroupId::from("demo")),
                member: Some(MemberId::from(member)),
                change: joined(client_of(member), 1),
            },
        );
    }
    let mut seen = at(0);
    for (wait, mut what) in reports {
        seen = UnixMs(seen.0 + wait);
        hub.summarise(seen);
        what.at = UnixMs(seen.0 - 1);
        if takes(&hub, &what) {
            hub.summariser.add(seen, &what);
            hub.number(seen, what);
        }
    }
    hub.summarise(UnixMs(seen.0 + 1000));
    hub.events
}

#[derive(Default)]
struct Hub {
    board: Board,
    summariser: Summariser,
    events: Vec<Event>,
}

impl Hub {
    fn number(&mut self, seen: UnixMs, what: Observation) {
        let seq = self.events.len() as u64 + 1;
        let event = Event { seq, seen, what };
        self.board.apply(&event);
        self.events.push(event);
    }

    fn summarise(&mut self, now: UnixMs) {
        while let Some(summary) = self.summariser.poll(now) {
            self.number(now, summary);
        }
    }

    fn knows(&self, what: &Observation) -> bool {
        let (Some(group), Some(member)) = (&what.group, &what.member) else {
            return false;
        };
        let group = self.board.group(&GroupKey::new(&what.cluster, group));
        group.is_some_and(|group| {
            group.members.get(member).is_some_and(|row| {
                let joined = row.generation.source().is_some_and(|told| told < Source::Survey);
                joined && row.sources.contains(what.source)
            })
        })
    }
}

fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Board {
    let mut board = Board::default();
    for event in events {
        board.apply(event);
    }
    board
}

fn through_json(board: &Board) -> Board {
    serde_json::from_str(&serde_json::to_string(board).unwrap()).unwrap()
}

/// A board as JSON without what only single beats can tell: the bars and the last answers.
fn without_single_beats(board: &Board) -> Value {
    let mut json = serde_json::to_value(board).unwrap();
    for group in json["groups"].as_array_mut().unwrap() {
        for member in group["members"].as_array_mut().unwrap() {
            let member = member.as_object_mut().unwrap();
            // Not there where it is empty.
            member.remove("cells");
            member.remove("last_answer").unwrap();
        }
    }
    json
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_board_at_any_seq_and_the_events_after_it_make_the_whole_fold(
        reports in reports(),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = numbered(reports);
        let cut = cut.index(events.len());
        let mut board = fold(&events[..cut]);
        let kept = board.clone();
        for event in &events[cut..] {
            board.apply(event);
        }
        prop_assert_eq!(&board, &fold(&events));
        prop_assert_eq!(kept, fold(&events[..cut]), "a clone handed out earlier does not change");
    }

    #[test]
    fn a_board_sent_as_json_and_the_events_after_it_make_the_whole_fold(
        reports in reports(),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = numbered(reports);
        let sent = fold(&events[..cut.index(events.len())]);
        let mut received = through_json(&sent);
        prop_assert_eq!(&received, &sent);
        // A page that was handed a later board than its last event gets some events twice.
        for event in &events {
            received.apply(event);
        }
        prop_assert_eq!(received, fold(&events));
    }

    #[test]
    fn summaries_instead_of_single_beats_make_the_same_board_but_for_the_single_beats(reports in reports()) {
        let events = numbered_of_known(reports);
        let mut summaries = fold(events.iter().filter(|event| !event.what.change.is_single_beat()));
        summaries.seq = events.len() as u64;
        prop_assert_eq!(
            without_single_beats(&summaries),
            without_single_beats(&fold(&events))
        );
    }

    #[test]
    fn an_event_seen_before_changes_nothing(reports in reports(), again in any::<prop::sample::Index>()) {
        let events = numbered(reports);
        let mut board = fold(&events);
        board.apply(&events[again.index(events.len())]);
        prop_assert_eq!(board, fold(&events));
    }

    #[test]
    fn counts_kept_beside_the_rows_are_those_of_the_rows(reports in reports()) {
        let board = fold(&numbered(reports));
        let members: usize = board.groups().map(|group| group.members.len()).sum();
        let history: usize = board.groups().map(|group| group.history()).sum();
        prop_assert_eq!((board.members, board.history), (members, history));
        for group in board.groups() {
            prop_assert!(group.departed.len() <= limits::DEPARTED);
            prop_assert!(group.rebalances.len() <= limits::REBALANCES);
            prop_assert!(group.parties.len() <= limits::PARTIES);
            for (id, member) in group.members.iter() {
                prop_assert_eq!(id, &member.id);
                prop_assert!(member.cells.len() <= limits::CELLS);
                prop_assert!(member.tallies.len() <= limits::TALLIES);
                prop_assert!(!group.aliases.contains_key(id));
            }
            let generations: std::collections::BTreeSet<_> =
                group.rebalances.iter().map(|row| row.generation).collect();
            prop_assert_eq!(generations.len(), group.rebalances.len(), "one row each");
        }
    }

    #[test]
    fn every_row_can_say_its_state_at_any_time(reports in reports(), now in any::<u64>()) {
        let board = fold(&numbered(reports));
        let round = crate::health::Round::new(&board, UnixMs(now));
        for group in board.groups() {
            let verdicts = round.verdicts(group);
            prop_assert!(!verdicts.is_empty());
            for member in group.members.values() {
                let failed = matches!(member.phase, Phase::Failed { .. });
                prop_assert!(failed || !member.state(UnixMs(now)).is_ended());
                prop_assert!(!member.state_reason(UnixMs(now)).is_empty());
            }
        }
    }
}
