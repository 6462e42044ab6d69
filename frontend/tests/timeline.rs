//! A group's timeline: which lives are one process's, what is drawn of each, and how the stretch of time moves.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that misses its row has failed"
)]

#[expect(dead_code, reason = "the scenes of other tests need more of it")]
#[path = "support/stage.rs"]
mod stage;

use frontend::model::Page;
use frontend::views::timeline::lanes::{Lane, Life, Seen, Timeline};
use frontend::views::timeline::marks::{Place, What};
use frontend::views::timeline::span::Span;
use shared::board::{Group, MemberState};
use shared::event::{Change, GroupState, Joined, RebalanceCause, RejoinCause, Source};
use shared::ids::Generation;
use shared::member::{MoveCause, State};
use shared::time::UnixMs;

use stage::{NOON, Stage};

const FIRST: &str = "payments-7-5f2c91ab-0a1b-4c3d-8e4f-000000000001";
const SECOND: &str = "payments-7-91ab5f2c-1b0a-4d3c-9e4f-000000000002";
const OTHER: &str = "ledger-2-0a1b5f2c-1b0a-4d3c-9e4f-000000000003";

fn live() -> Stage {
    let mut stage = Stage::live("", false);
    stage.group(GroupState::Stable);
    stage
}

fn group(stage: &Stage) -> &Group {
    match stage.model.page() {
        Page::Group(group) => group,
        page => panic!("{page:?}"),
    }
}

fn timeline(stage: &Stage) -> Timeline {
    Timeline::of(group(stage))
}

fn expire(stage: &mut Stage, id: &str) {
    let cause = "no heartbeat for its session timeout of 6 s".to_owned();
    stage.tell(Source::Embedded, Some(id), Change::MemberExpired { cause });
}

fn lane<'a>(timeline: &'a Timeline, name: &str) -> &'a Lane {
    let mut named = timeline.lanes.iter().filter(|lane| lane.name == name);
    let lane = named.next().expect(name);
    assert!(named.next().is_none(), "{name} has one lane: {timeline:#?}");
    lane
}

#[test]
fn a_process_that_comes_back_under_a_new_id_is_one_lane() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (OTHER, 10)]);
    stage.beat(1, &[FIRST, OTHER], 3);
    stage.beat(1, &[OTHER], 6);
    expire(&mut stage, FIRST);
    stage.beat(1, &[OTHER], 5);
    stage.join(2, &[(SECOND, 10)]);
    let timeline = timeline(&stage);
    let ids: Vec<&str> = lane(&timeline, "payments-7")
        .lives
        .iter()
        .map(|life| life.member.as_str())
        .collect();
    assert_eq!(ids, [FIRST, SECOND]);
    assert_eq!(timeline.lanes.len(), 2);
    assert_eq!(timeline.lane_of(&SECOND.into()), timeline.lane_of(&FIRST.into()));
}

#[test]
fn a_stretch_whose_heartbeats_are_no_longer_kept_is_no_silence() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (OTHER, 10)]);
    stage.beat(1, &[FIRST, OTHER], 20);
    let forgotten = |stage: &Stage, name: &str| {
        let timeline = timeline(stage);
        let lane = lane(&timeline, name);
        lane.lives.first().and_then(|life| life.forgotten(group(stage)))
    };
    assert_eq!(forgotten(&stage, "payments-7"), None, "all are kept");
    expire(&mut stage, OTHER);
    stage.beat(1, &[FIRST], 60);
    let (from, until) = forgotten(&stage, "payments-7").expect("the first ones");
    let timeline = timeline(&stage);
    let lane_of_first = lane(&timeline, "payments-7");
    let marks = lane_of_first.marks(group(&stage));
    let beats = marks.iter().filter_map(|mark| match mark.what {
        What::Sign(_, Seen::Beats { .. }) => Some(mark.at),
        _ => None,
    });
    assert_eq!(beats.min(), Some(until), "up to the oldest that is kept");
    let at = |at| lane_of_first.forgotten_at(group(&stage), at).map(|mark| mark.at);
    assert_eq!(at(from), Some(until));
    assert_eq!(at(until), None);
    let (_, until) = forgotten(&stage, "ledger-2").expect("of one that is gone all but the last");
    let renewed = lane(&timeline, "ledger-2").marks(group(&stage));
    let renewed = renewed
        .iter()
        .find(|mark| matches!(mark.what, What::Sign(_, Seen::Renewed)));
    assert_eq!(renewed.map(|mark| mark.at), Some(until));
}

