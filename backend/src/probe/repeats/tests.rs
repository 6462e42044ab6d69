//! A member of ours whose every second without a coordinator is played.

use shared::time::Millis;

use super::*;

fn found_at(node: i32, host: &str) -> Change {
    Change::CoordinatorFound {
        node: NodeId(node),
        host: host.to_owned(),
        port: 9092,
    }
}

fn found(node: i32) -> Change {
    found_at(node, "broker")
}

/// Each time it is lost one request fails.
fn dead(cause: DeathCause, again: u32) -> Change {
    Change::CoordinatorDead {
        node: NodeId(1),
        cause,
        detail: None,
        unsent: again.max(1),
        again,
    }
}

fn down(again: u32) -> Change {
    dead(DeathCause::Disconnect, again)
}

const WITHHELD: Change = Change::HeartbeatWithheld {
    reason: WithheldReason::CoordinatorUnknown,
    for_ms: None,
};

#[derive(Default)]
struct Played {
    repeats: Repeats,
    now: Timestamp,
    told: Vec<Told>,
}

impl Played {
    fn tells(&mut self, change: Change) {
        let told = Told {
            at: self.now,
            member: MemberId::from("m"),
            change,
        };
        self.told.extend(self.repeats.pass(told));
    }

    fn connects(&mut self, link: u64) -> LinkId {
        let to = Peer::Coordinator {
            node: NodeId(1),
            host: "broker".to_owned(),
            port: 9092,
        };
        let link = LinkId(link);
        self.repeats.asked(&Output::Connect { link, to });
        link
    }

    /// It finds its coordinator and cannot reach it.
    fn second(&mut self, cause: DeathCause) {
        self.now = self.now + Millis(1_000);
        self.tells(found(1));
        self.connects(self.now.micros_since(Timestamp::default()));
        self.tells(dead(cause, 0));
        self.tells(WITHHELD);
    }

    fn changes(&mut self) -> Vec<Change> {
        self.told.drain(..).map(|told| told.change).collect()
    }
}

#[test]
fn a_broker_that_is_down_is_told_once_and_then_counted() {
    let mut played = Played::default();
    for _ in 0..25 {
        played.second(DeathCause::Disconnect);
    }
    assert_eq!(
        played.changes(),
        [found(1), down(0), WITHHELD, down(10), down(10)]
    );
}

#[test]
fn that_it_is_there_again_is_told_when_it_is_reached_and_how_often_it_was_lost_when_it_was() {
    let mut played = Played::default();
    for _ in 0..4 {
        played.second(DeathCause::Disconnect);
    }
    let last = played.now;
    played.now = played.now + Millis(1_000);
    played.tells(found(1));
    played.changes();
    let link = played.connects(7);
    assert_eq!(played.repeats.reached(), []);
    played.repeats.connected(link);
    let told = played.repeats.reached();
    let at: Vec<_> = told.iter().map(|told| told.at).collect();
    assert_eq!(at, [last, played.now]);
    played.told = told;
    assert_eq!(played.changes(), [down(3), found(1)]);
    // What happens then is new.
    played.tells(down(0));
    played.tells(WITHHELD);
    assert_eq!(played.changes(), [down(0), WITHHELD]);
}

#[test]
fn another_connection_says_nothing_of_the_coordinator() {
    let mut played = Played::default();
    played.second(DeathCause::Disconnect);
    played.second(DeathCause::Disconnect);
    played.repeats.connected(LinkId(3));
    assert_eq!(played.repeats.reached(), []);
    assert_eq!(played.repeats.over().len(), 1);
}

#[test]
fn another_cause_is_told_at_once_with_how_often_it_was_lost_until_then() {
    let mut played = Played::default();
    for cause in [
        DeathCause::Disconnect,
        DeathCause::Disconnect,
        DeathCause::Timeout,
    ] {
        played.second(cause);
    }
    assert_eq!(
        played.changes(),
        [found(1), down(0), WITHHELD, dead(DeathCause::Timeout, 2)]
    );
}

#[test]
fn another_broker_and_the_same_at_another_place_are_told_at_once() {
    let mut played = Played::default();
    played.second(DeathCause::Disconnect);
    played.second(DeathCause::Disconnect);
    played.changes();
    played.tells(found_at(1, "elsewhere"));
    assert_eq!(played.changes(), [down(1), found_at(1, "elsewhere")]);
    played.tells(found(2));
    assert_eq!(played.changes(), [found(2)]);
}

#[test]
fn what_a_coordinator_answers_is_told_each_time() {
    let mut played = Played::default();
    for _ in 0..3 {
        played.second(DeathCause::NotCoordinator);
    }
    let told = played.changes();
    let found = told.iter().filter(|change| **change == found(1)).count();
    assert_eq!((found, told.len()), (3, 9));
}
