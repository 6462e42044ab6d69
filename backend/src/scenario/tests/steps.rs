//! The player: which part does what when, on a clock of its own.

use shared::event::{Change, Event, Evidence, Observation, Source};
use shared::ids::{ClusterId, GroupId, MemberId};
use shared::time::{Timestamp, UnixMs};

use crate::scenario::Scenario;
use crate::scenario::file::Action;
use crate::scenario::player::{Input, PartId, Player};

/// A play of one part with these steps.
struct Rehearsal {
    player: Player,
    now: u64,
}

fn rehearse(part: &str) -> Rehearsal {
    let text = format!(
        "title = 't'\nincident = 'A01'\nspeed = 1\n[[part]]\nclient = {{ id = 'c', group = 'g' }}\n{part}"
    );
    let scenario = Scenario::read("rehearsal", &text, &[]).unwrap();
    let player = Player::new(&scenario.parts, Timestamp::from_millis(0));
    Rehearsal { player, now: 0 }
}

impl Rehearsal {
    fn input(&mut self, input: Input<'_>) {
        self.player.handle(Timestamp::from_millis(self.now), input);
    }

    /// What is done next, and when: nothing if it waits for an event, or has played.
    fn next(&mut self) -> Option<(u64, &'static str)> {
        loop {
            if let Some(cue) = self.player.poll() {
                let what = match cue.action {
                    Action::Pass => "pass",
                    Action::Start(_) => "start",
                    Action::Fault(fault) => fault.name(),
                    Action::Ask(asking) => asking.frame.key().name(),
                    Action::Disconnect => "disconnect",
                };
                return Some((self.now, what));
            }
            self.now = self.player.deadline()?.as_millis();
            self.input(Input::Tick);
        }
    }

    /// It was done, this long after it was begun.
    fn done(&mut self, took: u64, error: Option<i16>) {
        self.now += took;
        self.input(Input::Done {
            part: PartId(0),
            error,
        });
    }

    fn happens(&mut self, at: u64, member: &str) {
        self.now = at;
        let event = Event {
            seq: 1,
            seen: UnixMs(at),
            what: Observation {
                at: UnixMs(at),
                at_earliest: None,
                source: Source::Embedded,
                evidence: Evidence::Observed,
                cluster: ClusterId::from("c"),
                group: Some(GroupId::from("g")),
                member: Some(MemberId::from(member)),
                change: Change::MemberLeft {
                    cause: "LeaveGroup".into(),
                },
            },
        };
        self.input(Input::Event(&event));
    }
}

#[test]
fn a_step_begins_when_the_one_before_it_is_done_and_its_wait_is_over() {
    let mut play = rehearse("step = [{ join_group = {} }, { wait_ms = [100, 50], sync_group = {} }]");
    assert_eq!(play.next(), Some((0, "JoinGroup")));
    assert_eq!(play.next(), None);
    play.done(700, Some(0));
    assert_eq!(play.next(), Some((850, "SyncGroup")));
    assert!(!play.player.is_over());
    play.done(1, Some(0));
    assert!(play.player.is_over());
}

#[test]
fn a_request_is_repeated_from_start_to_start_until_its_answer_says_so() {
    let mut play = rehearse("step = [{ heartbeat = {}, every_ms = 300, until = 27 }, { disconnect = {} }]");
    for (at, error) in [(0, Some(0)), (300, Some(25)), (600, None), (900, Some(27))] {
        assert_eq!(play.next(), Some((at, "Heartbeat")));
        play.done(10, error);
    }
    assert_eq!(play.next(), Some((910, "disconnect")));
}

#[test]
fn any_error_ends_a_repetition_until_error_and_so_does_no_answer() {
    for error in [Some(27), None] {
        let mut play = rehearse("step = [{ heartbeat = {}, every_ms = 300, until = 'error' }]");
        assert_eq!(play.next(), Some((0, "Heartbeat")));
        play.done(0, error);
        assert!(play.player.is_over());
    }
}

#[test]
fn a_repetition_ends_after_its_times_or_before_its_time_is_over() {
    for ends in ["times = 3", "for_ms = 900", "for_ms = 700"] {
        let mut play = rehearse(&format!(
            "step = [{{ heartbeat = {{}}, every_ms = 300, {ends} }}]"
        ));
        for at in [0, 300, 600] {
            assert_eq!(play.next(), Some((at, "Heartbeat")), "{ends}");
            play.done(0, Some(0));
        }
        assert!(play.player.is_over(), "{ends}");
    }
}

#[test]
fn an_action_that_took_longer_than_the_pause_is_followed_at_once() {
    let mut play = rehearse("step = [{ heartbeat = {}, every_ms = 300 }]");
    assert_eq!(play.next(), Some((0, "Heartbeat")));
    play.done(1_000, Some(0));
    assert_eq!(play.next(), Some((1_000, "Heartbeat")));
}

#[test]
fn a_step_waits_for_its_event_of_its_member_so_often() {
    let mut play = rehearse(
        "step = [{ when = { kind = 'member_left', member = 'm', times = 2 }, wait_ms = 5, heartbeat = {} }]",
    );
    assert_eq!(play.next(), None);
    play.happens(10, "m-1-5f");
    play.happens(20, "mm");
    assert_eq!(play.next(), None);
    play.happens(30, "m");
    assert_eq!(play.next(), Some((35, "Heartbeat")));
}

#[test]
fn an_event_ends_a_repetition_at_once() {
    let mut play = rehearse(
        "step = [{ heartbeat = {}, every_ms = 300, until_event = { kind = 'member_left' } }, { disconnect = {} }]",
    );
    assert_eq!(play.next(), Some((0, "Heartbeat")));
    play.done(0, Some(0));
    play.happens(40, "other");
    assert_eq!(play.next(), Some((40, "disconnect")));
}

#[test]
fn a_part_goes_through_its_steps_as_often_as_it_is_told() {
    let mut play = rehearse("times = 2\nstep = [{ wait_ms = 10, heartbeat = {} }, { disconnect = {} }]");
    for (at, what) in [
        (10, "Heartbeat"),
        (10, "disconnect"),
        (20, "Heartbeat"),
        (20, "disconnect"),
    ] {
        assert_eq!(play.next(), Some((at, what)));
        play.done(0, Some(0));
    }
    assert!(play.player.is_over());
}