#[test]
fn a_process_killed_and_started_anew_before_its_old_session_is_over_is_one_lane() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10)]);
    stage.beat(1, &[FIRST], 3);
    stage.pass(2_000);
    stage.join(2, &[(SECOND, 10)]);
    stage.pass(3_000);
    expire(&mut stage, FIRST);
    assert_eq!(lane(&timeline(&stage), "payments-7").lives.len(), 2);
}

#[test]
fn two_that_look_alike_and_live_at_the_same_time_have_a_lane_each() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (SECOND, 10)]);
    stage.beat(1, &[FIRST, SECOND], 3);
    let timeline = timeline(&stage);
    let names: Vec<&str> = timeline.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["payments-7", "payments-7"]);
}

#[test]
fn silence_runs_from_the_last_beat_to_the_removal_and_there_is_none_before_a_farewell() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (OTHER, 10)]);
    stage.beat(1, &[FIRST, OTHER], 2);
    stage.answered(1, FIRST, 0);
    let last = stage.now();
    stage.pass(6_000);
    expire(&mut stage, FIRST);
    let cause = "closed".to_owned();
    stage.tell(Source::Embedded, Some(OTHER), Change::MemberLeft { cause });
    let timeline = timeline(&stage);
    let end = |name: &str| lane(&timeline, name).lives[0].end.clone().expect("it is gone");
    let (expired, left) = (end("payments-7"), end("ledger-2"));
    assert_eq!(
        (expired.state, expired.silent_since),
        (MemberState::Expired, Some(last))
    );
    assert_eq!(expired.at, UnixMs(last.0 + 6_000));
    assert_eq!((left.state, left.silent_since), (MemberState::Left, None));
}

#[test]
fn a_rebalance_is_a_band_with_its_join_phase_and_a_step_of_its_own() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10)]);
    stage.beat(1, &[FIRST], 2);
    let started = stage.now();
    stage.rebalance(RebalanceCause::MemberJoined, Some(OTHER), 2, 900, 100);
    stage.join(2, &[(FIRST, 950), (OTHER, 10)]);
    let timeline = timeline(&stage);
    let [band] = timeline.bands.as_slice() else {
        panic!("{:#?}", timeline.bands)
    };
    assert_eq!(band.from, started);
    assert_eq!(band.joined, Some(UnixMs(started.0 + 900)));
    assert_eq!(band.until, Some(UnixMs(started.0 + 1_000)));
    let at = UnixMs(started.0 + 500);
    assert!(timeline.band_at(at, stage.now()).is_some());
    assert!(timeline.band_at(UnixMs(started.0 - 1), stage.now()).is_none());
    let turns = timeline.turns(group(&stage), Span::last(60_000, stage.now()));
    assert!(
        turns.is_sorted_by_key(|mark| std::cmp::Reverse(mark.at)),
        "newest first"
    );
    let rebalances = turns
        .iter()
        .filter(|mark| matches!(mark.what, What::Rebalance(_)));
    assert_eq!(rebalances.count(), 1);
    let beats = turns
        .iter()
        .filter(|mark| matches!(mark.what, What::Sign(_, Seen::Beats { error: 0, .. })));
    assert_eq!(beats.count(), 0, "life going on is no turn");
}

/// A member of ours on its way in: it looks for the coordinator, or waits for its JoinGroup.
fn asks(stage: &mut Stage, name: &str) {
    let asks = Change::MemberMoved {
        from: State::Unjoined,
        to: State::PreparingRebalance,
        cause: MoveCause::JoinSent,
    };
    stage.tell(Source::Probe, Some(name), asks);
}

