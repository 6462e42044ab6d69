//! Every fault of the embedded coordinator as a member meets it, over loopback TCP.

#![expect(clippy::expect_used, reason = "a panic is how a test fails")]

use backend::embedded::EmbeddedHandle;
use shared::event::{Change, DeathCause, Observation, RejoinCause};
use shared::fault::{AnswerWith, AnswerWord, Fault};
use shared::ids::{Generation, InstanceId, MemberId};
use shared::rules::Rules;
use shared::time::Millis;
use tests::cast::{Cast, config, good_beat};

/// One member in a group of its own, which has just been answered 0.
async fn stage(rules: Rules) -> (EmbeddedHandle, Cast) {
    let (coordinator, address) = tests::embedded::start();
    let mut config = config(&address, "faults", 1);
    config.member.rules = rules;
    let mut cast = Cast::start(config);
    cast.generation().await;
    (coordinator, cast)
}

/// The next heartbeat is answered so.
async fn answer_next(coordinator: &EmbeddedHandle, error: AnswerWith) {
    let fault = Fault::Answer {
        api: "Heartbeat".to_owned(),
        error,
        times: 1,
        member: None,
        group: None,
    };
    coordinator.play(fault).await.expect("a fault it knows");
}

fn first<T>(seen: &[Observation], wanted: impl Fn(&Change) -> Option<T>) -> Option<T> {
    seen.iter().find_map(|report| wanted(&report.change))
}

fn answered(seen: &[Observation], code: i16) -> Option<()> {
    first(seen, |change| match change {
        Change::HeartbeatAnswered { error, .. } => (*error == code).then_some(()),
        _ => None,
    })
}

fn dead(seen: &[Observation]) -> Option<DeathCause> {
    first(seen, |change| match change {
        Change::CoordinatorDead { cause, .. } => Some(*cause),
        _ => None,
    })
}

fn found(seen: &[Observation]) -> Option<()> {
    first(seen, |change| {
        matches!(change, Change::CoordinatorFound { .. }).then_some(())
    })
}

fn told_to_rejoin(seen: &[Observation]) -> Option<(RejoinCause, Option<i16>, bool)> {
    first(seen, |change| match change {
        Change::RejoinNeeded {
            cause,
            error,
            member_id_cleared,
            ..
        } => Some((*cause, *error, *member_id_cleared)),
        _ => None,
    })
}

fn rejoined(seen: &[Observation]) -> Option<MemberId> {
    seen.iter().find_map(|report| match report.change {
        Change::MemberRejoined(_) => report.member.clone(),
        _ => None,
    })
}

/// Who beats, in which generation, after `since` reports.
fn beats_on(seen: &[Observation]) -> Option<(MemberId, Generation)> {
    let beat = seen.iter().rev().find_map(good_beat)?;
    Some((beat.member, beat.generation))
}

#[tokio::test]
async fn codes_that_change_nothing_are_told_and_the_member_beats_on() {
    for rules in Rules::ALL {
        let (coordinator, mut cast) = stage(*rules).await;
        let before = beats_on(&cast.seen).expect("it beats");
        for code in [14, -1] {
            cast.forget();
            answer_next(&coordinator, AnswerWith::Code(code)).await;
            cast.until("the code and then a good beat", |seen| {
                answered(seen, code)?;
                answered(seen, 0)
            })
            .await;
            assert_eq!(told_to_rejoin(&cast.seen), None, "{code} under {}", rules.name);
            assert_eq!(dead(&cast.seen), None, "{code} under {}", rules.name);
        }
        cast.generation().await;
        assert_eq!(beats_on(&cast.seen), Some(before));
    }
}

#[tokio::test]
async fn codes_of_a_lost_coordinator_have_it_looked_up_and_the_membership_kept() {
    for rules in Rules::ALL {
        let (coordinator, mut cast) = stage(*rules).await;
        let before = beats_on(&cast.seen).expect("it beats");
        for (code, cause) in [
            (15, DeathCause::CoordinatorNotAvailable),
            (16, DeathCause::NotCoordinator),
        ] {
            cast.forget();
            answer_next(&coordinator, AnswerWith::Code(code)).await;
            let told = cast
                .until("it is dead and found", |seen| dead(seen).zip(found(seen)))
                .await;
            assert_eq!(told.0, cause);
            assert!(
                answered(&cast.seen, code).is_some(),
                "the latency is told before the code is read"
            );
            cast.generation().await;
            assert_eq!(beats_on(&cast.seen).as_ref(), Some(&before));
        }
    }
}

#[tokio::test]
async fn a_disconnect_kills_the_coordinator_first_and_then_the_heartbeat() {
    for rules in Rules::ALL {
        let (coordinator, mut cast) = stage(*rules).await;
        let before = beats_on(&cast.seen).expect("it beats");
        cast.forget();
        answer_next(&coordinator, AnswerWith::Word(AnswerWord::Disconnect)).await;
        cast.until("it is found again", found).await;
        let ends: Vec<_> = cast
            .seen
            .iter()
            .filter_map(|report| match &report.change {
                Change::CoordinatorDead { cause, .. } => Some(format!("{cause:?}")),
                Change::HeartbeatFailed { cause, .. } => Some(format!("{cause:?} of the heartbeat")),
                _ => None,
            })
            .collect();
        assert_eq!(ends, ["Disconnect", "Disconnect of the heartbeat"]);
        cast.generation().await;
        assert_eq!(beats_on(&cast.seen), Some(before));
    }
}

