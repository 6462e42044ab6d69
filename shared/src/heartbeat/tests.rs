//! The timing rules, under both sets. Ids are those of protocol.md 5.A and 5.C; the member's tests list them.

use super::*;
use crate::backoff::Jitter;

const RULES: [&Rules; 2] = Rules::ALL;

fn ms(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Session 300, interval 100, backoff 10 to 100, session started at 0.
fn heartbeat(rules: &Rules) -> Heartbeat {
    let backoff = Backoff::exponential(Millis(10), Millis(100), Jitter::Fixed(0.5));
    Heartbeat::new(rules, Millis(300), Millis(100), backoff, ms(0)).unwrap()
}

fn to_next_ms(heartbeat: &Heartbeat, now: u64) -> u64 {
    heartbeat.time_to_next(ms(now)) / 1000
}

/// A01.
#[test]
fn a_heartbeat_is_due_once_the_interval_has_passed() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(1000));
        assert!(heartbeat.is_due(ms(1110)));
        assert!(heartbeat.is_due(ms(1100)), "inclusive");
    }
}

/// A02.
#[test]
fn a_heartbeat_is_not_due_within_the_interval() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(1000));
        assert!(!heartbeat.is_due(ms(1050)));
        assert!(!heartbeat.is_due(Timestamp(1_099_999)));
    }
}

/// A03, C01.
#[test]
fn the_wait_for_the_next_heartbeat_shrinks_to_0_and_stays_there() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(0));
        assert_eq!([0, 100, 200].map(|now| to_next_ms(&heartbeat, now)), [100, 0, 0]);
    }
}

/// A04, C02: sending alone keeps no session.
#[test]
fn the_session_is_over_when_nothing_was_answered_for_its_timeout() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(0));
        assert!(!heartbeat.session_over(ms(299)));
        assert!(heartbeat.session_over(ms(305)));
    }
}

/// A14.
#[test]
fn at_the_timeout_itself_the_session_lives_in_0_10_and_is_over_today() {
    let mut old = heartbeat(&Rules::V0_10);
    old.reset_session(ms(0));
    assert!(!old.session_over(ms(300)));
    assert!(old.session_over(ms(301)));

    let mut new = heartbeat(&Rules::MODERN);
    new.reset_session(ms(0));
    assert!(!new.session_over(ms(299)));
    assert!(new.session_over(ms(300)));
}

/// A15.
#[test]
fn a_session_reset_postpones_the_next_heartbeat_in_0_10_only() {
    let mut old = heartbeat(&Rules::V0_10);
    old.sent(ms(0));
    old.reset_session(ms(60));
    assert_eq!(to_next_ms(&old, 100), 60);
    assert!(!old.is_due(ms(159)));
    assert!(old.is_due(ms(160)));

    let mut new = heartbeat(&Rules::MODERN);
    new.sent(ms(0));
    new.reset_session(ms(60));
    assert!(new.is_due(ms(100)));
    assert!(!new.session_over(ms(359)), "the session did start again");
}

/// A16.
#[test]
fn an_interval_that_is_not_below_the_session_timeout_is_refused_with_both_numbers() {
    for rules in RULES {
        let with = |interval| {
            let backoff = Backoff::constant(Millis(20));
            Heartbeat::new(rules, Millis(300), Millis(interval), backoff, ms(0))
        };
        let refused = with(300).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "heartbeat interval 300 ms: must be lower than the session timeout, 300 ms"
        );
        assert!(with(299).is_ok());
    }
}

/// A17.
#[test]
fn a_clock_that_steps_back_lengthens_the_wait_in_0_10() {
    let mut heartbeat = heartbeat(&Rules::V0_10);
    heartbeat.sent(ms(1000));
    assert_eq!(to_next_ms(&heartbeat, 900), 200);
    heartbeat.received(ms(1000));
    assert!(!heartbeat.session_over(ms(900)));
    assert_eq!(heartbeat.observe(ms(900)), ms(900));
}

/// C08.
#[test]
fn a_clock_that_steps_back_changes_nothing_today() {
    let mut heartbeat = heartbeat(&Rules::MODERN);
    heartbeat.sent(ms(1000));
    assert_eq!(heartbeat.observe(ms(900)), ms(1000));
    assert_eq!(to_next_ms(&heartbeat, 900), 100);
    heartbeat.sent(ms(950));
    assert_eq!(heartbeat.last_send(), Some(ms(1000)));
}