#[test]
fn one_that_only_asks_to_come_in_was_never_in_and_one_that_is_refused_ends_with_the_right() {
    let mut stage = Stage::live("", false);
    asks(&mut stage, "heartline-1");
    asks(&mut stage, "heartline-2");
    stage.pass(700);
    let refused = stage.now();
    let right = "READ on group demo".to_owned();
    stage.tell(
        Source::Probe,
        Some("heartline-2"),
        Change::NotAuthorized { error: 30, right },
    );
    let failed = Change::MemberFailed {
        error: Some(30),
        sentence: "JoinGroup was answered 30".to_owned(),
        again: 0,
    };
    stage.tell(Source::Probe, Some("heartline-2"), failed);
    stage.pass(60_000);
    let timeline = timeline(&stage);
    let life = |name: &str| &lane(&timeline, name).lives[0];
    let (asking, out) = (life("heartline-1"), life("heartline-2"));
    assert!(!asking.joined && asking.end.is_none());
    assert!(!out.joined, "no line as if it were in");
    let end = out.end.as_ref().expect("it is refused");
    assert_eq!((end.at, end.state), (refused, MemberState::NotAuthorized));
    let reason = out.reason().expect("why");
    assert!(reason.starts_with("READ on group demo is missing"), "{reason}");
    let turns = timeline.turns(group(&stage), Span::last(120_000, stage.now()));
    let crosses = turns.iter().filter(|mark| matches!(mark.what, What::Went(..)));
    assert_eq!(crosses.map(|mark| mark.at).collect::<Vec<_>>(), [refused]);
}

#[test]
fn one_that_was_in_before_it_was_refused_has_a_line_until_then() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (OTHER, 10)]);
    stage.beat(1, &[FIRST, OTHER], 3);
    stage.pass(500);
    let refused = stage.now();
    let right = "READ on group demo".to_owned();
    stage.tell(
        Source::Probe,
        Some(FIRST),
        Change::NotAuthorized { error: 30, right },
    );
    stage.pass(5_000);
    let timeline = timeline(&stage);
    let life = &lane(&timeline, "payments-7").lives[0];
    assert!(life.joined);
    assert_eq!(life.end.as_ref().map(|end| end.at), Some(refused));
    let other = &lane(&timeline, "ledger-2").lives[0];
    assert!(other.joined && other.end.is_none());
}

#[test]
fn one_of_ours_under_another_id_begins_with_that_id_and_leaves_the_beats_before_to_the_one_it_lost() {
    let mut stage = Stage::live("", false);
    let joined = |generation: i32| {
        Change::MemberJoined(Joined {
            client_id: Some("heartline-1".to_owned()),
            session_timeout_ms: Some(45_000),
            generation: Some(Generation(generation)),
            ..Joined::default()
        })
    };
    let [first, second] = ["heartline-1-5f2c", "heartline-1-91ab"];
    asks(&mut stage, "heartline-1");
    stage.pass(400);
    let came = stage.now();
    stage.tell(Source::Probe, Some(first), joined(1));
    stage.pass(3_000);
    stage.answered(1, first, 0);
    stage.pass(53_000);
    stage.answered(1, first, 25);
    let lost = stage.now();
    let unknown = Change::RejoinNeeded {
        cause: RejoinCause::UnknownMemberId,
        error: Some(25),
        detail: None,
        member_id_cleared: true,
    };
    stage.tell(Source::Probe, Some(first), unknown);
    stage.pass(600);
    let back = stage.now();
    stage.tell(Source::Probe, Some(second), joined(3));
    stage.pass(3_000);
    stage.answered(3, second, 0);
    let timeline = timeline(&stage);
    let lane = lane(&timeline, "heartline-1");
    let [old, new] = lane.lives.as_slice() else {
        panic!("{lane:#?}")
    };
    assert_eq!((old.from, new.from), (Some(came), Some(back)));
    let beats = |life: &Life| {
        let signs = life.signs(group(&stage)).into_iter();
        let beats = signs.filter(|sign| matches!(sign.what, Seen::Beats { .. }));
        beats.map(|sign| sign.at).collect::<Vec<_>>()
    };
    assert_eq!(beats(old), [UnixMs(came.0 + 3_000), lost]);
    assert_eq!(beats(new), [stage.now()]);
}