#[tokio::test]
async fn codes_of_a_lost_membership_make_the_member_join_again() {
    for (code, cause, cleared) in [
        (22, RejoinCause::IllegalGeneration, false),
        (25, RejoinCause::UnknownMemberId, true),
        (27, RejoinCause::RebalanceInProgress, false),
    ] {
        for rules in Rules::ALL {
            let (coordinator, mut cast) = stage(*rules).await;
            let (before, _) = beats_on(&cast.seen).expect("it beats");
            cast.forget();
            answer_next(&coordinator, AnswerWith::Code(code)).await;
            let told = cast.until("it was told to rejoin", told_to_rejoin).await;
            assert_eq!(told, (cause, Some(code), cleared), "under {}", rules.name);
            let after = cast
                .until("it has rejoined", |seen| {
                    rejoined(seen).or_else(|| {
                        let joined = |report: &Observation| match report.change {
                            Change::MemberJoined(_) => report.member.clone(),
                            _ => None,
                        };
                        seen.iter().find_map(joined)
                    })
                })
                .await;
            assert_eq!(after == before, !cleared, "{code} under {}", rules.name);
            cast.generation().await;
        }
    }
}

#[tokio::test]
async fn a_missing_right_is_told_by_its_name() {
    for rules in Rules::ALL {
        let (coordinator, mut cast) = stage(*rules).await;
        answer_next(&coordinator, AnswerWith::Code(30)).await;
        let right = cast
            .until("the missing right", |seen| {
                first(seen, |change| match change {
                    Change::NotAuthorized { error: 30, right } => Some(right.clone()),
                    _ => None,
                })
            })
            .await;
        assert!(right.contains("READ") && right.contains("faults"), "{right}");
    }
}

#[tokio::test]
async fn a_fenced_static_member_ends() {
    let (coordinator, address) = tests::embedded::start();
    let mut config = config(&address, "faults", 1);
    config.member.instance = Some(InstanceId::from("fixed"));
    let mut cast = Cast::start(config);
    cast.generation().await;
    answer_next(&coordinator, AnswerWith::Code(82)).await;
    cast.until("it is fenced", |seen| {
        first(seen, |change| {
            matches!(change, Change::MemberFenced { .. }).then_some(())
        })
    })
    .await;
    tests::wait::wait_until("its end", async || match cast.probes.running() {
        0 => Ok(()),
        running => Err(running),
    })
    .await;
}

#[tokio::test]
async fn a_coordinator_that_stops_and_restarts_costs_no_membership() {
    for rules in Rules::ALL {
        let (coordinator, mut cast) = stage(*rules).await;
        let before = beats_on(&cast.seen).expect("it beats");
        cast.forget();
        coordinator.play(Fault::Stop).await.expect("it runs");
        cast.until("it is dead and cannot be found", |seen| {
            let not_found = |change: &Change| match change {
                Change::CoordinatorNotFound { detail, .. } => detail.clone(),
                _ => None,
            };
            dead(seen).zip(first(seen, not_found))
        })
        .await;
        coordinator.play(Fault::Restart).await.expect("it has stopped");
        cast.until("it is found", found).await;
        cast.generation().await;
        assert_eq!(beats_on(&cast.seen), Some(before), "under {}", rules.name);
    }
}

#[tokio::test]
async fn a_silenced_member_loses_its_session_at_the_coordinator_and_comes_back_with_a_new_id() {
    let (coordinator, mut cast) = stage(Rules::MODERN).await;
    let (before, _) = beats_on(&cast.seen).expect("it beats");
    cast.forget();
    let member = before.clone();
    coordinator
        .play(Fault::Silence { member })
        .await
        .expect("a member of the group");
    let cause = cast.until("it takes the coordinator for dead", dead).await;
    assert_eq!(
        cause,
        DeathCause::SessionOver,
        "its requests may take longer than its session"
    );
    let (cause, code, _) = cast.until("it hears that it is out", told_to_rejoin).await;
    assert_eq!((cause, code), (RejoinCause::UnknownMemberId, Some(25)));
    cast.generation().await;
    let (after, _) = beats_on(&cast.seen).expect("it beats");
    assert_ne!(after, before);
}

#[tokio::test]
async fn an_answer_that_is_late_counts_with_its_lateness_and_one_that_is_lost_ends_the_connection() {
    let (coordinator, address) = tests::embedded::start();
    let mut config = config(&address, "faults", 1);
    // Less than its session, and more than a busy machine takes for an answer.
    config.member.request_timeout = Millis(3_000);
    let mut cast = Cast::start(config);
    cast.generation().await;
    let late = Fault::Delay {
        api: "Heartbeat".to_owned(),
        ms: 50,
        times: 1,
        member: None,
        group: None,
    };
    coordinator.play(late).await.expect("a fault it knows");
    cast.until("a beat of at least 50 ms", |seen| {
        seen.iter()
            .filter_map(good_beat)
            .find(|beat| beat.latency_us >= 50_000)
    })
    .await;
    cast.forget();
    let lost = Fault::Drop {
        api: "Heartbeat".to_owned(),
        times: 1,
        member: None,
        group: None,
    };
    coordinator.play(lost).await.expect("a fault it knows");
    let cause = cast.until("it takes the coordinator for dead", dead).await;
    assert_eq!(cause, DeathCause::Timeout);
    cast.generation().await;
}
