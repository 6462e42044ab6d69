//! What members are told to do, and how they end.

use std::time::Duration;

use shared::event::{Change, Evidence, Observation, Source};
use shared::ids::{GroupId, MemberId};
use shared::member::State;
use shared::protocol::ApiKey;
use shared::time::Millis;

use super::scripted_coordinator::{ScriptedCoordinator, Trick};
use super::{Cast, PATIENCE, config};
use crate::clock::Clock;
use crate::hub::Reporter;
use crate::limits;
use crate::probe::{AddError, Farewell, Probes, StartError, TooManyMembers};

async fn cast() -> (ScriptedCoordinator, Cast) {
    let coordinator = ScriptedCoordinator::start().await;
    let mut cast = Cast::start(config(vec![coordinator.address()]));
    cast.beat().await;
    (coordinator, cast)
}

/// Waits until no member runs; their last reports are passed over.
async fn nobody_runs(cast: &mut Cast) {
    let ended = async {
        while cast.probes.running() > 0 {
            tokio::task::yield_now().await;
            while cast.reports.try_recv().is_ok() {}
        }
    };
    tokio::time::timeout(PATIENCE, ended)
        .await
        .expect("the members end");
}

#[tokio::test]
async fn a_beat_is_reported_with_its_source_its_names_and_a_latency() {
    let (_coordinator, mut cast) = cast().await;
    let beat = cast.beat().await;
    assert_eq!((beat.source, beat.evidence), (Source::Probe, Evidence::Observed));
    assert_eq!(beat.group, Some(GroupId::from("demo")));
    assert_eq!(beat.member, Some(MemberId::from("demo-1-5f")));
    let Change::HeartbeatAnswered { latency_us, .. } = beat.change else {
        panic!("{beat:?}");
    };
    assert!(latency_us > 0);
}

#[tokio::test]
async fn a_killed_member_is_gone_without_leaving_and_does_not_come_back() {
    let (coordinator, mut cast) = cast().await;
    cast.probes.kill("demo-1-5f").expect("its member id");
    nobody_runs(&mut cast).await;
    assert_eq!(coordinator.count(ApiKey::LeaveGroup), 0);
    let error = cast.probes.kill("demo-1").expect_err("it is gone").to_string();
    assert!(error.contains("'demo-1'"), "{error}");
}

#[tokio::test]
async fn a_member_told_to_leave_leaves_the_group_and_ends() {
    let (coordinator, mut cast) = cast().await;
    cast.probes.leave("demo-1").expect("its client id");
    let left = |report: &Observation| match &report.change {
        Change::MemberLeft { .. } => report.member.clone(),
        _ => None,
    };
    let member = cast.report("member_left", left).await;
    assert_eq!(member, MemberId::from("demo-1-5f"));
    nobody_runs(&mut cast).await;
    assert_eq!(coordinator.count(ApiKey::LeaveGroup), 1);
}

#[tokio::test]
async fn members_added_have_numbers_of_their_own() {
    let (_coordinator, mut cast) = cast().await;
    cast.probes.kill("demo-1").expect("its client id");
    nobody_runs(&mut cast).await;
    let names = cast.probes.add(2).await.expect("room for two");
    assert_eq!(names, ["demo-2", "demo-3"]);
    cast.beat().await;
}

#[tokio::test]
async fn too_many_members_are_refused_with_the_bound() {
    let (_coordinator, cast) = cast().await;
    let refused = cast
        .probes
        .add(limits::MEMBERS)
        .await
        .expect_err("one runs already");
    assert!(matches!(
        refused,
        AddError::TooMany(TooManyMembers { running: 1, .. })
    ));
    assert_eq!(
        refused.to_string(),
        "10000 members beside 1 (allowed: 10000 in all)"
    );
}

#[tokio::test]
async fn a_configuration_that_makes_no_sense_starts_nothing() {
    let (reporter, _reports) = Reporter::channel(1);
    let mut wrong = config(Vec::new());
    wrong.member.heartbeat_interval = wrong.member.session_timeout;
    let error = Probes::start(wrong, Clock::start(), reporter.clone()).expect_err("interval = session");
    assert!(matches!(error, StartError::Config(_)), "{error}");
    let mut many = config(Vec::new());
    many.members = limits::MEMBERS + 1;
    let error = Probes::start(many, Clock::start(), reporter).expect_err("too many");
    let expected = TooManyMembers {
        asked: limits::MEMBERS + 1,
        running: 0,
    };
    assert_eq!(error, StartError::TooMany(expected));
}

#[tokio::test]
async fn a_shutdown_lets_all_members_leave_first() {
    let (coordinator, cast) = cast().await;
    let farewell = cast.probes.shutdown(PATIENCE).await;
    assert_eq!(
        farewell,
        Farewell {
            left: 1,
            remaining: 0
        }
    );
    assert_eq!(coordinator.count(ApiKey::LeaveGroup), 1);
}