#[test]
fn an_error_in_an_answer_is_a_turn() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10)]);
    stage.answered(1, FIRST, 27);
    let timeline = timeline(&stage);
    let turns = timeline.turns(group(&stage), Span::last(60_000, stage.now()));
    let told = turns
        .iter()
        .filter(|mark| matches!(mark.what, What::Sign(_, Seen::Beats { error: 27, .. })));
    assert_eq!(told.count(), 1, "{turns:#?}");
}

#[test]
fn every_turn_is_stepped_to_there_and_back_though_several_are_of_one_moment() {
    let mut stage = live();
    stage.join(1, &[(FIRST, 10), (OTHER, 10)]);
    stage.answered(1, FIRST, 27);
    stage.answered(1, FIRST, 27);
    stage.join(2, &[(FIRST, 10), (OTHER, 10)]);
    let timeline = timeline(&stage);
    let turns = timeline.turns(group(&stage), Span::last(60_000, stage.now()));
    let moments: Vec<_> = turns.iter().map(|mark| mark.at).collect();
    assert!(moments.windows(2).any(|two| two[0] == two[1]), "{moments:?}");
    let walk = |from: Option<Place>, back: bool| {
        let step =
            |here: &Option<Place>| Place::step(here.as_ref(), &turns, back).map(|(_, place)| Some(place));
        let steps: Vec<Option<Place>> = std::iter::successors(step(&from), step)
            .take(turns.len() * 2)
            .collect();
        steps
    };
    let there = walk(None, true);
    assert_eq!(there.len(), turns.len());
    let mut again = walk(there.last().cloned().flatten(), false);
    again.truncate(turns.len() - 1);
    again.reverse();
    assert_eq!(again, there[..turns.len() - 1]);
}

#[test]
fn zooming_keeps_the_moment_under_the_pointer() {
    let span = Span::last(100_000, UnixMs(NOON));
    for share in [0.0, 0.25, 1.0] {
        let fixed = span.at(share);
        for percent in [10, 83, 120, 300] {
            let zoomed = span.zoomed(percent, share);
            assert_eq!(zoomed.length(), 1_000 * percent);
            assert!(
                (zoomed.share(fixed) - share).abs() < 0.001,
                "{percent} % at {share}"
            );
        }
    }
}

#[test]
fn a_span_is_never_empty_nor_longer_than_a_day() {
    let mut span = Span::last(0, UnixMs(NOON));
    assert!(span.length() > 0);
    for _ in 0..100 {
        span = span.zoomed(500, 0.5);
    }
    assert_eq!(span.length(), 24 * 3_600_000);
    for _ in 0..200 {
        span = span.zoomed(20, 0.5);
    }
    assert!(span.length() > 0);
    assert!(Span::last(1_000, UnixMs(5)).moved(-3.0).from.0 < 5);
}

#[test]
fn figures_at_the_axis_are_round_by_the_viewers_clock_and_few() {
    for ahead in [0, 60, 330, -345] {
        for length in [2_000, 60_000, 300_000, 10_800_000, 86_400_000] {
            let ticks = Span::last(length, UnixMs(NOON + 12_345)).ticks(8, ahead);
            assert!(!ticks.is_empty() && ticks.len() <= 9, "{length}: {}", ticks.len());
            let step = ticks.get(1).map_or(1, |second| second.0 - ticks[0].0);
            let local = |at: UnixMs| at.0.cast_signed() + i64::from(ahead) * 60_000;
            assert!(
                ticks.iter().all(|at| local(*at) % step.cast_signed() == 0),
                "{length}, {ahead} min"
            );
        }
    }
}
