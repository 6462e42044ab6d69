//! The link on a simulated clock.

use shared::backoff::Jitter;

use super::*;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn opened() -> Link {
    let (link, command) = Link::new(at(0), Jitter::Fixed(0.5));
    assert_eq!(command, LinkCommand::Open);
    link
}

fn live_since(ms: u64) -> Link {
    let mut link = opened();
    assert_eq!(link.handle(at(ms), LinkInput::Frame), None);
    assert_eq!(link.state(), LinkState::Live);
    link
}

#[test]
fn a_link_is_connecting_until_its_first_frame() {
    let mut link = opened();
    assert_eq!(link.state(), LinkState::Connecting);
    link.handle(at(40), LinkInput::Frame);
    assert_eq!(link.state(), LinkState::Live);
}

#[test]
fn three_seconds_after_the_last_frame_it_is_stale_and_a_frame_makes_it_live_again() {
    let mut link = live_since(100);
    assert_eq!(link.deadline(), at(3_100));
    link.handle(at(3_099), LinkInput::Timeout);
    assert_eq!(link.state(), LinkState::Live, "an early timer changes nothing");
    link.handle(at(3_100), LinkInput::Timeout);
    assert_eq!(link.state(), LinkState::Stale);
    link.handle(at(9_000), LinkInput::Frame);
    assert_eq!(link.state(), LinkState::Live);
}

#[test]
fn ten_seconds_after_the_last_frame_the_socket_is_given_up() {
    let mut link = live_since(100);
    link.handle(at(3_100), LinkInput::Timeout);
    assert_eq!(link.deadline(), at(10_100));
    assert_eq!(
        link.handle(at(10_100), LinkInput::Timeout),
        Some(LinkCommand::Close)
    );
    assert_eq!(link.state(), LinkState::Reconnecting);
}

#[test]
fn a_closed_link_opens_another_socket_after_its_delay() {
    let mut link = live_since(100);
    assert_eq!(link.handle(at(200), LinkInput::Closed), None);
    assert_eq!(link.state(), LinkState::Reconnecting);
    let due = link.deadline();
    assert!(due > at(200), "never at once");
    assert_eq!(link.handle(due, LinkInput::Timeout), Some(LinkCommand::Open));
    assert_eq!(link.state(), LinkState::Reconnecting, "until a frame comes");
}

#[test]
fn delays_grow_to_a_cap_and_start_over_once_a_link_has_held() {
    let mut link = opened();
    let mut now = at(0);
    let mut delays = Vec::new();
    for _ in 0..12 {
        link.handle(now, LinkInput::Closed);
        let due = link.deadline();
        delays.push(due.micros_since(now));
        link.handle(due, LinkInput::Timeout);
        now = due;
    }
    assert!(delays.is_sorted(), "{delays:?}");
    assert!(delays[11] > delays[0], "{delays:?}");
    link.handle(now, LinkInput::Frame);
    now = now + PROVEN_AFTER;
    link.handle(now, LinkInput::Closed);
    assert_eq!(link.deadline().micros_since(now), delays[0]);
}

#[test]
fn a_link_that_breaks_at_once_keeps_its_longer_delay() {
    let mut link = opened();
    let mut waits = Vec::new();
    let mut now = at(0);
    for _ in 0..4 {
        link.handle(now, LinkInput::Frame);
        link.handle(now, LinkInput::Closed);
        let due = link.deadline();
        waits.push(due.micros_since(now));
        link.handle(due, LinkInput::Timeout);
        now = due;
    }
    assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
}

#[test]
fn a_socket_that_never_speaks_is_given_up_after_ten_seconds() {
    let mut link = opened();
    assert_eq!(
        link.handle(at(10_000), LinkInput::Timeout),
        Some(LinkCommand::Close)
    );
    assert_eq!(link.state(), LinkState::Reconnecting);
}

#[test]
fn a_browser_back_online_does_not_wait() {
    let mut link = live_since(0);
    link.handle(at(10), LinkInput::Closed);
    assert_eq!(link.handle(at(20), LinkInput::Online), Some(LinkCommand::Open));
    assert_eq!(
        link.handle(at(21), LinkInput::Online),
        None,
        "one socket at a time"
    );
}

#[test]
fn garble_closes_the_socket() {
    let mut link = live_since(0);
    assert_eq!(link.handle(at(10), LinkInput::Garbled), Some(LinkCommand::Close));
    assert_eq!(link.state(), LinkState::Reconnecting);
    assert_eq!(
        link.handle(at(11), LinkInput::Frame),
        None,
        "what still comes from it is not heard"
    );
    assert_eq!(link.state(), LinkState::Reconnecting);
}
