//! The server's time on a simulated browser clock.

use super::*;

fn at(ms: u64) -> Timestamp {
    Timestamp::from_millis(ms)
}

#[test]
fn nothing_is_known_before_the_first_word() {
    assert_eq!(ServerClock::default().shown(at(5), true), None);
    assert_eq!(ServerClock::default().age(at(5)), None);
}

#[test]
fn the_least_delayed_sample_decides() {
    let mut clock = ServerClock::default();
    clock.hear(at(1_000), UnixMs(50_000)); // 300 ms on the way
    clock.hear(at(2_000), UnixMs(51_300)); // at once
    clock.hear(at(3_000), UnixMs(52_000)); // 300 ms on the way
    assert_eq!(clock.estimate(at(3_000)), Some(UnixMs(52_300)));
}

#[test]
fn a_quiet_link_holds_the_shown_moment_and_tells_its_age() {
    let mut clock = ServerClock::default();
    clock.hear(at(0), UnixMs(50_000));
    assert_eq!(clock.shown(at(900), true), Some(UnixMs(50_900)));
    assert_eq!(clock.shown(at(60_000), true), Some(UnixMs(51_100)));
    assert_eq!(clock.shown(at(60_000), false), Some(UnixMs(50_000)));
    assert_eq!(clock.age(at(60_000)), Some(Millis(60_000)));
}

#[test]
fn another_server_may_have_another_clock() {
    let mut clock = ServerClock::default();
    clock.hear(at(0), UnixMs(90_000));
    clock.forget();
    clock.hear(at(10), UnixMs(50_000));
    assert_eq!(clock.shown(at(10), true), Some(UnixMs(50_000)));
}

#[test]
fn a_server_clock_that_steps_back_does_not_turn_the_shown_moment_back() {
    let mut clock = ServerClock::default();
    clock.hear(at(0), UnixMs(90_000));
    clock.hear(at(1_000), UnixMs(80_000));
    assert!(clock.shown(at(1_000), true) >= Some(UnixMs(90_000)));
}

#[test]
fn a_server_that_runs_faster_than_life_is_followed_and_its_silence_counted_in_life() {
    let mut clock = ServerClock::default();
    clock.run_at(NonZeroU32::new(20).unwrap());
    clock.hear(at(1_000), UnixMs(50_000)); // 200 ms on the way
    clock.hear(at(2_000), UnixMs(74_000)); // at once
    assert_eq!(clock.shown(at(2_500), true), Some(UnixMs(84_000)));
    assert_eq!(clock.shown(at(60_000), true), Some(UnixMs(96_000)));
    assert_eq!(clock.age(at(5_000)), Some(Millis(3_000)));
    clock.forget();
    assert_eq!(clock.rate(), NonZeroU32::MIN);
}

#[test]
fn a_summary_is_known_once_its_second_is_over_and_it_had_time_to_come() {
    let mut clock = ServerClock::default();
    for (shown, known) in [
        (52_499, 51_000),
        (52_500, 52_000),
        (53_499, 52_000),
        (53_500, 53_000),
    ] {
        assert_eq!(clock.summarised(UnixMs(shown)), UnixMs(known), "{shown}");
    }
    clock.run_at(NonZeroU32::new(20).unwrap());
    assert_eq!(
        clock.summarised(UnixMs(52_500)),
        UnixMs(42_000),
        "half a second of life"
    );
    assert_eq!(clock.summarised(UnixMs(7)), UnixMs(0));
}
