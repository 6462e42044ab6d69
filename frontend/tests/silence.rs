//! What a group's timeline draws of a member whose heartbeats are not visible.

#![expect(clippy::panic, reason = "a test that misses its row has failed")]

#[expect(dead_code, reason = "the scenes of other tests need more of it")]
#[path = "support/stage.rs"]
mod stage;

use frontend::model::Page;
use frontend::views::timeline::lanes::{Seen, Timeline};
use shared::board::{Group, MemberState};
use shared::event::{Change, Departure, GroupState, Joined, Lag, PartitionProgress, Source, TopicPartitions};
use shared::ids::Generation;

use stage::Stage;

const FIRST: &str = "payments-7-5f2c91ab-0a1b-4c3d-8e4f-000000000001";
const SECOND: &str = "payments-7-91ab5f2c-1b0a-4d3c-9e4f-000000000002";

fn group(stage: &Stage) -> &Group {
    match stage.model.page() {
        Page::Group(group) => group,
        page => panic!("{page:?}"),
    }
}

#[test]
fn who_beats_unseen_and_has_nothing_to_commit_is_not_drawn_as_silent() {
    let mut stage = Stage::live("", false);
    stage.group(GroupState::Stable);
    let came = |client: &str| {
        Change::MemberJoined(Joined {
            client_id: Some(client.to_owned()),
            ..Joined::default()
        })
    };
    stage.tell(Source::Survey, Some(FIRST), came("payments-7"));
    let owns = Change::MemberAssigned {
        generation: Some(Generation(1)),
        partitions: Some(vec![TopicPartitions {
            topic: "orders".to_owned(),
            partitions: vec![0],
        }]),
        unnamed: 0,
    };
    stage.tell(Source::Survey, Some(FIRST), owns);
    let committed = stage.now();
    let rows = vec![PartitionProgress {
        topic: "orders".into(),
        partition: 0,
        committed: Some(8),
        end: Some(8),
        committed_at: Some(committed),
        lag: None,
        gone: false,
    }];
    let progress = Change::GroupProgress {
        lag: Lag::of(&rows),
        partitions: rows,
        unnamed: 0,
    };
    stage.tell(Source::Survey, None, progress);
    stage.pass(80_000);
    stage.tell(Source::Survey, Some(SECOND), came("payments-7"));
    stage.pass(9_000);
    let gone = Change::MemberGone {
        possible: vec![Departure::Left, Departure::TimedOut],
        why: "the coordinator no longer lists it".to_owned(),
    };
    stage.tell(Source::Survey, Some(FIRST), gone);
    let timeline = Timeline::of(group(&stage));
    // Started anew, it came back before its old session was over.
    let [lane] = timeline.lanes.as_slice() else {
        panic!("{:#?}", timeline.lanes)
    };
    let lives: Vec<&str> = lane.lives.iter().map(|life| life.member.as_str()).collect();
    assert_eq!(lives, [FIRST, SECOND]);
    let end = lane.lives[0].end.as_ref().expect("it is gone");
    assert_eq!((end.state, end.silent_since), (MemberState::Gone, None));
    let signs = lane.lives[0].signs(group(&stage));
    assert!(
        signs
            .iter()
            .any(|sign| sign.at == committed && sign.what == Seen::Commit)
    );
}