/// C04.
#[test]
fn being_taken_in_starts_session_and_interval_again() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        assert!(heartbeat.session_over(ms(900)));
        assert_eq!(to_next_ms(&heartbeat, 900), 0);
        heartbeat.reset(ms(900));
        assert!(!heartbeat.session_over(ms(900)));
        assert_eq!(to_next_ms(&heartbeat, 900), 100);
    }
}

/// C06: Kafka's timer of 500 asked at 100, 500 and 700.
#[test]
fn once_over_a_session_stays_over_until_it_is_renewed() {
    let backoff = Backoff::constant(Millis(10));
    let mut heartbeat = Heartbeat::new(&Rules::MODERN, Millis(500), Millis(100), backoff, ms(0)).unwrap();
    let left = |heartbeat: &Heartbeat, now| heartbeat.session_end().micros_since(ms(now)) / 1000;
    assert_eq!([100, 500, 700].map(|now| left(&heartbeat, now)), [400, 0, 0]);
    assert_eq!(
        [100, 499, 500, 700].map(|now| heartbeat.session_over(ms(now))),
        [false, false, true, true]
    );
    heartbeat.received(ms(700));
    assert_eq!(left(&heartbeat, 700), 500);
}

/// C07: a reset counts from the moment it is given, not from one remembered.
#[test]
fn a_reset_long_after_the_last_question_starts_a_whole_session() {
    let mut heartbeat = heartbeat(&Rules::MODERN);
    heartbeat.observe(ms(200));
    heartbeat.reset_session(ms(500));
    assert_eq!(heartbeat.session_end(), ms(800));
}

/// C09.
#[test]
fn a_timeout_without_end_wraps_into_no_past() {
    for rules in RULES {
        let backoff = Backoff::constant(Millis(10));
        let forever = Millis(u64::MAX);
        let mut heartbeat = Heartbeat::new(rules, forever, Millis(u64::MAX - 1), backoff, ms(5)).unwrap();
        heartbeat.sent(ms(10));
        assert_eq!(heartbeat.session_end(), Timestamp::FAR);
        assert!(!heartbeat.session_over(ms(1_000_000)));
        assert!(!heartbeat.is_due(ms(1_000_000)));
    }
}

/// Traps 5 and 9.
#[test]
fn the_next_heartbeat_is_an_interval_after_the_last_send_however_late_the_answer() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(0));
        heartbeat.received(ms(90));
        assert!(heartbeat.is_due(ms(100)));
        assert!(!heartbeat.session_over(ms(389)));
        assert!(heartbeat.session_over(ms(391)));
    }
}

#[test]
fn a_failure_makes_the_next_heartbeat_early_today_and_only_a_new_look_in_0_10() {
    let mut old = heartbeat(&Rules::V0_10);
    old.sent(ms(0));
    assert_eq!(old.failed(ms(5)), ms(15));
    assert!(!old.is_due(ms(15)));
    assert!(old.is_due(ms(100)));

    let mut new = heartbeat(&Rules::MODERN);
    new.sent(ms(0));
    assert_eq!(new.failed(ms(5)), ms(15));
    assert!(new.is_due(ms(15)));
}

#[test]
fn failures_in_a_row_back_off_and_a_renewal_starts_over() {
    let mut heartbeat = heartbeat(&Rules::MODERN);
    let waits = |heartbeat: &mut Heartbeat, n| -> Vec<u64> {
        (0..n).map(|_| heartbeat.failed(ms(0)).as_millis()).collect()
    };
    assert_eq!(waits(&mut heartbeat, 5), [10, 20, 40, 80, 100]);
    heartbeat.received(ms(0));
    assert_eq!(waits(&mut heartbeat, 2), [10, 20]);
}

#[test]
fn a_failure_does_not_renew_the_session() {
    for rules in RULES {
        let mut heartbeat = heartbeat(rules);
        heartbeat.sent(ms(100));
        heartbeat.failed(ms(200));
        assert!(heartbeat.session_over(ms(301)));
        assert_eq!(heartbeat.last_receive(), None);
    }
}
