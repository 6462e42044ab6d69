//! Lives that an error ends, one after the other.

use shared::ids::{MemberId, NodeId};
use shared::time::Millis;

use super::*;

const DENIED: i16 = 30;

fn failed(code: i16, again: u32) -> Change {
    Change::MemberFailed {
        error: Some(code),
        sentence: format!("JoinGroup was answered {code}"),
        again,
    }
}

fn missing() -> Change {
    Change::NotAuthorized {
        error: DENIED,
        right: "READ on group g".to_owned(),
    }
}

fn moved(to: State, cause: MoveCause) -> Change {
    let from = State::Unjoined;
    Change::MemberMoved { from, to, cause }
}

fn found() -> Change {
    Change::CoordinatorFound {
        node: NodeId(1),
        host: "broker".to_owned(),
        port: 9092,
    }
}

fn joins() -> Change {
    moved(State::PreparingRebalance, MoveCause::JoinSent)
}

/// All that a life tells whose JoinGroup is answered so.
fn refused(code: i16) -> Vec<Change> {
    let end = moved(State::Ended, MoveCause::Fatal);
    vec![found(), joins(), missing(), failed(code, 0), end]
}

/// One life after the other, each a minute later.
#[derive(Default)]
struct Lives {
    before: Option<Failure>,
    now: Timestamp,
}

impl Lives {
    /// What is told of one to which this happens.
    fn one(&mut self, happens: Vec<Change>) -> Vec<Change> {
        self.now = self.now + Millis(60_000);
        let mut refusals = Refusals::after(self.before.take());
        let mut said = Vec::new();
        for change in happens {
            let (at, member) = (self.now, MemberId::from("m"));
            said.extend(refusals.pass(Told { at, member, change }));
        }
        self.before = refusals.into_failure();
        said.into_iter().map(|told| told.change).collect()
    }
}

#[test]
fn a_member_that_is_refused_again_and_again_tells_it_once_and_then_every_ten_minutes_how_often() {
    let mut lives = Lives::default();
    assert_eq!(lives.one(refused(DENIED)), refused(DENIED));
    for _ in 0..9 {
        assert_eq!(lives.one(refused(DENIED)), []);
    }
    assert_eq!(lives.one(refused(DENIED)), [failed(DENIED, 10)]);
    assert_eq!(lives.one(refused(DENIED)), [], "it is counted anew");
}

#[test]
fn one_that_is_taken_in_at_last_tells_how_often_it_was_not_and_then_all_of_it() {
    let mut lives = Lives::default();
    lives.one(refused(DENIED));
    lives.one(refused(DENIED));
    lives.one(refused(DENIED));
    let taken_in = moved(State::CompletingRebalance, MoveCause::JoinAnswered);
    let told = lives.one(vec![found(), joins(), taken_in.clone()]);
    assert_eq!(told, [failed(DENIED, 2), found(), joins(), taken_in]);
    assert_eq!(lives.before, None);
    assert_eq!(
        lives.one(refused(DENIED)),
        refused(DENIED),
        "that is another story"
    );
}

#[test]
fn one_that_another_error_ends_tells_all_of_that() {
    let mut lives = Lives::default();
    lives.one(refused(DENIED));
    assert_eq!(lives.one(refused(26)), refused(26));
    assert_eq!(lives.one(refused(26)), []);
}
