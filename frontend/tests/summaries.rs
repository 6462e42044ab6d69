//! Beats that come as summaries: who is late by what is known, and by no more.

#[expect(dead_code, reason = "the scenes of other tests need more of it")]
#[path = "support/stage.rs"]
mod stage;

use frontend::model::Page;
use frontend::model::address::Address;
use frontend::views::Now;
use frontend::views::overview;
use shared::board::MemberState;
use shared::event::{BeatSummary, Change, GroupState, Source};
use shared::ids::Generation;
use shared::sorted::SortedMap;
use shared::time::UnixMs;

use stage::{NOON, Stage};

const MEMBERS: [(&str, &str); 2] = [
    ("a", "a-1-5f2c91ab-0a1b-4c3d-8e4f-000000000001"),
    ("b", "b-1-91ab5f2c-1b0a-4d3c-9e4f-000000000002"),
];

/// How often the page is looked at.
const LOOK_MS: usize = 50;

/// Two groups, so that the overview is on show, with one member each; a second begins.
fn overview() -> Stage {
    let mut stage = Stage::live("", false);
    for (group, member) in MEMBERS {
        stage.turn_to(group);
        stage.group(GroupState::Stable);
        stage.found(member);
        stage.join(1, &[(member, 12)]);
    }
    stage
}

/// The beat at `phase` into a second, as its summary tells it.
fn summary(second: u64, phase: u64) -> Change {
    Change::HeartbeatsSummarised(BeatSummary {
        from: UnixMs(NOON + second),
        to: UnixMs(NOON + second + 1_000),
        generation: Generation(1),
        count: 1,
        behind: 0,
        errors: SortedMap::new(),
        renewed_at: Some(UnixMs(NOON + second + phase)),
        commits: 0,
        committed_at: None,
        buckets: SortedMap::from([(40, 1)]),
    })
}

/// Members that beat once a second, `beats` times, each second told `delay` ms after it is over. Gives every moment of so
/// many seconds at which `look` says something, in milliseconds.
fn moments(
    (phase, delay): (u64, u64),
    (beats, seconds): (u64, u64),
    look: impl Fn(&Stage, Now) -> bool,
) -> Vec<u64> {
    let mut stage = overview();
    let mut found = Vec::new();
    for now in (0..seconds * 1_000).step_by(LOOK_MS) {
        stage.ms = now;
        if now % 1_000 == 300 {
            stage.pass(0);
        }
        let over = now.saturating_sub(delay);
        if over > 0 && over % 1_000 == 0 && over / 1_000 <= beats {
            for (group, member) in MEMBERS {
                stage.turn_to(group);
                stage.tell(Source::Probe, Some(member), summary(over - 1_000, phase));
            }
        }
        if look(&stage, stage.drawn_at()) {
            found.push(now);
        }
    }
    found
}

/// Whether the overview says that a group needs attention.
fn is_alarmed(stage: &Stage, now: Now) -> bool {
    match stage.model.page() {
        Page::Overview(board) => !overview::title(&stage.model.ranked(board, now.for_summaries())).is_empty(),
        _ => false,
    }
}

/// Whether a member's row, where it is drawn, says late.
fn a_row_is_late(stage: &Stage, now: Now) -> bool {
    let groups = stage.model.board().into_iter().flat_map(|board| board.groups());
    let mut members = groups.flat_map(|group| group.members.values());
    members.any(|member| member.state(now.for_member(member)) == MemberState::Late)
}

#[test]
fn a_member_that_beats_each_second_is_late_at_no_moment_by_its_summaries() {
    for phase in [0, 50, 300, 500, 700, 950] {
        for delay in [0, 100, 450] {
            let told = format!("at {phase} ms of each second, told {delay} ms after it");
            assert_eq!(moments((phase, delay), (20, 20), is_alarmed), [0; 0], "{told}");
            assert_eq!(moments((phase, delay), (20, 20), a_row_is_late), [0; 0], "{told}");
        }
    }
}

#[test]
fn a_member_that_falls_silent_is_late_as_soon_as_the_second_of_the_beat_it_owes_is_told() {
    for phase in [0, 50, 300, 500, 700, 950] {
        // One and a half intervals after its last beat, in the second 9.
        let owed: u64 = 9_000 + phase + 1_500;
        let known = owed.next_multiple_of(1_000) + 500;
        for look in [is_alarmed, a_row_is_late] {
            let late = moments((phase, 100), (10, 16), look);
            let first = late.first().copied();
            let soon = known..known + 1_100;
            assert!(
                first.is_some_and(|first| soon.contains(&first)),
                "{first:?}, not in {soon:?}"
            );
        }
    }
}

#[test]
fn a_member_whose_beats_are_told_one_by_one_is_late_after_one_and_a_half_intervals() {
    let mut stage = overview();
    let (group, member) = MEMBERS[0];
    stage.model.go(Address::of_group(&group.into(), None));
    stage.turn_to(group);
    stage.answered(1, member, 0);
    stage.pass(1_000);
    stage.answered(1, member, 0);
    stage.pass(900);
    let is_late = |stage: &Stage| {
        let Page::Group(group) = stage.model.page() else {
            return None;
        };
        let row = group.members.values().next()?;
        let now = stage.drawn_at();
        assert_eq!(now.for_group(group), now.for_member(row));
        Some(row.state(now.for_member(row)) == MemberState::Late)
    };
    stage.pass(600);
    assert_eq!(is_late(&stage), Some(false));
    stage.pass(100);
    assert_eq!(is_late(&stage), Some(true));
}
