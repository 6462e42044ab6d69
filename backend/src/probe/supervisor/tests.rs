//! When a member that failed is replaced: on paused time, without a network.

use std::time::Duration;

use shared::backoff::Jitter;
use shared::ids::GroupId;
use shared::member::{Config, End, Fatal};
use shared::rules::Rules;
use shared::time::Timestamp;
use tokio::time::advance;

use super::{Ended, Life, Supervisor, pauses};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::probe::ProbeConfig;
use crate::probe::roster::{Order, Roster};

fn supervisor(clock: Clock) -> Supervisor {
    let (reporter, _reports) = Reporter::channel(1);
    let config = ProbeConfig {
        bootstrap: Vec::new(),
        member: Config::new(GroupId::from("demo"), "demo", Rules::MODERN),
        members: 0,
        connect_timeout: ProbeConfig::CONNECT_TIMEOUT,
        host: None,
        security: crate::kafka::security::Security::default(),
    };
    Supervisor::new(config, Roster::default(), clock.into(), reporter)
}

fn fatal(code: i16) -> Ended {
    Ended::Itself(End::Fatal(Fatal {
        code: Some(code),
        sentence: "as told by the test".to_owned(),
    }))
}

/// Seconds until the next replacement.
fn next(supervisor: &Supervisor, now: Timestamp) -> Option<u64> {
    let (at, _) = supervisor.replacements.keys().next()?;
    Some(at.micros_since(now) / 1_000_000)
}

#[tokio::test(start_paused = true)]
async fn a_member_that_failed_is_replaced_after_10_s_doubling_to_5_min() {
    let clock = Clock::start();
    let mut supervisor = supervisor(clock);
    let mut waits = Vec::new();
    let mut pauses = pauses(Jitter::Fixed(0.5));
    for _ in 0..7 {
        let now = clock.now();
        let ended = fatal(24);
        supervisor.life_over(Ok(Life {
            key: 1,
            number: 1,
            ended,
            failure: None,
            started: now,
            pauses,
        }));
        waits.push(next(&supervisor, now).expect("a replacement is planned"));
        let (_, next) = supervisor.replacements.pop_first().expect("planned");
        pauses = next.pauses;
    }
    assert_eq!(waits, [10, 20, 40, 80, 160, 300, 300]);
}

#[tokio::test(start_paused = true)]
async fn a_member_that_lasted_more_than_5_min_starts_the_doubling_over() {
    let clock = Clock::start();
    let mut supervisor = supervisor(clock);
    let mut worn = pauses(Jitter::Fixed(0.5));
    worn.by_ref().take(5).for_each(drop);
    let started = clock.now();
    advance(Duration::from_secs(301)).await;
    let now = clock.now();
    supervisor.life_over(Ok(Life {
        key: 1,
        number: 1,
        ended: fatal(24),
        failure: None,
        started,
        pauses: worn,
    }));
    assert_eq!(next(&supervisor, now), Some(10));
}

#[tokio::test(start_paused = true)]
async fn a_member_that_was_fenced_killed_or_left_is_never_replaced() {
    let clock = Clock::start();
    let mut supervisor = supervisor(clock);
    let remains = End::Remains {
        why: "told to".to_owned(),
    };
    for ended in [
        fatal(82),
        Ended::Killed,
        Ended::Itself(End::Left),
        Ended::Itself(End::Outside),
        Ended::Itself(remains),
    ] {
        let started = clock.now();
        supervisor.life_over(Ok(Life {
            key: 1,
            number: 1,
            ended,
            failure: None,
            started,
            pauses: pauses(Jitter::Fixed(0.5)),
        }));
    }
    assert_eq!(next(&supervisor, clock.now()), None);
}

#[tokio::test(start_paused = true)]
async fn a_replacement_takes_the_number_over_and_starts_when_it_is_due() {
    let clock = Clock::start();
    let mut supervisor = supervisor(clock);
    drop(supervisor.roster.enter("demo"));
    let started = clock.now();
    supervisor.life_over(Ok(Life {
        key: 1,
        number: 1,
        ended: fatal(24),
        failure: None,
        started,
        pauses: pauses(Jitter::Fixed(0.5)),
    }));
    advance(Duration::from_millis(9_999)).await;
    supervisor.replace();
    assert_eq!(supervisor.running.len(), 0);
    advance(Duration::from_millis(1)).await;
    supervisor.replace();
    assert_eq!((supervisor.running.len(), supervisor.roster.len()), (1, 1));
    let known = supervisor.roster.order("demo-1", Order::Leave);
    assert_eq!(known, Ok(()));
}