#[tokio::test]
async fn after_a_shutdown_nobody_reports_and_nobody_is_hired() {
    let (coordinator, cast) = cast().await;
    let Cast { probes, mut reports } = cast;
    probes.shutdown(PATIENCE).await;
    let reported = async { while reports.recv().await.is_some() {} };
    let ended = tokio::time::timeout(PATIENCE, reported).await;
    ended.expect("the last reporter is gone while the members' handle is there");
    let late = probes.hire(config(vec![coordinator.address()]));
    assert_eq!(late, Err(StartError::Leaving));
    assert_eq!(probes.add(1).await, Err(AddError::Nobody));
}

#[tokio::test]
async fn a_coordinator_that_does_not_answer_the_goodbye_is_not_waited_for_beyond_the_deadline() {
    let coordinator = ScriptedCoordinator::start().await;
    coordinator.always_play(ApiKey::LeaveGroup, Trick::Silence);
    let mut patient = config(vec![coordinator.address()]);
    patient.member.request_timeout = Millis(60_000);
    let mut cast = Cast::start(patient);
    cast.beat().await;
    let farewell = cast.probes.shutdown(Duration::from_millis(50)).await;
    assert_eq!(
        farewell,
        Farewell {
            left: 0,
            remaining: 1
        }
    );
}

#[tokio::test]
async fn a_shutdown_while_a_member_waits_for_its_sync_lets_it_leave() {
    let coordinator = ScriptedCoordinator::start().await;
    coordinator.always_play(ApiKey::SyncGroup, Trick::Silence);
    let mut patient = config(vec![coordinator.address()]);
    patient.member.request_timeout = Millis(60_000);
    let mut cast = Cast::start(patient);
    let syncs = |report: &Observation| match report.change {
        Change::MemberMoved {
            to: State::CompletingRebalance,
            ..
        } => Some(()),
        _ => None,
    };
    cast.report("a SyncGroup that waits", syncs).await;
    let farewell = cast.probes.shutdown(PATIENCE).await;
    assert_eq!(
        farewell,
        Farewell {
            left: 1,
            remaining: 0
        }
    );
    assert_eq!(farewell.warning(), None);
    assert_eq!(coordinator.count(ApiKey::LeaveGroup), 1);
}

#[tokio::test]
async fn a_member_whose_goodbye_is_not_taken_is_not_counted_as_left() {
    let coordinator = ScriptedCoordinator::start().await;
    coordinator.always_play(ApiKey::LeaveGroup, Trick::Close);
    let mut cast = Cast::start(config(vec![coordinator.address()]));
    cast.beat().await;
    let farewell = cast.probes.shutdown(PATIENCE).await;
    assert_eq!(
        farewell,
        Farewell {
            left: 0,
            remaining: 1
        }
    );
    let warning = farewell.warning().expect("it could not leave");
    assert!(warning.starts_with("1 member could not leave"), "{warning}");
}

#[tokio::test]
async fn a_member_ended_by_a_fatal_error_is_reported_with_it() {
    let coordinator = ScriptedCoordinator::start().await;
    coordinator.play(ApiKey::JoinGroup, Trick::Code(24));
    let mut cast = Cast::start(config(vec![coordinator.address()]));
    let failed = |report: &Observation| match &report.change {
        Change::MemberFailed { error, sentence, .. } => Some((*error, sentence.clone())),
        _ => None,
    };
    let (error, sentence) = cast.report("member_failed", failed).await;
    assert_eq!(error, Some(24));
    assert!(sentence.contains("24"), "{sentence}");
    nobody_runs(&mut cast).await;
}

#[tokio::test]
async fn a_second_set_is_told_otherwise_and_ends_with_the_first() {
    let coordinator = ScriptedCoordinator::start().await;
    let mut cast = Cast::start(config(vec![coordinator.address()]));
    cast.beat().await;
    let mut others = config(vec![coordinator.address()]);
    others.member.client_id = "other".to_owned();
    others.members = 2;
    assert_eq!(cast.probes.hire(others).expect("hired"), ["other-1", "other-2"]);
    for _ in 0..2 {
        let joined = |report: &Observation| matches!(report.change, Change::MemberJoined(_)).then_some(());
        cast.report("member_joined of one of the second set", joined)
            .await;
    }
    assert_eq!(cast.probes.running(), 3);
    assert_eq!(cast.probes.add(1).await, Ok(vec!["other-3".to_owned()]));
    cast.probes.kill("other-3").expect("it runs");
    let farewell = cast.probes.shutdown(PATIENCE).await;
    assert_eq!(cast.probes.running(), 0);
    assert_eq!(farewell.left, 3, "who was killed has not left: {farewell:?}");
}

#[tokio::test]
async fn members_that_were_never_in_their_group_have_not_left_it() {
    let coordinator = ScriptedCoordinator::start().await;
    coordinator.always_play(ApiKey::FindCoordinator, Trick::Silence);
    let cast = Cast::start(config(vec![coordinator.address()]));
    let farewell = cast.probes.shutdown(PATIENCE).await;
    assert_eq!(farewell, Farewell::default());
    assert_eq!(farewell.warning(), None);
    assert_eq!(farewell.notice(), "no member of ours was in a group");
}
